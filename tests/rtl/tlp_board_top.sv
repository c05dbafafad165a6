// SPDX-License-Identifier: GPL-2.0-or-later
// What hbs_board_us has between the streams of pcie_us_if and the card, for a bench that has models
// of both.

module tlp_board_top #(
  parameter int unsigned Tags = 32,
  parameter int unsigned Reads = 8,
  parameter int unsigned LinkTags = 64,
  parameter longint unsigned TimeoutNs = 20_000,
  parameter int unsigned DataWidth = 256,
  parameter int unsigned Lanes = DataWidth / 32
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic [55:0]              now_i,

  input  logic [15:0]              id_i,
  input  logic                     bus_master_i,
  input  logic                     msix_enable_i,
  input  logic                     msix_mask_i,
  input  logic                     wide_tags_i,
  input  logic                     never_late_i,

  input  logic                     req_valid_i,
  output logic                     req_ready_o,
  input  logic                     req_eop_i,
  input  logic [Lanes-1:0]         req_strb_i,
  input  logic [DataWidth-1:0]     req_data_i,
  input  logic [127:0]             req_hdr_i,
  input  logic [2:0]               req_bar_id_i,
  input  logic                     cpl_valid_i,
  output logic                     cpl_ready_o,
  input  logic                     cpl_eop_i,
  input  logic [Lanes-1:0]         cpl_strb_i,
  input  logic [DataWidth-1:0]     cpl_data_i,
  input  logic [127:0]             cpl_hdr_i,
  input  logic [3:0]               cpl_error_i,
  output logic                     credit_o,

  output logic                     wr_valid_o,
  input  logic                     wr_ready_i,
  output logic                     rd_valid_o,
  input  logic                     rd_ready_i,
  output logic                     cpl_valid_o,
  input  logic                     cpl_ready_i,
  output logic                     sop_o,
  output logic                     eop_o,
  output logic [Lanes-1:0]         strb_o,
  output logic [DataWidth-1:0]     data_o,
  output logic [127:0]             hdr_o,
  output logic [4:0]               wr_seq_o,
  input  logic [1:0]               wr_seq_valid_i,

  output logic                     poisoned_o,
  output logic                     unsupported_o,
  output logic                     malformed_o,
  output logic                     late_o,
  output logic                     unexpected_o,

  output logic                     card_req_valid_o,
  input  logic                     card_req_ready_i,
  output logic                     card_req_write_o,
  output logic                     card_req_lane_o,
  output logic [25:3]              card_req_addr_o,
  output logic [7:0]               card_req_be_o,
  output logic [63:0]              card_req_data_o,
  output logic [$clog2(Reads)-1:0] card_req_tag_o,
  input  logic                     card_tx_valid_i,
  output logic                     card_tx_ready_o,
  output logic                     card_tx_refused_o,
  input  logic [1:0]               card_tx_kind_i,
  input  logic [63:0]              card_tx_addr_i,
  input  logic [127:0]             card_tx_data_i,
  input  logic [$clog2(Reads)-1:0] card_tx_tag_i,
  input  logic                     card_rd_valid_i,
  output logic                     card_rd_ready_o,
  input  logic [63:0]              card_rd_addr_i,
  input  logic [$clog2(Tags)-1:0]  card_rd_tag_i,
  output logic                     card_ans_valid_o,
  output logic                     card_ans_error_o,
  output logic [$clog2(Tags)-1:0]  card_ans_tag_o,
  output logic [63:0]              card_ans_data_o,

  output logic                     idle_o
);

  logic        rx_valid, rx_ready, rx_sop, rx_eop, tx_valid, tx_ready, tx_sop, tx_eop;
  logic [1:0]  rx_keep, tx_keep;
  logic [63:0] rx_data, tx_data;
  logic [2:0]  rx_bar;

  hbs_board_us_rx #(.DataWidth(DataWidth)) u_rx (
    .rx_valid_o(rx_valid), .rx_ready_i(rx_ready), .rx_sop_o(rx_sop), .rx_eop_o(rx_eop),
    .rx_keep_o(rx_keep), .rx_data_o(rx_data), .rx_bar_o(rx_bar), .*
  );
  hbs_board_us_tx #(.DataWidth(DataWidth), .SeqWidth(5), .SeqCount(2)) u_tx (
    .tx_valid_i(tx_valid), .tx_ready_o(tx_ready), .tx_sop_i(tx_sop), .tx_eop_i(tx_eop),
    .tx_keep_i(tx_keep), .tx_data_i(tx_data), .*
  );
  hbs_tlp_front #(
    .Tags(Tags), .Reads(Reads), .LinkTags(LinkTags), .TimeoutNs(TimeoutNs)
  ) u_front (
    .rx_valid_i(rx_valid), .rx_ready_o(rx_ready), .rx_sop_i(rx_sop), .rx_eop_i(rx_eop),
    .rx_keep_i(rx_keep), .rx_data_i(rx_data), .rx_bar_i(rx_bar),
    .tx_valid_o(tx_valid), .tx_ready_i(tx_ready), .tx_sop_o(tx_sop), .tx_eop_o(tx_eop),
    .tx_keep_o(tx_keep), .tx_data_o(tx_data), .np_ok_i(rd_ready_i), .*
  );

endmodule
