// SPDX-License-Identifier: GPL-2.0-or-later
// The card for QEMU: of the largest size, of which the inputs say how much is used. C code can
// read and set its state while the clock stands still and the card is idle. It does so by the
// numbers of HbsField in hbs-model.h.

module hbs_cosim (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic [10:0]  ports_i,
  input  logic [7:0]   groups_i,
  input  logic [63:0]  features_i,
  input  logic [55:0]  now_i,
  input  logic         msix_enable_i,
  input  logic         req_valid_i,
  output logic         req_ready_o,
  input  logic         req_write_i,
  input  logic         req_lane_i,
  input  logic [25:3]  req_addr_i,
  input  logic [7:0]   req_be_i,
  input  logic [63:0]  req_data_i,
  input  logic [2:0]   req_tag_i,
  output logic         tx_valid_o,
  input  logic         tx_ready_i,
  input  logic         tx_refused_i,
  output logic [1:0]   tx_kind_o,
  output logic [63:0]  tx_addr_o,
  output logic [127:0] tx_data_o,
  output logic [2:0]   tx_tag_o,
  output logic         rd_valid_o,
  input  logic         rd_ready_i,
  output logic [63:0]  rd_addr_o,
  output logic [4:0]   rd_tag_o,
  input  logic         ans_valid_i,
  input  logic         ans_error_i,
  input  logic [4:0]   ans_tag_i,
  input  logic [63:0]  ans_data_i,
  output logic         ready_o,
  output logic         idle_o
);

  localparam int unsigned Ports = 1024;
  localparam int unsigned Groups = 128;

  hbs_engine #(
    .Ports   (Ports),
    .Groups  (Groups),
    .Records (16),
    .Tags    (32),
    .Reads   (8)
  ) u_card (.*);

  export "DPI-C" function hbs_next_timer;
  export "DPI-C" function hbs_start;
  export "DPI-C" function hbs_get;
  export "DPI-C" function hbs_set;

  // As in hbs-model.h
  typedef enum int {
    FieldCtrl, FieldTag, FieldPoll, FieldNextRound, FieldCause, FieldEnable, FieldCauseGroups,
    FieldCauseTimeouts, FieldViolations, FieldBadAccesses, FieldDmaErrors, FieldInterrupts,
    FieldViolationLast, FieldForeignReads, FieldMessages, FieldPortAddr, FieldGroupCtrl,
    FieldStatus, FieldEpoch, FieldVacant, FieldVector, FieldRecords, FieldCount, FieldArrived,
    FieldOperation, FieldOperandPort, FieldDue, FieldTimeout, FieldDeadline, FieldSum, FieldResult,
    FieldBalance, FieldRecordAddr, FieldP, FieldS, FieldMissing, FieldV, FieldOperand,
    FieldCompletions, FieldArrivals, FieldDepartureReads, FieldRecordWrites, FieldNonMember,
    FieldDouble, FieldRefused, FieldGroupInterrupts, FieldLineReads, FieldWithdrawals,
    FieldUnarrived, FieldReadbacks
  } field_e;

  // States of modules, for which Verilator 5.006 takes no path
  localparam logic [3:0] SequenceOnce = 4'd7; // hbs_sequence: one step of a kind
  localparam logic [2:0] PollOff = 3'd0;     // hbs_poll: no round goes on
  localparam logic [2:0] PollWait = 3'd1;    // the next one has its time
  localparam logic [3:0] EgressShow = 4'd1;  // hbs_egress: records are being written
  // its flags of a group, and where its counters of the card are
  localparam int FlagDue = 0;
  localparam int FlagResultDue = 1;
  localparam int FlagShowQueued = 2;
  localparam int FlagRepeats = 4;
  localparam int FlagWritten = 5;
  localparam logic [7:0] PlaceErrors = 8'h80;
  localparam logic [7:0] PlaceMessages = 8'h81;
  // hbs_counters: which of the counters of a place
  localparam logic [1:0] OthersInterrupts = 2'd0;
  localparam logic [1:0] OthersLines = 2'd1;
  localparam logic [1:0] OthersCard = 2'd2;
  localparam logic [7:0] PlaceViolations = {1'b1, 5'd0, hbs_pkg::CardViolations};

  function automatic hbs_pkg::row_t row_of(int group);
    return hbs_pkg::row_t'(u_card.u_core.u_rows.memory[group[6:0]]);
  endfunction

  function automatic hbs_pkg::marks_t marks_of(int group, int element);
    return hbs_pkg::marks_t'(u_card.u_core.u_marks.memory[{group[6:0], element[3:0]}]);
  endfunction

  // The earliest time at which a timer is due; 0: none runs
  function automatic longint unsigned hbs_next_timer();
    longint unsigned next = 0;
    if (!u_card.u_core.running_o) return 0;
    for (int g = 0; g < Groups; g++) begin
      longint unsigned deadline = {8'd0, u_card.u_core.u_timers.u_ram.memory[g[6:0]]};
      if (u_card.u_core.u_timers.timing_q[g[6:0]] && (next == 0 || deadline < next)) begin
        next = deadline;
      end
    end
    return next;
  endfunction

  // Lets the group's operation begin anew, after its state was set.
  function automatic void hbs_start(input int group);
    hbs_pkg::row_t row = row_of(group);
    u_card.u_core.u_sequence.state_q[3:0] = SequenceOnce;
    u_card.u_core.u_sequence.kind_q       = hbs_pkg::KindStart;
    u_card.u_core.u_sequence.group_q      = group[6:0];
    u_card.u_core.u_sequence.port_q       = row.subject;
  endfunction

  function automatic longint unsigned word_of(hbs_pkg::row_t row);
    return {row.epoch, 6'd0, row.vote, 1'b0, row.reason, 3'd0, row.broken};
  endfunction

  // A group's flags in hbs_egress, a flags_t: in which the words of both sides differ
  function automatic logic [5:0] flags_of(int group);
    if (group[6]) begin
      return u_card.u_egress.u_flags.u_first_own.gen_two.high[group[5:0]] ^
          u_card.u_egress.u_flags.u_second_own.gen_two.high[group[5:0]];
    end
    return u_card.u_egress.u_flags.u_first_own.gen_two.low[group[5:0]] ^
        u_card.u_egress.u_flags.u_second_own.gen_two.low[group[5:0]];
  endfunction

  function automatic void store_flags(int group, logic [5:0] flags);
    if (group[6]) begin
      u_card.u_egress.u_flags.u_first_own.gen_two.high[group[5:0]]   = flags;
      u_card.u_egress.u_flags.u_first_copy.gen_two.high[group[5:0]]  = flags;
      u_card.u_egress.u_flags.u_second_own.gen_two.high[group[5:0]]  = '0;
      u_card.u_egress.u_flags.u_second_copy.gen_two.high[group[5:0]] = '0;
    end else begin
      u_card.u_egress.u_flags.u_first_own.gen_two.low[group[5:0]]   = flags;
      u_card.u_egress.u_flags.u_first_copy.gen_two.low[group[5:0]]  = flags;
      u_card.u_egress.u_flags.u_second_own.gen_two.low[group[5:0]]  = '0;
      u_card.u_egress.u_flags.u_second_copy.gen_two.low[group[5:0]] = '0;
    end
  endfunction

  function automatic void store_size(int group, logic [5:0] size);
    if (group[6]) u_card.u_egress.u_sizes.gen_two.high[group[5:0]] = size;
    else u_card.u_egress.u_sizes.gen_two.low[group[5:0]] = size;
  endfunction

  // Sets a row, and what other places know of it.
  function automatic void store_row(int group, hbs_pkg::row_t row);
    logic [5:0] flags = flags_of(group);
    u_card.u_core.u_rows.memory[group[6:0]] = row;
    u_card.u_core.u_timers.timing_q[group[6:0]] = row.timing;
    u_card.u_core.gathering_q[group[6:0]] = row.enable && row.refutable &&
        row.reduce != hbs_regs_pkg::ReduceNone;
    store_size(group, {row.records, row.port_record});
    flags[FlagRepeats] = 1'b0;
    flags[FlagWritten] = 1'b0;
    store_flags(group, flags);
    u_card.u_egress.u_records.u_words.memory[group[6:0]] = word_of(row);
    u_card.u_poll.wants_q[group[6:0]] = row.enable && row.polling && !row.broken &&
        row.present < row.members && !(row.counting && row.arrived >= row.count);
  endfunction

  function automatic longint unsigned counter_of(int group, logic [2:0] counter);
    return u_card.u_core.u_counters.u_main.u_ram.memory[{group[6:0], counter}];
  endfunction

  function automatic longint unsigned card_counter_of(logic [1:0] counter);
    return u_card.u_core.u_counters.u_others.u_ram.memory[{OthersCard, 5'd0, counter}];
  endfunction

  function automatic void set_card_counter(logic [1:0] counter, longint unsigned value);
    u_card.u_core.u_counters.u_others.u_ram.memory[{OthersCard, 5'd0, counter}] = value;
  endfunction

  function automatic longint unsigned ctrl_of(hbs_pkg::row_t row);
    return {43'd0, row.notify, row.reduce, 3'd0, row.port_record, 1'b0, row.polling, 1'b0,
            row.counting, 3'd0, row.refutable, 3'd0, row.enable};
  endfunction

  // GRP_STATUS without BUSY
  function automatic longint unsigned status_of(hbs_pkg::row_t row);
    return {53'd0, row.black, row.vote, 1'b0, row.reason, 1'b0, row.expired, row.armed, row.broken};
  endfunction

  // What is due of a group's records: the word in bit 0, and the result in bit 1. If they are
  // being written, they are due once more.
  function automatic longint unsigned due_of(int group);
    hbs_pkg::row_t row = row_of(group);
    logic is_written = u_card.u_egress.state_q == EgressShow &&
        u_card.u_egress.head.group == group[6:0];
    logic [5:0] flags = flags_of(group);
    logic is_due = row.enable && (flags[FlagDue] || is_written);
    logic has_result = flags[FlagResultDue] ||
        (is_written && u_card.u_egress.u_records.has_result_q);
    return {62'd0, is_due && has_result && row.reduce != hbs_regs_pkg::ReduceNone, is_due};
  endfunction

  function automatic logic is_message_due(int vector);
    return u_card.u_egress.message_count_q[vector[0]] != '0 ||
        u_card.u_egress.message_again_q[vector[0]];
  endfunction

  // Puts a group's records, or messages, at the end of what leaves the card: an entry_t.
  function automatic void queue_up(int group, logic shows, logic [1:0] messages);
    logic [u_card.u_egress.QueueBits-1:0] at =
        u_card.u_egress.in_q[u_card.u_egress.QueueBits-1:0];
    logic [22:0] entry = {shows, 2'b00, messages, 1'b0, group[6:0], 10'd0};
    u_card.u_egress.u_queue.memory[at] = entry;
    // the head of an empty queue was read before
    if (u_card.u_egress.in_q == u_card.u_egress.out_q) begin
      u_card.u_egress.u_queue.rdata_o = entry;
      u_card.u_egress.comes_in_q      = 1'b0;
    end
    u_card.u_egress.in_q = u_card.u_egress.in_q + 1'b1;
  endfunction

  function automatic void set_due(int group, longint unsigned value);
    logic [5:0] flags = flags_of(group);
    flags[FlagDue]        = value[0];
    flags[FlagResultDue]  = value[1];
    flags[FlagShowQueued] = value[0];
    store_flags(group, flags);
    if (value[0]) queue_up(group, 1'b1, 2'd0);
  endfunction

  function automatic longint unsigned get_card(field_e field, int element);
    logic [32:0] past;
    case (field)
      FieldCtrl: return {63'd0, u_card.u_core.running_o};
      FieldTag: return {32'd0, u_card.u_core.ctl_tag_q};
      FieldPoll: return {32'd0, u_card.u_core.poll_o};
      // hbs_poll has the lowest bits of it; the others are those of now, or one less or more.
      FieldNextRound: begin
        past = now_i[32:0] - u_card.u_poll.next_q;
        return u_card.u_poll.is_wanted ? {8'd0, now_i} - {{31{past[32]}}, past} : 64'd0;
      end
      FieldCause: return {61'd0, u_card.u_core.u_interrupts.cause_o};
      FieldEnable: return {61'd0, u_card.u_core.u_interrupts.enable_o};
      FieldCauseGroups:
      return element == 0 ? u_card.u_core.u_interrupts.groups_q[63:0] :
                            u_card.u_core.u_interrupts.groups_q[127:64];
      FieldCauseTimeouts:
      return element == 0 ? u_card.u_core.u_interrupts.timeouts_q[63:0] :
                            u_card.u_core.u_interrupts.timeouts_q[127:64];
      FieldViolations: return u_card.u_core.u_counters.u_outcomes.u_ram.memory[PlaceViolations];
      FieldBadAccesses: return card_counter_of(hbs_pkg::CardBad);
      FieldForeignReads: return card_counter_of(hbs_pkg::CardForeign);
      FieldDmaErrors:
      return card_counter_of(hbs_pkg::CardReadErrors) +
          u_card.u_egress.u_counters.memory[PlaceErrors];
      FieldInterrupts: return u_card.u_egress.u_counters.memory[PlaceMessages];
      FieldMessages: return {62'd0, is_message_due(1), is_message_due(0)};
      FieldViolationLast:
      return {16'd0, u_card.u_core.last_violation_q[35:4], 12'd0,
              u_card.u_core.last_violation_q[3:0]};
      default: return 64'd0;
    endcase
  endfunction

  function automatic void set_card(field_e field, int element, longint unsigned value);
    case (field)
      FieldCtrl: u_card.u_core.running_o = value[0];
      FieldTag: u_card.u_core.ctl_tag_q = value[31:0];
      FieldPoll: u_card.u_core.poll_o = value[31:0];
      FieldNextRound: begin
        u_card.u_poll.next_q       = value[32:0];
        u_card.u_poll.was_time_q   = 1'b0;
        u_card.u_poll.state_q[2:0] = value != 64'd0 ? PollWait : PollOff;
      end
      FieldCause: u_card.u_core.u_interrupts.cause_o = value[2:0];
      FieldEnable: u_card.u_core.u_interrupts.enable_o = value[2:0];
      FieldCauseGroups: begin
        if (element == 0) u_card.u_core.u_interrupts.groups_q[63:0] = value;
        else u_card.u_core.u_interrupts.groups_q[127:64] = value;
      end
      FieldCauseTimeouts: begin
        if (element == 0) u_card.u_core.u_interrupts.timeouts_q[63:0] = value;
        else u_card.u_core.u_interrupts.timeouts_q[127:64] = value;
      end
      FieldViolations:
      u_card.u_core.u_counters.u_outcomes.u_ram.memory[PlaceViolations] = value;
      FieldBadAccesses: set_card_counter(hbs_pkg::CardBad, value);
      FieldForeignReads: set_card_counter(hbs_pkg::CardForeign, value);
      FieldDmaErrors: set_card_counter(hbs_pkg::CardReadErrors, value);
      FieldInterrupts: u_card.u_egress.u_counters.memory[PlaceMessages] = value;
      FieldMessages: begin
        u_card.u_egress.message_count_q[0] = '0;
        u_card.u_egress.message_count_q[1] = '0;
        if (value[0]) u_card.u_egress.message_count_q[0] = 1;
        if (value[1]) u_card.u_egress.message_count_q[1] = 1;
        if (value[1:0] != 2'd0) queue_up(0, 1'b0, value[1:0]);
      end
      FieldViolationLast: u_card.u_core.last_violation_q = {value[47:16], value[3:0]};
      default: ;
    endcase
  endfunction

  function automatic longint unsigned get_row(field_e field, int group);
    hbs_pkg::row_t row = row_of(group);
    case (field)
      FieldGroupCtrl: return ctrl_of(row);
      FieldStatus: return status_of(row);
      FieldEpoch: return {16'd0, row.epoch};
      FieldVacant: return {53'd0, row.vacant};
      FieldVector: return {63'd0, row.message};
      FieldRecords: return {59'd0, row.records};
      FieldCount: return {48'd0, row.count};
      FieldArrived: return {48'd0, row.arrived};
      FieldOperation: return {62'd0, row.operation};
      FieldOperandPort: return {54'd0, row.subject};
      FieldTimeout: return {16'd0, row.timeout};
      FieldDeadline: return u_card.u_core.running_o && row.timing ?
                             {8'd0, u_card.u_core.u_timers.u_ram.memory[group[6:0]]} : 64'd0;
      FieldSum: return row.enable ? row.sum : 64'd0;
      FieldResult: return row.has_result ? u_card.u_core.u_results.memory[group[6:0]] : 64'd0;
      FieldBalance: return {{16{row.balance[47]}}, row.balance};
      default: return 64'd0;
    endcase
  endfunction

  function automatic void set_row(field_e field, int group, longint unsigned value);
    hbs_pkg::row_t row = row_of(group);
    case (field)
      FieldGroupCtrl: begin
        row.enable      = value[hbs_regs_pkg::GrpCtrlEnableLow];
        row.refutable   = value[hbs_regs_pkg::GrpCtrlTypeLow];
        row.counting    = value[hbs_regs_pkg::GrpCtrlCompletionLow];
        row.polling     = value[hbs_regs_pkg::GrpCtrlArrivalLow];
        row.port_record = value[hbs_regs_pkg::GrpCtrlDepartureLow];
        row.reduce      = value[hbs_regs_pkg::GrpCtrlReduceLow+:4];
        row.notify      = value[hbs_regs_pkg::GrpCtrlPolicyLow];
      end
      FieldStatus: {row.black, row.vote, row.reason, row.expired, row.armed, row.broken} =
          {value[10:8], value[6:4], value[2:0]};
      FieldEpoch: row.epoch = value[47:0];
      FieldVacant: row.vacant = value[10:0];
      FieldVector: row.message = value[0];
      FieldRecords: row.records = value[4:0];
      FieldCount: row.count = value[15:0];
      FieldArrived: row.arrived = value[15:0];
      FieldOperation: row.operation = hbs_pkg::operation_e'(value[1:0]);
      FieldOperandPort: row.subject = value[9:0];
      FieldTimeout: row.timeout = value[47:0];
      FieldDeadline: begin
        // while the card is disabled a timer stands still that has arrivals to start for
        row.timing = row.timeout != 48'd0 && row.arrived != 16'd0 && !row.expired;
        u_card.u_core.u_timers.u_ram.memory[group[6:0]] = value[55:0];
      end
      FieldSum: row.sum = value;
      FieldResult: begin
        row.has_result = 1'b1;
        u_card.u_core.u_results.memory[group[6:0]]             = value;
        u_card.u_egress.u_records.u_results.memory[group[6:0]] = value;
      end
      FieldBalance: row.balance = value[47:0];
      default: ;
    endcase
    store_row(group, row);
  endfunction

  // A word of a mask; the row has the number of its bits.
  function automatic void set_mask(field_e field, int group, int element, longint unsigned value);
    hbs_pkg::row_t row = row_of(group);
    hbs_pkg::marks_t marks = marks_of(group, element);
    logic [10:0] word = {group[6:0], element[3:0]};
    case (field)
      FieldP: begin
        row.members = row.members + 11'($countones(value));
        u_card.u_core.u_p.memory[word]             = value;
        u_card.u_egress.u_records.u_p.memory[word] = value;
      end
      FieldS: begin
        row.present = row.present + 11'($countones(value));
        row.live[element[3:0]] = value != 64'd0;
        marks.s = value;
        marks.v = 64'd0;
      end
      FieldMissing: begin
        row.has_missing = 1'b1;
        u_card.u_core.u_missing.memory[word] = value;
      end
      FieldV: begin
        row.ayes = row.ayes + 11'($countones(value));
        marks.v = value;
      end
      default: ;
    endcase
    store_row(group, row);
    u_card.u_core.u_marks.memory[word] = marks;
  endfunction

  function automatic longint unsigned get_mask(field_e field, int group, int element);
    logic [10:0] word = {group[6:0], element[3:0]};
    hbs_pkg::row_t row = row_of(group);
    hbs_pkg::marks_t marks = marks_of(group, element);
    case (field)
      FieldP: return row.enable ? u_card.u_core.u_p.memory[word] : 64'd0;
      FieldMissing: return row.has_missing ? u_card.u_core.u_missing.memory[word] : 64'd0;
      FieldS: return row.live[element[3:0]] ? marks.s : 64'd0;
      FieldV: return row.live[element[3:0]] ? marks.v : 64'd0;
      default: return 64'd0;
    endcase
  endfunction

  function automatic longint unsigned get_counter(field_e field, int group);
    case (field)
      FieldCompletions: return u_card.u_core.u_counters.u_outcomes.u_ram.memory[{1'b0, group[6:0]}];
      FieldArrivals: return counter_of(group, hbs_pkg::CountArrivals);
      FieldDepartureReads: return counter_of(group, hbs_pkg::CountDepartureReads);
      FieldRecordWrites: return u_card.u_egress.u_counters.memory[{1'b0, group[6:0]}];
      FieldNonMember: return counter_of(group, hbs_pkg::CountNonMember);
      FieldDouble: return counter_of(group, hbs_pkg::CountDouble);
      FieldRefused: return counter_of(group, hbs_pkg::CountRefused);
      FieldGroupInterrupts:
      return u_card.u_core.u_counters.u_others.u_ram.memory[{OthersInterrupts, group[6:0]}];
      FieldLineReads:
      return u_card.u_core.u_counters.u_others.u_ram.memory[{OthersLines, group[6:0]}];
      FieldWithdrawals: return counter_of(group, hbs_pkg::CountWithdrawals);
      FieldUnarrived: return counter_of(group, hbs_pkg::CountUnarrived);
      FieldReadbacks: return counter_of(group, hbs_pkg::CountReadbacks);
      default: return 64'd0;
    endcase
  endfunction

  function automatic void set_counted(int group, logic [2:0] counter, longint unsigned value);
    u_card.u_core.u_counters.u_main.u_ram.memory[{group[6:0], counter}] = value;
  endfunction

  function automatic void set_counter(field_e field, int group, longint unsigned value);
    case (field)
      FieldCompletions:
      u_card.u_core.u_counters.u_outcomes.u_ram.memory[{1'b0, group[6:0]}] = value;
      FieldArrivals: set_counted(group, hbs_pkg::CountArrivals, value);
      FieldDepartureReads: set_counted(group, hbs_pkg::CountDepartureReads, value);
      FieldRecordWrites: u_card.u_egress.u_counters.memory[{1'b0, group[6:0]}] = value;
      FieldNonMember: set_counted(group, hbs_pkg::CountNonMember, value);
      FieldDouble: set_counted(group, hbs_pkg::CountDouble, value);
      FieldRefused: set_counted(group, hbs_pkg::CountRefused, value);
      FieldGroupInterrupts:
      u_card.u_core.u_counters.u_others.u_ram.memory[{OthersInterrupts, group[6:0]}] = value;
      FieldLineReads:
      u_card.u_core.u_counters.u_others.u_ram.memory[{OthersLines, group[6:0]}] = value;
      FieldWithdrawals: set_counted(group, hbs_pkg::CountWithdrawals, value);
      FieldUnarrived: set_counted(group, hbs_pkg::CountUnarrived, value);
      FieldReadbacks: set_counted(group, hbs_pkg::CountReadbacks, value);
      default: ;
    endcase
  endfunction

  // Each memory of addresses has copies where others read it.
  function automatic void set_record_addr(int group, int element, longint unsigned value);
    logic [10:0] at = {group[6:0], element[3:0]};
    u_card.u_core.u_record_addr.u_low.memory[at]              = value[31:0];
    u_card.u_core.u_record_addr.u_high.memory[at]             = value[63:32];
    u_card.u_egress.u_records.u_record_addr.u_low.memory[at]  = value[31:0];
    u_card.u_egress.u_records.u_record_addr.u_high.memory[at] = value[63:32];
  endfunction

  function automatic void set_port_addr(int port, longint unsigned value);
    u_card.u_core.u_port_addr.u_low.memory[port[9:0]]              = value[31:0];
    u_card.u_core.u_port_addr.u_high.memory[port[9:0]]             = value[63:32];
    u_card.u_reads.u_port_addr.u_low.memory[port[9:0]]             = value[31:0];
    u_card.u_reads.u_port_addr.u_high.memory[port[9:0]]            = value[63:32];
    u_card.u_egress.u_records.u_port_addr.u_low.memory[port[9:0]]  = value[31:0];
    u_card.u_egress.u_records.u_port_addr.u_high.memory[port[9:0]] = value[63:32];
  endfunction

  function automatic longint unsigned hbs_get(input int number, input int index,
                                              input int element);
    field_e field = field_e'(number);
    case (field)
      FieldPortAddr:
      return {u_card.u_core.u_port_addr.u_high.memory[index[9:0]],
              u_card.u_core.u_port_addr.u_low.memory[index[9:0]]};
      FieldRecordAddr:
      return {u_card.u_core.u_record_addr.u_high.memory[{index[6:0], element[3:0]}],
              u_card.u_core.u_record_addr.u_low.memory[{index[6:0], element[3:0]}]};
      FieldOperand: return u_card.u_core.u_operands.memory[{index[6:0], element[9:0]}];
      FieldDue: return due_of(index);
      FieldP, FieldS, FieldMissing, FieldV: return get_mask(field, index, element);
      default: begin
        if (number < FieldPortAddr) return get_card(field, element);
        if (number < FieldCompletions) return get_row(field, index);
        return get_counter(field, index);
      end
    endcase
  endfunction

  function automatic void hbs_set(input int number, input int index, input int element,
                                  input longint unsigned value);
    field_e field = field_e'(number);
    case (field)
      FieldPortAddr: set_port_addr(index, value);
      FieldRecordAddr: set_record_addr(index, element, value);
      FieldOperand: u_card.u_core.u_operands.memory[{index[6:0], element[9:0]}] = value;
      FieldDue: set_due(index, value);
      FieldP, FieldS, FieldMissing, FieldV: set_mask(field, index, element, value);
      default: begin
        if (number < FieldPortAddr) set_card(field, element, value);
        else if (number < FieldCompletions) set_row(field, index, value);
        else set_counter(field, index, value);
      end
    endcase
  endfunction

endmodule
