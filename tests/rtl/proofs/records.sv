// SPDX-License-Identifier: GPL-2.0-or-later
// The record writer: a job writes the word of its group into the records of the members, in the
// order of the ports, and then into those of the group, that with index 0 last; a result leaves
// before its word, words of a group ascend, and no record is forgotten.

module records #(
  parameter int unsigned Ports = 3,
  parameter int unsigned Groups = 2,
  parameter bit Wide = 1'b0
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        event_valid_i,
  input logic [6:0]  event_group_i,
  input logic [9:0]  event_port_i,
  input logic        shows_i,
  input logic        forgets_i,
  input logic        leaves_i,
  input logic [63:0] word_i,
  input logic [63:0] result_i,
  input logic        reset_i,
  input logic [1:0]  write_record_addr_i,
  input logic [1:0]  write_port_addr_i,
  input logic [10:0] record_index_i,
  input logic [9:0]  port_index_i,
  input logic [63:0] address_i,
  input logic        write_p_i,
  input logic [10:0] p_index_i,
  input logic [63:0] p_i,
  input logic        look_i,
  input logic        start_i,
  input logic        one_i,
  input logic        member_i,
  input logic [6:0]  group_i,
  input logic [9:0]  port_i,
  input logic [4:0]  records_i,
  input logic        port_record_i,
  input logic        has_result_i,
  input logic        seek_record_i,
  input logic        seek_port_i,
  input logic [3:0]  seek_index_i,
  input logic        tx_ready_i,
  input logic        tx_refused_i
);

  hbs_pkg::event_t happens;
  always_comb begin
    happens         = '0;
    happens.group   = event_group_i;
    happens.port    = event_port_i;
    happens.shows   = shows_i;
    happens.forgets = forgets_i;
    happens.leaves  = leaves_i;
  end

  logic busy, done, failed, aborted, tx_valid, tx_wide;
  logic [15:0] written, errors;
  logic [63:0] tx_addr;
  logic [127:0] tx_data;

  hbs_records #(
    .Ports  (Ports),
    .Groups (Groups),
    .Wide   (Wide)
  ) u_records (
    .clk_i,
    .rst_ni,
    .event_valid_i,
    .event_i       (happens),
    .word_i,
    .result_i,
    .reset_i,
    .has_members_i       (1'b1),
    .write_record_addr_i,
    .write_port_addr_i,
    .record_index_i,
    .port_index_i,
    .address_i,
    .write_p_i,
    .p_index_i,
    .p_i,
    .look_i,
    .start_i,
    .one_i,
    .member_i,
    .group_i,
    .port_i,
    .records_i,
    .port_record_i,
    .has_result_i,
    .busy_o        (busy),
    .done_o        (done),
    .failed_o      (failed),
    .aborted_o     (aborted),
    .result_o      (),
    .written_o     (written),
    .errors_o      (errors),
    .word_o        (),
    .seek_record_i,
    .seek_port_i,
    .seek_index_i,
    .record_addr_o (),
    .has_port_addr_o (),
    .line_addr_o   (),
    .tx_valid_o    (tx_valid),
    .tx_ready_i,
    .tx_refused_i,
    .tx_wide_o     (tx_wide),
    .tx_addr_o     (tx_addr),
    .tx_data_o     (tx_data)
  );

  (* hierconn *) logic [1:0] \u_records.state_q ;
  (* hierconn *) logic [6:0] \u_records.group_q ;
  (* hierconn *) logic \u_records.one_q ;
  (* hierconn *) logic \u_records.has_result_q ;
  (* hierconn *) logic \u_records.member_q ;
  (* hierconn *) logic [5:0] \u_records.only_q ;
  (* hierconn *) logic [3:0] \u_records.index_q ;
  (* hierconn *) logic [4:0] \u_records.left_q ;
  (* hierconn *) logic \u_records.item_valid_q ;
  (* hierconn *) logic \u_records.item_member_q ;
  (* hierconn *) logic \u_records.item_word_q ;
  (* hierconn *) logic \u_records.takes_member ;
  (* hierconn *) logic \u_records.takes_record ;
  (* hierconn *) logic [9:0] \u_records.next_port ;
  (* hierconn *) logic [3:0] \u_records.next_record ;
  (* hierconn *) logic \u_records.writes ;
  (* hierconn *) logic \u_records.refused ;
  (* hierconn *) logic \u_records.aborts ;
  (* hierconn *) logic \u_records.aborted_q ;
  (* hierconn *) logic [6:0] \u_records.u_members.place_q ;
  (* hierconn *) logic [Ports-1:0] \u_records.p_stored ;
  (* hierconn *) logic [Groups*Ports-1:0] \u_records.u_p.content ;
  (* hierconn *) logic [Groups*64-1:0] \u_records.u_words.content ;
  (* hierconn *) logic [63:0] \u_records.word ;
  (* hierconn *) logic [63:0] \u_records.result ;
  (* hierconn *) logic [Groups*16*32-1:0] \u_records.u_record_addr.u_low.content ;
  (* hierconn *) logic [Ports*32-1:0] \u_records.u_port_addr.u_low.content ;

  localparam logic [1:0] StateIdle = 2'd0, StateMask = 2'd1, StateMembers = 2'd2,
      StateRecords = 2'd3;
  logic [1:0] state;
  assign state = \u_records.state_q ;

  // What the egress and the pipeline keep to
  logic is_started_q = 1'b0;
  always_ff @(posedge clk_i) is_started_q <= 1'b1;
  always_comb begin
    assume (is_started_q || !rst_ni);
    assume (group_i < 7'(Groups) && port_i < 10'(Ports) && records_i <= 5'd16);
    assume (event_group_i < 7'(Groups) && event_port_i < 10'(Ports));
    assume (p_index_i[10:4] < 7'(Groups) && p_index_i[3:0] == 0 && (p_i >> Ports) == 0);
    if (busy) assume (!start_i);
    if (start_i) assume (!seek_record_i && !seek_port_i && !reset_i);
    if (busy) assume (!seek_record_i && !seek_port_i);
  end

  // (8) words of a group ascend: "word" is the latest word of a group that any step has made
  (* anyconst *) logic [6:0] g;
  logic [63:0] latest_q, sent_q;
  logic has_sent_q;
  always_comb assume (g < 7'(Groups));
  logic shows;
  assign shows = event_valid_i && shows_i && event_group_i == g;
  logic [63:0] kept_word;
  always_comb begin
    kept_word = '0;
    for (int unsigned i = 0; i < Groups; i++) begin
      if (g == 7'(i)) kept_word = \u_records.u_words.content [i*64+:64];
    end
  end
  // the pipeline's words ascend (proved in core)
  always_comb if (shows) assume (word_i > kept_word);

  logic sends_word, of_group;
  logic [63:0] sent;
  assign of_group = \u_records.group_q == g;
  assign sends_word = tx_valid && tx_ready_i && !tx_refused_i && of_group &&
      \u_records.item_word_q ;
  assign sent = tx_data[63:0];
  always_ff @(posedge clk_i) begin
    if (!rst_ni) has_sent_q <= 1'b0;
    else if (sends_word) begin
      has_sent_q <= 1'b1;
      sent_q     <= sent;
    end
  end
  always_comb begin
    if (rst_ni && has_sent_q) assert (sent_q <= kept_word);
    if (rst_ni && has_sent_q && busy && of_group) assert (sent_q <= \u_records.word );
    if (rst_ni && busy && of_group) assert (\u_records.word <= kept_word);
    if (rst_ni && sends_word && has_sent_q) assert (sent >= sent_q);
    if (rst_ni && sends_word) assert (sent == \u_records.word );
  end

  // (8) the order of a job's records, and that each has its turn: member m, record r
  (* anyconst *) logic [9:0] m;
  (* anyconst *) logic [3:0] r;
  always_comb assume (m < 10'(Ports));
  logic [4:0] place, place_q;      // of the record that is taken: members, then the group's
  logic takes, had_m_q, had_r_q, has_m_q;
  logic [4:0] records_q;
  logic [9:0] only_q;
  logic full_q, ports_q, has_started_q;
  assign takes = \u_records.takes_member || \u_records.takes_record ;
  assign place = \u_records.takes_member ? {1'b0, \u_records.next_port [3:0]} :
                                           5'd31 - {1'b0, \u_records.next_record };

  // Whether m is a member of g, now and a cycle before; whether it has left and not joined again
  logic is_member, was_member_q, stored_m, writes_m, joins_m, leaves_m, zero_q, cleared_q, left_q;
  always_comb begin
    is_member = 1'b0;
    stored_m = 1'b0;
    for (int unsigned i = 0; i < Ports; i++) begin
      if (m == 10'(i)) stored_m = \u_records.p_stored [i];
      for (int unsigned j = 0; j < Groups; j++) begin
        if (m == 10'(i) && g == 7'(j)) is_member = \u_records.u_p.content [j*Ports+i];
      end
    end
  end
  assign writes_m = write_p_i && p_index_i[10:4] == g;
  assign joins_m = writes_m && p_i[m[5:0]];
  assign leaves_m = event_valid_i && leaves_i && event_group_i == g && event_port_i == m;
  always_ff @(posedge clk_i) begin
    was_member_q <= is_member;
    zero_q       <= rst_ni && writes_m && !joins_m;
    cleared_q    <= rst_ni && writes_m && !joins_m && is_member;
    left_q       <= rst_ni && !joins_m && (left_q || leaves_m);
  end
  always_comb begin
    // The pipeline tells of one that leaves in the cycle after it has changed P; an enabling, which
    // clears P, comes after the end of the group's jobs.
    if (leaves_m) assume (zero_q);
    if (cleared_q) assume (leaves_m || !busy || !of_group || aborted);
    if (rst_ni && zero_q) assert (!is_member);
    if (rst_ni && cleared_q) assert (zero_q && was_member_q);
    if (rst_ni && left_q) assert (!is_member && !was_member_q);
  end
  always_ff @(posedge clk_i) begin
    if (start_i) begin
      has_started_q <= takes;
      place_q       <= place;
      had_m_q       <= 1'b0;
      has_m_q       <= 1'b0;
      had_r_q       <= takes && \u_records.next_record == r;
      records_q     <= records_i;
      full_q        <= !one_i;
      only_q        <= port_i;
      ports_q       <= port_record_i;
    end else begin
      if (takes) begin
        has_started_q <= 1'b1;
        place_q       <= place;
      end
      if (\u_records.takes_member && \u_records.next_port == m) had_m_q <= 1'b1;
      if (\u_records.takes_record && \u_records.next_record == r) had_r_q <= 1'b1;
      if (state == StateMask) has_m_q <= of_group && is_member;
      // it leaves before its turn
      if (leaves_m) has_m_q <= 1'b0;
    end
  end
  logic m_left;   // m is still to come
  assign m_left = stored_m && \u_records.u_members.place_q <= m[6:0];
  always_comb begin
    if (rst_ni && busy) begin
      assert (state <= StateRecords && \u_records.group_q < 7'(Groups));
      assert (\u_records.index_q == 0 || (state == StateRecords && \u_records.index_q == 1));
      if (\u_records.aborted_q ) assert (state == StateRecords && \u_records.left_q == 0);
      if (!full_q) begin
        assert (\u_records.one_q && \u_records.left_q == 0);
        assert ({4'd0, \u_records.only_q } == only_q);
        // the record of the port that it is for
        if (state == StateMembers) begin
          assert (\u_records.u_members.place_q == {1'b0, \u_records.only_q } ||
                  \u_records.u_members.place_q == 7'd64);
          if (of_group && \u_records.member_q && m[5:0] == \u_records.only_q ) begin
            assert (stored_m == was_member_q);
          end
        end
        if (\u_records.takes_member ) assert (\u_records.next_port == only_q);
      end else begin
        assert (!\u_records.one_q && records_q <= 5'd16);
        if (!ports_q) assert (state == StateRecords);
        assert (\u_records.left_q <= records_q);
        if (state != StateRecords && !\u_records.aborts ) begin
          assert (\u_records.left_q == records_q && !had_r_q);
        end
        if (state == StateRecords && !aborted && \u_records.left_q != records_q) begin
          assert (has_started_q && place_q == 5'd31 - \u_records.left_q );
        end
        if (state == StateRecords && !aborted) begin
          assert (had_r_q == ({1'b0, r} >= \u_records.left_q && {1'b0, r} < records_q));
        end
        if (has_started_q && !aborted && \u_records.left_q == records_q) begin
          assert (place_q < 5'(Ports) && {2'd0, place_q} < \u_records.u_members.place_q );
        end
        if (state == StateMask) begin
          assert (!has_started_q && !has_m_q && !had_m_q);
        end
        if (state == StateMembers && !aborted) begin
          if (of_group) assert (stored_m == was_member_q);
          if (has_m_q) assert (of_group && was_member_q && (is_member || leaves_m));
          if (has_m_q && !had_m_q) assert (m_left);
          if (had_m_q) assert (has_started_q && \u_records.u_members.place_q > m[6:0]);
          assert (place_q < 5'(Ports) || !has_started_q);
        end
        if (state == StateRecords && !aborted && has_m_q) assert (had_m_q);
      end
      // in this order
      if (takes && has_started_q && full_q) assert (place > place_q);
      if (\u_records.takes_record ) assert (full_q);
      // and to the end
      if (done && full_q && !aborted) begin
        assert (had_r_q == ({1'b0, r} < records_q));
        if (has_m_q) assert (had_m_q);
      end
    end
    // A record of a member that has left is not begun, and none twice.
    if (rst_ni && busy && \u_records.takes_member && \u_records.next_port == m) begin
      if (of_group && (full_q || \u_records.member_q )) assert (!left_q && !leaves_m);
      if (full_q) assert (!had_m_q);
    end
  end

  // (8) a result leaves before the word of its record, to its own place; the word of a record
  // whose result could not be written stays at home
  logic tx, result_before_q;
  logic [63:0] base_q;
  assign tx = tx_valid && tx_ready_i;
  always_ff @(posedge clk_i) begin
    if (start_i) result_before_q <= 1'b0;
    else if (\u_records.writes ) begin
      result_before_q <= !\u_records.item_word_q && !\u_records.refused ;
      base_q          <= tx_addr - 64'(hbs_regs_pkg::RecordResultOffset);
    end
  end
  always_comb begin
    if (rst_ni) begin
      if (!busy) assert (!\u_records.item_valid_q );
      if (busy && \u_records.item_valid_q ) begin
        assert (\u_records.item_word_q == (Wide || !\u_records.has_result_q || result_before_q));
      end
      if (busy && result_before_q) begin
        assert (\u_records.item_valid_q && \u_records.item_word_q && tx_addr == base_q);
      end
      if (busy && !\u_records.has_result_q ) assert (!result_before_q);
      if (Wide) assert (!busy || !result_before_q);
      if (tx && \u_records.has_result_q && \u_records.item_word_q && !Wide) begin
        assert (result_before_q && tx_addr == base_q);
      end
      if (tx && !\u_records.item_word_q ) begin
        assert (\u_records.has_result_q && tx_data[63:0] == \u_records.result );
      end
      if (tx && Wide && \u_records.has_result_q ) begin
        assert (tx_wide && tx_data == {\u_records.result , \u_records.word });
      end
    end
  end

  // the address is that of the record; its lowest bits are 0
  logic [31:0] address_q;
  logic [31:0] base;
  always_comb begin
    base = '0;
    for (int unsigned i = 0; i < Ports; i++) begin
      if (\u_records.takes_member && \u_records.next_port == 10'(i)) begin
        base = {\u_records.u_port_addr.u_low.content [i*32+7+:25], 7'd0} +
            32'((busy ? \u_records.group_q : group_i) * 128) + 32'h40;
      end
    end
    for (int unsigned i = 0; i < Groups * 16; i++) begin
      if (\u_records.takes_record &&
          {busy ? \u_records.group_q : group_i, \u_records.next_record } == 11'(i)) begin
        base = {\u_records.u_record_addr.u_low.content [i*32+6+:26], 6'd0};
      end
    end
  end
  always_ff @(posedge clk_i) if (takes) address_q <= base;
  always_comb begin
    if (rst_ni && busy && \u_records.item_valid_q ) begin
      assert (tx_addr[31:0] == address_q +
              (\u_records.item_word_q ? 32'd0 : 32'(hbs_regs_pkg::RecordResultOffset)));
    end
  end

  // What can happen
  (* keep *) logic sees_both, sees_all, sees_leaver, sees_refusal;
  assign sees_both = rst_ni && tx && \u_records.item_word_q && \u_records.has_result_q ;
  assign sees_all = rst_ni && busy && done && full_q && !aborted && had_m_q && had_r_q && r != 0;
  assign sees_leaver = rst_ni && busy && event_valid_i && leaves_i && m_left && full_q &&
      event_group_i == \u_records.group_q && event_port_i == m && state == StateMembers;
  assign sees_refusal = rst_ni && tx && tx_refused_i && !\u_records.item_word_q ;

endmodule
