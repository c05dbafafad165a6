// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
// The card behind pcie_us_if of the open core verilog-pcie, which adapts the PCI Express blocks of
// UltraScale and UltraScale+; its other adapters have the same streams. A board connects the ports
// of the same names, and clocks both with the user clock of the block.

module hbs_board_us #(
  parameter int unsigned Ports = 64,
  parameter int unsigned Groups = 16,
  parameter int unsigned Records = 16,
  parameter logic [63:0] Features = hbs_regs_pkg::FeatureAll,
  parameter int unsigned Tags = 32,
  parameter int unsigned Reads = 8,        // to 32: the block counts no more
  parameter bit Wide = 1'b0,
  parameter int unsigned LinkTags = 64,
  parameter longint unsigned TimeoutNs = 20_000_000,
  parameter int unsigned PeriodPs = 4000,  // of clk, divided by Divisor
  parameter int unsigned Divisor = 1,
  parameter int unsigned DataWidth = 256,  // TLP_DATA_WIDTH
  parameter int unsigned SeqWidth = 5,     // TX_SEQ_NUM_WIDTH
  parameter int unsigned SeqCount = 1,     // TX_SEQ_NUM_COUNT
  localparam int unsigned Lanes = DataWidth / 32
) (
  input  logic                         clk,
  input  logic                         rst,

  // pcie_us_if
  input  logic [DataWidth-1:0]         rx_req_tlp_data,
  input  logic [Lanes-1:0]             rx_req_tlp_strb,
  input  logic [127:0]                 rx_req_tlp_hdr,
  input  logic [2:0]                   rx_req_tlp_bar_id,
  input  logic                         rx_req_tlp_valid,
  input  logic                         rx_req_tlp_eop,
  output logic                         rx_req_tlp_ready,
  input  logic [DataWidth-1:0]         rx_cpl_tlp_data,
  input  logic [Lanes-1:0]             rx_cpl_tlp_strb,
  input  logic [127:0]                 rx_cpl_tlp_hdr,
  input  logic [3:0]                   rx_cpl_tlp_error,
  input  logic                         rx_cpl_tlp_valid,
  input  logic                         rx_cpl_tlp_eop,
  output logic                         rx_cpl_tlp_ready,
  output logic [127:0]                 tx_rd_req_tlp_hdr,
  output logic [SeqWidth-1:0]          tx_rd_req_tlp_seq,
  output logic                         tx_rd_req_tlp_valid,
  output logic                         tx_rd_req_tlp_sop,
  output logic                         tx_rd_req_tlp_eop,
  input  logic                         tx_rd_req_tlp_ready,
  output logic [DataWidth-1:0]         tx_wr_req_tlp_data,
  output logic [Lanes-1:0]             tx_wr_req_tlp_strb,
  output logic [127:0]                 tx_wr_req_tlp_hdr,
  output logic [SeqWidth-1:0]          tx_wr_req_tlp_seq,
  output logic                         tx_wr_req_tlp_valid,
  output logic                         tx_wr_req_tlp_sop,
  output logic                         tx_wr_req_tlp_eop,
  input  logic                         tx_wr_req_tlp_ready,
  input  logic [SeqCount-1:0]          m_axis_wr_req_tx_seq_num_valid,
  output logic [DataWidth-1:0]         tx_cpl_tlp_data,
  output logic [Lanes-1:0]             tx_cpl_tlp_strb,
  output logic [127:0]                 tx_cpl_tlp_hdr,
  output logic                         tx_cpl_tlp_valid,
  output logic                         tx_cpl_tlp_sop,
  output logic                         tx_cpl_tlp_eop,
  input  logic                         tx_cpl_tlp_ready,
  input  logic                         ext_tag_enable,
  input  logic                         msix_enable,
  input  logic                         msix_mask,

  // the block itself
  input  logic                         bus_master,      // bit 2 of cfg_function_status
  input  logic                         never_late,      // bit 4 of Device Control 2
  output logic                         pcie_cq_np_req,

  output logic                         error_poisoned,
  output logic                         error_unsupported,
  output logic                         error_malformed,
  output logic                         error_late,
  output logic                         error_unexpected,
  output logic                         ready,
  output logic                         idle
);

  if (Reads > 32) $error("Reads is more than the block can count");

  logic [55:0] now;
  logic        rst_n;
  assign rst_n = !rst;
  hbs_clock #(.PeriodPs(PeriodPs), .Divisor(Divisor)) u_clock (
    .clk_i(clk), .rst_ni(rst_n), .now_o(now)
  );

  logic        rx_valid, rx_ready, rx_sop, rx_eop, tx_valid, tx_ready, tx_sop, tx_eop, credit;
  logic [1:0]  rx_keep, tx_keep;
  logic [63:0] rx_data, tx_data;
  logic [2:0]  rx_bar;

  hbs_board_us_rx #(.DataWidth(DataWidth)) u_rx (
    .clk_i(clk), .rst_ni(rst_n),
    .req_valid_i(rx_req_tlp_valid), .req_ready_o(rx_req_tlp_ready), .req_eop_i(rx_req_tlp_eop),
    .req_strb_i(rx_req_tlp_strb), .req_data_i(rx_req_tlp_data), .req_hdr_i(rx_req_tlp_hdr),
    .req_bar_id_i(rx_req_tlp_bar_id),
    .cpl_valid_i(rx_cpl_tlp_valid), .cpl_ready_o(rx_cpl_tlp_ready), .cpl_eop_i(rx_cpl_tlp_eop),
    .cpl_strb_i(rx_cpl_tlp_strb), .cpl_data_i(rx_cpl_tlp_data), .cpl_hdr_i(rx_cpl_tlp_hdr),
    .cpl_error_i(rx_cpl_tlp_error),
    .rx_valid_o(rx_valid), .rx_ready_i(rx_ready), .rx_sop_o(rx_sop), .rx_eop_o(rx_eop),
    .rx_keep_o(rx_keep), .rx_data_o(rx_data), .rx_bar_o(rx_bar)
  );

  hbs_board_us_tx #(.DataWidth(DataWidth), .SeqWidth(SeqWidth), .SeqCount(SeqCount)) u_tx (
    .clk_i(clk), .rst_ni(rst_n),
    .tx_valid_i(tx_valid), .tx_ready_o(tx_ready), .tx_sop_i(tx_sop), .tx_eop_i(tx_eop),
    .tx_keep_i(tx_keep), .tx_data_i(tx_data),
    .wr_valid_o(tx_wr_req_tlp_valid), .wr_ready_i(tx_wr_req_tlp_ready),
    .wr_seq_o(tx_wr_req_tlp_seq),
    .rd_valid_o(tx_rd_req_tlp_valid), .rd_ready_i(tx_rd_req_tlp_ready),
    .cpl_valid_o(tx_cpl_tlp_valid), .cpl_ready_i(tx_cpl_tlp_ready),
    .sop_o(tx_wr_req_tlp_sop), .eop_o(tx_wr_req_tlp_eop), .strb_o(tx_wr_req_tlp_strb),
    .data_o(tx_wr_req_tlp_data), .hdr_o(tx_wr_req_tlp_hdr),
    .wr_seq_valid_i(m_axis_wr_req_tx_seq_num_valid)
  );
  assign tx_rd_req_tlp_hdr = tx_wr_req_tlp_hdr;
  assign tx_rd_req_tlp_seq = '0;
  assign tx_rd_req_tlp_sop = 1'b1;
  assign tx_rd_req_tlp_eop = 1'b1;
  assign tx_cpl_tlp_hdr    = tx_wr_req_tlp_hdr;
  assign tx_cpl_tlp_data   = tx_wr_req_tlp_data;
  assign tx_cpl_tlp_strb   = tx_wr_req_tlp_strb;
  assign tx_cpl_tlp_sop    = tx_wr_req_tlp_sop;
  assign tx_cpl_tlp_eop    = tx_wr_req_tlp_eop;

  // The block counts the requests that the card has room for, from 0 after a reset.
  logic [6:0] owed_q;
  assign pcie_cq_np_req = owed_q != 7'd0;
  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) owed_q <= 7'(Reads);
    else owed_q <= owed_q + 7'(credit) - 7'(pcie_cq_np_req);
  end

  // The block puts its own number into what is sent. Its queue of reads has room for all of them,
  // so none holds up what comes after it.
  hbs_tlp_card #(
    .Ports(Ports), .Groups(Groups), .Records(Records), .Features(Features), .Tags(Tags),
    .Reads(Reads), .Wide(Wide), .LinkTags(LinkTags), .TimeoutNs(TimeoutNs)
  ) u_card (
    .clk_i(clk), .rst_ni(rst_n), .now_i(now),
    .id_i(16'd0), .bus_master_i(bus_master), .msix_enable_i(msix_enable),
    .msix_mask_i(msix_mask), .wide_tags_i(ext_tag_enable), .never_late_i(never_late),
    .rx_valid_i(rx_valid), .rx_ready_o(rx_ready), .rx_sop_i(rx_sop), .rx_eop_i(rx_eop),
    .rx_keep_i(rx_keep), .rx_data_i(rx_data), .rx_bar_i(rx_bar), .credit_o(credit),
    .tx_valid_o(tx_valid), .tx_ready_i(tx_ready), .tx_sop_o(tx_sop), .tx_eop_o(tx_eop),
    .tx_keep_o(tx_keep), .tx_data_o(tx_data), .np_ok_i(tx_rd_req_tlp_ready),
    .poisoned_o(error_poisoned), .unsupported_o(error_unsupported),
    .malformed_o(error_malformed), .late_o(error_late), .unexpected_o(error_unexpected),
    .ready_o(ready), .idle_o(idle)
  );

endmodule
