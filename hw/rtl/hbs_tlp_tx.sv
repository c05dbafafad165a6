// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
// Sends what leaves the card: writes, messages and reads, one packet each, in the order in which
// they are taken, and the completions. A completion leaves after the packets that were taken before
// the answers that it is made of; later ones can pass it.

module hbs_tlp_tx #(
  parameter int unsigned Reads = 8,
  localparam int unsigned SlotWidth = $clog2(Reads)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic [15:0]          id_i,
  input  logic                 bus_master_i,
  input  logic                 np_ok_i,       // the link takes one more read

  // writes, messages and answers of the card
  input  logic                 card_valid_i,
  output logic                 card_ready_o,
  output logic                 card_refused_o,
  input  logic [1:0]           card_kind_i,
  input  logic [63:2]          card_addr_i,
  input  logic [127:0]         card_data_i,
  input  logic [SlotWidth-1:0] card_tag_i,

  // the answers, to those who make completions of them
  output logic                 ans_valid_o,
  input  logic                 ans_ready_i,
  output logic [SlotWidth-1:0] ans_tag_o,
  output logic [63:0]          ans_data_o,

  // messages: what to write for one, and those that were pending
  output logic                 raise_o,
  output logic                 vector_o,
  input  logic                 send_i,
  input  logic [63:2]          send_addr_i,
  input  logic [31:0]          send_data_i,
  input  logic                 late_valid_i,
  output logic                 late_ready_o,
  input  logic [63:2]          late_addr_i,
  input  logic [31:0]          late_data_i,

  // reads of host memory
  input  logic                 link_valid_i,
  output logic                 link_ready_o,
  input  logic [63:2]          link_addr_i,
  input  logic [7:0]           link_tag_i,

  // packets of completions
  input  logic                 cpl_valid_i,
  output logic                 cpl_ready_o,
  input  logic                 cpl_sop_i,
  input  logic                 cpl_eop_i,
  input  logic [1:0]           cpl_keep_i,
  input  logic [63:0]          cpl_data_i,

  // packets; the first double word is in the lower half
  output logic                 tx_valid_o,
  input  logic                 tx_ready_i,
  output logic                 tx_sop_o,
  output logic                 tx_eop_o,
  output logic [1:0]           tx_keep_o,
  output logic [63:0]          tx_data_o,

  output logic                 idle_o
);

  // the packet that is being sent
  logic         valid_q, first_q;
  logic [3:0]   left_q;           // double words
  logic [255:0] packet_q;

  // Whose packet is sent. What is offered stays, so a packet that was taken before an answer has
  // been offered when its completion comes; one that still waits was taken later, and can be
  // passed.
  logic is_cpl, mid_q, mid_cpl_q, beat, own_beat, free;
  assign is_cpl      = mid_q ? mid_cpl_q : cpl_valid_i;
  assign tx_valid_o  = is_cpl ? cpl_valid_i : valid_q;
  assign tx_sop_o    = is_cpl ? cpl_sop_i : first_q;
  assign tx_eop_o    = is_cpl ? cpl_eop_i : left_q <= 4'd2;
  assign tx_keep_o   = is_cpl ? cpl_keep_i : {left_q != 4'd1, 1'b1};
  assign tx_data_o   = is_cpl ? cpl_data_i : packet_q[63:0];
  assign beat        = tx_valid_o && tx_ready_i;
  assign own_beat    = beat && !is_cpl;
  assign cpl_ready_o = is_cpl && tx_ready_i;
  assign free        = !valid_q || (own_beat && tx_eop_o);
  assign idle_o      = !valid_q && !cpl_valid_i && !card_valid_i && !link_valid_i;

  // what to send next
  logic         last_read_q, take_read, take_late, take_card, is_write;
  logic         load, write;
  logic [2:0]   count;            // double words of data
  logic [63:2]  addr;
  logic [127:0] data;

  assign is_write = card_kind_i == hbs_pkg::TxWrite || card_kind_i == hbs_pkg::TxWide;

  assign take_late = late_valid_i;
  assign take_read = !take_late && link_valid_i && np_ok_i && !(last_read_q && card_valid_i);
  assign take_card = !take_late && !take_read && card_valid_i;
  assign raise_o   = take_card && free && card_kind_i == hbs_pkg::TxMessage;

  always_comb begin
    card_ready_o   = 1'b0;
    card_refused_o = is_write && !bus_master_i;
    late_ready_o   = take_late && free;
    link_ready_o   = take_read && free;
    load           = (take_late || take_read) && free;
    write          = !take_read;
    count          = 3'd1;
    addr           = card_addr_i;
    data           = card_data_i;
    if (take_late) begin
      addr       = late_addr_i;
      data[31:0] = late_data_i;
    end else if (take_read) begin
      addr  = link_addr_i;
      count = 3'd0;
    end else if (card_kind_i == hbs_pkg::TxMessage) begin
      addr         = send_addr_i;
      data[31:0]   = send_data_i;
      card_ready_o = take_card && free;
      load         = card_ready_o && send_i;
    end else if (is_write) begin
      count        = card_kind_i == hbs_pkg::TxWide ? 3'd4 : 3'd2;
      card_ready_o = take_card && (free || !bus_master_i);
      load         = card_ready_o && bus_master_i;
    end else begin
      card_ready_o = take_card && ans_ready_i;
    end
  end

  assign ans_valid_o = take_card && card_kind_i == hbs_pkg::TxAnswer;
  assign ans_tag_o   = card_tag_i;
  assign ans_data_o  = card_data_i[63:0];
  assign vector_o    = card_data_i[0];

  // its header; an address below 4 GiB must have the short one
  logic        long;
  logic [2:0]  length;
  logic [31:0] h0, h1;
  assign long   = addr[63:32] != 32'd0;
  assign length = write ? count : 3'd2;
  assign h0     = {1'b0, write, long, 5'd0, 21'd0, length};
  assign h1     = {id_i, write ? 8'd0 : link_tag_i, length == 3'd1 ? 4'h0 : 4'hf, 4'hf};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q     <= 1'b0;
      first_q     <= 1'b0;
      mid_q       <= 1'b0;
      last_read_q <= 1'b0;
    end else begin
      if (load) valid_q <= 1'b1;
      else if (own_beat && tx_eop_o) valid_q <= 1'b0;
      if (load) first_q <= 1'b1;
      else if (own_beat) first_q <= 1'b0;
      if (tx_valid_o) mid_q <= !(tx_ready_i && tx_eop_o);
      // an answer, a message that is not sent and a write that is refused are the card's turn too
      if (load || card_ready_o) last_read_q <= take_read;
    end
  end

  always_ff @(posedge clk_i) begin
    if (tx_valid_o) mid_cpl_q <= is_cpl;
    if (load) begin
      packet_q <= {data, long ? {addr[31:2], 2'b00, addr[63:32]} : {data[31:0], addr[31:2], 2'b00},
                   h1, h0};
      if (!long) packet_q[255:128] <= {32'd0, data[127:32]};
      left_q <= {1'b0, count} + (long ? 4'd4 : 4'd3);
    end else if (own_beat) begin
      packet_q <= {64'd0, packet_q[255:64]};
      left_q   <= left_q - 4'd2;
    end
  end

endmodule
