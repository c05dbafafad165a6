// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
// From the two streams that pcie_us_if receives, of requests and of completions, to the card's one.
// There a packet's header goes beside its data, with its first double word in the upper bits; here
// it goes before the data.

module hbs_board_us_rx #(
  parameter int unsigned DataWidth = 256,  // 64 to 512
  localparam int unsigned Lanes = DataWidth / 32
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  input  logic                 req_valid_i,
  output logic                 req_ready_o,
  input  logic                 req_eop_i,
  input  logic [Lanes-1:0]     req_strb_i,
  input  logic [DataWidth-1:0] req_data_i,
  input  logic [127:0]         req_hdr_i,
  input  logic [2:0]           req_bar_id_i,

  input  logic                 cpl_valid_i,
  output logic                 cpl_ready_o,
  input  logic                 cpl_eop_i,
  input  logic [Lanes-1:0]     cpl_strb_i,
  input  logic [DataWidth-1:0] cpl_data_i,
  input  logic [127:0]         cpl_hdr_i,
  input  logic [3:0]           cpl_error_i,

  output logic                 rx_valid_o,
  input  logic                 rx_ready_i,
  output logic                 rx_sop_o,
  output logic                 rx_eop_o,
  output logic [1:0]           rx_keep_o,
  output logic [63:0]          rx_data_o,
  output logic [2:0]           rx_bar_o
);

  localparam int unsigned IndexWidth = $clog2(Lanes) + 1;

  typedef enum logic [1:0] {StFirst, StSecond, StData} state_e;

  state_e                state_q, state_d;
  logic                  is_cpl, is_cpl_q;
  logic [IndexWidth-1:0] index_q, index_d;  // of the next double word of the beat
  logic                  has_carry_q, has_carry_d;
  logic [31:0]           carry_q, carry_d;  // one of the beat before

  // completions free the card, so they go first
  assign is_cpl = state_q == StFirst ? cpl_valid_i : is_cpl_q;

  logic                  valid, eop, pop;
  logic [DataWidth-1:0]  data;
  logic [31:0]           h0, h1, h2, h3;
  logic [IndexWidth-1:0] count;
  always_comb begin
    valid = is_cpl ? cpl_valid_i : req_valid_i;
    eop   = is_cpl ? cpl_eop_i : req_eop_i;
    data  = is_cpl ? cpl_data_i : req_data_i;
    {h0, h1, h2, h3} = is_cpl ? cpl_hdr_i : req_hdr_i;
    // whatever has gone wrong, the data are not to be used
    if (is_cpl && cpl_error_i != 4'd0) h0[14] = 1'b1;
    count = '0;
    for (int unsigned i = 0; i < Lanes; i++) begin
      if (is_cpl ? cpl_strb_i[i] : req_strb_i[i]) count = IndexWidth'(i + 1);
    end
  end
  assign req_ready_o = pop && !is_cpl;
  assign cpl_ready_o = pop && is_cpl;

  // the next two double words of the beat
  logic [31:0] one, two;
  always_comb begin
    one = '0;
    two = '0;
    for (int unsigned i = 0; i < Lanes; i++) begin
      if (index_q == IndexWidth'(i)) one = data[32*i+:32];
      if (index_q + 1'b1 == IndexWidth'(i)) two = data[32*i+:32];
    end
  end

  logic has_one, has_two, long, beat;
  assign has_one = index_q < count;
  assign has_two = index_q + 1'b1 < count;
  assign long    = h0[29];
  assign beat    = rx_valid_o && rx_ready_i;

  assign rx_sop_o = state_q == StFirst;
  assign rx_bar_o = is_cpl ? 3'd7 : req_bar_id_i;

  always_comb begin
    state_d     = state_q;
    index_d     = index_q;
    has_carry_d = has_carry_q;
    carry_d     = carry_q;
    pop         = 1'b0;
    rx_valid_o  = valid;
    rx_eop_o    = 1'b0;
    rx_keep_o   = 2'b11;
    rx_data_o   = {h1, h0};
    unique case (state_q)
      StFirst: begin
        index_d     = '0;
        has_carry_d = 1'b0;
        if (beat) state_d = StSecond;
      end
      StSecond: begin
        rx_data_o = long ? {h3, h2} : {one, h2};
        rx_keep_o = {long || has_one, 1'b1};
        rx_eop_o  = eop && (long ? !has_one : !has_two);
        if (beat) begin
          index_d = {{IndexWidth - 1{1'b0}}, !long && has_one};
          state_d = StData;
          pop     = index_d >= count;
        end
      end
      default: begin
        rx_data_o = has_carry_q ? {one, carry_q} : {two, one};
        if (has_carry_q || has_two) begin
          if (beat) begin
            index_d     = index_q + (has_carry_q ? IndexWidth'(1) : IndexWidth'(2));
            has_carry_d = 1'b0;
            pop         = index_d >= count;
          end
          rx_eop_o = eop && index_q + (has_carry_q ? IndexWidth'(1) : IndexWidth'(2)) >= count;
        end else if (eop) begin
          rx_keep_o = 2'b01;
          rx_eop_o  = 1'b1;
          pop       = beat;
        end else begin
          // the last one of the beat waits for the first one of the next
          rx_valid_o  = 1'b0;
          has_carry_d = valid && has_one;
          carry_d     = one;
          pop         = valid;
        end
      end
    endcase
    if (pop) index_d = '0;
    if (pop && eop) state_d = StFirst;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q     <= StFirst;
      index_q     <= '0;
      has_carry_q <= 1'b0;
    end else begin
      state_q     <= state_d;
      index_q     <= index_d;
      has_carry_q <= has_carry_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == StFirst) is_cpl_q <= is_cpl;
    carry_q <= carry_d;
  end

endmodule
