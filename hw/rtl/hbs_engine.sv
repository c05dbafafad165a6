// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
// The card behind its plain ordered port, with its sizes and features as inputs that do not
// change: in hardware they are constants (see hbs_card), in a simulation they need not be.

module hbs_engine #(
  parameter int unsigned Ports = 64,     // 1 to 1024
  parameter int unsigned Groups = 16,    // 1 to 128
  parameter int unsigned Records = 16,   // 1 to 16
  parameter int unsigned Tags = 32,      // reads of host memory in flight; a power of two, 2 to 256
  parameter int unsigned Reads = 8,      // unanswered reads of the card; a power of two, 2 to 64
  parameter bit Wide = 1'b0,             // a result and its word leave as one write
  localparam int unsigned TagWidth = $clog2(Tags),
  localparam int unsigned ReadWidth = $clog2(Reads)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic [10:0]          ports_i,
  input  logic [7:0]           groups_i,
  input  logic [63:0]          features_i,
  input  logic [55:0]          now_i,         // ns
  input  logic                 msix_enable_i,

  input  logic                 req_valid_i,
  output logic                 req_ready_o,
  input  logic                 req_write_i,
  input  logic                 req_lane_i,
  input  logic [25:3]          req_addr_i,
  input  logic [7:0]           req_be_i,
  input  logic [63:0]          req_data_i,
  input  logic [ReadWidth-1:0] req_tag_i,

  output logic                 tx_valid_o,
  input  logic                 tx_ready_i,
  input  logic                 tx_refused_i,
  output logic [1:0]           tx_kind_o,
  output logic [63:0]          tx_addr_o,
  output logic [127:0]         tx_data_o,
  output logic [ReadWidth-1:0] tx_tag_o,

  output logic                 rd_valid_o,
  input  logic                 rd_ready_i,
  output logic [63:0]          rd_addr_o,
  output logic [TagWidth-1:0]  rd_tag_o,
  input  logic                 ans_valid_i,
  input  logic                 ans_error_i,
  input  logic [TagWidth-1:0]  ans_tag_i,
  input  logic [63:0]          ans_data_i,

  output logic                 ready_o,
  output logic                 idle_o
);

  // Requests wait in a queue, as the pipeline is held for some cycles at times.
  localparam int unsigned RequestWidth = 1 + 1 + 23 + 8 + 64 + ReadWidth;
  logic queue_valid, queue_ready, queue_write, queue_lane;
  logic [25:3] queue_addr;
  logic [7:0] queue_be;
  logic [63:0] queue_data;
  logic [ReadWidth-1:0] queue_tag;

  hbs_fifo #(
    .Width (RequestWidth),
    .Depth (Ports > 8 ? 4 : 2)  // a small card has no memories of lookup tables
  ) u_queue (
    .clk_i,
    .rst_ni,
    .valid_i (req_valid_i),
    .ready_o (req_ready_o),
    .data_i  ({req_write_i, req_lane_i, req_addr_i, req_be_i, req_data_i, req_tag_i}),
    .valid_o (queue_valid),
    .ready_i (queue_ready),
    .data_o  ({queue_write, queue_lane, queue_addr, queue_be, queue_data, queue_tag})
  );

  logic answer_valid, answer_ready, answer_error, dropped, draining, reading, round;
  logic [6:0] answer_group, computed_group, fail_group, scan_group, poll_group, op_group;
  logic [9:0] answer_port, poll_port, port_index;
  logic [10:0] op_port;
  hbs_pkg::use_e answer_use, op_use;
  logic [7:0] answer_tag, computed_tag, reply_tag;
  logic [63:0] answer_data, answer_expected, scan, reply, word, result, address, p, op_addr;
  logic [63:0] op_expected, data;
  logic fail_waits, fail_valid, fail_ready, fail_operation, scan_valid, scan_ready, event_valid;
  logic replies;
  logic [3:0] scan_index;
  hbs_pkg::event_t happened;
  logic [1:0] reply_adds, write_record_addr, write_port_addr;
  logic [4:0] records;
  logic port_record, write_p, running, reset, settled;
  logic [10:0] record_index, p_index;
  logic [31:0] poll;
  logic poll_valid, poll_ready, op_valid, op_ready, op_fails;
  logic core_idle, reads_idle, poll_idle, egress_idle;

  hbs_core #(
    .Ports   (Ports),
    .Groups  (Groups),
    .Records (Records)
  ) u_core (
    .clk_i,
    .rst_ni,
    .ports_i,
    .groups_i,
    .features_i,
    .now_i,
    .req_valid_i         (queue_valid),
    .req_ready_o         (queue_ready),
    .req_write_i         (queue_write),
    .req_lane_i          (queue_lane),
    .req_addr_i          (queue_addr),
    .req_be_i            (queue_be),
    .req_data_i          (queue_data),
    .req_tag_i           (8'(queue_tag)),
    .ans_valid_i         (answer_valid),
    .ans_ready_o         (answer_ready),
    .ans_group_i         (answer_group),
    .ans_port_i          (answer_port),
    .ans_use_i           (answer_use),
    .ans_tag_i           (answer_tag),
    .ans_error_i         (answer_error),
    .ans_data_i          (answer_data),
    .ans_expected_i      (answer_expected),
    .computed_tag_o      (computed_tag),
    .dropped_i           (dropped),
    .computed_group_o    (computed_group),
    .draining_i          (draining),
    .reading_i           (reading),
    .fail_waits_i        (fail_waits),
    .fail_valid_i        (fail_valid),
    .fail_ready_o        (fail_ready),
    .fail_group_i        (fail_group),
    .fail_operation_i    (fail_operation),
    .scan_valid_i        (scan_valid),
    .scan_ready_o        (scan_ready),
    .scan_group_i        (scan_group),
    .scan_index_i        (scan_index),
    .scan_o              (scan),
    .event_valid_o       (event_valid),
    .event_o             (happened),
    .answers_o           (replies),
    .answer_tag_o        (reply_tag),
    .answer_o            (reply),
    .answer_adds_o       (reply_adds),
    .word_o              (word),
    .result_o            (result),
    .data_o              (data),
    .records_o           (records),
    .port_record_o       (port_record),
    .write_record_addr_o (write_record_addr),
    .write_port_addr_o   (write_port_addr),
    .record_index_o      (record_index),
    .port_index_o        (port_index),
    .address_o           (address),
    .write_p_o           (write_p),
    .p_index_o           (p_index),
    .p_o                 (p),
    .running_o           (running),
    .poll_o              (poll),
    .reset_o             (reset),
    .settled_i           (settled),
    .ready_o,
    .idle_o              (core_idle)
  );

  hbs_poll #(
    .Ports  (Ports),
    .Groups (Groups)
  ) u_poll (
    .clk_i,
    .rst_ni,
    .running_i     (running),
    .poll_i        (poll),
    .now_i,
    .event_valid_i (event_valid),
    .event_i       (happened),
    .reset_i       (reset),
    .scan_valid_o  (scan_valid),
    .scan_ready_i  (scan_ready),
    .scan_group_o  (scan_group),
    .scan_index_o  (scan_index),
    .scan_i        (scan),
    .read_valid_o  (poll_valid),
    .read_ready_i  (poll_ready),
    .read_group_o  (poll_group),
    .read_port_o   (poll_port),
    .round_i       (round),
    .idle_o        (poll_idle)
  );

  hbs_reads #(
    .Ports  (Ports),
    .Groups (Groups),
    .Tags   (Tags)
  ) u_reads (
    .clk_i,
    .rst_ni,
    .event_valid_i     (event_valid),
    .event_i           (happened),
    .reset_i           (reset),
    .has_poll_i        (features_i[hbs_regs_pkg::FeaturePollArrivalBit]),
    .expected_i        (data),
    .write_port_addr_i (write_port_addr),
    .port_index_i      (port_index),
    .address_i         (address),
    .poll_valid_i      (poll_valid),
    .poll_ready_o      (poll_ready),
    .poll_group_i      (poll_group),
    .poll_port_i       (poll_port),
    .round_o           (round),
    .op_valid_i        (op_valid),
    .op_ready_o        (op_ready),
    .op_use_i          (op_use),
    .op_group_i        (op_group),
    .op_port_i         (op_port),
    .op_addr_i         (op_addr),
    .op_fails_i        (op_fails),
    .op_expected_i     (op_expected),
    .rd_valid_o,
    .rd_ready_i,
    .rd_addr_o,
    .rd_tag_o,
    .ans_valid_i,
    .ans_error_i,
    .ans_tag_i,
    .ans_data_i,
    .answer_valid_o    (answer_valid),
    .answer_ready_i    (answer_ready),
    .answer_group_o    (answer_group),
    .answer_port_o     (answer_port),
    .answer_use_o      (answer_use),
    .answer_tag_o      (answer_tag),
    .answer_error_o    (answer_error),
    .answer_data_o     (answer_data),
    .answer_expected_o (answer_expected),
    .computed_tag_i    (computed_tag),
    .dropped_o         (dropped),
    .computed_group_i  (computed_group),
    .draining_o        (draining),
    .reading_o         (reading),
    .idle_o            (reads_idle)
  );

  hbs_egress #(
    .Ports   (Ports),
    .Groups  (Groups),
    .Records (Records),
    .Reads   (Reads),
    .Wide    (Wide)
  ) u_egress (
    .clk_i,
    .rst_ni,
    .msix_enable_i,
    .features_i,
    .event_valid_i       (event_valid),
    .event_i             (happened),
    .answers_i           (replies),
    .answer_tag_i        (reply_tag),
    .answer_i            (reply),
    .answer_adds_i       (reply_adds),
    .word_i              (word),
    .result_i            (result),
    .records_i           (records),
    .port_record_i       (port_record),
    .reset_i             (reset),
    .write_record_addr_i (write_record_addr),
    .write_port_addr_i   (write_port_addr),
    .record_index_i      (record_index),
    .port_index_i        (port_index),
    .address_i           (address),
    .write_p_i           (write_p),
    .p_index_i           (p_index),
    .p_i                 (p),
    .fail_waits_o        (fail_waits),
    .fail_valid_o        (fail_valid),
    .fail_ready_i        (fail_ready),
    .fail_group_o        (fail_group),
    .fail_operation_o    (fail_operation),
    .read_valid_o        (op_valid),
    .read_ready_i        (op_ready),
    .read_use_o          (op_use),
    .read_group_o        (op_group),
    .read_port_o         (op_port),
    .read_addr_o         (op_addr),
    .read_fails_o        (op_fails),
    .read_expected_o     (op_expected),
    .tx_valid_o,
    .tx_ready_i,
    .tx_refused_i,
    .tx_kind_o,
    .tx_addr_o,
    .tx_data_o,
    .tx_tag_o,
    .settled_o           (settled),
    .idle_o              (egress_idle)
  );

  assign idle_o = !queue_valid && core_idle && reads_idle && poll_idle && egress_idle;

endmodule
