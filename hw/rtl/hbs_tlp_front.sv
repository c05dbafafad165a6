// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
// Between two streams of PCI Express packets and the ordered port of the card.

module hbs_tlp_front #(
  parameter int unsigned Tags = 32,
  parameter int unsigned Reads = 8,
  parameter int unsigned LaneBits = 26,
  parameter int unsigned LinkTags = 64,
  parameter longint unsigned TimeoutNs = 20_000_000,
  localparam int unsigned TagWidth = $clog2(Tags),
  localparam int unsigned SlotWidth = $clog2(Reads)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic [55:0]          now_i,

  // the function's state
  input  logic [15:0]          id_i,
  input  logic                 bus_master_i,
  input  logic                 msix_enable_i,
  input  logic                 msix_mask_i,
  input  logic                 wide_tags_i,
  input  logic                 never_late_i,

  // packets from the link
  input  logic                 rx_valid_i,
  output logic                 rx_ready_o,
  input  logic                 rx_sop_i,
  input  logic                 rx_eop_i,
  input  logic [1:0]           rx_keep_i,
  input  logic [63:0]          rx_data_i,
  input  logic [2:0]           rx_bar_i,
  output logic                 credit_o,

  // packets to the link
  output logic                 tx_valid_o,
  input  logic                 tx_ready_i,
  output logic                 tx_sop_o,
  output logic                 tx_eop_o,
  output logic [1:0]           tx_keep_o,
  output logic [63:0]          tx_data_o,
  input  logic                 np_ok_i,

  // what is to be reported, for a cycle each
  output logic                 poisoned_o,
  output logic                 unsupported_o,
  output logic                 malformed_o,
  output logic                 late_o,
  output logic                 unexpected_o,

  // the card
  output logic                 card_req_valid_o,
  input  logic                 card_req_ready_i,
  output logic                 card_req_write_o,
  output logic                 card_req_lane_o,
  output logic [25:3]          card_req_addr_o,
  output logic [7:0]           card_req_be_o,
  output logic [63:0]          card_req_data_o,
  output logic [SlotWidth-1:0] card_req_tag_o,
  input  logic                 card_tx_valid_i,
  output logic                 card_tx_ready_o,
  output logic                 card_tx_refused_o,
  input  logic [1:0]           card_tx_kind_i,
  input  logic [63:0]          card_tx_addr_i,
  input  logic [127:0]         card_tx_data_i,
  input  logic [SlotWidth-1:0] card_tx_tag_i,
  input  logic                 card_rd_valid_i,
  output logic                 card_rd_ready_o,
  input  logic [63:0]          card_rd_addr_i,
  input  logic [TagWidth-1:0]  card_rd_tag_i,
  output logic                 card_ans_valid_o,
  output logic                 card_ans_error_o,
  output logic [TagWidth-1:0]  card_ans_tag_o,
  output logic [63:0]          card_ans_data_o,

  output logic                 idle_o
);

  // Elaboration stops at a size that the front end cannot have.
  if (LinkTags < 32 || LinkTags > 256 || (LinkTags & (LinkTags - 1)) != 0) begin : gen_link_tags
    $error("LinkTags is no power of two of 32 to 256");
  end

  logic                     item_valid, item_ready, item_write;
  hbs_link_pkg::space_e      item_space;
  logic [25:2]              item_addr;
  logic [7:0]               item_be;
  logic [63:0]              item_data;
  hbs_link_pkg::who_t        item_who;
  hbs_link_pkg::request_t    item_request;
  logic                     back_valid, back_ready, back_error;
  logic [7:0]               back_tag;
  logic [63:0]              back_data;
  hbs_tlp_rx u_rx (
    .clk_i, .rst_ni,
    .rx_valid_i, .rx_ready_o, .rx_sop_i, .rx_eop_i, .rx_keep_i, .rx_data_i, .rx_bar_i,
    .item_valid_o(item_valid), .item_ready_i(item_ready), .item_write_o(item_write),
    .item_space_o(item_space), .item_addr_o(item_addr), .item_be_o(item_be),
    .item_data_o(item_data), .item_who_o(item_who), .item_request_o(item_request),
    .answer_valid_o(back_valid), .answer_ready_i(back_ready), .answer_error_o(back_error),
    .answer_tag_o(back_tag), .answer_data_o(back_data),
    .poisoned_o, .unsupported_o, .malformed_o
  );

  logic                     msix_write;
  logic [11:3]              msix_addr;
  logic [7:0]               msix_be;
  logic [63:0]              msix_wdata, msix_rdata;
  logic                     ans_valid, ans_ready;
  logic [SlotWidth-1:0]     ans_tag;
  logic [63:0]              ans_data;
  logic                     cpl_valid, cpl_ready;
  hbs_link_pkg::who_t        cpl_who;
  hbs_link_pkg::completion_t cpl_head;
  logic [3:0]               word_addr;
  logic [63:0]              word;
  logic                     reads_idle, tx_idle;
  hbs_tlp_reads #(.Reads(Reads), .LaneBits(LaneBits)) u_reads (
    .clk_i, .rst_ni,
    .item_valid_i(item_valid), .item_ready_o(item_ready), .item_write_i(item_write),
    .item_space_i(item_space), .item_addr_i(item_addr), .item_be_i(item_be),
    .item_data_i(item_data), .item_who_i(item_who), .item_request_i(item_request),
    .req_valid_o(card_req_valid_o), .req_ready_i(card_req_ready_i),
    .req_write_o(card_req_write_o), .req_lane_o(card_req_lane_o), .req_addr_o(card_req_addr_o),
    .req_be_o(card_req_be_o), .req_data_o(card_req_data_o), .req_tag_o(card_req_tag_o),
    .msix_write_o(msix_write), .msix_addr_o(msix_addr), .msix_be_o(msix_be),
    .msix_data_o(msix_wdata), .msix_data_i(msix_rdata),
    .ans_valid_i(ans_valid), .ans_ready_o(ans_ready), .ans_tag_i(ans_tag), .ans_data_i(ans_data),
    .cpl_valid_o(cpl_valid), .cpl_ready_i(cpl_ready), .cpl_who_o(cpl_who),
    .cpl_head_o(cpl_head), .word_addr_i(word_addr), .word_o(word),
    .credit_o, .idle_o(reads_idle)
  );

  logic                     pack_valid, pack_ready, pack_sop, pack_eop;
  logic [1:0]               pack_keep;
  logic [63:0]              pack_data;
  hbs_tlp_cpl u_cpl (
    .clk_i, .rst_ni, .id_i,
    .cpl_valid_i(cpl_valid), .cpl_ready_o(cpl_ready), .cpl_who_i(cpl_who),
    .cpl_head_i(cpl_head), .word_addr_o(word_addr), .word_i(word),
    .tx_valid_o(pack_valid), .tx_ready_i(pack_ready), .tx_sop_o(pack_sop), .tx_eop_o(pack_eop),
    .tx_keep_o(pack_keep), .tx_data_o(pack_data)
  );

  logic                     raise, vector, send, late_valid, late_ready;
  logic [63:2]              send_addr, late_addr;
  logic [31:0]              send_data, late_data;
  hbs_msix u_msix (
    .clk_i, .rst_ni, .enable_i(msix_enable_i), .mask_i(msix_mask_i), .bus_master_i,
    .write_i(msix_write), .addr_i(msix_addr), .be_i(msix_be), .data_i(msix_wdata),
    .data_o(msix_rdata),
    .raise_i(raise), .vector_i(vector), .send_o(send), .send_addr_o(send_addr),
    .send_data_o(send_data),
    .late_valid_o(late_valid), .late_ready_i(late_ready), .late_addr_o(late_addr),
    .late_data_o(late_data)
  );

  logic                     link_valid, link_ready;
  logic [63:2]              link_addr;
  logic [7:0]               link_tag;
  hbs_tlp_tags #(.Tags(Tags), .LinkTags(LinkTags), .TimeoutNs(TimeoutNs)) u_tags (
    .clk_i, .rst_ni, .now_i, .bus_master_i, .wide_tags_i, .never_late_i,
    .rd_valid_i(card_rd_valid_i), .rd_ready_o(card_rd_ready_o),
    .rd_addr_i(card_rd_addr_i[63:2]), .rd_tag_i(card_rd_tag_i),
    .link_valid_o(link_valid), .link_ready_i(link_ready), .link_addr_o(link_addr),
    .link_tag_o(link_tag),
    .back_valid_i(back_valid), .back_ready_o(back_ready), .back_error_i(back_error),
    .back_tag_i(back_tag), .back_data_i(back_data),
    .ans_valid_o(card_ans_valid_o), .ans_error_o(card_ans_error_o), .ans_tag_o(card_ans_tag_o),
    .ans_data_o(card_ans_data_o),
    .late_o, .unexpected_o
  );

  hbs_tlp_tx #(.Reads(Reads)) u_tx (
    .clk_i, .rst_ni, .id_i, .bus_master_i, .np_ok_i,
    .card_valid_i(card_tx_valid_i), .card_ready_o(card_tx_ready_o),
    .card_refused_o(card_tx_refused_o), .card_kind_i(card_tx_kind_i),
    .card_addr_i(card_tx_addr_i[63:2]), .card_data_i(card_tx_data_i), .card_tag_i(card_tx_tag_i),
    .ans_valid_o(ans_valid), .ans_ready_i(ans_ready), .ans_tag_o(ans_tag), .ans_data_o(ans_data),
    .raise_o(raise), .vector_o(vector), .send_i(send), .send_addr_i(send_addr),
    .send_data_i(send_data),
    .late_valid_i(late_valid), .late_ready_o(late_ready), .late_addr_i(late_addr),
    .late_data_i(late_data),
    .link_valid_i(link_valid), .link_ready_o(link_ready), .link_addr_i(link_addr),
    .link_tag_i(link_tag),
    .cpl_valid_i(pack_valid), .cpl_ready_o(pack_ready), .cpl_sop_i(pack_sop),
    .cpl_eop_i(pack_eop), .cpl_keep_i(pack_keep), .cpl_data_i(pack_data),
    .tx_valid_o, .tx_ready_i, .tx_sop_o, .tx_eop_o, .tx_keep_o, .tx_data_o,
    .idle_o(tx_idle)
  );

  // all that the card writes and reads is words of 8 bytes
  logic unused_addr;
  assign unused_addr = ^{card_tx_addr_i[1:0], card_rd_addr_i[1:0]};

  assign idle_o = reads_idle && tx_idle;

endmodule
