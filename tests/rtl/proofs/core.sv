// SPDX-License-Identifier: GPL-2.0-or-later
// The pipeline: every step sees the state that the step before left, sequences of steps are not
// interrupted, groups keep their invariants (group_state), and each step does what the
// specification says (group_step).

module core #(
  parameter int unsigned Ports = 3,
  parameter int unsigned Groups = 2
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic [55:0]      now_i,
  input logic             req_valid_i,
  input logic             req_write_i,
  input logic             req_lane_i,
  input logic [25:3]      req_addr_i,
  input logic [7:0]       req_be_i,
  input logic [63:0]      req_data_i,
  input logic [7:0]       req_tag_i,
  input logic             ans_valid_i,
  input logic [6:0]       ans_group_i,
  input logic [9:0]       ans_port_i,
  input hbs_pkg::use_e    ans_use_i,
  input logic [7:0]       ans_tag_i,
  input logic             ans_error_i,
  input logic [63:0]      ans_data_i,
  input logic [63:0]      ans_expected_i,
  input logic             dropped_i,
  input logic             draining_i,
  input logic             reading_i,
  input logic             fail_waits_i,
  input logic             fail_valid_i,
  input logic [6:0]       fail_group_i,
  input logic             fail_operation_i,
  input logic             scan_valid_i,
  input logic [6:0]       scan_group_i,
  input logic [3:0]       scan_index_i,
  input logic             settled_i
);

  localparam int unsigned RowWidth = hbs_pkg::RowWidth;
  localparam int unsigned MarksWidth = 2 * Ports;
  localparam int unsigned OpWidth = 179;

  logic req_ready, answers, running;
  logic [63:0] answer;
  logic [1:0] answer_adds;

  hbs_core #(
    .Ports   (Ports),
    .Groups  (Groups),
    .Records (16)
  ) u_core (
    .clk_i,
    .rst_ni,
    .ports_i             (11'(Ports)),
    .groups_i            (8'(Groups)),
    .features_i          (hbs_regs_pkg::FeatureAll),
    .now_i,
    .req_valid_i,
    .req_ready_o         (req_ready),
    .req_write_i,
    .req_lane_i,
    .req_addr_i,
    .req_be_i,
    .req_data_i,
    .req_tag_i,
    .ans_valid_i,
    .ans_ready_o         (),
    .ans_group_i,
    .ans_port_i,
    .ans_use_i,
    .ans_tag_i,
    .ans_error_i,
    .ans_data_i,
    .ans_expected_i,
    .computed_tag_o      (),
    .dropped_i,
    .computed_group_o    (),
    .draining_i,
    .reading_i,
    .fail_waits_i,
    .fail_valid_i,
    .fail_ready_o        (),
    .fail_group_i,
    .fail_operation_i,
    .scan_valid_i,
    .scan_ready_o        (),
    .scan_group_i,
    .scan_index_i,
    .scan_o              (),
    .event_valid_o       (),
    .event_o             (),
    .answers_o           (answers),
    .answer_tag_o        (),
    .answer_o            (answer),
    .answer_adds_o       (answer_adds),
    .word_o              (),
    .result_o            (),
    .records_o           (),
    .port_record_o       (),
    .data_o              (),
    .write_record_addr_o (),
    .write_port_addr_o   (),
    .record_index_o      (),
    .port_index_o        (),
    .address_o           (),
    .write_p_o           (),
    .p_index_o           (),
    .p_o                 (),
    .running_o           (running),
    .poll_o              (),
    .reset_o             (),
    .settled_i,
    .ready_o             (),
    .idle_o              ()
  );

  // Inside of the core
  (* hierconn *) logic [OpWidth-1:0] \u_core.op_q ;
  (* hierconn *) logic \u_core.step_q ;
  (* hierconn *) logic \u_core.slow_q ;
  (* hierconn *) logic \u_core.own_before_q ;
  (* hierconn *) logic [RowWidth-1:0] \u_core.row ;
  (* hierconn *) logic [RowWidth-1:0] \u_core.row_q ;
  (* hierconn *) logic [RowWidth-1:0] \u_core.row_next ;
  (* hierconn *) logic [63:0] \u_core.p ;
  (* hierconn *) logic [63:0] \u_core.p_next ;
  (* hierconn *) logic [127:0] \u_core.marks ;
  (* hierconn *) logic [127:0] \u_core.marks_q ;
  (* hierconn *) logic [127:0] \u_core.marks_next ;
  (* hierconn *) logic [RowWidth-1:0] \u_core.row_stored ;
  (* hierconn *) logic [Ports-1:0] \u_core.p_stored ;
  (* hierconn *) logic [MarksWidth-1:0] \u_core.marks_stored ;
  (* hierconn *) logic \u_core.is_same_row_q ;
  (* hierconn *) logic \u_core.is_same_mask_q ;
  (* hierconn *) logic \u_core.wrote_marks_q ;
  (* hierconn *) logic \u_core.write_row ;
  (* hierconn *) logic \u_core.write_p ;
  (* hierconn *) logic \u_core.write_marks ;
  (* hierconn *) logic \u_core.write_operand ;
  (* hierconn *) logic \u_core.write_missing ;
  (* hierconn *) logic [1:0] \u_core.write_record_addr ;
  (* hierconn *) logic [1:0] \u_core.write_port_addr ;
  (* hierconn *) logic \u_core.writes_card ;
  (* hierconn *) logic [63:0] \u_core.port_addr_stored ;
  (* hierconn *) logic [177:0] \u_core.event_d ;
  (* hierconn *) logic [3:0] \u_core.violation ;
  (* hierconn *) logic \u_core.counts ;
  (* hierconn *) logic [2:0] \u_core.counter ;
  (* hierconn *) logic \u_core.completes ;
  (* hierconn *) logic \u_core.raises ;
  (* hierconn *) logic \u_core.hides ;
  (* hierconn *) logic \u_core.follows ;
  (* hierconn *) logic [4:0] \u_core.follow ;
  (* hierconn *) logic \u_core.resetting_q ;
  (* hierconn *) logic [31:0] \u_core.reset_count_q ;
  (* hierconn *) logic \u_core.begins_reset ;
  (* hierconn *) logic \u_core.starts_card ;
  (* hierconn *) logic [Groups-1:0] \u_core.gathering_q ;
  (* hierconn *) logic [3:0] \u_core.u_sequence.state_q ;
  (* hierconn *) logic [4:0] \u_core.u_sequence.kind_q ;
  (* hierconn *) logic [6:0] \u_core.u_sequence.group_q ;
  (* hierconn *) logic [9:0] \u_core.u_sequence.port_q ;
  (* hierconn *) logic [3:0] \u_core.u_sequence.index_q ;
  (* hierconn *) logic \u_core.u_sequence.loops_q ;
  (* hierconn *) logic [6:0] \u_core.u_sequence.loop_group_q ;
  (* hierconn *) logic [4:0] \u_core.u_sequence.loop_kind_q ;
  (* hierconn *) logic [9:0] \u_core.u_sequence.loop_port_q ;
  (* hierconn *) logic \u_core.has_expired ;
  (* hierconn *) logic [6:0] \u_core.expire_group ;
  (* hierconn *) logic [6:0] \u_core.u_timers.scanned_q ;
  (* hierconn *) logic [6:0] \u_core.u_timers.seen_q ;
  (* hierconn *) logic [Groups-1:0] \u_core.u_timers.timing_q ;
  (* hierconn *) logic \u_core.u_timers.found_q ;
  (* hierconn *) logic \u_core.u_timers.scans_q ;
  (* hierconn *) logic \u_core.starts_timer ;
  (* hierconn *) logic \u_core.is_due ;
  (* hierconn *) logic [55:0] \u_core.deadline ;
  (* hierconn *) logic [55:0] \u_core.u_timers.deadline ;
  (* hierconn *) logic [Groups*56-1:0] \u_core.u_timers.u_ram.content ;
  (* hierconn *) logic [Groups*RowWidth-1:0] \u_core.u_rows.content ;
  (* hierconn *) logic [Groups*Ports-1:0] \u_core.u_p.content ;
  (* hierconn *) logic [Groups*MarksWidth-1:0] \u_core.u_marks.content ;

  hbs_pkg::op_t op;
  hbs_pkg::row_t row, row_next;
  hbs_pkg::marks_t marks, marks_next;
  hbs_pkg::event_t happens;
  logic step, resetting;
  logic [31:0] reset_count;
  hbs_pkg::kind_e kind, seq_kind, loop_kind;
  logic [6:0] seq_group, seq_loop;
  logic [3:0] seq;

  assign op = \u_core.op_q ;
  assign row = \u_core.row ;
  assign row_next = \u_core.row_next ;
  assign marks = \u_core.marks ;
  assign marks_next = \u_core.marks_next ;
  assign happens = \u_core.event_d ;
  assign step = \u_core.step_q ;
  assign resetting = \u_core.resetting_q ;
  assign reset_count = \u_core.reset_count_q ;
  assign kind = op.kind;
  assign seq = \u_core.u_sequence.state_q ;
  assign seq_kind = \u_core.u_sequence.kind_q ;
  assign loop_kind = \u_core.u_sequence.loop_kind_q ;
  assign seq_group = \u_core.u_sequence.group_q ;
  assign seq_loop = \u_core.u_sequence.loop_group_q ;

  // the states of a sequence, as in hbs_sequence
  localparam logic [3:0] SeqNone = 4'd0, SeqWipe = 4'd1, SeqNote = 4'd2, SeqGather = 4'd3,
      SeqLoad = 4'd4, SeqFold = 4'd5, SeqFolded = 4'd6, SeqOnce = 4'd7, SeqDrain = 4'd8,
      SeqGroup = 4'd9, SeqLook = 4'd10;

  // What the other modules keep to; see the table in the page
  hbs_pkg::use_e purpose;
  assign purpose = op.purpose;
  always_comb begin
    assume (!ans_valid_i || (ans_group_i < 7'(Groups) && ans_port_i < 10'(Ports) &&
                             ans_use_i <= hbs_pkg::UseLastOperand));
    assume (!fail_valid_i || fail_group_i < 7'(Groups));
    assume (!scan_valid_i || (scan_group_i < 7'(Groups) && scan_index_i == 0));
    if (rst_ni && step && kind == hbs_pkg::KindAnswer) begin
      assert (op.is_expected == (op.data == op.expected));
    end
    if (step && kind == hbs_pkg::KindAnswer) begin
      // A reset drops all reads.
      if (resetting) assume (dropped_i);
      // The answer to a read of an operation belongs to it, or to an enabling that a break ended.
      if (!dropped_i) begin
        case (purpose)
          hbs_pkg::UseCheck, hbs_pkg::UseCheckAny:
          begin
            assume (row.operation == hbs_pkg::OperationEnabling ||
                    (row.operation == hbs_pkg::OperationJoining && row.subject == op.port) ||
                    (row.operation == hbs_pkg::OperationNone && row.broken));
          end
          hbs_pkg::UseLastWord, hbs_pkg::UseLastOperand: begin
            assume (row.operation == hbs_pkg::OperationLeaving && row.subject == op.port);
          end
          default: ;
        endcase
      end
    end
    // 2^48 epochs and 2^55 ns do not pass.
    if (step) assume (row.epoch != 48'hffff_ffff_ffff);
    assume (!now_i[55]);
  end
  logic is_started_q = 1'b0;
  always_ff @(posedge clk_i) is_started_q <= 1'b1;
  always_comb assume (is_started_q || !rst_ni);
  logic [55:0] now_q;
  always_ff @(posedge clk_i) now_q <= now_i;
  always_comb assume (now_i >= now_q);

  // Each group
  logic seq_gathers, gathering;
  assign gathering = seq == SeqGather || seq == SeqLoad || seq == SeqFold || seq == SeqFolded ||
      ((seq == SeqOnce || seq == SeqDrain) && seq_kind == hbs_pkg::KindComplete);

  logic [Groups-1:0] cleared, is_wiped, gathers, running_late;
  for (genvar g = 0; g < Groups; g++) begin : gen_group
    assign cleared[g] = rst_ni && (!resetting || reset_count > g);
    assign is_wiped[g] = seq == SeqWipe && seq_group == 7'(g) && \u_core.u_sequence.index_q < 4'd2;
    assign gathers[g] = gathering && seq_group == 7'(g);
    assign running_late[g] = \u_core.u_sequence.loops_q && loop_kind == hbs_pkg::KindResume &&
        (seq_loop < 7'(g) || (seq_loop == 7'(g) && (seq == SeqGroup || seq == SeqLook)));

    group_state #(
      .Ports (Ports)
    ) u_state (
      .clk_i,
      .now          (now_i),
      .now_q,
      .checked      (cleared[g]),
      .is_resetting (resetting),
      .row          (\u_core.u_rows.content [g*RowWidth+:RowWidth]),
      .p_row        (64'(\u_core.u_p.content [g*Ports+:Ports])),
      .marks        ({64'(\u_core.u_marks.content [g*MarksWidth+Ports+:Ports]),
                      64'(\u_core.u_marks.content [g*MarksWidth+:Ports])}),
      .is_wiped     (is_wiped[g]),
      .is_gathering (gathers[g]),
      .is_timed     (rst_ni && \u_core.u_timers.timing_q [g]),
      .deadline     (\u_core.u_timers.u_ram.content [g*56+:56]),
      .is_slow      (\u_core.gathering_q [g]),
      .starts_card  (\u_core.starts_card ),
      .resumes_late (running_late[g]),
      .starts_timer (\u_core.write_row && op.group == 7'(g) && row_next.timing && !row.timing),
      .expires      (step && op.group == 7'(g) && kind == hbs_pkg::KindExpired)
    );
  end

  // The group of the step that is computed, as it is stored
  hbs_pkg::row_t    now_row;
  logic [55:0]      now_deadline;
  hbs_pkg::marks_t  now_marks;
  logic [Ports-1:0] now_p;
  always_comb begin
    now_row = '0;
    now_deadline = '0;
    now_marks = '0;
    now_p = '0;
    for (int unsigned g = 0; g < Groups; g++) begin
      if (op.group == 7'(g)) begin
        now_row = \u_core.u_rows.content [g*RowWidth+:RowWidth];
        now_deadline = \u_core.u_timers.u_ram.content [g*56+:56];
        now_p = \u_core.u_p.content [g*Ports+:Ports];
        now_marks.s = 64'(\u_core.u_marks.content [g*MarksWidth+Ports+:Ports]);
        now_marks.v = 64'(\u_core.u_marks.content [g*MarksWidth+:Ports]);
      end
    end
  end

  logic is_there, is_own;
  assign is_there = op.group < 7'(Groups);
  assign is_own = kind != hbs_pkg::KindStore && kind != hbs_pkg::KindLoad &&
      kind != hbs_pkg::KindWrite && kind != hbs_pkg::KindRead;

  always_comb begin
    if (rst_ni && !resetting) begin
      // the copy of what the last step left
      if (\u_core.is_same_row_q && is_there) begin
        assert (\u_core.row_q == now_row);
        if (\u_core.wrote_marks_q && \u_core.is_same_mask_q && op.index == 0) begin
          assert (\u_core.marks_q == now_marks);
        end
      end
      // a step sees its group as it is
      if (step && is_there) begin
        assert (row == now_row);
        if (op.index == 0) assert (\u_core.p == 64'(now_p) && marks == now_marks);
      end
      if (step && !is_there) begin
        assert (!\u_core.write_row && !\u_core.write_p && !\u_core.write_marks );
      end
      if (step && op.index != 0 && kind != hbs_pkg::KindWipe) begin
        assert (!\u_core.write_p && !\u_core.write_marks );
      end
    end
    if (rst_ni) begin
      if (resetting) begin
        assert (!running && seq == SeqNone && !\u_core.u_sequence.loops_q );
        assert (row == 0);
        if (step) begin
          assert (kind == hbs_pkg::KindRead || kind == hbs_pkg::KindAnswer ||
                  (kind == hbs_pkg::KindLoad && op.target == hbs_pkg::RegNone));
          assert (!\u_core.write_row && !\u_core.write_p && !\u_core.write_marks );
        end
      end
    end
  end

  group_step #(
    .Ports (Ports)
  ) u_step (
    .checked       (rst_ni && !resetting && step && is_there),
    .op,
    .row,
    .p_row         (\u_core.p ),
    .marks,
    .running,
    .draining      (draining_i),
    .has_memory    (\u_core.port_addr_stored != 0),
    .dropped       (dropped_i),
    .now           (now_i),
    .deadline      (now_deadline),
    .row_next,
    .writes_row    (\u_core.write_row ),
    .starts_timer  (\u_core.starts_timer ),
    .deadline_next (\u_core.deadline ),
    .p_next        (\u_core.p_next ),
    .writes_p      (\u_core.write_p ),
    .marks_next,
    .writes_marks  (\u_core.write_marks ),
    .writes_others (\u_core.write_operand || \u_core.write_missing || \u_core.writes_card ||
                    \u_core.write_record_addr != 0 || \u_core.write_port_addr != 0),
    .violation     (\u_core.violation ),
    .counts        (\u_core.counts ),
    .counter       (\u_core.counter ),
    .completes     (\u_core.completes ),
    .raises        (\u_core.raises ),
    .hides         (\u_core.hides ),
    .follow        (\u_core.follow ),
    .happens
  );

  // Sequences
  hbs_pkg::row_t seq_row;
  logic [55:0] seq_deadline;
  logic [Ports-1:0] seq_p;
  always_comb begin
    seq_row = '0;
    seq_deadline = '0;
    seq_p = '0;
    for (int unsigned g = 0; g < Groups; g++) begin
      if (seq_group == 7'(g)) begin
        seq_row = \u_core.u_rows.content [g*RowWidth+:RowWidth];
        seq_deadline = \u_core.u_timers.u_ram.content [g*56+:56];
        seq_p = \u_core.u_p.content [g*Ports+:Ports];
      end
    end
  end

  logic seq_of_group;
  assign seq_of_group = seq != SeqNone && seq != SeqGroup && seq != SeqLook;

  always_comb begin
    if (rst_ni) begin
      assert (seq_loop <= 7'(Groups));
      assert (\u_core.expire_group < 7'(Groups) && \u_core.u_timers.scanned_q < 7'(Groups) &&
              \u_core.u_timers.seen_q < 7'(Groups));
    end
    if (rst_ni && !resetting) begin
      assert (seq <= SeqLook);
      if (\u_core.u_sequence.loops_q ) begin
        assert (seq_loop < 7'(Groups));
        assert (loop_kind == hbs_pkg::KindResume || loop_kind == hbs_pkg::KindMove);
        if (loop_kind == hbs_pkg::KindResume) assert (running);
        assert (seq == SeqOnce || seq == SeqDrain || seq == SeqGroup || seq == SeqLook);
        if (seq_of_group) begin
          assert (seq_group == seq_loop);
          assert (seq_kind == hbs_pkg::KindStart || seq_kind == hbs_pkg::KindDepart);
        end
      end else assert (seq != SeqGroup && seq != SeqLook);
      if (seq_of_group) assert (seq_group < 7'(Groups));
      case (seq)
        SeqNone:
        if (step) begin
          assert (kind == hbs_pkg::KindStore || kind == hbs_pkg::KindLoad ||
                  kind == hbs_pkg::KindWrite || kind == hbs_pkg::KindRead ||
                  kind == hbs_pkg::KindAnswer || kind == hbs_pkg::KindFail ||
                  kind == hbs_pkg::KindExpire || kind == hbs_pkg::KindScan);
          if (kind == hbs_pkg::KindWrite || kind == hbs_pkg::KindAnswer ||
              kind == hbs_pkg::KindExpire || kind == hbs_pkg::KindFail) begin
            assert (\u_core.slow_q );
          end
          if (kind == hbs_pkg::KindStore && !\u_core.slow_q && is_there) begin
            assert (!(now_row.enable && now_row.refutable && now_row.reduce != 0));
          end
          // The deadline that is looked at again is the group's, if it has a timer still.
          if (kind == hbs_pkg::KindExpire && row.timing) begin
            assert (\u_core.u_timers.deadline == now_deadline);
          end
          // Nothing comes between a step and the sequence that follows.
          if (\u_core.follows || \u_core.starts_card || \u_core.begins_reset ||
              \u_core.write_port_addr != 0) assert (\u_core.slow_q );
          // what the decoder lets through
          if (!op.is_bad) begin
            if (kind == hbs_pkg::KindStore || kind == hbs_pkg::KindLoad) begin
              if (op.target != hbs_pkg::RegNone) begin
                assert (is_there && op.port < 10'(Ports) && op.index == 0);
              end
            end
            if (kind == hbs_pkg::KindWrite) begin
              case (op.target)
                hbs_pkg::RegVacant: begin
                  assert (is_there && op.data[31:0] <= 32'(Ports));
                end
                hbs_pkg::RegRecords: begin
                  assert (is_there && op.data[31:0] <= 32'd16);
                end
                hbs_pkg::RegCtrl: begin
                  assert (is_there && op.data[7:5] == 0 && !op.data[9] && !op.data[11] &&
                          !op.data[13] && !op.data[21] &&
                          !(op.data[4] && (op.data[8] || op.data[10])));
                end
                hbs_pkg::RegCommand: begin
                  assert (is_there && op.port == op.data[25:16] && op.index == op.port[9:6]);
                end
                hbs_pkg::RegVector, hbs_pkg::RegCount, hbs_pkg::RegTimeout,
                hbs_pkg::RegRecordAddr, hbs_pkg::RegArm: begin
                  assert (is_there);
                end
                default: ;
              endcase
            end
          end
          if (is_own) assert (is_there && op.index == 0 && op.port < 10'(Ports));
        end
        SeqWipe: begin
          assert (seq_row.enable && seq_row.operation == hbs_pkg::OperationEnabling);
          assert (\u_core.u_sequence.index_q < 4'd8);
          assert (step == (\u_core.u_sequence.index_q != 0));
          if (step) begin
            assert (kind == hbs_pkg::KindWipe && op.group == seq_group);
            assert (op.index == \u_core.u_sequence.index_q - 4'd1);
          end
        end
        SeqNote: begin
          assert (\u_core.u_sequence.index_q == 0 && !step);
          assert (running && seq_row.timing && now_i >= seq_deadline);
        end
        SeqGather: begin
          assert (!step && \u_core.u_sequence.index_q == 0);
        end
        SeqLoad: begin
          assert (step && kind == hbs_pkg::KindGather && op.group == seq_group);
          assert (\u_core.u_sequence.index_q == 0);
        end
        SeqFold: begin
          assert (\u_core.u_sequence.index_q == 0);
          if (step) assert (kind == hbs_pkg::KindFold && op.group == seq_group);
        end
        SeqFolded: if (step) assert (kind == hbs_pkg::KindFold && op.group == seq_group);
        SeqOnce: begin
          if (step) begin
            assert ((kind == hbs_pkg::KindWipe && op.index == 4'd7 &&
                     seq_kind == hbs_pkg::KindStart) ||
                    (kind == hbs_pkg::KindNote && seq_kind == hbs_pkg::KindExpired) ||
                    (kind == hbs_pkg::KindFold && seq_kind == hbs_pkg::KindComplete));
            assert (op.group == seq_group);
          end
        end
        SeqDrain: begin
          assert (step && kind == seq_kind && op.group == seq_group);
          assert (op.port == \u_core.u_sequence.port_q && op.index == op.port[9:6]);
        end
        SeqGroup: begin
          assert (!step);
        end
        SeqLook: begin
          assert (step && kind == loop_kind && op.group == seq_loop);
        end
        default: ;
      endcase
      if (seq == SeqOnce || seq == SeqDrain) begin
        assert (seq_kind == hbs_pkg::KindStart || seq_kind == hbs_pkg::KindExpired ||
                seq_kind == hbs_pkg::KindComplete || seq_kind == hbs_pkg::KindDepart);
        if (seq_kind == hbs_pkg::KindExpired) begin
          assert (running && seq_row.timing && now_i >= seq_deadline);
        end
        if (seq_kind == hbs_pkg::KindDepart) begin
          assert (seq_row.operation == hbs_pkg::OperationLeaving);
          assert (seq_row.subject == \u_core.u_sequence.port_q );
        end
        if (seq_kind == hbs_pkg::KindStart) begin
          assert (seq_row.enable && seq_row.operation != hbs_pkg::OperationNone);
          if (seq_row.operation != hbs_pkg::OperationEnabling) begin
            assert (seq_row.subject == \u_core.u_sequence.port_q );
          end
        end
      end
      case (seq)
        SeqWipe: begin
          assert (seq_kind == hbs_pkg::KindWipe);
        end
        SeqNote: begin
          assert (seq_kind == hbs_pkg::KindNote);
        end
        SeqGather, SeqLoad, SeqFold, SeqFolded: begin
          assert (seq_kind == hbs_pkg::KindGather);
        end
        default: ;
      endcase
      if (seq_of_group && seq_kind != hbs_pkg::KindStart && seq_kind != hbs_pkg::KindWipe) begin
        assert (\u_core.u_sequence.port_q < 10'(Ports));
      end
    end
  end

  // (12) A request is taken after a bounded number of cycles, whatever the host's memory does.
  // "left" is for how many cycles the pipeline chooses no operation, "expiring" for how many those
  // timers may hold it that have run out or will; where the card's own goes first, it takes as many
  // again. The sum of the cycles that a request has waited and of those that are left does not
  // grow.
  localparam int unsigned SequenceTime = Groups * 6 > Ports + 12 ? Groups * 6 : Ports + 12;
  localparam int unsigned LeftMost = SequenceTime + 1;
  // An expiry takes five cycles. The scanner may have seen two deadlines that are not those of
  // their groups any more.
  localparam int unsigned ExpiryTime = 5;
  localparam int unsigned ExpiringMost = ExpiryTime * Groups + 2 * ExpiryTime;
  localparam int unsigned WaitMost = 2 * (LeftMost + ExpiringMost) + 1;
  (* hierconn *) logic \u_core.expire_ready ;
  (* hierconn *) logic [6:0] \u_core.u_sequence.u_gathered.place_q ;
  logic [15:0] left, loop_left, fold_left, waited_q, late_q, expiring;
  logic is_expiry, timed, expires_now;
  logic [55:0] timed_deadline;
  always_comb begin
    // what is computed, and its sequence: nothing but the end of a timer
    is_expiry = seq_of_group ? seq_kind == hbs_pkg::KindNote || seq_kind == hbs_pkg::KindExpired :
                seq == SeqNone && (!step || kind == hbs_pkg::KindExpire);
    expiring = '0;
    for (int unsigned g = 0; g < Groups; g++) begin
      timed = running && \u_core.u_timers.timing_q [g];
      timed_deadline = \u_core.u_timers.u_ram.content [g*56+:56];
      expires_now = seq_of_group ? seq_group == 7'(g) :
                    step && op.group == 7'(g) && now_i >= timed_deadline;
      if (timed && !expires_now) expiring = expiring + 16'(ExpiryTime);
      // The pipeline does nothing where it is too early.
      if (timed && now_i < timed_deadline) begin
        if (\u_core.u_timers.found_q && \u_core.expire_group == 7'(g)) begin
          expiring = expiring + 16'(ExpiryTime);
        end
        if (\u_core.u_timers.scans_q && \u_core.u_timers.seen_q == 7'(g) && \u_core.is_due ) begin
          expiring = expiring + 16'(ExpiryTime);
        end
      end
    end
    if (!is_expiry) expiring = 16'(ExpiringMost);
  end
  always_comb begin
    loop_left = \u_core.u_sequence.loops_q ? 16'((Groups - 1 - 32'(seq_loop)) * 6) : 16'd0;
    fold_left = 16'd0;
    if (\u_core.u_sequence.u_gathered.place_q < 7'(Ports)) begin
      fold_left = 16'(7'(Ports) - \u_core.u_sequence.u_gathered.place_q );
    end
    case (seq)
      SeqNone: begin
        left = !step || !\u_core.slow_q ? 16'd0 :
            kind == hbs_pkg::KindExpire ? 16'(ExpiryTime - 1) : 16'(LeftMost);
      end
      SeqWipe: left = 16'd12 - 16'(\u_core.u_sequence.index_q );
      SeqNote: left = 16'd3;
      SeqGather: left = 16'(Ports) + 16'd6;
      SeqLoad: left = 16'(Ports) + 16'd5;
      SeqFold: left = fold_left + 16'd4;
      SeqFolded: left = 16'd3;
      SeqOnce: left = (seq_kind == hbs_pkg::KindStart ? 16'd4 : 16'd2) + loop_left;
      SeqDrain: left = (seq_kind == hbs_pkg::KindStart ? 16'd3 : 16'd1) + loop_left;
      SeqGroup: left = 16'd6 + loop_left;
      default: left = 16'd5 + loop_left;
    endcase
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waited_q <= '0;
      late_q   <= '0;
    end else begin
      waited_q <= req_valid_i && !req_ready ? waited_q + 1'b1 : 16'd0;
      late_q   <= \u_core.has_expired && !\u_core.expire_ready && !resetting ? late_q + 1'b1 :
                                                                              16'd0;
    end
  end
  always_comb begin
    if (rst_ni) begin
      assert (left <= 16'(LeftMost) && waited_q <= 16'(WaitMost));
      // An expiry waits for the sequence that goes on, and for nothing else.
      assert (late_q <= 16'(LeftMost) && late_q + left <= 16'(LeftMost));
      assert (expiring <= 16'(ExpiringMost));
      assert (waited_q + left + expiring +
              (\u_core.own_before_q ? 16'd0 : 16'(LeftMost + ExpiringMost + 1)) <=
              16'(WaitMost));
    end
  end

  // (13) What a port reads that is no member
  logic is_foreign_q;
  always_ff @(posedge clk_i) begin
    is_foreign_q <= step && kind == hbs_pkg::KindLoad &&
        !(is_there && op.port < 10'(Ports) && now_row.enable && now_p[op.port]);
  end
  always_comb begin
    if (rst_ni && answers && is_foreign_q && !resetting) begin
      assert (answer == 0 && answer_adds == 0);
    end
  end

  // What can happen
  (* keep *) logic sees_release, sees_copy, sees_fold, sees_resume, sees_wait, sees_late;
  assign sees_release = rst_ni && step && \u_core.completes && kind == hbs_pkg::KindStore;
  assign sees_copy = rst_ni && !resetting && step && \u_core.is_same_row_q &&
      \u_core.wrote_marks_q && kind == hbs_pkg::KindStore;
  assign sees_fold = rst_ni && step && kind == hbs_pkg::KindFold;
  assign sees_resume = rst_ni && step && kind == hbs_pkg::KindResume && row.timing;
  assign sees_late = rst_ni && \u_core.has_expired && req_valid_i && ans_valid_i && late_q == 16'd2;
  assign sees_wait = rst_ni && waited_q > 16'(2 * LeftMost + 1);

endmodule
