// SPDX-License-Identifier: GPL-2.0-or-later
// Rounds of polling: none begins before its time, or before the answers of the one before are
// there; a round visits each group that has a line to read, and each word of its mask; and of the
// lines that the pipeline names it reads each once, but for those of members that leave.

module poll #(
  parameter int unsigned Ports = 3,
  parameter int unsigned Groups = 2
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        running_i,
  input logic [31:0] poll_i,
  input logic [55:0] now_i,
  input logic        event_valid_i,
  input logic [6:0]  event_group_i,
  input logic [9:0]  event_port_i,
  input logic        drops_i,
  input logic        drops_groups_i,
  input logic        drops_ports_i,
  input logic        wants_i,
  input logic        has_wants_i,
  input logic        scans_i,
  input logic        reset_i,
  input logic        scan_ready_i,
  input logic [63:0] scan_i,
  input logic        read_ready_i,
  input logic        round_i
);

  localparam int unsigned MaskWords = (Ports + 63) / 64;
  localparam int unsigned MaskWidth = Ports < 64 ? Ports : 64;

  hbs_pkg::event_t happens;
  always_comb begin
    happens              = '0;
    happens.group        = event_group_i;
    happens.port         = event_port_i;
    happens.drops        = drops_i;
    happens.drops_groups = drops_groups_i;
    happens.drops_ports  = drops_ports_i;
    happens.wants        = wants_i;
    happens.has_wants    = has_wants_i;
    happens.scans        = scans_i;
  end

  logic scan_valid, read_valid;
  logic [6:0] scan_group, read_group;
  logic [3:0] scan_index;
  logic [9:0] read_port;

  hbs_poll #(
    .Ports  (Ports),
    .Groups (Groups)
  ) u_poll (
    .clk_i,
    .rst_ni,
    .running_i,
    .poll_i,
    .now_i,
    .event_valid_i,
    .event_i      (happens),
    .reset_i,
    .scan_valid_o (scan_valid),
    .scan_ready_i,
    .scan_group_o (scan_group),
    .scan_index_o (scan_index),
    .scan_i,
    .read_valid_o (read_valid),
    .read_ready_i,
    .read_group_o (read_group),
    .read_port_o  (read_port),
    .round_i,
    .idle_o       ()
  );

  (* hierconn *) logic [2:0] \u_poll.state_q ;
  (* hierconn *) logic [Groups-1:0] \u_poll.wants_q ;
  (* hierconn *) logic \u_poll.was_time_q ;
  (* hierconn *) logic \u_poll.is_time ;
  (* hierconn *) logic \u_poll.lines_done ;
  (* hierconn *) logic [32:0] \u_poll.next_q ;
  (* hierconn *) logic [6:0] \u_poll.group_q ;
  (* hierconn *) logic [3:0] \u_poll.index_q ;
  (* hierconn *) logic [MaskWidth-1:0] \u_poll.mask_q ;
  (* hierconn *) logic [6:0] \u_poll.u_lines.place_q ;

  localparam logic [2:0] StateOff = 3'd0, StateWait = 3'd1, StateGroup = 3'd2, StateAsk = 3'd3,
      StateAnswer = 3'd4, StateRead = 3'd5;
  logic [2:0] state, state_before_q;
  assign state = \u_poll.state_q ;

  logic wants_group, in_round;
  always_comb begin
    wants_group = 1'b0;
    for (int unsigned i = 0; i < Groups; i++) begin
      if (\u_poll.group_q == 7'(i)) wants_group = \u_poll.wants_q [i];
    end
  end
  assign in_round = state != StateOff && state != StateWait;

  // When the round before began, or when the first line was to be read, and what CTL_POLL was then
  logic [55:0] start_q;
  logic [31:0] period_q;

  // What the pipeline and the decoder keep to
  logic is_started_q = 1'b0;
  logic asked_q, asked_before_q, running_q;
  logic [55:0] now_q;
  always_ff @(posedge clk_i) begin
    is_started_q   <= 1'b1;
    now_q          <= now_i;
    running_q      <= running_i && rst_ni;
    asked_q        <= rst_ni && scan_valid && scan_ready_i;
    asked_before_q <= rst_ni && asked_q;
  end
  always_comb begin
    assume (is_started_q || !rst_ni);
    assume (event_group_i < 7'(Groups) && event_port_i < 10'(Ports));
    assume (poll_i >= 32'd1000 && poll_i <= 32'h40000000);
    // an answer to each question, two cycles after it, and nothing else with it
    assume ((event_valid_i && scans_i) == asked_before_q);
    if (scans_i) assume (!drops_i);
    // which names no port that there is not
    for (int unsigned i = 0; i < MaskWidth; i++) begin
      if (32'(scan_index) * 64 + i >= Ports) assume (!scan_i[i]);
    end
    // time goes on; what of it passes from one round to the next is below 2^55 ns
    if (is_started_q) assume (now_i - now_q < 56'h40000000);
    assume (now_i - start_q < 56'h80000000000000);
    // with the card disabled, or a reset, all reads are dropped
    if (!running_i && running_q) begin
      assume (event_valid_i && drops_i && drops_groups_i && drops_ports_i);
    end
  end

  logic begins, is_time_q;
  assign begins = state == StateGroup && state_before_q == StateWait;
  always_ff @(posedge clk_i) begin
    state_before_q <= rst_ni ? state : StateOff;
    is_time_q      <= rst_ni && \u_poll.is_time ;
    if (state == StateOff || (state == StateWait && \u_poll.is_time )) begin
      start_q  <= now_i;
      period_q <= poll_i;
    end
  end
  always_comb begin
    if (rst_ni) begin
      assert (state <= StateRead);
      if (state != StateOff) begin
        assert (\u_poll.next_q == start_q[32:0] + {1'b0, period_q});
        assert (period_q <= 32'h40000000);
      end
      if (state != StateOff && \u_poll.was_time_q ) assert (now_i - start_q >= 56'(period_q));
      // CTL_POLL has passed, and all answers are there.
      if (state == StateWait && \u_poll.is_time ) begin
        assert (now_i - start_q >= 56'(period_q) && !round_i);
      end
      // A round begins in no other way.
      if (in_round) begin
        assert (state_before_q != StateOff);
        if (state_before_q == StateWait) assert (state == StateGroup && is_time_q);
      end
    end
  end

  // Which groups the round has visited, and which words of the present one's mask were asked for
  logic [Groups-1:0] visited_q, before_group;
  logic [MaskWords-1:0] words_q, before_word, this_word;
  logic leaves_group;
  always_comb begin
    for (int unsigned i = 0; i < Groups; i++) before_group[i] = 7'(i) < \u_poll.group_q ;
    for (int unsigned i = 0; i < MaskWords; i++) begin
      before_word[i] = 4'(i) < \u_poll.index_q ;
      this_word[i] = 4'(i) == \u_poll.index_q ;
    end
    // a group that has no line to read any more is left as it is
    leaves_group = (state == StateGroup && !wants_group) ||
        (state == StateRead && (!wants_group || (\u_poll.lines_done && words_q == '1)));
  end
  always_ff @(posedge clk_i) begin
    if (state == StateOff || state == StateWait) visited_q <= '0;
    else if (leaves_group) begin
      for (int unsigned i = 0; i < Groups; i++) begin
        if (7'(i) == \u_poll.group_q ) visited_q[i] <= 1'b1;
      end
    end
    if (state == StateGroup) words_q <= '0;
    else if (state == StateAnswer && event_valid_i && scans_i) words_q <= words_q | this_word;
  end
  always_comb begin
    if (rst_ni) begin
      if (in_round) begin
        assert (\u_poll.group_q < 7'(Groups));
        if (state != StateGroup) assert (\u_poll.index_q < 4'(MaskWords));
        assert (visited_q == before_group);
      end
      for (int unsigned i = 0; i < MaskWidth; i++) begin
        if (state == StateRead && 32'(scan_index) * 64 + i >= Ports) assert (!\u_poll.mask_q [i]);
      end
      if (state == StateAsk || state == StateAnswer) assert (words_q == before_word);
      if (state == StateRead) assert (words_q == (before_word | this_word));
      // The round ends when all were visited.
      if (state == StateWait && state_before_q != StateWait && state_before_q != StateOff) begin
        assert (visited_q == '1);
      end
      if (state == StateAnswer) assert (asked_q || asked_before_q);
      // no answer to a question from before all reads were dropped
      if (asked_q) assert (!asked_before_q && (state == StateAnswer || state == StateOff));
      if (asked_before_q) assert (state <= StateWait || state == StateAnswer);
      if (scan_valid) assert (scan_group == \u_poll.group_q && scan_index == \u_poll.index_q );
    end
  end

  // A line: whether it is to be read still
  (* anyconst *) logic [6:0] g;
  (* anyconst *) logic [9:0] p;
  always_comb assume (g < 7'(Groups) && p < 10'(Ports));
  logic due_q, leaves, is_word, reads;
  assign is_word = \u_poll.group_q == g && \u_poll.index_q == p[9:6];
  assign leaves = event_valid_i && drops_i && (drops_groups_i ? drops_ports_i :
      event_group_i == g && (drops_ports_i || event_port_i == p));
  assign reads = read_valid && read_ready_i && read_group == g && read_port == p;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || reset_i || !running_i || \u_poll.wants_q == '0) due_q <= 1'b0;
    else if (state == StateAnswer && event_valid_i && scans_i) begin
      due_q <= is_word && scan_i[p[5:0]];
    end else if (reads || leaves || (state == StateRead && !wants_group)) due_q <= 1'b0;
  end
  always_comb begin
    if (rst_ni) begin
      if (state == StateRead && is_word) begin
        assert (due_q == (\u_poll.mask_q [p[5:0]] && \u_poll.u_lines.place_q <= {1'b0, p[5:0]}));
      end else assert (!due_q);
      // once, and not if its member leaves
      if (reads) assert (due_q && !leaves);
      if (read_valid) assert (running_i && read_group < 7'(Groups) && read_port < 10'(Ports));
    end
  end

  // What can happen
  (* keep *) logic sees_round, sees_last, sees_leaver;
  assign sees_round = rst_ni && begins && \u_poll.wants_q != '0;
  assign sees_last = rst_ni && reads && g == 7'(Groups - 1) && p == 10'(Ports - 1);
  assign sees_leaver = rst_ni && due_q && leaves && running_i;

endmodule
