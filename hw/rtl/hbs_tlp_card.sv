// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
// The card between two streams of PCI Express packets.

module hbs_tlp_card #(
  parameter int unsigned Ports = 64,
  parameter int unsigned Groups = 16,
  parameter int unsigned Records = 16,
  parameter logic [63:0] Features = hbs_regs_pkg::FeatureAll,
  parameter int unsigned Tags = 32,
  parameter int unsigned Reads = 8,
  parameter bit Wide = 1'b0,
  parameter int unsigned LinkTags = 64,   // a power of two, 32 to 256
  parameter longint unsigned TimeoutNs = 20_000_000
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [55:0] now_i,

  // the function's state, as configuration space has it
  input  logic [15:0] id_i,           // bus, device and function
  input  logic        bus_master_i,
  input  logic        msix_enable_i,
  input  logic        msix_mask_i,
  input  logic        wide_tags_i,    // extended tags are enabled
  input  logic        never_late_i,   // the completion time-out is disabled

  // packets from the link
  input  logic        rx_valid_i,
  output logic        rx_ready_o,
  input  logic        rx_sop_i,
  input  logic        rx_eop_i,
  input  logic [1:0]  rx_keep_i,
  input  logic [63:0] rx_data_i,
  input  logic [2:0]  rx_bar_i,       // with rx_sop_i; 7 if it is no request
  output logic        credit_o,       // one more request that is to be completed may come

  // packets to the link
  output logic        tx_valid_o,
  input  logic        tx_ready_i,
  output logic        tx_sop_o,
  output logic        tx_eop_o,
  output logic [1:0]  tx_keep_o,
  output logic [63:0] tx_data_o,
  input  logic        np_ok_i,        // the link takes one more read without holding up the rest

  // what the function reports, for a cycle each
  output logic        poisoned_o,
  output logic        unsupported_o,
  output logic        malformed_o,
  output logic        late_o,
  output logic        unexpected_o,

  output logic        ready_o,
  output logic        idle_o
);

  localparam int unsigned TagWidth = $clog2(Tags);
  localparam int unsigned SlotWidth = $clog2(Reads);
  localparam int unsigned LaneBits = $clog2(hbs_regs_pkg::IdPortStrideDefault) + $clog2(Ports);

  logic                 req_valid, req_ready, req_write, req_lane;
  logic [25:3]          req_addr;
  logic [7:0]           req_be;
  logic [63:0]          req_data;
  logic [SlotWidth-1:0] req_tag, tx_tag;
  logic                 tx_valid, tx_ready, tx_refused;
  logic [1:0]           tx_kind;
  logic [63:0]          tx_addr;
  logic [127:0]         tx_data;
  logic                 rd_valid, rd_ready;
  logic [63:0]          rd_addr;
  logic [TagWidth-1:0]  rd_tag, ans_tag;
  logic                 ans_valid, ans_error;
  logic [63:0]          ans_data;
  logic                 front_idle, card_idle;

  hbs_tlp_front #(
    .Tags(Tags), .Reads(Reads), .LaneBits(LaneBits), .LinkTags(LinkTags), .TimeoutNs(TimeoutNs)
  ) u_front (
    .clk_i, .rst_ni, .now_i,
    .id_i, .bus_master_i, .msix_enable_i, .msix_mask_i, .wide_tags_i, .never_late_i,
    .rx_valid_i, .rx_ready_o, .rx_sop_i, .rx_eop_i, .rx_keep_i, .rx_data_i, .rx_bar_i,
    .credit_o,
    .tx_valid_o, .tx_ready_i, .tx_sop_o, .tx_eop_o, .tx_keep_o, .tx_data_o, .np_ok_i,
    .poisoned_o, .unsupported_o, .malformed_o, .late_o, .unexpected_o,
    .card_req_valid_o(req_valid), .card_req_ready_i(req_ready), .card_req_write_o(req_write),
    .card_req_lane_o(req_lane), .card_req_addr_o(req_addr), .card_req_be_o(req_be),
    .card_req_data_o(req_data), .card_req_tag_o(req_tag),
    .card_tx_valid_i(tx_valid), .card_tx_ready_o(tx_ready), .card_tx_refused_o(tx_refused),
    .card_tx_kind_i(tx_kind), .card_tx_addr_i(tx_addr), .card_tx_data_i(tx_data),
    .card_tx_tag_i(tx_tag),
    .card_rd_valid_i(rd_valid), .card_rd_ready_o(rd_ready), .card_rd_addr_i(rd_addr),
    .card_rd_tag_i(rd_tag),
    .card_ans_valid_o(ans_valid), .card_ans_error_o(ans_error), .card_ans_tag_o(ans_tag),
    .card_ans_data_o(ans_data),
    .idle_o(front_idle)
  );

  hbs_card #(
    .Ports(Ports), .Groups(Groups), .Records(Records), .Features(Features), .Tags(Tags),
    .Reads(Reads), .Wide(Wide)
  ) u_card (
    .clk_i, .rst_ni, .now_i, .msix_enable_i,
    .req_valid_i(req_valid), .req_ready_o(req_ready), .req_write_i(req_write),
    .req_lane_i(req_lane), .req_addr_i(req_addr), .req_be_i(req_be), .req_data_i(req_data),
    .req_tag_i(req_tag),
    .tx_valid_o(tx_valid), .tx_ready_i(tx_ready), .tx_refused_i(tx_refused), .tx_kind_o(tx_kind),
    .tx_addr_o(tx_addr), .tx_data_o(tx_data), .tx_tag_o(tx_tag),
    .rd_valid_o(rd_valid), .rd_ready_i(rd_ready), .rd_addr_o(rd_addr), .rd_tag_o(rd_tag),
    .ans_valid_i(ans_valid), .ans_error_i(ans_error), .ans_tag_i(ans_tag),
    .ans_data_i(ans_data),
    .ready_o, .idle_o(card_idle)
  );

  assign idle_o = front_idle && card_idle;

endmodule
