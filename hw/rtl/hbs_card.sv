// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
// The hbs barrier card, behind a plain ordered port: a board adds a PCI Express block to it, by
// hbs_tlp_card or by a wrapper of its own.

module hbs_card #(
  parameter int unsigned Ports = 64,     // 1 to 1024
  parameter int unsigned Groups = 16,    // 1 to 128
  parameter int unsigned Records = 16,   // 1 to 16
  parameter logic [63:0] Features = hbs_regs_pkg::FeatureAll,
  parameter int unsigned Tags = 32,      // reads of host memory in flight; a power of two, 2 to 256
  parameter int unsigned Reads = 8,      // unanswered reads of the card; a power of two, 2 to 64
  parameter bit Wide = 1'b0,             // a result and its word leave as one write
  localparam int unsigned TagWidth = $clog2(Tags),
  localparam int unsigned ReadWidth = $clog2(Reads)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic [55:0]          now_i,         // ns
  input  logic                 msix_enable_i,

  // accesses, in the one order
  input  logic                 req_valid_i,
  output logic                 req_ready_o,
  input  logic                 req_write_i,
  input  logic                 req_lane_i,    // BAR 2
  input  logic [25:3]          req_addr_i,
  input  logic [7:0]           req_be_i,
  input  logic [63:0]          req_data_i,
  input  logic [ReadWidth-1:0] req_tag_i,

  // posted writes, messages and answers, which leave in this order
  output logic                 tx_valid_o,
  input  logic                 tx_ready_i,
  input  logic                 tx_refused_i,
  output logic [1:0]           tx_kind_o,     // hbs_pkg::Tx...
  output logic [63:0]          tx_addr_o,
  output logic [127:0]         tx_data_o,
  output logic [ReadWidth-1:0] tx_tag_o,

  // reads of host memory; one that is offered after a write was taken must not pass it
  output logic                 rd_valid_o,
  input  logic                 rd_ready_i,
  output logic [63:0]          rd_addr_o,
  output logic [TagWidth-1:0]  rd_tag_o,
  // and their answers, in any order
  input  logic                 ans_valid_i,
  input  logic                 ans_error_i,
  input  logic [TagWidth-1:0]  ans_tag_i,
  input  logic [63:0]          ans_data_i,

  output logic                 ready_o,       // out of reset
  output logic                 idle_o         // nothing is under way but reads of host memory
);

  // Elaboration stops at a size that the card cannot have.
  if (Ports < 1 || Ports > 1024) $error("Ports is not within 1 to 1024");
  if (Groups < 1 || Groups > 128) $error("Groups is not within 1 to 128");
  if (Records < 1 || Records > 16) $error("Records is not within 1 to 16");
  if (Tags < 2 || Tags > 256 || (Tags & (Tags - 1)) != 0) begin
    $error("Tags is no power of two within 2 to 256");
  end
  if (Reads < 2 || Reads > 64 || (Reads & (Reads - 1)) != 0) begin
    $error("Reads is no power of two within 2 to 64");
  end
  if ((Features & ~hbs_regs_pkg::FeatureAll) != 0) $error("Features names one that there is not");

  hbs_engine #(
    .Ports   (Ports),
    .Groups  (Groups),
    .Records (Records),
    .Tags    (Tags),
    .Reads   (Reads),
    .Wide    (Wide)
  ) u_engine (
    .clk_i,
    .rst_ni,
    .ports_i    (11'(Ports)),
    .groups_i   (8'(Groups)),
    .features_i (Features),
    .now_i,
    .msix_enable_i,
    .req_valid_i,
    .req_ready_o,
    .req_write_i,
    .req_lane_i,
    .req_addr_i,
    .req_be_i,
    .req_data_i,
    .req_tag_i,
    .tx_valid_o,
    .tx_ready_i,
    .tx_refused_i,
    .tx_kind_o,
    .tx_addr_o,
    .tx_data_o,
    .tx_tag_o,
    .rd_valid_o,
    .rd_ready_i,
    .rd_addr_o,
    .rd_tag_o,
    .ans_valid_i,
    .ans_error_i,
    .ans_tag_i,
    .ans_data_i,
    .ready_o,
    .idle_o
  );

endmodule
