// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
// The pipeline: a step a cycle. In the first cycle of a step an operation is chosen, and its rows
// are read; in the second hbs_step computes, and the rows are written; in the third the value of a
// read is put together, counters are counted, and the rest of the card learns what follows.
//
// A step whose effect needs more rows than one lets a sequence of steps follow, between which
// nothing else comes. Operations that may do so leave the cycle behind them empty.

module hbs_core #(
  parameter int unsigned Ports = 64,
  parameter int unsigned Groups = 16,
  parameter int unsigned Records = 16
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [10:0]       ports_i,
  input  logic [7:0]        groups_i,
  input  logic [63:0]       features_i,
  input  logic [55:0]       now_i,

  // accesses
  input  logic              req_valid_i,
  output logic              req_ready_o,
  input  logic              req_write_i,
  input  logic              req_lane_i,
  input  logic [25:3]       req_addr_i,
  input  logic [7:0]        req_be_i,
  input  logic [63:0]       req_data_i,
  input  logic [7:0]        req_tag_i,

  // answers to reads of host memory
  input  logic              ans_valid_i,
  output logic              ans_ready_o,
  input  logic [6:0]        ans_group_i,
  input  logic [9:0]        ans_port_i,
  input  hbs_pkg::use_e     ans_use_i,
  input  logic [7:0]        ans_tag_i,
  input  logic              ans_error_i,
  input  logic [63:0]       ans_data_i,
  input  logic [63:0]       ans_expected_i,
  output logic [7:0]        computed_tag_o,   // of the answer that is computed now:
  input  logic              dropped_i,        //   nobody wants it
  output logic [6:0]        computed_group_o, // of the step that is computed now:
  input  logic              draining_i,       //   dropped reads for it are in flight
  input  logic              reading_i,

  // records that could not be written; operations that could not
  input  logic              fail_waits_i,     // there is one, unless it is over in this cycle
  input  logic              fail_valid_i,
  output logic              fail_ready_o,
  input  logic [6:0]        fail_group_i,
  input  logic              fail_operation_i,

  // a round asks which lines to read
  input  logic              scan_valid_i,
  output logic              scan_ready_o,
  input  logic [6:0]        scan_group_i,
  input  logic [3:0]        scan_index_i,
  output logic [63:0]       scan_o,

  // what follows from the step before
  output logic              event_valid_o,
  output hbs_pkg::event_t   event_o,
  output logic              answers_o,
  output logic [7:0]        answer_tag_o,
  output logic [63:0]       answer_o,
  output logic [1:0]        answer_adds_o,    // add a counter of the egress: see there
  output logic [63:0]       word_o,           // of the group
  output logic [63:0]       result_o,
  output logic [4:0]        records_o,
  output logic              port_record_o,
  output logic [63:0]       data_o,           // of the operation

  // changes of addresses, for copies of their memories
  output logic [1:0]        write_record_addr_o,
  output logic [1:0]        write_port_addr_o,
  output logic [10:0]       record_index_o,
  output logic [9:0]        port_index_o,
  output logic [63:0]       address_o,

  // changes of P, for a copy of it
  output logic              write_p_o,
  output logic [10:0]       p_index_o,
  output logic [63:0]       p_o,

  output logic              running_o,
  output logic [31:0]       poll_o,
  output logic              reset_o,          // the card's reset begins
  input  logic              settled_i,        // nothing from before it is left outside
  output logic              ready_o,
  output logic              idle_o
);

  localparam int unsigned MaskWords = (Ports + 63) / 64;
  localparam int unsigned MaskWidth = Ports < 64 ? Ports : 64;
  localparam int unsigned MaskBits = MaskWords > 1 ? $clog2(MaskWords) : 0;
  localparam int unsigned MaskDepth = Groups << MaskBits;
  localparam int unsigned MaskAddr = MaskDepth > 1 ? $clog2(MaskDepth) : 1;
  localparam int unsigned PortBits = Ports > 1 ? $clog2(Ports) : 1;
  localparam logic [10:0] CountMask = 11'((1 << $clog2(Ports + 1)) - 1);
  localparam logic [9:0] PortMask = 10'((1 << $clog2(Ports)) - 1);
  localparam int unsigned OperandDepth = Groups << (Ports > 1 ? $clog2(Ports) : 0);
  localparam int unsigned OperandAddr = OperandDepth > 1 ? $clog2(OperandDepth) : 1;
  localparam int unsigned RowAddr = Groups > 1 ? $clog2(Groups) : 1;
  localparam int unsigned RecordBits = Records > 1 ? $clog2(Records) : 0;
  localparam int unsigned RecordDepth = Groups << RecordBits;
  localparam int unsigned RecordAddr = RecordDepth > 1 ? $clog2(RecordDepth) : 1;
  localparam int unsigned RowWidth = hbs_pkg::RowWidth;
  localparam int unsigned MarksWidth = 2 * MaskWidth;
  localparam logic [15:0] LiveMask = 16'((1 << MaskWords) - 1);
  // A reset visits the deepest of the memories.
  localparam int unsigned CounterDepth = Groups > 2 ? 8 << RowAddr : 16;
  localparam int unsigned AddressDepth = RecordDepth > Ports ? RecordDepth : Ports;
  localparam int unsigned ResetDepth = AddressDepth > CounterDepth ? AddressDepth : CounterDepth;

  // Choosing an operation
  hbs_pkg::op_t decoded, op_d, op_q;
  logic step_d, step_q, slow_d, slow_q;
  logic sequence_step, is_sequence;
  hbs_pkg::op_t sequence_op;
  logic resetting_q, begins_reset;
  logic [Groups-1:0] gathering_q;  // groups whose arrivals may let a sequence follow
  logic may_issue, takes_request;

  hbs_decode #(
    .Records (Records)
  ) u_decode (
    .ports_i,
    .groups_i,
    .features_i,
    .ready_i (ready_o),
    .write_i (req_write_i),
    .lane_i  (req_lane_i),
    .addr_i  (req_addr_i),
    .be_i    (req_be_i),
    .data_i  (req_data_i),
    .tag_i   (req_tag_i),
    .op_o    (decoded)
  );

  // An expiry goes first: a timer must not be late, whatever else there is to do. A timer that has
  // expired starts again by another step alone, so the others wait for a bounded time. Of these a
  // request goes before a second step of the card's own.
  logic own_before_q, own_valid, expire_valid, expire_ready, takes_own, has_expired;
  logic [6:0] expire_group;

  assign expire_valid = has_expired && !resetting_q &&
      features_i[hbs_regs_pkg::FeatureTimeoutBit];
  assign own_valid = ans_valid_i || (!resetting_q && (fail_waits_i || scan_valid_i));
  assign may_issue = !is_sequence && !(step_q && slow_q);
  assign expire_ready = may_issue && !resetting_q;
  assign takes_request = may_issue && !expire_valid && req_valid_i &&
      !(own_valid && !own_before_q);
  assign takes_own = may_issue && !expire_valid && !takes_request;
  assign req_ready_o = takes_request;
  assign ans_ready_o = takes_own;
  assign fail_ready_o = takes_own && !resetting_q && !ans_valid_i;
  assign scan_ready_o = fail_ready_o && !fail_waits_i;

  always_comb begin
    op_d         = '0;
    op_d.kind    = hbs_pkg::KindNone;
    op_d.target  = hbs_pkg::RegNone;
    op_d.purpose = hbs_pkg::UseWord;
    slow_d       = 1'b0;
    if (is_sequence) begin
      op_d = sequence_op;
    end else if (expire_valid) begin
      op_d.kind  = hbs_pkg::KindExpire;
      op_d.group = expire_group;
      slow_d     = 1'b1;
    end else if (takes_request) begin
      op_d   = decoded;
      slow_d = decoded.kind == hbs_pkg::KindWrite ||
          (decoded.kind == hbs_pkg::KindStore && gathering_q[decoded.group[RowAddr-1:0]]);
    end else if (ans_valid_i) begin
      op_d.kind     = hbs_pkg::KindAnswer;
      op_d.group    = ans_group_i;
      op_d.port     = ans_port_i;
      op_d.index    = ans_port_i[9:6];
      op_d.purpose  = ans_use_i;
      op_d.tag      = ans_tag_i;
      op_d.is_error = ans_error_i;
      op_d.data     = ans_data_i;
      slow_d        = 1'b1;
    end else if (!resetting_q) begin
      if (fail_waits_i) begin
        if (fail_valid_i) op_d.kind = hbs_pkg::KindFail;
        op_d.group    = fail_group_i;
        op_d.is_error = fail_operation_i;
        slow_d        = 1'b1;
      end else if (scan_valid_i) begin
        op_d.kind  = hbs_pkg::KindScan;
        op_d.group = scan_group_i;
        op_d.index = scan_index_i;
      end
    end
    op_d.expected    = ans_expected_i;  // only an answer looks at these
    op_d.is_expected = ans_data_i == ans_expected_i;
    step_d = is_sequence ? sequence_step : may_issue && op_d.kind != hbs_pkg::KindNone;
  end

  // Rows
  function automatic logic [MaskAddr-1:0] mask_addr(logic [6:0] group, logic [3:0] index);
    mask_addr = MaskAddr'((32'(group) << MaskBits) + (MaskBits == 0 ? 0 : 32'(index)));
  endfunction

  logic write_row, write_p, write_marks, write_operand;
  logic [RowWidth-1:0] row_stored;
  logic [MaskWidth-1:0] p_stored, missing_stored;
  logic [MarksWidth-1:0] marks_stored;
  logic [63:0] operand_stored, record_addr_stored, port_addr_stored;
  hbs_pkg::row_t row, row_computed, row_next, row_q;
  hbs_pkg::marks_t marks, marks_next, marks_q;
  logic [63:0] p, p_next;
  logic wrote_marks_q, is_same_row_q, is_same_mask_q;
  logic [31:0] reset_count_q;
  logic reset_row;
  logic [OperandAddr-1:0] operand_raddr;

  assign reset_row  = resetting_q && reset_count_q < Groups;

  // Steps of a reset see an empty row, and the reset writes the row of no step into each group.
  hbs_ram #(
    .Width (RowWidth),
    .Depth (Groups)
  ) u_rows (
    .clk_i,
    .write_i (write_row || reset_row),
    .waddr_i (reset_row ? reset_count_q[RowAddr-1:0] : op_q.group[RowAddr-1:0]),
    .wdata_i (row_next),
    .read_i  (1'b1),
    .clear_i (resetting_q || begins_reset),
    .raddr_i (op_d.group[RowAddr-1:0]),
    .rdata_o (row_stored)
  );

  hbs_ram #(
    .Width (MaskWidth),
    .Depth (MaskDepth)
  ) u_p (
    .clk_i,
    .write_i (write_p),
    .waddr_i (mask_addr(op_q.group, op_q.index)),
    .wdata_i (p_next[MaskWidth-1:0]),
    .read_i  (1'b1),
    .clear_i (1'b0),
    .raddr_i (mask_addr(op_d.group, op_d.index)),
    .rdata_o (p_stored)
  );

  hbs_ram #(
    .Width (MarksWidth),
    .Depth (MaskDepth)
  ) u_marks (
    .clk_i,
    .write_i (write_marks),
    .waddr_i (mask_addr(op_q.group, op_q.index)),
    .wdata_i ({marks_next.s[MaskWidth-1:0], marks_next.v[MaskWidth-1:0]}),
    .read_i  (1'b1),
    .clear_i (1'b0),
    .raddr_i (mask_addr(op_d.group, op_d.index)),
    .rdata_o (marks_stored)
  );

  logic write_missing;
  logic [63:0] scan;

  hbs_ram #(
    .Width (MaskWidth),
    .Depth (MaskDepth)
  ) u_missing (
    .clk_i,
    .write_i (write_missing),
    .waddr_i (mask_addr(op_q.group, op_q.index)),
    .wdata_i (scan[MaskWidth-1:0]),
    .read_i  (1'b1),
    .clear_i (1'b0),
    .raddr_i (mask_addr(op_d.group, op_d.index)),
    .rdata_o (missing_stored)
  );

  logic [63:0] operand_next;
  logic [6:0] operand_group;
  logic [9:0] operand_port;

  function automatic logic [OperandAddr-1:0] operand_addr(logic [6:0] group, logic [9:0] port);
    operand_addr = OperandAddr'((32'(group) << (Ports > 1 ? PortBits : 0)) + 32'(port));
  endfunction

  assign operand_raddr = operand_addr(operand_group, operand_port);

  hbs_ram #(
    .Width (64),
    .Depth (OperandDepth)
  ) u_operands (
    .clk_i,
    .write_i (write_operand),
    .waddr_i (operand_addr(op_q.group, op_q.port)),
    .wdata_i (operand_next),
    .read_i  (1'b1),
    .clear_i (1'b0),
    .raddr_i (operand_raddr),
    .rdata_o (operand_stored)
  );

  logic [1:0] write_record_addr, write_port_addr;
  logic [10:0] record_index, group_record;

  assign group_record = 11'((32'(op_q.group) << RecordBits) +
                            (RecordBits == 0 ? 0 : 32'(op_q.index)));
  assign record_index = resetting_q ? reset_count_q[10:0] : group_record;

  hbs_address_ram #(
    .Depth (RecordDepth)
  ) u_record_addr (
    .clk_i,
    .write_i (write_record_addr),
    .waddr_i (record_index[RecordAddr-1:0]),
    .wdata_i (resetting_q ? 64'd0 : op_q.data),
    .read_i  (1'b1),
    .clear_i (op_q.target != hbs_pkg::RegRecordAddr),
    .raddr_i (group_record[RecordAddr-1:0]),
    .rdata_o (record_addr_stored)
  );

  logic [9:0] port_index;
  assign port_index = resetting_q ? reset_count_q[9:0] : op_q.port;

  hbs_address_ram #(
    .Depth (Ports)
  ) u_port_addr (
    .clk_i,
    .write_i (write_port_addr),
    .waddr_i (port_index[PortBits-1:0]),
    .wdata_i (resetting_q ? 64'd0 : op_q.data),
    .read_i  (1'b1),
    .clear_i (1'b0),
    .raddr_i (op_d.port[PortBits-1:0]),
    .rdata_o (port_addr_stored)
  );

  // The value of a read is put together in the third cycle, so what the step before has written is
  // there. What is not read is 0, so the value needs no choice of one of many.
  logic [63:0] result_next, result_stored, result_q;
  logic completes;

  hbs_ram #(
    .Width (64),
    .Depth (Groups)
  ) u_results (
    .clk_i,
    .write_i (step_q && completes),
    .waddr_i (op_q.group[RowAddr-1:0]),
    .wdata_i (result_next),
    .read_i  (1'b1),
    .clear_i (op_q.target != hbs_pkg::RegResult && op_q.target != hbs_pkg::LaneResult),
    .raddr_i (op_q.group[RowAddr-1:0]),
    .rdata_o (result_stored)
  );

  // What a card lacks is 0 anyway; so synthesis sees it.
  hbs_pkg::row_t row_mask;
  always_comb begin
    row_mask         = '1;
    row_mask.vacant  = CountMask;
    row_mask.members = CountMask;
    row_mask.present = CountMask;
    row_mask.ayes    = CountMask;
    row_mask.subject = PortMask;
    row_mask.live    = LiveMask;
    if (!features_i[hbs_regs_pkg::FeatureTimeoutBit]) begin
      row_mask.timeout     = 48'd0;
      row_mask.timing      = 1'b0;
      row_mask.expired     = 1'b0;
      row_mask.has_missing = 1'b0;
      row_mask.notify      = 1'b0;
    end
    if (!features_i[hbs_regs_pkg::FeatureReduceBit]) begin
      row_mask.reduce     = 4'd0;
      row_mask.sum        = 64'd0;
      row_mask.has_result = 1'b0;
    end
    if (!features_i[hbs_regs_pkg::FeatureCountingBit]) begin
      row_mask.counting = 1'b0;
      row_mask.count    = 16'd0;
    end
    if (!features_i[hbs_regs_pkg::FeaturePollArrivalBit]) row_mask.polling = 1'b0;
    if (!features_i[hbs_regs_pkg::FeaturePortRecordBit]) row_mask.port_record = 1'b0;
    if (!features_i[hbs_regs_pkg::FeatureRefutableBit]) begin
      row_mask.refutable = 1'b0;
      row_mask.ayes      = 11'd0;
      row_mask.vote      = 2'd0;
      row_mask.black     = 1'b0;
      row_mask.balance   = 48'd0;
    end
  end

  // The step before may have written what this one has read.
  always_comb begin
    row = row_stored;
    // Steps that change what else is in a row leave the cycle behind them empty.
    if (is_same_row_q) begin
      row.broken     = row_q.broken;
      row.reason     = row_q.reason;
      row.armed      = row_q.armed;
      row.expired    = row_q.expired;
      row.vote       = row_q.vote;
      row.black      = row_q.black;
      row.present    = row_q.present;
      row.ayes       = row_q.ayes;
      row.arrived    = row_q.arrived;
      row.epoch      = row_q.epoch;
      row.sum        = row_q.sum;
      row.has_result = row_q.has_result;
      row.live       = row_q.live;
      row.balance    = row_q.balance;
      row.timing     = row_q.timing;
    end
    row = row & row_mask;
  end
  // A step that changes P leaves the cycle behind it empty, or is of a sequence that looks at that
  // word of P again after other steps.
  assign p = 64'(p_stored);
  always_comb begin
    marks.s = 64'(marks_stored[MaskWidth+:MaskWidth]);
    marks.v = 64'(marks_stored[0+:MaskWidth]);
    if (wrote_marks_q && is_same_mask_q) marks = marks_q;
  end

  logic has_poll, has_port_memory;
  assign has_poll        = features_i[hbs_regs_pkg::FeaturePollArrivalBit];
  assign has_port_memory = has_poll || features_i[hbs_regs_pkg::FeaturePortRecordBit];

  // Computing
  hbs_pkg::op_t step_op;
  logic step_writes_row, step_writes_p, step_writes_marks, step_writes_operand;
  logic step_writes_record, step_writes_port, step_writes_card;
  hbs_pkg::event_t event_d;
  logic [3:0] violation;
  logic counts, raises, reads_line, foreign, read_error, fails_dma, times_out;
  logic [2:0] counter;
  logic hides, busy, follows, is_inside;
  hbs_pkg::kind_e follow;
  logic is_due, starts_timer;
  logic [55:0] deadline;
  logic [63:0] s_shown, v_shown;

  always_comb begin
    step_op = op_q;
    if (!step_q) step_op.kind = hbs_pkg::KindNone;
  end

  hbs_step u_step (
    .op_i                (step_op),
    .bit_i               (op_q.port[5:0] & PortMask[5:0]),
    .row_i               (row),
    .p_i                 (p),
    .marks_i             (marks),
    .running_i           (running_o),
    .draining_i,
    .has_memory_i        (has_port_memory && port_addr_stored != 64'd0),
    .dropped_i,
    .ports_i,
    .now_i,
    .is_due_i            (is_due),
    .row_o               (row_computed),
    .starts_timer_o      (starts_timer),
    .deadline_o          (deadline),
    .result_o            (result_next),
    .write_row_o         (step_writes_row),
    .p_o                 (p_next),
    .write_p_o           (step_writes_p),
    .marks_o             (marks_next),
    .write_marks_o       (step_writes_marks),
    .write_operand_o     (step_writes_operand),
    .operand_o           (operand_next),
    .write_record_addr_o (step_writes_record),
    .write_port_addr_o   (step_writes_port),
    .write_card_o        (step_writes_card),
    .event_o             (event_d),
    .violation_o         (violation),
    .counts_o            (counts),
    .counter_o           (counter),
    .completes_o         (completes),
    .raises_o            (raises),
    .reads_line_o        (reads_line),
    .foreign_o           (foreign),
    .read_error_o        (read_error),
    .dma_o               (fails_dma),
    .timeout_o           (times_out),
    .hides_o             (hides),
    .busy_o              (busy),
    .s_o                 (s_shown),
    .v_o                 (v_shown),
    .scan_o              (scan),
    .follows_o           (follows),
    .follow_o            (follow)
  );

  assign row_next = row_computed & row_mask;

  // A sequence visits no row that this card does not have.
  assign is_inside = MaskWords == 1 ? op_q.index == 4'd0 : 32'(op_q.index) < MaskWords;
  assign write_row = step_q && step_writes_row;
  assign write_p = step_q && step_writes_p && is_inside;
  assign write_marks = step_q && step_writes_marks;
  assign write_operand = step_q && step_writes_operand;
  assign write_missing = step_q && op_q.kind == hbs_pkg::KindNote && is_inside;
  assign write_record_addr = resetting_q ? {2{reset_count_q < RecordDepth}} :
      step_q && step_writes_record ? op_q.half : 2'b00;
  assign write_port_addr = !has_port_memory ? 2'b00 :
      resetting_q ? {2{reset_count_q < Ports}} :
      step_q && step_writes_port ? op_q.half : 2'b00;
  assign computed_tag_o = op_q.tag;
  assign computed_group_o = op_q.group;

  // Card-wide registers
  logic [31:0] ctl_tag_q;
  logic writes_card, writes_ctrl, starts_card;
  logic [35:0] last_violation_q;
  logic [2:0] cause, cause_enable;
  logic [127:0] cause_groups, cause_timeouts;
  logic raises_card;

  assign writes_card  = step_q && step_writes_card;
  assign writes_ctrl  = writes_card && op_q.target == hbs_pkg::RegCtlCtrl;
  assign begins_reset = writes_ctrl && op_q.data[hbs_regs_pkg::CtlCtrlResetLow];
  assign starts_card  = writes_ctrl && !begins_reset && op_q.data[0] && !running_o;

  hbs_interrupts #(
    .Groups (Groups)
  ) u_interrupts (
    .clk_i,
    .rst_ni,
    .reset_i       (begins_reset),
    .running_i     (running_o),
    .starts_i      (starts_card),
    .set_cause_i   ({step_q && times_out, step_q && fails_dma, step_q && violation != 4'd0}),
    .set_group_i   (step_q && raises),
    .set_timeout_i (step_q && times_out),
    .group_i       (op_q.group),
    .write_i       (writes_card),
    .target_i      (op_q.target),
    .index_i       (op_q.index[0]),
    .data_i        (op_q.data),
    .raises_o      (raises_card),
    .cause_o       (cause),
    .enable_o      (cause_enable),
    .groups_o      (cause_groups),
    .timeouts_o    (cause_timeouts)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      running_o        <= 1'b0;
      ctl_tag_q        <= '0;
      poll_o           <= hbs_regs_pkg::CtlPollDefault;
      last_violation_q <= '0;
    end else if (begins_reset) begin
      running_o        <= 1'b0;
      ctl_tag_q        <= '0;
      poll_o           <= hbs_regs_pkg::CtlPollDefault;
      last_violation_q <= '0;
    end else if (step_q) begin
      if (writes_ctrl) running_o <= op_q.data[0];
      if (writes_card && op_q.target == hbs_pkg::RegCtlTag) ctl_tag_q <= op_q.data[31:0];
      if (writes_card && has_poll && op_q.target == hbs_pkg::RegCtlPoll) begin
        poll_o <= op_q.data[31:0];
      end
      if (violation != 4'd0) begin
        last_violation_q <= {op_q.has_group ? {9'd0, op_q.group} : 16'hffff,
                             op_q.is_card ? 16'hffff : {6'd0, op_q.port}, violation};
      end
    end
  end

  // Reset: everything is cleared that a step does not clear before it reads it.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      resetting_q   <= 1'b1;
      reset_count_q <= '0;
    end else if (begins_reset) begin
      resetting_q   <= 1'b1;
      reset_count_q <= '0;
    end else if (resetting_q) begin
      if (reset_count_q < ResetDepth) reset_count_q <= reset_count_q + 32'd1;
      else if (settled_i && !reading_i) resetting_q <= 1'b0;
    end
  end

  assign ready_o = !resetting_q;
  assign reset_o = begins_reset;

  // Where a sequence may begin, the step is slow: nothing else is chosen before it has begun.
  hbs_sequence #(
    .Ports  (Ports),
    .Groups (Groups)
  ) u_sequence (
    .clk_i,
    .rst_ni,
    .stops_i         (begins_reset),
    .op_i            (op_q),
    .follows_i       (step_q && follows),
    .follow_i        (follow),
    .starts_card_i   (starts_card),
    .moves_port_i    (step_q && step_writes_port),
    .row_i           (row),
    .active_o        (is_sequence),
    .step_o          (sequence_step),
    .op_o            (sequence_op),
    .p_i             (p_stored),
    .operand_group_o (operand_group),
    .operand_port_o  (operand_port),
    .operand_i       (operand_stored)
  );

  // The third cycle
  hbs_pkg::op_t op_done_q;
  logic answers_q, hides_q, busy_q, has_arrived_q, event_valid_q;
  logic [63:0] mask_q, port_addr_q, scan_q;
  hbs_pkg::event_t event_q;
  logic is_read, is_mask;

  // a register that reads as zero, whatever its memory has
  logic is_empty;
  always_comb begin
    case (op_q.target)
      hbs_pkg::RegP: is_empty = !row.enable || !is_inside;
      hbs_pkg::RegS, hbs_pkg::RegV: is_empty = !is_inside;
      hbs_pkg::RegMissing: is_empty = !row.has_missing || !is_inside;
      hbs_pkg::RegResult, hbs_pkg::LaneResult: is_empty = !row.has_result;
      default: is_empty = 1'b0;
    endcase
  end

  assign is_read = op_q.kind == hbs_pkg::KindRead || op_q.kind == hbs_pkg::KindLoad;
  assign is_mask = op_q.target == hbs_pkg::RegP || op_q.target == hbs_pkg::RegS ||
      op_q.target == hbs_pkg::RegV || op_q.target == hbs_pkg::RegMissing;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      step_q        <= 1'b0;
      slow_q        <= 1'b0;
      own_before_q  <= 1'b0;
      is_same_row_q <= 1'b0;
      wrote_marks_q <= 1'b0;
      answers_q     <= 1'b0;
      event_valid_q <= 1'b0;
      gathering_q   <= '0;
    end else begin
      step_q        <= step_d;
      slow_q        <= slow_d;
      if (takes_request) own_before_q <= 1'b0;
      else if (takes_own && own_valid) own_before_q <= 1'b1;
      is_same_row_q <= step_q && !begins_reset && op_d.group == op_q.group;
      wrote_marks_q <= write_marks;
      answers_q     <= step_q && is_read;
      event_valid_q <= step_q;
      if (write_row) begin
        gathering_q[op_q.group[RowAddr-1:0]] <= row_next.enable && row_next.refutable &&
            row_next.reduce != hbs_regs_pkg::ReduceNone;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    op_q           <= op_d;
    is_same_mask_q <= op_d.group == op_q.group && op_d.index == op_q.index;
    if (step_q) begin
      op_done_q     <= op_q;
      row_q         <= row_next;
      result_q      <= result_next;
      marks_q       <= marks_next;
      hides_q       <= hides || is_empty;
      busy_q        <= busy;
      has_arrived_q <= s_shown[op_q.port[5:0] & PortMask[5:0]];
      scan_q        <= scan;
      // 0 where it is not read, as the outputs of memories
      port_addr_q   <= port_addr_stored;
      if (!has_port_memory || op_q.target != hbs_pkg::RegPortAddr) port_addr_q <= 64'd0;
      case (op_q.target)
        hbs_pkg::RegP: mask_q <= p;
        hbs_pkg::RegS: mask_q <= s_shown;
        hbs_pkg::RegMissing: mask_q <= 64'(missing_stored);
        default: mask_q <= v_shown;
      endcase
      if (!is_mask) mask_q <= 64'd0;
      event_q              <= event_d;
      event_q.messages[0]  <= event_d.messages[0] || raises_card;
      event_q.stops        <= writes_ctrl && !op_q.data[0];
      event_q.drops        <= event_d.drops || (writes_ctrl && !op_q.data[0]);
      event_q.drops_groups <= event_d.drops_groups || writes_ctrl;
      event_q.drops_ports  <= event_d.drops_ports || writes_ctrl;
    end
  end

  // Counters
  logic [63:0] counter_value;

  hbs_counters #(
    .Groups (Groups)
  ) u_counters (
    .clk_i,
    .rst_ni,
    .clear_i         (resetting_q),
    .clear_place_i   (reset_count_q[9:0]),
    .group_i         (op_q.group),
    .read_i          (step_q && is_read),
    .target_i        (op_q.target),
    .index_i         (op_q.index),
    .value_o         (counter_value),
    .wipe_i          (step_q && op_q.kind == hbs_pkg::KindWipe && !op_q.index[3]),
    .counts_i        (step_q && counts),
    .counter_i       (counter),
    .completes_i     (step_q && completes),
    .violates_i      (step_q && violation != 4'd0),
    .raises_i        (step_q && raises),
    .is_access_bad_i (step_q && violation == hbs_regs_pkg::ViolationAccess),
    .is_foreign_i    (step_q && foreign),
    .reads_line_i    (step_q && reads_line),
    .read_fails_i    (step_q && read_error)
  );

  hbs_word u_word (
    .row_i  (row_q),
    .word_o (word_o)
  );

  hbs_answer #(
    .Records (Records)
  ) u_answer (
    .op_i             (op_done_q),
    .row_i            (row_q),
    .word_i           (word_o),
    .result_i         (result_stored),
    .hides_i          (hides_q),
    .busy_i           (busy_q),
    .has_arrived_i    (has_arrived_q),
    .mask_i           (mask_q),
    .record_addr_i    (record_addr_stored),
    .port_addr_i      (port_addr_q),
    .counter_i        (counter_value),
    .ports_i,
    .groups_i,
    .features_i,
    .running_i        (running_o),
    .ready_i          (ready_o),
    .reading_i,
    .tag_i            (ctl_tag_q),
    .poll_i           (poll_o),
    .cause_i          (cause),
    .cause_enable_i   (cause_enable),
    .cause_groups_i   (cause_groups),
    .cause_timeouts_i (cause_timeouts),
    .last_i           (last_violation_q),
    .value_o          (answer_o)
  );

  always_comb begin
    answer_adds_o = 2'd0;
    if (!hides_q) begin
      case (op_done_q.target)
        hbs_pkg::RegDmaErrors: answer_adds_o = 2'd1;
        hbs_pkg::RegMessages: answer_adds_o = 2'd2;
        hbs_pkg::RegRecordWrites: answer_adds_o = 2'd3;
        default: ;
      endcase
    end
  end

  // What the others need to know
  assign event_valid_o = event_valid_q;
  always_comb begin
    event_o       = event_q;
    event_o.wants = row_q.enable && row_q.polling && !row_q.broken &&
        row_q.present != row_q.members && !(row_q.counting && row_q.arrived == row_q.count);
  end
  assign answers_o = answers_q;
  assign answer_tag_o = op_done_q.tag;
  assign result_o = result_q;
  assign records_o = row_q.records;
  assign port_record_o = row_q.port_record;
  assign data_o = op_done_q.data;
  assign scan_o = scan_q;

  assign write_record_addr_o = write_record_addr;
  assign write_port_addr_o = write_port_addr;
  assign record_index_o = record_index;
  assign port_index_o = port_index;
  assign address_o = resetting_q ? 64'd0 : op_q.data;
  assign write_p_o = write_p;
  assign p_index_o = {op_q.group, op_q.index};
  assign p_o = p_next;

  hbs_timers #(
    .Groups (Groups)
  ) u_timers (
    .clk_i,
    .rst_ni,
    .running_i  (running_o && features_i[hbs_regs_pkg::FeatureTimeoutBit]),
    .now_i,
    .write_i    (write_row || reset_row),
    .group_i    (reset_row ? reset_count_q[6:0] : op_q.group),
    .timing_i   (!reset_row && row_next.timing),
    .starts_i   (!reset_row && starts_timer),
    .deadline_i (deadline),
    .valid_o    (has_expired),
    .ready_i    (expire_ready),
    .group_o    (expire_group),
    .is_due_o   (is_due)
  );

  assign idle_o = !is_sequence && !step_q && !event_valid_q && !req_valid_i && !ans_valid_i &&
      !expire_valid && !(resetting_q && (reset_count_q < ResetDepth || (settled_i && !reading_i)));

  // For benches: the step that was computed in the cycle before
  logic step_valid_q  /* verilator public_flat_rd */;
  hbs_pkg::kind_e step_kind_q  /* verilator public_flat_rd */;
  logic [6:0] step_group_q  /* verilator public_flat_rd */;
  logic [9:0] step_port_q  /* verilator public_flat_rd */;
  logic [7:0] step_tag_q  /* verilator public_flat_rd */;

  hbs_pkg::use_e step_use_q  /* verilator public_flat_rd */;
  logic step_error_q  /* verilator public_flat_rd */;
  logic step_dropped_q  /* verilator public_flat_rd */;

  always_ff @(posedge clk_i) step_dropped_q <= dropped_i;

  assign step_use_q   = op_done_q.purpose;
  assign step_error_q = op_done_q.is_error;
  assign step_valid_q = event_valid_q;
  assign step_kind_q  = op_done_q.kind;
  assign step_group_q = op_done_q.group;
  assign step_port_q  = op_done_q.port;
  assign step_tag_q   = op_done_q.tag;

endmodule
