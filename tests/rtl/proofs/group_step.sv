// SPDX-License-Identifier: GPL-2.0-or-later
// What a step does to a group, written once more from the specification (sections "Arrival" to
// "Broken groups"), and the assertions that a step does exactly that.

module group_step #(
  parameter int unsigned Ports = 3
) (
  input logic             checked,   // a step is computed
  input hbs_pkg::op_t     op,
  input hbs_pkg::row_t    row,
  input logic [63:0]      p_row,
  input hbs_pkg::marks_t  marks,
  input logic             running,
  input logic             draining,
  input logic             has_memory,
  input logic             dropped,
  input logic [55:0]      now,
  input logic [55:0]      deadline,  // of the group's timer
  // what the card does
  input hbs_pkg::row_t    row_next,
  input logic             writes_row,
  input logic             starts_timer,
  input logic [55:0]      deadline_next,
  input logic [63:0]      p_next,
  input logic             writes_p,
  input hbs_pkg::marks_t  marks_next,
  input logic             writes_marks,
  input logic             writes_others,  // another memory or register
  input logic [3:0]       violation,
  input logic             counts,
  input logic [2:0]       counter,
  input logic             completes,
  input logic             raises,
  input logic             hides,
  input hbs_pkg::kind_e   follow,
  input hbs_pkg::event_t  happens
);

  localparam logic [10:0] N = 11'(Ports);

  logic [Ports-1:0] p, s, v, port, p_after, s_after, v_after, p_shown, s_shown, v_shown;
  logic in_p, in_s, is_lane, reduces, is_overflow;
  logic arrives, withdraws, inits, joins, departs, breaks, releases, is_complete, is_line, is_full;
  logic enables, disables, arms, raises_now;
  logic [2:0] reason;
  logic [3:0] expected_violation;
  logic [31:0] value;
  logic [15:0] argument;
  logic [15:0] arrived_after, count_after;
  logic [10:0] vacant_after;
  logic [48:0] balance_wide;
  logic [47:0] balance_after, expected_epoch;
  hbs_pkg::row_t row_after;
  hbs_pkg::marks_t marks_after;

  assign port = Ports'(1) << op.port;
  assign p = row.enable ? p_row[Ports-1:0] : '0;
  assign s = row.live[0] ? marks.s[Ports-1:0] : '0;
  assign v = row.live[0] ? marks.v[Ports-1:0] : '0;
  assign in_p = op.port < 10'(Ports) && (p & port) != 0;
  assign in_s = op.port < 10'(Ports) && (s & port) != 0;
  assign reduces = row.reduce != 0;
  assign value = op.data[31:0];
  assign argument = value[31:16];
  assign balance_wide = {row.balance[47], row.balance} + {op.data[47], op.data[47:0]};
  assign is_overflow = balance_wide[48] != balance_wide[47];
  assign is_full = row.counting && row.arrived == row.count;
  // a round would read this line
  assign is_line = running && row.enable && row.polling && !row.broken && !is_full && in_p && !in_s;
  assign is_lane = op.target == hbs_pkg::LaneArrival || (row.refutable &&
      (op.target == hbs_pkg::LaneOperand || op.target == hbs_pkg::LaneWithdraw));

  always_comb begin
    arrives = 1'b0;
    withdraws = 1'b0;
    inits = 1'b0;
    joins = 1'b0;
    departs = 1'b0;
    breaks = 1'b0;
    enables = 1'b0;
    disables = 1'b0;
    arms = 1'b0;
    raises_now = 1'b0;
    reason = 3'd0;
    expected_violation = 4'd0;
    case (op.kind)
      hbs_pkg::KindStore: begin
        if (op.is_bad || (!is_lane && !op.is_zero) || (is_lane && op.half == 2'b10)) begin
          expected_violation = hbs_regs_pkg::ViolationAccess;
        end else if (is_lane) begin
          if (!running) expected_violation = hbs_regs_pkg::ViolationRefused;
          else if (!in_p) expected_violation = hbs_regs_pkg::ViolationNonMember;
          else if (row.broken || row.polling) begin
            expected_violation = hbs_regs_pkg::ViolationRefused;
          end else if (op.target == hbs_pkg::LaneWithdraw) begin
            if (in_s) withdraws = 1'b1;
            else expected_violation = hbs_regs_pkg::ViolationUnarrived;
          end else if (op.target == hbs_pkg::LaneOperand) begin
            if (in_s) expected_violation = hbs_regs_pkg::ViolationDouble;
          end else if (row.refutable && op.data[63:50] != 0) begin
            expected_violation = hbs_regs_pkg::ViolationAccess;
          end else if (row.counting ? is_full : in_s) begin
            expected_violation = hbs_regs_pkg::ViolationDouble;
          end else if (row.refutable && is_overflow) begin
            expected_violation = hbs_regs_pkg::ViolationOverflow;
            breaks = 1'b1;
            reason = hbs_regs_pkg::ReasonOverflow[2:0];
          end else begin
            arrives = 1'b1;
          end
        end
      end
      hbs_pkg::KindWrite: begin
        if (op.is_bad) expected_violation = hbs_regs_pkg::ViolationAccess;
        else begin
          case (op.target)
            hbs_pkg::RegCommand: begin
              expected_violation = hbs_regs_pkg::ViolationAccess;
              if (running && row.enable) begin
                if (value[7:0] == hbs_regs_pkg::OpBreak && argument >= 1 && argument <= 7) begin
                  expected_violation = 4'd0;
                  breaks = !row.broken;
                  reason = argument[2:0];
                end
                if (row.operation == hbs_pkg::OperationNone && !draining &&
                    argument < 16'(Ports)) begin
                  if (value[7:0] == hbs_regs_pkg::OpJoin && !in_p && !row.broken &&
                      (has_memory || !(row.polling || row.port_record)) &&
                      !(row.counting && row.vacant == 0 && row.count == 16'hffff)) begin
                    expected_violation = 4'd0;
                    joins = !row.polling && !row.port_record;
                  end
                  if (value[7:0] == hbs_regs_pkg::OpLeave && in_p) begin
                    expected_violation = 4'd0;
                    departs = !is_line;
                  end
                  if (value[7:0] == hbs_regs_pkg::OpInit && in_p && !row.refutable &&
                      !(in_s && reduces)) begin
                    expected_violation = 4'd0;
                    inits = in_s;
                  end
                end
              end
            end
            hbs_pkg::RegArm: begin
              if (!running || !row.enable) expected_violation = hbs_regs_pkg::ViolationAccess;
              else if (row.broken || row.epoch[31:0] != value) raises_now = 1'b1;
              else arms = 1'b1;
            end
            hbs_pkg::RegCtrl: begin
              enables = value[0] && !row.enable;
              disables = !value[0] && row.enable;
              if (value[0] && row.enable &&
                  {value[21:16], value[13:8], value[7:4]} !=
                  {1'b0, row.notify, row.reduce, 1'b0, row.port_record, 1'b0, row.polling, 1'b0,
                   row.counting, 3'd0, row.refutable}) begin
                expected_violation = hbs_regs_pkg::ViolationAccess;
              end
            end
            hbs_pkg::RegVacant, hbs_pkg::RegVector, hbs_pkg::RegRecords, hbs_pkg::RegCount,
            hbs_pkg::RegTimeout, hbs_pkg::RegRecordAddr: begin
              if (row.enable) expected_violation = hbs_regs_pkg::ViolationAccess;
            end
            default: ;
          endcase
        end
      end
      hbs_pkg::KindLoad, hbs_pkg::KindRead:
      if (op.is_bad) expected_violation = hbs_regs_pkg::ViolationAccess;
      hbs_pkg::KindAnswer: begin
        if (!dropped) begin
          case (op.purpose)
            hbs_pkg::UseCheck, hbs_pkg::UseCheckAny:
            if (row.checks == 1) begin
              if (op.is_error || row.failed ||
                  (op.purpose == hbs_pkg::UseCheck && op.data != op.expected)) begin
                breaks = row.operation != hbs_pkg::OperationJoining && !row.broken;
                reason = hbs_regs_pkg::ReasonDma[2:0];
              end else begin
                joins = row.operation == hbs_pkg::OperationJoining && !row.broken;
              end
            end
            default: begin
              if (is_line && op.is_error) begin
                breaks = 1'b1;
                reason = hbs_regs_pkg::ReasonDma[2:0];
              end else if (is_line) begin
                // only the word that the line shows in this epoch is an arrival
                if (op.purpose == hbs_pkg::UseWord || op.purpose == hbs_pkg::UseLastWord) begin
                  arrives = !reduces && op.data == {row.epoch + 48'd1, 16'd0};
                end else begin
                  arrives = op.expected == {row.epoch + 48'd1, 16'd0};
                end
              end
            end
          endcase
        end
      end
      hbs_pkg::KindFail: begin
        breaks = row.enable && !row.broken && !op.is_error;
        reason = hbs_regs_pkg::ReasonDma[2:0];
      end
      hbs_pkg::KindExpired: begin
        breaks = !row.notify;
        reason = hbs_regs_pkg::ReasonTimeout[2:0];
      end
      hbs_pkg::KindDepart: departs = 1'b1;
      default: ;
    endcase
  end

  always_comb begin
    p_after = p;
    s_after = s;
    v_after = v;
    arrived_after = row.arrived;
    vacant_after = row.vacant;
    count_after = row.count;
    balance_after = row.balance;
    if (arrives) begin
      s_after = s | port;
      if (row.refutable && op.data[49]) v_after = v | port;
      arrived_after = row.arrived + 1'b1;
      if (row.refutable) balance_after = balance_wide[47:0];
    end
    if (joins) begin
      p_after = p | port;
      if (row.vacant != 0) vacant_after = row.vacant - 1'b1;
      else if (row.counting) count_after = row.count + 1'b1;
    end
    if (departs) begin
      p_after = p & ~port;
      if (row.vacant != 0) vacant_after = row.vacant + 1'b1;
      else if (row.counting && row.count != 0) count_after = row.count - 1'b1;
    end
    if ((departs && in_s) || withdraws || inits) begin
      s_after = s & ~port;
      v_after = v & ~port;
      arrived_after = row.arrived - 1'b1;
    end
  end

  assign is_complete = !row.broken && vacant_after == 0 && p_after != 0 &&
      (row.counting ? arrived_after == count_after && count_after != 0 :
                      s_after == p_after && (!row.refutable || balance_after == 0));
  assign releases = op.kind == hbs_pkg::KindComplete ||
      ((arrives || joins || departs) && is_complete && !(row.refutable && reduces));

  // the state after the step, as accesses see it
  assign row_after = writes_row ? row_next : row;
  assign marks_after = writes_marks ? marks_next : marks;
  assign p_shown = row_after.enable ? (writes_p ? p_next[Ports-1:0] : p_row[Ports-1:0]) : '0;
  assign s_shown = row_after.live[0] ?
      marks_after.s[Ports-1:0] : '0;
  assign v_shown = row_after.live[0] ?
      marks_after.v[Ports-1:0] : '0;
  assign expected_epoch = row.epoch + 48'(releases || enables);

  always_comb begin
    if (checked) begin
      // (1) a release happens exactly when masks, seats, counts and balance say so
      assert (completes == releases);
      if (op.kind == hbs_pkg::KindComplete) assert (is_complete);
      if ((arrives || joins || departs) && is_complete && row.refutable && reduces) begin
        assert (follow == hbs_pkg::KindGather);
      end else assert (follow != hbs_pkg::KindGather);

      // what a step leaves of the masks and numbers
      if (op.kind != hbs_pkg::KindWipe && !enables && !disables) begin
        assert (p_shown == p_after);
        if (releases || breaks) begin
          assert (s_shown == 0 && v_shown == 0 && row_after.arrived == 0);
        end else begin
          assert (s_shown == s_after && v_shown == v_after);
          assert (row_after.arrived == arrived_after);
        end
        if (op.kind != hbs_pkg::KindWrite || op.target == hbs_pkg::RegCommand) begin
          assert (row_after.vacant == vacant_after && row_after.count == count_after);
        end
        assert (row_after.balance == balance_after);
      end
      if (enables || disables) assert (s_shown == 0 && v_shown == 0 && row_after.arrived == 0);
      if (disables) assert (p_shown == 0 && !row_after.has_result && !raises);

      // votes of a refutable group, which does not lose them before it has reduced
      if (releases && row.refutable) begin
        assert (row_after.vote == {v_after != 0, v_after == p_after});
      end
      // (4) a broken group completes nothing, stays broken, and keeps its first reason
      if (row.broken) begin
        assert (!completes && !arrives && !joins);
        if (!disables) assert (row_after.broken && row_after.reason == row.reason);
      end else if (!enables && !disables) begin
        assert (row_after.broken == breaks);
        if (breaks) assert (row_after.reason == reason);
      end

      // (5) what is dropped changes nothing but counters
      assert (violation == expected_violation);
      if (violation != 0 && violation != hbs_regs_pkg::ViolationOverflow) begin
        assert (!writes_row && !writes_p && !writes_marks && !writes_others);
        assert (!completes && !raises && follow == hbs_pkg::KindNone);
        assert (!happens.shows && !happens.starts && !happens.repeats && !happens.forgets &&
                !happens.cancels && !happens.leaves && !happens.drops && !happens.frees);
      end
      // a step that does not write the row has not changed it
      if (!writes_row) assert (row_next == row);

      // (6) epochs go up by one, by a completion and by an enabling
      assert (row_after.epoch == expected_epoch);

      // (7) a withdrawal before the completion wins, and one after it loses
      if (op.kind == hbs_pkg::KindStore && !op.is_bad && op.target == hbs_pkg::LaneWithdraw &&
          row.refutable && op.half != 2'b10 && running && in_p && !row.broken) begin
        if (in_s) begin
          assert (!completes && (s_shown & port) == 0 && violation == 0);
          assert (counts && counter == hbs_pkg::CountWithdrawals);
        end else begin
          assert (violation == hbs_regs_pkg::ViolationUnarrived && !writes_row && !writes_marks);
          assert (counts && counter == hbs_pkg::CountUnarrived);
        end
      end

      // (8) what becomes due: the word with each change of it, the result with each completion
      assert (happens.shows == (releases || breaks || (op.kind == hbs_pkg::KindStart && running &&
                                row.operation == hbs_pkg::OperationEnabling)));
      assert (happens.has_result == (releases && reduces));

      // (10) one interrupt an arming, and one at once for an arming that is too late
      assert (raises == (raises_now ||
                         (row.armed && (releases || breaks))));
      if (arms) assert (row_after.armed);
      else if (releases || breaks || disables || enables) assert (!row_after.armed);
      else assert (row_after.armed == row.armed);
      assert (happens.messages == (raises ? (row.message ? 2'b10 : 2'b01) : 2'b00));

      // (11) a timer expires once an epoch, and not before its time
      if (op.kind == hbs_pkg::KindExpired) assert (row.timing && now >= deadline);
      if (writes_row && starts_timer && row.timing) assert (op.kind == hbs_pkg::KindResume);
      if (row_after.expired) assert (row.expired || op.kind == hbs_pkg::KindExpired);
      if (row_after.timing && !row.timing) begin
        assert (starts_timer && deadline_next == now + 56'(row.timeout));
      end

      // (13) a load by a port that is no member gives zero
      if (op.kind == hbs_pkg::KindLoad && !in_p) assert (hides);
    end
  end

endmodule
