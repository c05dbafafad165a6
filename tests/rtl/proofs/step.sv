// SPDX-License-Identifier: GPL-2.0-or-later
// One group and nothing around it: steps of any kind, in the order in which the pipeline lets them
// follow each other (see core), keep the invariants of the group and do what the specification
// says. The same as in core, for more ports and in less time.

module step #(
  parameter int unsigned Ports = 4
) (
  input logic          clk_i,
  input logic          rst_ni,
  input logic          valid_i,
  input hbs_pkg::op_t  op_i,
  input logic          running_i,
  input logic          draining_i,
  input logic          has_memory_i,
  input logic          dropped_i,
  input logic [55:0]   now_i
);

  hbs_pkg::row_t row_q, row_next;
  hbs_pkg::marks_t marks_q, marks_next;
  hbs_pkg::event_t happens;
  logic [63:0] p_q, p_next;
  logic starts_timer;
  logic [55:0] deadline_q, deadline_next;
  logic writes_row, writes_p, writes_marks, writes_operand, writes_record, writes_port, writes_card;
  logic [3:0] violation;
  logic counts, completes, raises, hides;
  logic [2:0] counter;
  hbs_pkg::kind_e follow, kind, next_q;
  hbs_pkg::use_e purpose;
  assign kind = op_i.kind;
  assign purpose = op_i.purpose;

  hbs_step u_step (
    .op_i,
    .bit_i               (op_i.port[5:0]),
    .row_i               (row_q),
    .p_i                 (p_q),
    .marks_i             (marks_q),
    .running_i,
    .draining_i,
    .has_memory_i,
    .dropped_i,
    .ports_i             (11'(Ports)),
    .now_i,
    .is_due_i            (now_i >= deadline_q),
    .row_o               (row_next),
    .starts_timer_o      (starts_timer),
    .deadline_o          (deadline_next),
    .write_row_o         (writes_row),
    .p_o                 (p_next),
    .write_p_o           (writes_p),
    .marks_o             (marks_next),
    .write_marks_o       (writes_marks),
    .write_operand_o     (writes_operand),
    .operand_o           (),
    .write_record_addr_o (writes_record),
    .write_port_addr_o   (writes_port),
    .write_card_o        (writes_card),
    .event_o             (happens),
    .violation_o         (violation),
    .counts_o            (counts),
    .counter_o           (counter),
    .completes_o         (completes),
    .raises_o            (raises),
    .reads_line_o        (),
    .foreign_o           (),
    .read_error_o        (),
    .dma_o               (),
    .timeout_o           (),
    .hides_o             (hides),
    .busy_o              (),
    .s_o                 (),
    .v_o                 (),
    .scan_o              (),
    .follows_o           (),
    .follow_o            (follow)
  );

  // Nothing is known of the row of a group that a reset has not cleared.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      row_q   <= '0;
      deadline_q <= '0;
      p_q     <= '0;
      marks_q <= '0;
      next_q  <= hbs_pkg::KindNone;
    end else if (valid_i) begin
      if (writes_row) row_q <= row_next;
      if (writes_row && starts_timer) deadline_q <= deadline_next;
      if (writes_p) p_q <= p_next;
      if (writes_marks) marks_q <= marks_next;
      case (kind)
        hbs_pkg::KindWipe: next_q <= hbs_pkg::KindStart;
        hbs_pkg::KindNote: next_q <= hbs_pkg::KindExpired;
        hbs_pkg::KindGather: next_q <= hbs_pkg::KindComplete;
        hbs_pkg::KindFold: ;
        default: next_q <= follow;
      endcase
    end
  end

  // What the pipeline, the decoder and the reads of memory keep to
  logic is_started_q = 1'b0;
  logic [55:0] now_q;
  always_ff @(posedge clk_i) begin
    is_started_q <= 1'b1;
    now_q        <= now_i;
  end
  always_comb begin
    assume (is_started_q || !rst_ni);
    assume (now_i >= now_q && !now_i[55] && row_q.epoch != 48'hffff_ffff_ffff);
    assume (op_i.port < 10'(Ports) || op_i.kind == hbs_pkg::KindWrite);
    // as the core has compared them
    assume (op_i.is_expected == (op_i.data == op_i.expected));
    // the words of masks around the port (core proves it), but where an array is read or wiped
    assume (op_i.index == op_i.port[9:6] || op_i.kind == hbs_pkg::KindWipe ||
            ((op_i.kind == hbs_pkg::KindWrite || op_i.kind == hbs_pkg::KindRead) &&
             op_i.target != hbs_pkg::RegCommand));
    if (next_q == hbs_pkg::KindComplete) begin
      assume (kind == hbs_pkg::KindFold || kind == hbs_pkg::KindComplete);
    end else if (next_q != hbs_pkg::KindNone) begin
      assume (kind == next_q);
    end else begin
      assume (kind == hbs_pkg::KindStore || kind == hbs_pkg::KindLoad ||
              kind == hbs_pkg::KindWrite || kind == hbs_pkg::KindRead ||
              kind == hbs_pkg::KindAnswer || kind == hbs_pkg::KindFail ||
              kind == hbs_pkg::KindExpire || kind == hbs_pkg::KindScan ||
              (kind == hbs_pkg::KindResume && running_i) || kind == hbs_pkg::KindMove ||
              (kind == hbs_pkg::KindStart && row_q.operation != hbs_pkg::OperationNone));
    end
    // only accesses can be bad
    if (kind != hbs_pkg::KindStore && kind != hbs_pkg::KindLoad && kind != hbs_pkg::KindWrite &&
        kind != hbs_pkg::KindRead) assume (!op_i.is_bad);
    if (kind == hbs_pkg::KindExpired || kind == hbs_pkg::KindNote) assume (running_i);
    if (kind == hbs_pkg::KindDepart) assume (op_i.port == row_q.subject);
    if (kind == hbs_pkg::KindStart && row_q.operation != hbs_pkg::OperationEnabling) begin
      assume (op_i.port == row_q.subject);
    end
    if (kind == hbs_pkg::KindAnswer && !dropped_i) begin
      case (purpose)
        hbs_pkg::UseCheck, hbs_pkg::UseCheckAny: begin
          assume (row_q.operation == hbs_pkg::OperationEnabling ||
                  (row_q.operation == hbs_pkg::OperationJoining && row_q.subject == op_i.port) ||
                  (row_q.operation == hbs_pkg::OperationNone && row_q.broken));
        end
        hbs_pkg::UseLastWord, hbs_pkg::UseLastOperand: begin
          assume (row_q.operation == hbs_pkg::OperationLeaving && row_q.subject == op_i.port);
        end
        hbs_pkg::UseWord, hbs_pkg::UseOperand: ;
        default: begin
          assume (1'b0);
        end
      endcase
    end
    if (kind == hbs_pkg::KindWrite && !op_i.is_bad) begin
      case (op_i.target)
        hbs_pkg::RegVacant: begin
          assume (op_i.data[31:0] <= 32'(Ports));
        end
        hbs_pkg::RegRecords: begin
          assume (op_i.data[31:0] <= 32'd16);
        end
        hbs_pkg::RegCtrl: begin
          assume (op_i.data[7:5] == 0 && !op_i.data[9] && !op_i.data[11] && !op_i.data[13] &&
                  !op_i.data[21] && !(op_i.data[4] && (op_i.data[8] || op_i.data[10])));
        end
        hbs_pkg::RegCommand: begin
          assume (op_i.port == op_i.data[25:16]);
        end
        default: ;
      endcase
    end
  end

  group_state #(
    .Ports (Ports)
  ) u_state (
    .clk_i,
    .now          (now_i),
    .now_q,
    .checked      (rst_ni),
    .is_resetting (1'b0),
    .row          (row_q),
    .p_row        (p_q),
    .marks        (marks_q),
    .is_wiped     (next_q == hbs_pkg::KindWipe),
    .is_gathering (next_q == hbs_pkg::KindGather || next_q == hbs_pkg::KindComplete),
    .is_timed     (row_q.timing),
    .deadline     (deadline_q),
    .is_slow      (1'b1),
    .starts_card  (1'b0),
    .resumes_late (1'b0),
    .starts_timer (valid_i && writes_row && row_next.timing && !row_q.timing),
    .expires      (valid_i && kind == hbs_pkg::KindExpired)
  );

  group_step #(
    .Ports (Ports)
  ) u_spec (
    .checked       (rst_ni && valid_i),
    .op            (op_i),
    .row           (row_q),
    .p_row         (p_q),
    .marks         (marks_q),
    .running       (running_i),
    .draining      (draining_i),
    .has_memory    (has_memory_i),
    .dropped       (dropped_i),
    .now           (now_i),
    .deadline      (deadline_q),
    .row_next,
    .writes_row,
    .starts_timer,
    .deadline_next,
    .p_next,
    .writes_p,
    .marks_next,
    .writes_marks,
    .writes_others (writes_operand || writes_record || writes_port || writes_card),
    .violation,
    .counts,
    .counter,
    .completes,
    .raises,
    .hides,
    .follow,
    .happens
  );

  always_comb begin
    if (rst_ni) begin
      if (next_q == hbs_pkg::KindWipe || next_q == hbs_pkg::KindStart) begin
        assert (row_q.enable && (row_q.operation == hbs_pkg::OperationEnabling));
      end
      if (next_q == hbs_pkg::KindNote || next_q == hbs_pkg::KindExpired) begin
        assert (row_q.timing && now_i >= deadline_q);
      end
      if (next_q == hbs_pkg::KindDepart) assert (row_q.operation == hbs_pkg::OperationLeaving);
      assert (next_q == hbs_pkg::KindNone || next_q == hbs_pkg::KindWipe ||
              next_q == hbs_pkg::KindStart || next_q == hbs_pkg::KindNote ||
              next_q == hbs_pkg::KindExpired || next_q == hbs_pkg::KindGather ||
              next_q == hbs_pkg::KindComplete || next_q == hbs_pkg::KindDepart);
    end
  end

  // What can happen
  (* keep *) logic sees_release, sees_gathering, sees_break, sees_withdrawal, sees_late_withdrawal,
      sees_expiry, sees_interrupt, sees_last_seat, sees_last_leaver, sees_overflow;
  logic is_step;
  assign is_step = rst_ni && valid_i;
  assign sees_release = is_step && completes && kind == hbs_pkg::KindStore &&
      row_q.members == 11'd2;
  assign sees_gathering = is_step && completes && kind == hbs_pkg::KindComplete;
  assign sees_break = is_step && !row_q.broken && row_next.broken && row_q.present != 0;
  assign sees_withdrawal = is_step && counts && counter == hbs_pkg::CountWithdrawals;
  assign sees_late_withdrawal = is_step && violation == hbs_regs_pkg::ViolationUnarrived;
  assign sees_expiry = is_step && kind == hbs_pkg::KindExpired && row_q.notify;
  assign sees_interrupt = is_step && raises && completes;
  assign sees_last_seat = is_step && completes && row_q.vacant == 11'd1;
  assign sees_last_leaver = is_step && completes && kind == hbs_pkg::KindWrite && happens.leaves;
  assign sees_overflow = is_step && violation == hbs_regs_pkg::ViolationOverflow;

endmodule
