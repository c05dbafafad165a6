// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
// From the card's stream to the three that pcie_us_if sends: writes, reads and completions. It
// keeps them in three queues, and lets a read or a completion pass a write. So these wait here
// until the sequence numbers of all writes before them have come back, which says that nothing
// passes them any more.

module hbs_board_us_tx #(
  parameter int unsigned DataWidth = 256,  // 64 to 512
  parameter int unsigned SeqWidth = 5,
  parameter int unsigned SeqCount = 1,     // sequence numbers that can come back in a cycle
  localparam int unsigned Lanes = DataWidth / 32
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  input  logic                 tx_valid_i,
  output logic                 tx_ready_o,
  input  logic                 tx_sop_i,
  input  logic                 tx_eop_i,
  input  logic [1:0]           tx_keep_i,
  input  logic [63:0]          tx_data_i,

  // the header and the data are those of all three
  output logic                 wr_valid_o,
  input  logic                 wr_ready_i,
  output logic [SeqWidth-1:0]  wr_seq_o,
  output logic                 rd_valid_o,
  input  logic                 rd_ready_i,
  output logic                 cpl_valid_o,
  input  logic                 cpl_ready_i,
  output logic                 sop_o,
  output logic                 eop_o,
  output logic [Lanes-1:0]     strb_o,
  output logic [DataWidth-1:0] data_o,
  output logic [127:0]         hdr_o,

  input  logic [SeqCount-1:0]  wr_seq_valid_i
);

  localparam int unsigned CountWidth = $clog2(Lanes + 2);

  typedef enum logic [1:0] {StFirst, StSecond, StData, StSend} state_e;

  state_e                   state_q, state_d;
  logic [31:0]              h0_q, h1_q, h2_q, h3_q;
  logic [32*(Lanes+1)-1:0]  words_q, words_d;  // data that were not sent yet
  logic [CountWidth-1:0]    count_q, count_d;
  logic                     ended_q, ended_d;
  logic                     first_q, first_d;
  logic [SeqWidth-1:0]      seq_q;
  logic [7:0]               flying_q;          // writes whose numbers are not back

  logic is_write, is_read, is_other, long, beat, may, sent;
  assign is_other = h0_q[27];  // of what the card sends, completions only
  assign is_write = h0_q[30] && !is_other;
  assign is_read  = !h0_q[30] && !is_other;
  assign long     = h0_q[29];

  assign beat = tx_valid_i && tx_ready_o;
  assign may  = is_write ? flying_q != 8'hff : flying_q == 8'd0;
  assign sent = (wr_valid_o && wr_ready_i) || (rd_valid_o && rd_ready_i)
                || (cpl_valid_o && cpl_ready_i);

  assign tx_ready_o  = state_q != StSend;
  assign wr_valid_o  = state_q == StSend && may && is_write;
  assign rd_valid_o  = state_q == StSend && may && is_read;
  assign cpl_valid_o = state_q == StSend && may && is_other;
  assign wr_seq_o    = seq_q;
  assign sop_o       = first_q;
  assign eop_o       = ended_q && count_q <= CountWidth'(Lanes);
  assign data_o      = words_q[DataWidth-1:0];
  assign hdr_o       = {h0_q, h1_q, h2_q, long ? h3_q : 32'd0};
  always_comb begin
    for (int unsigned i = 0; i < Lanes; i++) strb_o[i] = count_q > CountWidth'(i);
  end

  // the double words of data in a beat
  logic [1:0]  more;
  logic [31:0] one;
  always_comb begin
    more = {1'b0, tx_keep_i[0]} + {1'b0, tx_keep_i[1]};
    one  = tx_data_i[31:0];
    if (state_q == StSecond) begin
      more = {1'b0, !long && tx_keep_i[1]};
      one  = tx_data_i[63:32];
    end
  end

  always_comb begin
    state_d = state_q;
    words_d = words_q;
    count_d = count_q;
    ended_d = ended_q;
    first_d = first_q;
    if (state_q == StSend) begin
      if (sent) begin
        first_d = 1'b0;
        words_d = {{DataWidth{1'b0}}, words_q[DataWidth+:32]};
        count_d = count_q > CountWidth'(Lanes) ? CountWidth'(1) : '0;
        state_d = !ended_q ? StData : eop_o ? StFirst : StSend;
      end
    end else if (beat && tx_sop_i) begin
      first_d = 1'b1;
      count_d = '0;
      state_d = StSecond;
    end else if (beat) begin
      for (int unsigned i = 0; i <= Lanes; i++) begin
        if (count_q == CountWidth'(i)) words_d[32*i+:32] = one;
        if (count_q + 1'b1 == CountWidth'(i)) words_d[32*i+:32] = tx_data_i[63:32];
      end
      count_d = count_q + CountWidth'(more);
      ended_d = tx_eop_i;
      state_d = tx_eop_i || count_d >= CountWidth'(Lanes) ? StSend : StData;
    end
  end

  logic [7:0] landed;
  always_comb begin
    landed = '0;
    for (int unsigned i = 0; i < SeqCount; i++) landed = landed + 8'(wr_seq_valid_i[i]);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q  <= StFirst;
      count_q  <= '0;
      ended_q  <= 1'b0;
      first_q  <= 1'b0;
      seq_q    <= '0;
      flying_q <= '0;
    end else begin
      state_q  <= state_d;
      count_q  <= count_d;
      ended_q  <= ended_d;
      first_q  <= first_d;
      if (sent && is_write && eop_o) seq_q <= seq_q + 1'b1;
      flying_q <= flying_q + 8'(sent && is_write && eop_o) - landed;
    end
  end

  always_ff @(posedge clk_i) begin
    words_q <= words_d;
    if (beat && tx_sop_i) {h1_q, h0_q} <= tx_data_i;
    else if (beat && state_q == StSecond) {h3_q, h2_q} <= tx_data_i;
  end

endmodule
