// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
// One step of a group: from its state and an operation to its next state, and to what follows.
// There is no register in here. First come the parts of a step that the operation asks for, then
// what they do together.

module hbs_step (
  input  hbs_pkg::op_t      op_i,
  input  logic [5:0]        bit_i,         // of the operation's port, in the words of masks
  input  hbs_pkg::row_t     row_i,
  input  logic [63:0]       p_i,           // of the ports around the operation's
  input  hbs_pkg::marks_t   marks_i,
  input  logic              running_i,     // CTL_CTRL.ENABLE
  input  logic              draining_i,    // dropped reads for the group are in flight
  input  logic              has_memory_i,  // the port's PRT_ADDR is not 0
  input  logic              dropped_i,     // nobody wants the answer
  input  logic [10:0]       ports_i,
  input  logic [55:0]       now_i,
  input  logic              is_due_i,      // KindExpire: the group's deadline has passed

  output hbs_pkg::row_t     row_o,
  output logic              starts_timer_o,
  output logic [55:0]       deadline_o,
  output logic [63:0]       result_o,      // of an epoch that completes
  output logic              write_row_o,
  output logic [63:0]       p_o,
  output logic              write_p_o,
  output hbs_pkg::marks_t   marks_o,
  output logic              write_marks_o,
  output logic              write_operand_o,
  output logic [63:0]       operand_o,
  output logic              write_record_addr_o,
  output logic              write_port_addr_o,
  output logic              write_card_o,  // the operation writes a card-wide register
  output hbs_pkg::event_t   event_o,
  output logic [3:0]        violation_o,   // its kind, 0 for none
  output logic              counts_o,      // one of the counters of which a step counts one
  output logic [2:0]        counter_o,
  output logic              completes_o,
  output logic              raises_o,      // the group's interrupt
  output logic              reads_line_o,
  output logic              foreign_o,
  output logic              read_error_o,
  output logic              dma_o,         // INT_CAUSE.DMA
  output logic              timeout_o,     // INT_CAUSE.TIMEOUT
  output logic              hides_o,       // a load gives zero
  output logic              busy_o,        // GRP_STATUS.BUSY
  output logic [63:0]       s_o,           // S and V of the ports around, as a register shows them
  output logic [63:0]       v_o,
  output logic [63:0]       scan_o,        // KindScan, KindNote: members that have not arrived
  output logic              follows_o,     // a sequence follows, which begins with a step ...
  output hbs_pkg::kind_e    follow_o       // ... of this kind
);

  logic [63:0] bit_mask;
  logic p_bit, s_bit, v_bit, is_live, wants, may_arrive, is_busy, reduces, is_full;
  logic has_all_counted;
  logic [63:0] word;
  logic [47:0] next_epoch;

  assign bit_mask = 64'd1 << bit_i;
  assign is_live = row_i.live[op_i.index];
  assign s_o = is_live ? marks_i.s : 64'd0;
  assign v_o = is_live ? marks_i.v : 64'd0;
  assign p_bit = row_i.enable && p_i[bit_i];
  assign s_bit = s_o[bit_i];
  assign v_bit = v_o[bit_i];
  assign reduces = row_i.reduce != hbs_regs_pkg::ReduceNone;
  assign next_epoch = row_i.epoch + 48'd1;
  assign has_all_counted = row_i.arrived == row_i.count;
  assign is_full = row_i.counting && has_all_counted;
  // Only an enabled group has members.
  assign wants = running_i && row_i.enable && row_i.polling && !row_i.broken &&
      row_i.present != row_i.members && !is_full;
  assign may_arrive = p_bit && !(row_i.counting && !row_i.polling ? is_full : s_bit);
  assign is_busy = row_i.operation != hbs_pkg::OperationNone || draining_i;
  assign busy_o = is_busy;
  assign scan_o = row_i.enable ? p_i & ~s_o : 64'd0;

  hbs_word u_word (
    .row_i,
    .word_o (word)
  );

  logic idle_is_bad, idle_overflows, idle_freed, idle_vote;
  logic [47:0] idle_balance;

  hbs_termination u_termination (
    .idle_i      (op_i.data),
    .balance_i   (row_i.balance),
    .is_bad_o    (idle_is_bad),
    .overflows_o (idle_overflows),
    .balance_o   (idle_balance),
    .freed_o     (idle_freed),
    .vote_o      (idle_vote)
  );

  // The parts of a step
  logic arrives, retracts, joins, departs, enables, disables, controls, configures;
  logic breaks, fails, expires, arms, raises_now, withdraws, completes_now;
  logic begins_join, begins_leave, starts, ends_operation, checks, resumes, opens_card;
  logic is_access_bad, is_answer_good;
  logic drops, repeats, asks, frees, scans, shows_start, stores_operand;
  hbs_pkg::kind_e begins;
  logic [2:0] reason;
  logic [3:0] command;
  logic [15:0] argument;
  logic [31:0] value;

  assign value    = op_i.data[31:0];
  assign command  = value[7:4] == 4'd0 ? value[3:0] : 4'hf;
  assign argument = value[31:16];

  logic [10:0] members, present, vacant, ayes;
  logic [15:0] arrived, count;
  logic [47:0] balance;
  logic is_complete, gathers, has_timer;
  logic takes_seat, leaves_seat, raises_count, lowers_count, becomes_there, says_aye, takes_aye;
  logic [63:0] identity, sum;

  // Where a step of a member's store ends that is not taken
  logic drops_store;
  assign drops_store = !running_i || !p_bit || row_i.broken || row_i.polling;

  always_comb begin
    arrives = 1'b0;
    retracts = 1'b0;
    joins = 1'b0;
    departs = 1'b0;
    enables = 1'b0;
    disables = 1'b0;
    controls = 1'b0;
    configures = 1'b0;
    breaks = 1'b0;
    fails = 1'b0;
    expires = 1'b0;
    arms = 1'b0;
    raises_now = 1'b0;
    withdraws = 1'b0;
    completes_now = 1'b0;
    begins_join = 1'b0;
    begins_leave = 1'b0;
    starts = 1'b0;
    ends_operation = 1'b0;
    checks = 1'b0;
    resumes = 1'b0;
    opens_card = 1'b0;
    is_access_bad = op_i.is_bad;
    reason = 3'd0;
    violation_o = 4'd0;
    counts_o = 1'b0;
    counter_o = hbs_pkg::CountArrivals;
    reads_line_o = 1'b0;
    foreign_o = 1'b0;
    read_error_o = 1'b0;
    timeout_o = 1'b0;
    hides_o = 1'b0;
    stores_operand = 1'b0;
    write_record_addr_o = 1'b0;
    write_port_addr_o = 1'b0;
    drops = 1'b0;
    repeats = 1'b0;
    asks = 1'b0;
    frees = 1'b0;
    scans = 1'b0;
    shows_start = 1'b0;
    begins = hbs_pkg::KindNone;
    is_answer_good = !op_i.is_error && (op_i.purpose == hbs_pkg::UseCheckAny || op_i.is_expected);

    case (op_i.kind)
      hbs_pkg::KindStore: begin
        if (op_i.is_bad) ;
        else if (op_i.target == hbs_pkg::LaneArrival ||
                 (row_i.refutable && (op_i.target == hbs_pkg::LaneOperand ||
                                      op_i.target == hbs_pkg::LaneWithdraw))) begin
          // The upper half alone of such a word is no datum.
          if (op_i.half == 2'b10) is_access_bad = 1'b1;
          else if (running_i && !p_bit) begin
            violation_o = hbs_regs_pkg::ViolationNonMember;
            counts_o    = 1'b1;
            counter_o   = hbs_pkg::CountNonMember;
          end else if (drops_store) begin
            violation_o = hbs_regs_pkg::ViolationRefused;
            counts_o    = 1'b1;
            counter_o   = hbs_pkg::CountRefused;
          end else if (op_i.target == hbs_pkg::LaneWithdraw) begin
            withdraws   = s_bit;
            retracts    = s_bit;
            violation_o = s_bit ? 4'd0 : hbs_regs_pkg::ViolationUnarrived;
            counts_o    = 1'b1;
            counter_o   = s_bit ? hbs_pkg::CountWithdrawals : hbs_pkg::CountUnarrived;
          end else if (op_i.target == hbs_pkg::LaneArrival && row_i.refutable &&
                       idle_is_bad) begin
            is_access_bad = 1'b1;
          end else if (row_i.counting ? is_full : s_bit) begin
            violation_o = hbs_regs_pkg::ViolationDouble;
            counts_o    = 1'b1;
            counter_o   = hbs_pkg::CountDouble;
          end else if (op_i.target == hbs_pkg::LaneOperand) begin
            stores_operand = 1'b1;
          end else if (row_i.refutable && idle_overflows) begin
            breaks      = 1'b1;
            reason      = hbs_regs_pkg::ReasonOverflow[2:0];
            violation_o = hbs_regs_pkg::ViolationOverflow;
          end else begin
            arrives   = 1'b1;
            counts_o  = 1'b1;
            counter_o = hbs_pkg::CountArrivals;
          end
        end else begin
          is_access_bad = !op_i.is_zero;
        end
      end

      hbs_pkg::KindLoad:
      if (!op_i.is_bad && (op_i.target == hbs_pkg::LaneDeparture ||
                           op_i.target == hbs_pkg::LaneResult ||
                           (op_i.target == hbs_pkg::LaneWithdraw && row_i.refutable))) begin
        hides_o   = !p_bit;
        foreign_o = !p_bit;
        counts_o  = p_bit && op_i.target != hbs_pkg::LaneResult;
        counter_o = op_i.target == hbs_pkg::LaneDeparture ? hbs_pkg::CountDepartureReads :
                                                              hbs_pkg::CountReadbacks;
      end else begin
        hides_o = 1'b1;
      end

      hbs_pkg::KindRead: hides_o = op_i.is_bad;

      hbs_pkg::KindWrite:
      if (!op_i.is_bad) begin
        case (op_i.target)
          hbs_pkg::RegCtrl: begin
            if (row_i.enable && value[0] &&
                (value[7:4] != {3'd0, row_i.refutable} ||
                 value[9:8] != {1'b0, row_i.counting} ||
                 value[11:10] != {1'b0, row_i.polling} ||
                 value[13:12] != {1'b0, row_i.port_record} || value[19:16] != row_i.reduce ||
                 value[21:20] != {1'b0, row_i.notify})) begin
              is_access_bad = 1'b1;
            end else begin
              controls = 1'b1;
              enables  = value[0] && !row_i.enable;
              disables = !value[0] && row_i.enable;
            end
          end
          hbs_pkg::RegVacant, hbs_pkg::RegVector, hbs_pkg::RegRecords, hbs_pkg::RegCount,
          hbs_pkg::RegTimeout: begin
            configures    = !row_i.enable;
            is_access_bad = row_i.enable;
          end
          hbs_pkg::RegRecordAddr: begin
            write_record_addr_o = !row_i.enable;
            is_access_bad       = row_i.enable;
          end
          hbs_pkg::RegPortAddr: write_port_addr_o = 1'b1;
          hbs_pkg::RegArm: begin
            if (!running_i || !row_i.enable) is_access_bad = 1'b1;
            else if (row_i.broken || row_i.epoch[31:0] != value) raises_now = 1'b1;
            else arms = 1'b1;
          end
          hbs_pkg::RegCommand: begin
            is_access_bad = 1'b1;
            if (running_i && row_i.enable) begin
              case (command)
                hbs_regs_pkg::OpJoin[3:0]:
                if (!is_busy && argument < {5'd0, ports_i} && !p_bit && !row_i.broken &&
                    !((row_i.polling || row_i.port_record) && !has_memory_i) &&
                    !(row_i.counting && row_i.vacant == 11'd0 &&
                      row_i.count == 16'hffff)) begin
                  is_access_bad = 1'b0;
                  begins_join   = row_i.polling || row_i.port_record;
                  joins         = !begins_join;
                end
                hbs_regs_pkg::OpLeave[3:0]:
                if (!is_busy && argument < {5'd0, ports_i} && p_bit) begin
                  is_access_bad = 1'b0;
                  // What the member has stored until now; an older read is of no use.
                  drops = 1'b1;
                  begins_leave  = wants && may_arrive;
                  departs       = !begins_leave;
                end
                hbs_regs_pkg::OpBreak[3:0]:
                if (argument != 16'd0 && argument[15:3] == 13'd0) begin
                  is_access_bad = 1'b0;
                  breaks        = !row_i.broken;
                  reason        = argument[2:0];
                end
                hbs_regs_pkg::OpInit[3:0]:
                if (!is_busy && argument < {5'd0, ports_i} && p_bit && !row_i.refutable &&
                    !(s_bit && reduces)) begin
                  is_access_bad = 1'b0;
                  drops = 1'b1;
                  retracts      = s_bit;
                end
                default: ;
              endcase
            end
          end
          default: opens_card = op_i.target != hbs_pkg::RegNone;
        endcase
      end

      hbs_pkg::KindAnswer: begin
        frees = 1'b1;
        if (!dropped_i) begin
          read_error_o = op_i.is_error;
          if (op_i.purpose == hbs_pkg::UseCheck || op_i.purpose == hbs_pkg::UseCheckAny) begin
            read_error_o = !is_answer_good;
            checks       = 1'b1;
            if (row_i.checks == 5'd1) begin
              ends_operation = 1'b1;
              if (row_i.operation == hbs_pkg::OperationJoining) begin
                joins = is_answer_good && !row_i.failed && !row_i.broken;
                repeats = joins && row_i.port_record && op_i.expected != word;
              end else begin
                fails = !is_answer_good || row_i.failed;
              end
            end
          end else begin
            if (wants && may_arrive) begin
              if (op_i.is_error) fails = 1'b1;
              else begin
                reads_line_o = 1'b1;
                if (op_i.purpose == hbs_pkg::UseWord || op_i.purpose == hbs_pkg::UseLastWord)
                begin
                  if (op_i.data == {next_epoch, 16'd0}) begin
                    asks = reduces;
                    arrives      = !reduces;
                  end
                end else begin
                  arrives = op_i.expected == {next_epoch, 16'd0};
                end
              end
            end
            counts_o  = arrives;
            counter_o = hbs_pkg::CountArrivals;
            frees = !asks;
            if ((op_i.purpose == hbs_pkg::UseLastWord ||
                 op_i.purpose == hbs_pkg::UseLastOperand) && !asks) begin
              begins = hbs_pkg::KindDepart;
            end
          end
        end
      end

      hbs_pkg::KindFail:
      if (row_i.enable) begin
        ends_operation = op_i.is_error ? row_i.operation == hbs_pkg::OperationJoining :
                                         row_i.operation == hbs_pkg::OperationEnabling;
        fails          = !op_i.is_error;
      end

      hbs_pkg::KindExpire:
      if (running_i && row_i.timing && is_due_i) begin
        begins = hbs_pkg::KindNote;
      end

      hbs_pkg::KindExpired: begin
        expires   = 1'b1;
        breaks    = !row_i.notify && !row_i.broken;
        reason    = hbs_regs_pkg::ReasonTimeout[2:0];
        timeout_o = 1'b1;
      end

      hbs_pkg::KindScan: scans = 1'b1;

      hbs_pkg::KindComplete: completes_now = 1'b1;

      hbs_pkg::KindDepart: begin
        ends_operation = 1'b1;
        // A round may have begun meanwhile.
        drops  = 1'b1;
        departs        = p_bit;
      end

      hbs_pkg::KindResume: resumes = row_i.enable;

      hbs_pkg::KindStart:
      if (running_i) begin
        case (row_i.operation)
          hbs_pkg::OperationEnabling: begin
            starts         = row_i.records != 5'd0;
            ends_operation = row_i.records == 5'd0;
            shows_start    = 1'b1;
          end
          // A read that was sent since its memory moved is of no use either.
          hbs_pkg::OperationJoining: begin
            drops  = 1'b1;
            starts = 1'b1;
          end
          hbs_pkg::OperationLeaving: begin
            drops  = 1'b1;
            starts = wants && may_arrive;
            if (!starts) begins = hbs_pkg::KindDepart;
          end
          default: ;
        endcase
      end

      default: ;
    endcase

    if (is_access_bad) violation_o = hbs_regs_pkg::ViolationAccess;
    if (departs && s_bit) retracts = 1'b1;
    if (fails && !row_i.broken) begin
      breaks = 1'b1;
      reason = hbs_regs_pkg::ReasonDma[2:0];
    end
    if (enables) begins = hbs_pkg::KindWipe;
  end

  // What the rest of the card has to do about it
  always_comb begin
    event_o              = '0;
    event_o.group        = op_i.group;
    event_o.port         = op_i.port;
    event_o.tag          = op_i.tag;
    event_o.shows        = completes_o || breaks || shows_start;
    event_o.has_result   = completes_o && reduces;
    event_o.starts       = starts || begins_join || begins_leave;
    event_o.operation    = begins_join ? hbs_pkg::OperationJoining :
                           begins_leave ? hbs_pkg::OperationLeaving : row_i.operation;
    event_o.repeats      = repeats;
    event_o.messages     = {raises_o && row_i.message, raises_o && !row_i.message};
    event_o.fails        = op_i.kind == hbs_pkg::KindFail;
    event_o.forgets      = disables;
    event_o.cancels      = disables || ends_operation;
    event_o.leaves       = departs;
    event_o.drops        = drops || disables || write_port_addr_o;
    event_o.drops_groups = write_port_addr_o;
    event_o.drops_ports  = disables;
    event_o.frees        = frees;
    event_o.asks         = asks;
    event_o.wipes        = op_i.kind == hbs_pkg::KindWipe;
    event_o.has_wants    = write_row_o;
    event_o.scans        = scans;
  end

  assign result_o     = sum;
  assign follow_o     = is_complete && gathers ? hbs_pkg::KindGather : begins;
  assign write_card_o = opens_card;
  assign follows_o    = follow_o != hbs_pkg::KindNone;
  assign dma_o        = fails;
  assign raises_o     = raises_now || (row_i.armed && (completes_o || breaks || fails));

  // What they do together
  hbs_reduce u_reduce (
    .reduce_i   (row_i.reduce),
    .takes_i    ((arrives && !row_i.refutable) || op_i.kind == hbs_pkg::KindFold),
    .sum_i      (row_i.sum),
    .operand_i  (op_i.data),
    .identity_o (identity),
    .sum_o      (sum)
  );

  always_comb begin
    takes_seat    = joins && row_i.vacant != 11'd0;
    leaves_seat   = departs && row_i.vacant != 11'd0;
    raises_count  = joins && row_i.vacant == 11'd0 && row_i.counting;
    lowers_count  = departs && row_i.vacant == 11'd0 && row_i.counting && row_i.count != 16'd0;
    becomes_there = arrives && !s_bit;
    says_aye      = arrives && row_i.refutable && idle_vote;
    takes_aye     = retracts && v_bit;
    members = row_i.members + {{10{departs}}, joins || departs};
    vacant  = row_i.vacant + {{10{takes_seat}}, takes_seat || leaves_seat};
    count   = row_i.count + {{15{lowers_count}}, raises_count || lowers_count};
    arrived = row_i.arrived + {{15{retracts}}, arrives || retracts};
    present = row_i.present + {{10{retracts}}, becomes_there || retracts};
    ayes    = row_i.ayes + {{10{takes_aye}}, says_aye || takes_aye};
    balance = arrives && row_i.refutable ? idle_balance : row_i.balance;
  end

  // Whether the step completes the epoch, by what the row says before it: so no sum is waited for.
  // No group is complete between steps; so in an epoch of masks a member that joins completes
  // nothing, nor does one that leaves and had arrived.
  logic lacks_one, has_count, has_masks;
  assign lacks_one = row_i.counting ? row_i.arrived + 16'd1 == row_i.count :
                                      row_i.present + 11'd1 == row_i.members;
  assign has_masks = (arrives || (departs && !s_bit)) && lacks_one &&
      (arrives && row_i.refutable ? idle_balance : row_i.balance) == 48'd0;
  assign has_count = arrives ? lacks_one :
                     joins ? row_i.vacant == 11'd1 && has_all_counted && row_i.count != 16'd0 :
                     departs && row_i.count > 16'd1 && (s_bit ? has_all_counted : lacks_one);
  assign is_complete = !row_i.broken && (row_i.counting ? has_count : has_masks) &&
      (row_i.vacant == 11'd0 || joins) && !(departs && row_i.members == 11'd1);
  assign gathers = row_i.refutable && reduces;
  assign completes_o = (is_complete && !gathers) || completes_now;

  always_comb begin
    row_o = row_i;
    row_o.members = members;
    row_o.vacant = vacant;
    row_o.count = count;
    row_o.present = present;
    row_o.arrived = arrived;
    row_o.ayes = ayes;
    row_o.balance = balance;
    row_o.sum = sum;
    if (arrives && row_i.refutable) row_o.black = row_i.black || idle_freed;
    if (write_marks_o) row_o.live[op_i.index] = 1'b1;
    if (withdraws) row_o.black = 1'b1;
    if (arms) row_o.armed = 1'b1;
    if (expires) begin
      row_o.expired     = 1'b1;
      row_o.has_missing = 1'b1;
    end
    if (checks) begin
      row_o.checks = row_i.checks - 5'd1;
      if (!is_answer_good) row_o.failed = 1'b1;
    end
    if (starts || begins_join || begins_leave) begin
      row_o.failed = 1'b0;
      row_o.checks = row_i.operation == hbs_pkg::OperationEnabling ? row_i.records : 5'd1;
    end
    if (begins_join || begins_leave) begin
      row_o.operation = begins_join ? hbs_pkg::OperationJoining : hbs_pkg::OperationLeaving;
      row_o.subject   = op_i.port;
    end
    if (ends_operation) row_o.operation = hbs_pkg::OperationNone;
    if (completes_o) begin
      row_o.vote       = row_i.refutable ? {ayes != 11'd0, ayes == members} : 2'd0;
      row_o.expired    = 1'b0;
      row_o.black      = 1'b0;
      row_o.epoch      = next_epoch;
      row_o.has_result = 1'b1;
    end
    if (breaks) begin
      row_o.broken = 1'b1;
      row_o.reason = reason;
    end
    if (completes_o || breaks) begin
      row_o.present = 11'd0;
      row_o.arrived = 16'd0;
      row_o.ayes    = 11'd0;
      row_o.live    = 16'd0;
      row_o.sum     = identity;
    end
    if (completes_o || breaks || fails) row_o.armed = 1'b0;

    if (configures) begin
      case (op_i.target)
        hbs_pkg::RegVacant: row_o.vacant = value[10:0];
        hbs_pkg::RegVector: row_o.message = value[0];
        hbs_pkg::RegRecords: row_o.records = value[4:0];
        hbs_pkg::RegCount: row_o.count = value[15:0];
        default: begin
          if (op_i.half[0]) row_o.timeout[31:0] = value;
          if (op_i.half[1]) row_o.timeout[47:32] = op_i.data[47:32];
        end
      endcase
    end
    if (controls) begin
      row_o.enable      = value[hbs_regs_pkg::GrpCtrlEnableLow];
      row_o.refutable   = value[hbs_regs_pkg::GrpCtrlTypeLow];
      row_o.counting    = value[hbs_regs_pkg::GrpCtrlCompletionLow];
      row_o.polling     = value[hbs_regs_pkg::GrpCtrlArrivalLow];
      row_o.port_record = value[hbs_regs_pkg::GrpCtrlDepartureLow];
      row_o.reduce      = value[hbs_regs_pkg::GrpCtrlReduceLow+:4];
      row_o.notify      = value[hbs_regs_pkg::GrpCtrlPolicyLow];
    end
    if (enables || disables) begin
      row_o.broken      = 1'b0;
      row_o.reason      = 3'd0;
      row_o.armed       = 1'b0;
      row_o.expired     = 1'b0;
      row_o.vote        = 2'd0;
      row_o.black       = 1'b0;
      row_o.has_missing = 1'b0;
      row_o.members     = 11'd0;
      row_o.present     = 11'd0;
      row_o.ayes        = 11'd0;
      row_o.arrived     = 16'd0;
      row_o.has_result  = 1'b0;
      row_o.live        = 16'd0;
      row_o.balance     = 48'd0;
      row_o.operation   = enables ? hbs_pkg::OperationEnabling : hbs_pkg::OperationNone;
      if (enables) row_o.epoch = next_epoch;
    end
    // The sum of an epoch begins with the identity of the new reduction.
    if (op_i.kind == hbs_pkg::KindWipe) row_o.sum = identity;
    // With the whole of CTL_CTRL.ENABLE 0 timers stand still, and start anew afterwards.
    has_timer = row_o.timeout != 48'd0 && row_o.arrived != 16'd0 && !row_o.expired;
    row_o.timing = has_timer;
  end

  assign starts_timer_o = row_o.timing && (!row_i.timing || resumes);
  assign deadline_o     = now_i + {8'd0, row_i.timeout};

  assign write_row_o = arrives || retracts || joins || departs || controls || configures ||
      breaks || fails || expires || arms || completes_now || begins_join || begins_leave ||
      starts || ends_operation || checks || resumes || op_i.kind == hbs_pkg::KindWipe ||
      op_i.kind == hbs_pkg::KindFold;

  assign write_p_o = joins || departs || op_i.kind == hbs_pkg::KindWipe;
  assign p_o = op_i.kind == hbs_pkg::KindWipe ? 64'd0 : joins ? p_i | bit_mask : p_i & ~bit_mask;

  // A member begins with the operand 0.
  assign write_operand_o = stores_operand || (joins && row_i.refutable);
  assign operand_o = joins ? 64'd0 : op_i.data;

  always_comb begin
    marks_o.s = arrives ? s_o | bit_mask : s_o & ~bit_mask;
    marks_o.v = arrives && row_i.refutable && idle_vote ? v_o | bit_mask : v_o & ~bit_mask;
  end
  assign write_marks_o = arrives || retracts;

endmodule
