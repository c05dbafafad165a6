// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
// What leaves the card, in order: a queue of what steps made due. A group, its operation and a
// vector are in it once at most, and each read of the card that is not answered, so it never
// fills. A group whose word changes while it waits keeps its place, and its records show the
// latest word; one whose word changes while its records are written goes to the end.

module hbs_egress #(
  parameter int unsigned Ports = 64,
  parameter int unsigned Groups = 16,
  parameter int unsigned Records = 16,
  parameter int unsigned Reads = 8,
  parameter bit Wide = 1'b0,
  localparam int unsigned ReadWidth = $clog2(Reads)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 msix_enable_i,
  input  logic [63:0]          features_i,

  // what the pipeline did in the cycle before
  input  logic                 event_valid_i,
  input  hbs_pkg::event_t      event_i,
  input  logic                 answers_i,
  input  logic [7:0]           answer_tag_i,
  input  logic [63:0]          answer_i,
  input  logic [1:0]           answer_adds_i, // 1: add failed writes, 2: messages, 3: words
  input  logic [63:0]          word_i,
  input  logic [63:0]          result_i,
  input  logic [4:0]           records_i,
  input  logic                 port_record_i,
  input  logic                 reset_i,
  // its changes of memories
  input  logic [1:0]           write_record_addr_i,
  input  logic [1:0]           write_port_addr_i,
  input  logic [10:0]          record_index_i,
  input  logic [9:0]           port_index_i,
  input  logic [63:0]          address_i,
  input  logic                 write_p_i,
  input  logic [10:0]          p_index_i,
  input  logic [63:0]          p_i,

  // to the pipeline: records that could not be written
  output logic                 fail_waits_o,  // there is one, unless it is over in this cycle
  output logic                 fail_valid_o,
  input  logic                 fail_ready_i,
  output logic [6:0]           fail_group_o,
  output logic                 fail_operation_o,

  // reads of an operation
  output logic                 read_valid_o,
  input  logic                 read_ready_i,
  output hbs_pkg::use_e        read_use_o,
  output logic [6:0]           read_group_o,
  output logic [10:0]          read_port_o,   // the uppermost bit: a record of the group
  output logic [63:0]          read_addr_o,
  output logic                 read_fails_o,
  output logic [63:0]          read_expected_o,

  output logic                 tx_valid_o,
  input  logic                 tx_ready_i,
  input  logic                 tx_refused_i,
  output logic [1:0]           tx_kind_o,
  output logic [63:0]          tx_addr_o,
  output logic [127:0]         tx_data_o,
  output logic [ReadWidth-1:0] tx_tag_o,

  output logic                 settled_o,     // nothing is left from before a reset
  output logic                 idle_o
);

  localparam int unsigned GroupBits = Groups > 1 ? $clog2(Groups) : 1;
  localparam logic [6:0] GroupMask = 7'((1 << $clog2(Groups)) - 1);
  // A group's records, its operation and the record of one that has joined, vectors, answers
  localparam int unsigned Most = 3 * Groups + 2 * 2 + Reads + 1;
  localparam int unsigned QueueBits = $clog2(Most);

  typedef struct packed {
    logic       shows;
    logic       repeats;
    logic       starts;
    logic [1:0] messages;
    logic       answers;
  } parts_t;

  typedef struct packed {
    parts_t     parts;
    logic [6:0] group;
    logic [9:0] port;          // or the tag of an answer
  } entry_t;

  // The queue: the entry that is at the head in the next cycle is read in this one, or comes in.
  localparam int unsigned EntryWidth = 23;
  logic [EntryWidth-1:0] stored;
  entry_t pushed, pushed_q, head;
  logic [QueueBits:0] next_out;
  logic comes_in_q;
  logic [QueueBits:0] in_q, out_q, purge_end_q;
  logic purge_q, purge_starts_q, purges, push, pop, has_head, is_last;

  assign has_head = in_q != out_q;
  // from the reset on
  assign purges = purge_q || purge_starts_q || reset_i;
  assign is_last = in_q == out_q + 1'b1;
  assign next_out = out_q + (QueueBits + 1)'(pop);
  assign head = comes_in_q ? pushed_q : stored;

  hbs_ram #(
    .Width (EntryWidth),
    .Depth (2 ** QueueBits)
  ) u_queue (
    .clk_i,
    .write_i (push),
    .waddr_i (in_q[QueueBits-1:0]),
    .wdata_i (pushed),
    .read_i  (1'b1),
    .clear_i (1'b0),
    .raddr_i (next_out[QueueBits-1:0]),
    .rdata_o (stored)
  );

  always_ff @(posedge clk_i) begin
    pushed_q   <= pushed;
    comes_in_q <= push && in_q == next_out;
  end

  // What is due and what is queued of each group
  typedef struct packed {
    logic written;               // the record of the port that joins has the group's word
    logic repeats;               // since its enabling a member's record has been due once more
    logic start_queued;
    logic show_queued;
    logic result_due;
    logic due;
  } flags_t;

  // of the event's group, and of that of the head
  flags_t event_flags, event_next, event_writes, head_flags, head_next, head_writes;
  logic [Groups-1:0] live_q;     // an operation goes on that uses the bus
  // entries with the message of a vector, and whether it is due once more
  logic [QueueBits:0] message_count_q[2];
  logic [1:0] message_again_q, again, message_sent;
  logic start_again_q;
  parts_t rest_q, rest, event_parts;
  logic rest_valid_q;
  logic breaks_q;                // the head shows a break, beside an entry that may be queued
  logic clears_show, clears_start, starts_show, starts_repeat, is_gone;
  logic [GroupBits-1:0] g, event_g;

  // so synthesis sees which bits of groups are 0
  assign g = GroupBits'(head.group & GroupMask);
  assign event_g = GroupBits'(event_i.group & GroupMask);

  always_comb begin
    event_parts         = '0;
    event_parts.shows   = event_valid_i && event_i.shows &&
        !(state_q == StateBreak && event_g == g) &&
        (!event_flags.show_queued || (clears_show && !breaks_q && event_g == g));
    event_parts.repeats = event_valid_i && event_i.repeats;
    event_parts.starts  = event_valid_i && event_i.starts &&
        (!event_flags.start_queued || (clears_start && event_g == g));
    for (int unsigned v = 0; v < 2; v++) begin
      again[v] = message_again_q[v] && message_count_q[v] == '0;
      // what is due by a read leaves before its answer
      event_parts.messages[v] = (answers_i && message_again_q[v]) ||
          (event_valid_i && event_i.messages[v] && message_count_q[v] == '0);
      message_sent[v] = state_q == StateMessage && (tx_ready_i || !msix_enable_i) &&
          vector == 1'(v) && message_count_q[v] != '0;
    end
    event_parts.answers = answers_i;
  end

  // Parts of the head that are put at the end again wait for a cycle without an event.
  always_comb begin
    pushed       = '0;
    pushed.parts = event_parts;
    pushed.group = event_i.group;
    pushed.port  = answers_i ? {2'd0, answer_tag_i} : event_i.port;
    push         = event_parts != '0;
    if (!push && (start_again_q || again != 2'd0)) begin
      push                  = 1'b1;
      pushed                = head;
      pushed.parts          = '0;
      pushed.parts.starts   = start_again_q;
      pushed.parts.messages = again;
    end
  end

  // Operations: what they need of the bus
  hbs_pkg::operation_e op_kind;
  logic [9:0] op_port;
  logic [4:0] op_next;           // of the reads of an enabling
  // which records the group has now: it may have been another when it came into the queue
  logic [4:0] records;
  logic port_record;
  logic starts_now, moves_on;

  assign starts_now = event_valid_i && event_i.starts;

  // What a card lacks is 0 anyway; so synthesis sees it.
  logic has_reduce, has_port_record, has_port_memory, port_record_stored;
  hbs_pkg::operation_e op_kind_stored;
  assign has_reduce      = features_i[hbs_regs_pkg::FeatureReduceBit];
  assign has_port_record = features_i[hbs_regs_pkg::FeaturePortRecordBit];
  assign has_port_memory = has_port_record || features_i[hbs_regs_pkg::FeaturePollArrivalBit];
  assign port_record     = has_port_record && port_record_stored;
  assign op_kind         = has_port_memory ? op_kind_stored : hbs_pkg::OperationEnabling;

  hbs_table #(
    .Width (12),
    .Depth (Groups)
  ) u_operations (
    .clk_i,
    .write_i (starts_now),
    .waddr_i (event_g),
    .wdata_i ({event_i.operation, event_i.port}),
    .raddr_i (g),
    .rdata_o ({op_kind_stored, op_port})
  );

  // One that begins anew begins with its first read.
  hbs_table #(
    .Width (5),
    .Depth (Groups)
  ) u_next (
    .clk_i,
    .write_i (starts_now || moves_on),
    .waddr_i (starts_now ? event_g : g),
    .wdata_i (starts_now ? 5'd0 : op_next + 5'd1),
    .raddr_i (g),
    .rdata_o (op_next)
  );

  hbs_table #(
    .Width (6),
    .Depth (Groups)
  ) u_sizes (
    .clk_i,
    .write_i (event_valid_i && (event_i.shows || event_i.starts || event_i.repeats)),
    .waddr_i (event_g),
    .wdata_i ({records_i, port_record_i}),
    .raddr_i (g),
    .rdata_o ({records, port_record_stored})
  );

  // Going through the parts of the head
  typedef enum logic [3:0] {
    StateHead, StateShow, StateRepeat, StateWrite, StateSeek, StateRead, StateFail, StateBreak,
    StateStore, StateMessage, StateAnswer
  } state_e;

  state_e state_q;
  logic job_start, job_one, job_member, job_busy, job_done, job_failed, job_aborted, job_result;
  logic [9:0] job_port;
  logic [15:0] job_written, job_errors;
  logic [63:0] job_word, record_addr, line_addr;
  logic has_port_addr;
  logic seek_record, seek_port, is_record, writes_join, is_op_past, is_op_over, op_over_q;
  logic vector, fail_op_q;
  logic record_tx_valid, record_tx_wide;
  logic [63:0] record_tx_addr;
  logic [127:0] record_tx_data;
  logic wiped_q, wiped, requeues, can_requeue;
  logic stale_q;                 // the part that leaves is from before a reset

  always_comb begin
    rest = rest_valid_q ? rest_q : head.parts;
    if (!has_port_record) rest.repeats = 1'b0;
  end
  assign is_record = op_kind == hbs_pkg::OperationJoining && port_record;
  // Where a JOIN has waited for its read, its record need not be written again.
  assign writes_join = clears_start && live_q[g] && !is_op_over && is_record &&
      !head_flags.written;
  // the operation has ended, or begun anew, since it was taken
  assign is_op_past = (op_over_q && state_q != StateHead) || !live_q[g] ||
      (event_valid_i && event_g == g && (event_i.starts || event_i.cancels)) ||
      (event_valid_i && event_i.stops);
  assign is_op_over = is_op_past || reset_i;
  assign vector = !rest.messages[0];
  assign wiped = event_valid_i && event_i.wipes && event_g == g;
  assign can_requeue = !push || (!start_again_q && again == 2'd0);

  assign clears_show = state_q == StateHead && has_head && !purges && rest.shows;
  assign clears_start = state_q == StateHead && has_head && !purges && !rest.shows &&
      !rest.repeats && rest.starts;
  // the group is being disabled, or everything is
  assign is_gone = (event_valid_i && event_i.forgets && event_g == g) || reset_i;
  assign starts_show = clears_show && head_flags.due && !is_gone;
  assign starts_repeat = state_q == StateHead && has_head && !purges && !rest.shows &&
      rest.repeats && head_flags.repeats && !is_gone;
  assign job_start = starts_show || starts_repeat || writes_join;
  assign job_one = !rest.shows && (rest.repeats || is_record);
  assign job_member = rest.repeats;
  assign job_port = rest.repeats ? head.port : op_port;
  assign seek_port = state_q == StateSeek && op_kind != hbs_pkg::OperationEnabling;
  assign seek_record = state_q == StateSeek && op_kind == hbs_pkg::OperationEnabling;

  hbs_records #(
    .Ports   (Ports),
    .Groups  (Groups),
    .Records (Records),
    .Wide    (Wide)
  ) u_records (
    .clk_i,
    .rst_ni,
    .event_valid_i,
    .event_i,
    .word_i,
    .result_i,
    .reset_i,
    .has_members_i (has_port_record),
    .write_record_addr_i,
    .write_port_addr_i,
    .record_index_i,
    .port_index_i,
    .address_i,
    .write_p_i,
    .p_index_i,
    .p_i,
    .look_i        (state_q == StateHead),
    .start_i       (job_start),
    .one_i         (job_one),
    .member_i      (job_member),
    .group_i       (head.group),
    .port_i        (state_q == StateSeek ? op_port : job_port),
    .records_i     (records),
    .port_record_i (port_record),
    .has_result_i  (has_reduce && (starts_show || starts_repeat) && head_flags.result_due),
    .busy_o        (job_busy),
    .done_o        (job_done),
    .failed_o      (job_failed),
    .aborted_o     (job_aborted),
    .result_o      (job_result),
    .written_o     (job_written),
    .errors_o      (job_errors),
    .word_o        (job_word),
    .seek_record_i (seek_record),
    .seek_port_i   (seek_port),
    .seek_index_i  (4'(records - 5'd1 - op_next)),
    .record_addr_o (record_addr),
    .has_port_addr_o (has_port_addr),
    .line_addr_o   (line_addr),
    .tx_valid_o    (record_tx_valid),
    .tx_ready_i,
    .tx_refused_i,
    .tx_wide_o     (record_tx_wide),
    .tx_addr_o     (record_tx_addr),
    .tx_data_o     (record_tx_data)
  );

  // The answers that wait: the value, and which counter is to be added to it
  logic [65:0] waiting_q[Reads];
  logic [63:0] answer;
  logic [1:0] answer_adds;
  assign {answer_adds, answer} = waiting_q[head.port[ReadWidth-1:0]];

  // Counters: the words of a group's records, and behind those of all groups the failed writes
  // and the messages. What a part has done is counted at its end.
  localparam logic [1:0] CountNothing = 2'd0;
  localparam logic [1:0] CountErrors = 2'd1;
  localparam logic [1:0] CountMessages = 2'd2;
  localparam logic [1:0] CountWords = 2'd3;
  localparam int unsigned PlaceBits = GroupBits + 1;
  logic [1:0] count_q, looks_at;
  logic counts, can_count, is_counted, is_added, adds_q;
  logic [63:0] counted, added_q, sum;
  logic [15:0] job_errors_q;
  logic job_failed_q;
  logic reset_counters_q, clears_words;
  logic [PlaceBits-1:0] reset_place_q;

  function automatic logic [PlaceBits-1:0] place_of(logic [1:0] count, logic [GroupBits-1:0] group);
    place_of = count == CountWords ? {1'b0, group} :
               {1'b1, GroupBits'(count == CountMessages)};
  endfunction

  always_comb begin
    looks_at = CountWords;
    if (state_q == StateStore) looks_at = CountErrors;
    else if (purges) looks_at = answer_adds;
    else if (!rest.shows && !rest.repeats && !rest.starts) begin
      looks_at = rest.messages != 2'd0 ? CountMessages : answer_adds;
    end
  end
  assign clears_words = event_valid_i && event_i.wipes;
  // the memory has one port to write
  assign can_count = !reset_counters_q && !clears_words;
  assign counts = state_q == StateStore && can_count && !stale_q &&
      !(count_q == CountWords && wiped_q);
  assign is_counted = counts || stale_q || (count_q == CountWords && (wiped_q || wiped));
  // An answer with its counter, or a counter with what is counted. A reset clears the counters of
  // an answer from before, but what is offered stays.
  assign is_added = state_q != StateAnswer || adds_q;
  assign sum = (is_added ? counted : 64'd0) + added_q;

  hbs_ram #(
    .Width (64),
    .Depth (2 ** PlaceBits),
    .Block (1'b1)
  ) u_counters (
    .clk_i,
    .write_i (reset_counters_q || clears_words || counts),
    .waddr_i (reset_counters_q ? reset_place_q :
              clears_words ? {1'b0, event_g} : place_of(count_q, g)),
    .wdata_i (reset_counters_q || clears_words ? 64'd0 : sum),
    .read_i  (state_q == StateHead || (state_q == StateStore && is_counted)),
    .clear_i (1'b0),
    .raddr_i (place_of(looks_at, g)),
    .rdata_o (counted)
  );

  always_comb begin
    tx_valid_o = record_tx_valid;
    tx_kind_o  = record_tx_wide ? hbs_pkg::TxWide : hbs_pkg::TxWrite;
    tx_addr_o  = record_tx_addr;
    tx_data_o  = record_tx_data;
    tx_tag_o   = head.port[ReadWidth-1:0];
    if (state_q == StateMessage) begin
      tx_valid_o = msix_enable_i;
      tx_kind_o  = hbs_pkg::TxMessage;
      tx_data_o  = {127'd0, vector};
    end else if (state_q == StateAnswer) begin
      tx_valid_o = 1'b1;
      tx_kind_o  = hbs_pkg::TxAnswer;
      tx_data_o  = {64'd0, sum};
    end
  end

  // The reads of an operation. One that is sent in the cycle of a reset is dropped by hbs_reads.
  assign read_valid_o = state_q == StateRead && !is_op_past && !starts_now;
  assign moves_on = read_valid_o && read_ready_i;
  assign read_group_o = head.group;
  assign read_port_o = op_kind == hbs_pkg::OperationEnabling ? 11'h400 : {1'b0, op_port};
  always_comb begin
    read_addr_o     = line_addr | {57'd0, hbs_regs_pkg::MemoryArrivalOffset};
    read_fails_o    = !has_port_addr;
    read_use_o      = hbs_pkg::UseLastWord;
    // the word that was written: no other has been looked for since
    read_expected_o = job_word;
    case (op_kind)
      hbs_pkg::OperationEnabling: begin
        read_addr_o  = record_addr;
        read_fails_o = 1'b0;
        read_use_o   = hbs_pkg::UseCheck;
      end
      hbs_pkg::OperationJoining: begin
        read_use_o = is_record ? hbs_pkg::UseCheck : hbs_pkg::UseCheckAny;
        if (is_record) begin
          read_addr_o = line_addr | {57'd0, hbs_regs_pkg::MemoryDepartureOffset};
        end
      end
      default: ;
    endcase
  end

  assign requeues = read_valid_o && !read_ready_i && !is_last && can_requeue;

  // A failed job is told of, unless its operation stands still or has begun anew.
  assign fail_waits_o     = state_q == StateFail;
  assign fail_valid_o     = fail_waits_o && !(fail_op_q && is_op_over);
  assign fail_group_o     = head.group;
  assign fail_operation_o = fail_op_q;

  // The head stays until its operation has its new place in the queue.
  assign pop = has_head && state_q == StateHead && !(start_again_q && event_parts != '0) &&
      (purges ? !rest.answers : rest == '0);

  // What an event makes due, and what the head takes
  always_comb begin
    event_writes = '0;
    event_next   = '0;
    if (event_valid_i && event_i.shows) begin
      event_writes.due         = 1'b1;
      event_next.due           = 1'b1;
      event_writes.show_queued = event_parts.shows;
      event_next.show_queued   = 1'b1;
      event_writes.result_due  = event_i.has_result;
      event_next.result_due    = 1'b1;
    end
    event_writes.start_queued = starts_now;
    event_next.start_queued   = 1'b1;
    if (event_valid_i && event_i.forgets) begin
      event_writes.due        = 1'b1;
      event_next.due          = 1'b0;
      event_writes.result_due = 1'b1;
      event_next.result_due   = 1'b0;
    end
    event_writes.repeats = event_valid_i && (event_i.repeats || event_i.forgets);
    event_next.repeats   = event_i.repeats;
    event_writes.written = event_valid_i && (event_i.shows || event_i.starts);
    event_next.written   = 1'b0;
  end

  always_comb begin
    head_writes = '0;
    head_next   = '0;
    if (clears_show) begin
      head_writes.show_queued = !breaks_q;
      head_writes.due         = 1'b1;
      // One that could not be written stays due for the record of a port that has joined.
      head_writes.result_due  = head_flags.due;
    end
    head_writes.written = writes_join;
    head_next.written   = 1'b1;
    // an old place in the queue keeps its operation there
    head_writes.start_queued = clears_start || requeues;
    head_next.start_queued   = requeues || (live_q[g] && !is_op_over && head_flags.due &&
                                            op_kind == hbs_pkg::OperationEnabling);
    // Where a result was not written, the word of the break brings it.
    if (job_done && job_failed && job_result && !job_aborted && !is_gone) begin
      head_writes.result_due = 1'b1;
      head_next.result_due   = 1'b1;
    end
  end

  hbs_flags #(
    .Width  (6),
    .Groups (Groups)
  ) u_flags (
    .clk_i,
    .clear_i        (reset_counters_q),
    .clear_group_i  (reset_place_q[GroupBits-1:0]),
    .first_group_i  (event_g),
    .first_write_i  (event_writes),
    .first_i        (event_next),
    .first_o        (event_flags),
    .second_group_i (g),
    .second_write_i (head_writes),
    .second_i       (head_next),
    .second_o       (head_flags)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q          <= StateHead;
      in_q             <= '0;
      out_q            <= '0;
      purge_q          <= 1'b0;
      purge_starts_q   <= 1'b0;
      purge_end_q      <= '0;
      breaks_q         <= 1'b0;
      live_q           <= '0;
      message_again_q  <= '0;
      for (int unsigned v = 0; v < 2; v++) message_count_q[v] <= '0;
      start_again_q    <= 1'b0;
      rest_q           <= '0;
      rest_valid_q     <= 1'b0;
      fail_op_q        <= 1'b0;
      op_over_q        <= 1'b0;
      wiped_q          <= 1'b0;
      stale_q          <= 1'b0;
      job_errors_q     <= '0;
      job_failed_q     <= 1'b0;
      count_q          <= CountNothing;
      adds_q           <= 1'b0;
      reset_counters_q <= 1'b1;
      reset_place_q    <= '0;
    end else begin
      if (push) in_q <= in_q + 1'b1;
      if (push && event_parts == '0) begin
        start_again_q <= 1'b0;
      end
      if (pop) begin
        out_q        <= out_q + 1'b1;
        rest_valid_q <= 1'b0;
      end

      // where a part is done, the rest stays
      case (state_q)
        StateHead: begin
          fail_op_q <= 1'b0;
          wiped_q   <= 1'b0;
          stale_q   <= 1'b0;
          if (has_head && !pop) begin
            rest_valid_q <= 1'b1;
            rest_q       <= rest;
            if (!purges && rest.shows) begin
              rest_q.shows <= 1'b0;
              breaks_q     <= 1'b0;
              if (starts_show) state_q <= StateShow;
            end else if (!purges && rest.repeats) begin
              rest_q.repeats <= 1'b0;
              if (starts_repeat) state_q <= StateRepeat;
            end else if (!purges && rest.starts) begin
              rest_q.starts <= 1'b0;
              if (live_q[g] && !is_op_over) begin
                if (op_kind == hbs_pkg::OperationEnabling && head_flags.due) begin
                  // an old place in the queue: the records are written first
                  start_again_q <= 1'b1;
                end else begin
                  state_q <= writes_join ? StateWrite : StateSeek;
                end
              end
            end else if (!purges && rest.messages != 2'd0) begin
              state_q <= StateMessage;
            end else if (rest.answers) begin
              adds_q  <= answer_adds != CountNothing && !purges;
              state_q <= StateAnswer;
            end
          end
        end
        StateShow, StateRepeat, StateWrite: begin
          if (job_done) begin
            job_failed_q  <= job_failed && !job_aborted;
            job_errors_q  <= job_errors;
            fail_op_q     <= state_q == StateWrite;
            count_q       <= CountWords;
            state_q       <= StateStore;
          end
        end
        StateStore: begin
          if (is_counted) begin
            if (count_q == CountMessages) begin
              state_q <= StateHead;
            end else if (count_q == CountWords && job_errors_q != 16'd0 && !stale_q) begin
              count_q <= CountErrors;
            end else if (job_failed_q && !is_gone && !stale_q && !(fail_op_q && is_op_over)) begin
              state_q <= StateFail;
            end else begin
              state_q <= fail_op_q && !job_failed_q && !is_op_over ? StateSeek : StateHead;
            end
          end
        end
        StateFail: begin
          if (is_gone || (fail_op_q && is_op_over)) state_q <= StateHead;
          else if (fail_ready_i) begin
            state_q <= fail_op_q ? StateHead : StateBreak;
            if (!fail_op_q) begin
              // The word of the break leaves before anything else: it is not queued again.
              rest_q.shows <= 1'b1;
              breaks_q     <= 1'b1;
            end
          end
        end
        StateBreak: if (event_valid_i && event_i.fails) state_q <= StateHead;
        StateSeek: state_q <= is_op_over ? StateHead : StateRead;
        StateRead: begin
          if (is_op_over) state_q <= StateHead;
          else if (moves_on) begin
            state_q <= StateSeek;
            if (op_kind != hbs_pkg::OperationEnabling || op_next + 5'd1 == records) begin
              live_q[g] <= 1'b0;
              state_q   <= StateHead;
            end
          end else if (requeues) begin
            start_again_q <= 1'b1;
            state_q       <= StateHead;
          end
        end
        StateMessage: begin
          if (tx_ready_i || !msix_enable_i) begin
            rest_q.messages[vector] <= 1'b0;
            count_q                 <= CountMessages;
            state_q                 <= msix_enable_i ? StateStore : StateHead;
          end
        end
        StateAnswer: begin
          if (tx_ready_i) begin
            rest_q.answers <= 1'b0;
            state_q        <= StateHead;
          end
        end
        default: state_q <= StateHead;
      endcase
      if (wiped && state_q != StateHead) wiped_q <= 1'b1;
      // A group that is disabled while its failure is counted has none any more.
      if (is_gone && state_q == StateStore) job_failed_q <= 1'b0;
      // What belongs to the operation before it began anew is of no use.
      op_over_q <= state_q != StateHead && is_op_over;

      // what the pipeline makes due
      if (event_valid_i) begin
        if (event_i.starts) live_q[event_g] <= 1'b1;
        if (event_i.cancels) live_q[event_g] <= 1'b0;
        if (event_i.stops) live_q <= '0;
      end
      for (int unsigned v = 0; v < 2; v++) begin
        // One that is raised while another waits goes to the end.
        if (push && pushed.parts.messages[v]) message_again_q[v] <= 1'b0;
        else if (event_valid_i && event_i.messages[v]) message_again_q[v] <= 1'b1;
        message_count_q[v] <= message_count_q[v] +
            (QueueBits + 1)'(push && pushed.parts.messages[v]) -
            (QueueBits + 1)'(message_sent[v]);
      end

      // A reset drops all but answers.
      purge_starts_q <= reset_i;
      if (purge_starts_q) begin
        purge_q     <= 1'b1;
        purge_end_q <= in_q;
      end else if (purge_q && out_q == purge_end_q) begin
        purge_q <= 1'b0;
      end
      if (reset_counters_q) begin
        reset_place_q <= reset_place_q + 1'b1;
        if (&reset_place_q) reset_counters_q <= 1'b0;
      end
      if (reset_i) begin
        breaks_q         <= 1'b0;
        live_q           <= '0;
        message_again_q  <= '0;
        for (int unsigned v = 0; v < 2; v++) message_count_q[v] <= '0;
        start_again_q    <= 1'b0;
        if (state_q != StateHead) stale_q <= 1'b1;
        reset_counters_q <= 1'b1;
        reset_place_q    <= '0;
      end
    end
  end

  // What the sum adds is there in the cycle before it is asked for.
  always_ff @(posedge clk_i) begin
    case (state_q)
      StateHead: added_q <= answer;
      StateMessage: added_q <= 64'd1;
      StateStore: if (is_counted) added_q <= 64'(job_errors_q);
      default: if (job_done) added_q <= 64'(job_written);
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (answers_i) waiting_q[answer_tag_i[ReadWidth-1:0]] <= {answer_adds_i, answer_i};
  end

  assign settled_o = !purge_q && !purge_starts_q && !reset_counters_q && !job_busy &&
      state_q != StateFail && state_q != StateBreak;
  // An operation that waits for a tag goes on by itself.
  assign idle_o = !push && ((!has_head && state_q == StateHead) ||
                            (read_valid_o && !read_ready_i && is_last)) &&
      settled_o;

endmodule
