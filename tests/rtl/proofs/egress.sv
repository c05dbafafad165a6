// SPDX-License-Identifier: GPL-2.0-or-later
// The queue of what leaves: each read is answered once, an answer leaves after the records that
// were due before the read, an interrupt is not forgotten, and a reset waits for nothing that waits
// for its end. The record writer is any that ends a job some time after its start (see records).

module egress #(
  parameter int unsigned Ports = 2,
  parameter int unsigned Groups = 1,
  parameter int unsigned Reads = 2,
  parameter bit Room = 1'b0   // prove that the queue has room, too: else it is assumed
) (
  input logic            clk_i,
  input logic            rst_ni,
  input logic            msix_enable_i,
  input logic            event_valid_i,
  input hbs_pkg::event_t event_i,
  input logic            answers_i,
  input logic [7:0]      answer_tag_i,
  input logic [63:0]     answer_i,
  input logic [1:0]      answer_adds_i,
  input logic            reset_i,
  input logic [4:0]      records_i,
  input logic            port_record_i,
  input logic            fail_ready_i,
  input logic            read_ready_i,
  input logic            tx_ready_i,
  input logic            tx_refused_i
);

  localparam int unsigned QueueBits = $clog2(3 * Groups + 4 + Reads + 1);
  localparam int unsigned Depth = 2 ** QueueBits;
  localparam int unsigned EntryWidth = 23;

  logic tx_valid;
  logic [1:0] tx_kind;
  logic [127:0] tx_data;
  logic [$clog2(Reads)-1:0] tx_tag;

  hbs_egress #(
    .Ports  (Ports),
    .Groups (Groups),
    .Reads  (Reads)
  ) u_egress (
    .clk_i,
    .rst_ni,
    .msix_enable_i,
    .features_i          (hbs_regs_pkg::FeatureAll),
    .event_valid_i,
    .event_i,
    .answers_i,
    .answer_tag_i,
    .answer_i,
    .answer_adds_i,
    .word_i              ('0),
    .result_i            ('0),
    .records_i,
    .port_record_i,
    .reset_i,
    .write_record_addr_i ('0),
    .write_port_addr_i   ('0),
    .record_index_i      ('0),
    .port_index_i        ('0),
    .address_i           ('0),
    .write_p_i           ('0),
    .p_index_i           ('0),
    .p_i                 ('0),
    .fail_valid_o        (),
    .fail_ready_i,
    .fail_group_o        (),
    .fail_operation_o    (),
    .read_valid_o        (),
    .read_ready_i,
    .read_use_o          (),
    .read_group_o        (),
    .read_port_o         (),
    .read_addr_o         (),
    .read_fails_o        (),
    .read_expected_o     (),
    .tx_valid_o          (tx_valid),
    .tx_ready_i,
    .tx_refused_i,
    .tx_kind_o           (tx_kind),
    .tx_addr_o           (),
    .tx_data_o           (tx_data),
    .tx_tag_o            (tx_tag),
    .settled_o           (),
    .idle_o              ()
  );

  (* hierconn *) logic [3:0] \u_egress.state_q ;
  (* hierconn *) logic [QueueBits:0] \u_egress.in_q ;
  (* hierconn *) logic [QueueBits:0] \u_egress.out_q ;
  (* hierconn *) logic [QueueBits:0] \u_egress.purge_end_q ;
  (* hierconn *) logic \u_egress.purge_q ;
  (* hierconn *) logic \u_egress.purge_starts_q ;
  (* hierconn *) logic \u_egress.purges ;
  (* hierconn *) logic \u_egress.rest_valid_q ;
  (* hierconn *) logic [5:0] \u_egress.rest_q ;
  (* hierconn *) logic [5:0] \u_egress.rest ;
  (* hierconn *) logic [Depth*EntryWidth-1:0] \u_egress.u_queue.content ;
  (* hierconn *) logic [EntryWidth-1:0] \u_egress.head ;
  (* hierconn *) logic [5:0] \u_egress.u_flags.u_first_own.gen_one.content ;
  (* hierconn *) logic [5:0] \u_egress.u_flags.u_first_copy.gen_one.content ;
  (* hierconn *) logic [5:0] \u_egress.u_flags.u_second_own.gen_one.content ;
  (* hierconn *) logic [5:0] \u_egress.u_flags.u_second_copy.gen_one.content ;
  (* hierconn *) logic \u_egress.reset_counters_q ;
  (* hierconn *) logic [1:0] \u_egress.count_q ;
  (* hierconn *) logic [1:0] \u_egress.reset_place_q ;
  (* hierconn *) logic [Groups-1:0] \u_egress.live_q ;
  (* hierconn *) logic [1:0] \u_egress.message_again_q ;
  (* hierconn *) logic \u_egress.start_again_q ;
  (* hierconn *) logic \u_egress.push ;
  (* hierconn *) logic \u_egress.pop ;
  (* hierconn *) logic \u_egress.clears_show ;
  (* hierconn *) logic \u_egress.starts_show ;
  (* hierconn *) logic \u_egress.vector ;
  // of the record writer
  (* hierconn *) logic \u_egress.job_start ;
  (* hierconn *) logic \u_egress.job_busy ;
  (* hierconn *) logic \u_egress.job_done ;
  (* hierconn *) logic \u_egress.record_tx_valid ;
  (* hierconn *) logic \u_egress.job_failed ;
  (* hierconn *) logic \u_egress.job_aborted ;
  (* hierconn *) logic \u_egress.job_failed_q ;
  (* hierconn *) logic \u_egress.fail_op_q ;
  (* hierconn *) logic \u_egress.breaks_q ;
  (* hierconn *) logic \u_egress.stale_q ;
  (* hierconn *) logic \u_egress.is_gone ;
  (* hierconn *) logic \u_egress.fail_valid_o ;
  (* hierconn *) logic \u_egress.op_over_q ;
  (* hierconn *) logic [QueueBits:0] \u_egress.message_count_q[0] ;
  (* hierconn *) logic [QueueBits:0] \u_egress.message_count_q[1] ;

  localparam logic [3:0] StateHead = 4'd0, StateShow = 4'd1, StateRepeat = 4'd2, StateWrite = 4'd3,
      StateSeek = 4'd4, StateRead = 4'd5, StateFail = 4'd6, StateBreak = 4'd7, StateStore = 4'd8,
      StateMessage = 4'd9, StateAnswer = 4'd10;
  logic [3:0] state;
  assign state = \u_egress.state_q ;

  // The flags of the group; a reset clears them one group a cycle, the first in its first cycle.
  logic is_clearing, show_queued, start_queued;
  logic [5:0] flags;
  assign is_clearing = \u_egress.reset_counters_q && \u_egress.reset_place_q == '0;
  assign flags = is_clearing ? '0 : \u_egress.u_flags.u_first_own.gen_one.content ^
                                    \u_egress.u_flags.u_second_own.gen_one.content ;
  assign show_queued = flags[2];
  assign start_queued = flags[3];

  // A job of the record writer is over some time after its start.
  logic job_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) job_q <= 1'b0;
    else job_q <= (job_q && !\u_egress.job_done ) || \u_egress.job_start ;
  end

  // Whether the group of a job was disabled since its start. A job that this happens to is aborted.
  logic gone_q, is_gone;
  assign is_gone = \u_egress.is_gone ;
  always_ff @(posedge clk_i) begin
    gone_q <= rst_ni && (\u_egress.job_start ? is_gone : gone_q || is_gone);
  end
  always_comb begin
    if (job_q && \u_egress.job_done && (gone_q || is_gone)) assume (\u_egress.job_aborted );
    if (rst_ni) begin
      // A failure is told of only if the group is still the one that it is of.
      if (\u_egress.fail_valid_o ) assert (!gone_q);
      if (state == StateFail) assert (!gone_q);
      if (state == StateStore && \u_egress.count_q != 2'd2 && gone_q) begin
        assert (!\u_egress.job_failed_q );
      end
    end
  end

  // What is in the queue
  logic [QueueBits:0] size, dead;
  logic [Depth-1:0] is_in, is_live, is_head, shows, repeats, starts, says_0, says_1, replies;
  logic [Depth*7-1:0] groups;
  logic [Depth*10-1:0] ports;
  logic [Depth*QueueBits-1:0] place_of;  // from the head on
  logic [QueueBits-1:0] place;
  logic [5:0] parts;
  assign size = \u_egress.in_q - \u_egress.out_q ;
  // those from before a reset
  assign dead = \u_egress.purge_starts_q ? size :
                \u_egress.purge_q ? \u_egress.purge_end_q - \u_egress.out_q : '0;
  always_comb begin
    parts = '0;
    place = '0;
    for (int unsigned i = 0; i < Depth; i++) begin
      place = QueueBits'(i) - \u_egress.out_q [QueueBits-1:0];
      place_of[i*QueueBits+:QueueBits] = place;
      is_in[i] = {1'b0, place} < size;
      is_head[i] = QueueBits'(i) == \u_egress.out_q [QueueBits-1:0];
      is_live[i] = is_in[i] && {1'b0, place} >= dead;
      parts = is_head[i] && \u_egress.rest_valid_q ? \u_egress.rest_q :
                                                     \u_egress.u_queue.content [i*EntryWidth+17+:6];
      if (!is_in[i]) parts = '0;
      shows[i] = parts[5];
      repeats[i] = parts[4];
      starts[i] = parts[3];
      says_1[i] = parts[2];
      says_0[i] = parts[1];
      replies[i] = parts[0];
      groups[i*7+:7] = \u_egress.u_queue.content [i*EntryWidth+10+:7];
      ports[i*10+:10] = \u_egress.u_queue.content [i*EntryWidth+:10];
    end
  end

  // how many there are of each, behind the head
  logic [7:0] all_shows, all_repeats, all_starts, all_0, all_1, all_replies;
  logic [7:0] live_0, live_1;
  always_comb begin
    live_0 = '0;
    live_1 = '0;
    all_shows = '0;
    all_repeats = '0;
    all_starts = '0;
    all_0 = '0;
    all_1 = '0;
    all_replies = '0;
    for (int unsigned i = 0; i < Depth; i++) begin
      live_0 = live_0 + 8'(says_0[i]);
      live_1 = live_1 + 8'(says_1[i]);
      if (!is_head[i]) begin
        all_shows = all_shows + 8'(shows[i]);
        all_repeats = all_repeats + 8'(repeats[i]);
        all_starts = all_starts + 8'(starts[i]);
        all_0 = all_0 + 8'(says_0[i] && !replies[i]);
        all_1 = all_1 + 8'(says_1[i] && !replies[i]);
        all_replies = all_replies + 8'(replies[i]);
      end
    end
  end

  // one group and one tag, any of them
  (* anyconst *) logic [6:0] g;
  (* anyconst *) logic [$clog2(Reads)-1:0] t;
  logic waits_q;                 // the read with tag t has no answer yet
  logic is_due_q;                // the word of g has changed since a job took it
  logic owes_show_q, owes_job_q; // what the answer with tag t has to wait for
  logic happens_show;
  assign happens_show = event_valid_i && event_i.shows && event_i.group == g;

  logic [6:0] head_group;
  logic [4:0] g_shows, g_starts, g_repeats;
  logic [Depth-1:0] at_show, at_reply;
  always_comb begin
    head_group = '0;
    g_shows = '0;
    g_starts = '0;
    g_repeats = '0;
    for (int unsigned i = 0; i < Depth; i++) begin
      if (is_head[i]) head_group = groups[i*7+:7];
      at_show[i] = is_live[i] && shows[i] && groups[i*7+:7] == g;
      at_reply[i] = replies[i] && ports[i*10+:10] == 10'(t);
      g_shows = g_shows + 5'(at_show[i]);
      g_starts = g_starts + 5'(is_live[i] && starts[i] && groups[i*7+:7] == g);
      g_repeats = g_repeats + 5'(repeats[i] && groups[i*7+:7] == g);
    end
  end

  logic is_started_q = 1'b0;
  always_ff @(posedge clk_i) is_started_q <= 1'b1;
  logic [Reads-1:0] waiting_q;
  always_comb begin
    assume (is_started_q || !rst_ni);
    assume (\u_egress.job_busy == job_q);
    if (!job_q) assume (!\u_egress.job_done && !\u_egress.record_tx_valid );
    if (\u_egress.job_done ) assume (!\u_egress.record_tx_valid );
    assume (g < 7'(Groups));
    assume (event_i.group < 7'(Groups) && answer_tag_i < 8'(Reads));
    // a tag of a read is used again only after the answer
    if (answers_i) assume (!waiting_q[answer_tag_i[$clog2(Reads)-1:0]]);
    // a JOIN ends after a read that an entry of its own has sent
    if (event_valid_i && event_i.repeats && event_i.group == g) assume (g_repeats == 0);
    // While a reset goes on only reads are taken, and a step is one or the other.
    if (\u_egress.purge_q || \u_egress.purge_starts_q || \u_egress.reset_counters_q ) begin
      assume (!(event_valid_i && (event_i.shows || event_i.starts || event_i.repeats ||
                                  event_i.messages != 0)) && !reset_i);
    end
    if (answers_i && event_valid_i) begin
      assume (!event_i.shows && !event_i.starts && !event_i.repeats);
    end
  end

  logic takes_show, is_forgotten;
  assign takes_show = \u_egress.clears_show && head_group == g;
  assign is_forgotten = reset_i || (event_valid_i && event_i.forgets && event_i.group == g);

  // each interrupt of a vector is followed by a message: one that waits to be sent
  logic [1:0] raised_q, picks;
  always_comb begin
    picks = 2'b00;
    if (state == StateHead && size != 0 && !\u_egress.purges && \u_egress.rest [5:3] == 0) begin
      picks = \u_egress.rest [1] ? 2'b01 : {\u_egress.rest [2], 1'b0};
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) raised_q <= 2'b00;
    else if (reset_i) raised_q <= 2'b00;
    else raised_q <= (raised_q & ~picks) | (event_i.messages & {2{event_valid_i}});
  end

  logic sends_answer;
  assign sends_answer = tx_valid && tx_ready_i && state == StateAnswer && tx_tag == t;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waiting_q   <= '0;
      is_due_q    <= 1'b0;
      owes_show_q <= 1'b0;
      owes_job_q  <= 1'b0;
    end else begin
      if (tx_valid && tx_ready_i && state == StateAnswer) waiting_q[tx_tag] <= 1'b0;
      if (answers_i) waiting_q[answer_tag_i[$clog2(Reads)-1:0]] <= 1'b1;
      if (answers_i && answer_tag_i == 8'(t)) begin
        owes_show_q <= is_due_q && !takes_show && !is_forgotten;
        owes_job_q  <= (state == StateShow && head_group == g && !\u_egress.job_done ) ||
            (\u_egress.starts_show && head_group == g);
      end else begin
        if (takes_show || is_forgotten) owes_show_q <= 1'b0;
        if (state == StateShow && head_group == g && \u_egress.job_done ) owes_job_q <= 1'b0;
        if (takes_show && owes_show_q) owes_job_q <= \u_egress.starts_show ;
      end
      if (is_forgotten) is_due_q <= 1'b0;
      else if (happens_show) is_due_q <= 1'b1;
      else if (takes_show) is_due_q <= 1'b0;
    end
  end
  assign waits_q = waiting_q[t];

  // places in the queue, from its head on
  // the message that is being sent is of before
  logic [Depth-1:0] is_sent_0, is_sent_1;
  assign is_sent_0 = state == StateMessage && !\u_egress.vector ? is_head : '0;
  assign is_sent_1 = state == StateMessage && \u_egress.vector ? is_head : '0;

  logic head_shows;
  logic [QueueBits-1:0] show_place, reply_place;
  always_comb begin
    head_shows = 1'b0;
    show_place = '0;
    reply_place = '0;
    for (int unsigned i = 0; i < Depth; i++) begin
      if (at_show[i]) show_place = show_place | place_of[i*QueueBits+:QueueBits];
      if (at_show[i] && is_head[i]) head_shows = 1'b1;
      if (at_reply[i]) reply_place = reply_place | place_of[i*QueueBits+:QueueBits];
    end
    if (head_shows) show_place = '0;
  end

  logic [4:0] replies_of_r;
  always_comb begin
    replies_of_r = '0;
    if (rst_ni) begin
      // what is looked at is the oldest entry
      for (int unsigned i = 0; i < Depth; i++) begin
        if (size != 0 && is_head[i]) begin
          assert (\u_egress.head == \u_egress.u_queue.content [i*EntryWidth+:EntryWidth]);
        end
      end
      assert (size <= (QueueBits + 1)'(Depth) && dead <= size);
      assert (!(\u_egress.purge_q && \u_egress.purge_starts_q ));
      assert (state <= StateAnswer);
      // both copies of a side's flags are the same
      if (!is_clearing) begin
        assert (\u_egress.u_flags.u_first_own.gen_one.content ==
                \u_egress.u_flags.u_first_copy.gen_one.content );
        assert (\u_egress.u_flags.u_second_own.gen_one.content ==
                \u_egress.u_flags.u_second_copy.gen_one.content );
      end
      // A write has failed: its group's break is shown next, from the head.
      if (\u_egress.breaks_q ) begin
        assert (dead == 0 && size != 0 && \u_egress.rest_valid_q && \u_egress.rest_q [5]);
        assert (!\u_egress.reset_counters_q );
        assert (head_group < 7'(Groups) && (state == StateBreak || state == StateHead));
      end
      if (state == StateBreak) assert (\u_egress.breaks_q || dead != 0);
      if (state != StateHead && state != StateBreak && state != StateAnswer) begin
        assert (!\u_egress.rest_q [5]);
      end
      // A reset waits for nothing that waits for its end.
      if (state == StateFail) assert (dead == 0 && !\u_egress.reset_counters_q );
      // (a message that is counted is no group's)
      if (state != StateHead && state != StateMessage && state != StateAnswer &&
          !(state == StateStore && \u_egress.count_q == 2'd2)) begin
        assert (head_group < 7'(Groups));
      end
      if (\u_egress.start_again_q ) assert (size != 0 && head_group < 7'(Groups));
      assert ((state == StateShow || state == StateRepeat || state == StateWrite) == job_q);
      if (state != StateHead) assert (size != 0 && \u_egress.rest_valid_q );
      if (\u_egress.rest_valid_q ) assert (size != 0);
      // a group is in the queue once (and a break at its head), and so is its operation
      if (\u_egress.purge_q || \u_egress.purge_starts_q || \u_egress.reset_counters_q ) begin
        assert ((is_live & (shows | repeats | starts | says_0 | says_1)) == '0);
        assert (!show_queued && !start_queued);
        assert (!\u_egress.start_again_q && \u_egress.message_again_q == '0);
        assert (\u_egress.message_count_q[0] == '0 && \u_egress.message_count_q[1] == '0);
        assert (\u_egress.live_q == '0 && !is_due_q && raised_q == 2'b00);
        // nothing from before the reset leaves but answers
        if (state != StateHead && state != StateAnswer) assert (\u_egress.stale_q );
      end else begin
        assert (g_shows == 5'(show_queued) +
                5'(\u_egress.breaks_q && head_group == g));
        assert (g_starts + 5'(\u_egress.start_again_q && head_group == g) ==
                5'(start_queued));
        if (Room) begin
          assert (live_0 == 8'(\u_egress.message_count_q[0] ));
          assert (live_1 == 8'(\u_egress.message_count_q[1] ));
        end
      end
      // an interrupt is not forgotten
      if (raised_q[0]) begin
        assert (\u_egress.message_again_q [0] || (is_live & says_0 & ~is_sent_0) != '0);
      end
      if (raised_q[1]) begin
        assert (\u_egress.message_again_q [1] || (is_live & says_1 & ~is_sent_1) != '0);
      end
      // An operation that is under way is not in the queue, unless it has begun anew.
      if ((state == StateWrite || state == StateSeek || state == StateRead ||
           (state == StateStore && \u_egress.fail_op_q )) && !\u_egress.op_over_q &&
          \u_egress.live_q [head_group[0]]) begin
        assert (!start_queued);
      end
      // each read is answered once
      for (int unsigned r = 0; r < Reads; r++) begin
        replies_of_r = '0;
        for (int unsigned i = 0; i < Depth; i++) begin
          replies_of_r = replies_of_r + 5'(replies[i] && ports[i*10+:10] == 10'(r));
        end
        assert (replies_of_r == 5'(waiting_q[r]));
      end
      if (state == StateAnswer) begin
        assert (\u_egress.rest_q [0] && (dead != 0 || \u_egress.rest_q [5:1] == 0));
      end
      if (state == StateMessage) assert (\u_egress.rest_q [2:1] != 0);
      if (state == StateMessage || (state == StateStore && \u_egress.count_q == 2'd2)) begin
        assert (!\u_egress.fail_op_q );
      end
      // (9) an answer leaves after what was due before
      if (is_due_q) assert (at_show != 0);
      if (waits_q && owes_show_q) assert (is_due_q && show_place <= reply_place);
      if (waits_q && owes_job_q) assert (state == StateShow && head_group == g);
      if (sends_answer) begin
        assert (waits_q && !owes_show_q && !owes_job_q);
      end
      for (int unsigned i = 0; i < Depth; i++) begin
        if (shows[i] || repeats[i] || starts[i]) assert (groups[i*7+:7] < 7'(Groups));
        if (replies[i]) assert (ports[i*10+:10] < 10'(Reads));
      end
      // There is room for what is due: an entry behind the head has a part, and of each part there
      // is one at most, but of messages that leave together with an answer.
      if (Room) begin
        assert ((is_in & ~is_head & ~(shows | repeats | starts | says_0 | says_1 | replies)) == '0);
        assert (8'(size) <= 8'd1 + all_shows + all_repeats + all_starts + all_0 + all_1 +
                all_replies);
        assert (all_shows <= 8'(Groups) && all_starts <= 8'(Groups) && all_repeats <= 8'(Groups));
        assert (all_0 <= 8'd1 && all_1 <= 8'd1 && all_replies <= 8'(Reads));
        if (\u_egress.push ) assert (size < (QueueBits + 1)'(Depth));
      end else begin
        if (\u_egress.push ) assume (size < (QueueBits + 1)'(Depth));
      end
    end
  end

  // What can happen
  (* keep *) logic sees_answer, sees_wait, sees_message, sees_reset;
  assign sees_answer = rst_ni && sends_answer && size > 2;
  assign sees_wait = rst_ni && waits_q && owes_show_q && owes_job_q;
  assign sees_message = rst_ni && state == StateMessage;
  assign sees_reset = rst_ni && reset_i && at_show != 0 && waits_q;

endmodule
