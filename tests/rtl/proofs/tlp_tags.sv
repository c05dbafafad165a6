// SPDX-License-Identifier: GPL-2.0-or-later
// Tags on the link: none has two reads, each read of the card is answered once, and by no
// completion but its own. No read fails, and no tag is used anew, before its time is over.

module tlp_tags #(
  parameter int unsigned Tags = 2,
  parameter int unsigned LinkTags = 4,
  parameter longint unsigned TimeoutNs = 50_000,
  localparam int unsigned TagWidth = $clog2(Tags),
  localparam int unsigned LinkWidth = $clog2(LinkTags)
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic [55:0]         now_i,
  input logic                bus_master_i,
  input logic                wide_tags_i,
  input logic                never_late_i,
  input logic                rd_valid_i,
  input logic [63:2]         rd_addr_i,
  input logic [TagWidth-1:0] rd_tag_i,
  input logic                link_ready_i,
  input logic                back_valid_i,
  input logic                back_error_i,
  input logic [7:0]          back_tag_i,
  input logic [63:0]         back_data_i
);

  localparam int unsigned StateWidth = 6 + TagWidth;

  logic rd_ready, link_valid, back_ready, ans_valid, ans_error, late, unexpected;
  logic [63:2] link_addr;
  logic [7:0] link_tag;
  logic [TagWidth-1:0] ans_tag;
  logic [63:0] ans_data;

  hbs_tlp_tags #(
    .Tags      (Tags),
    .LinkTags  (LinkTags),
    .TimeoutNs (TimeoutNs)
  ) u_tags (
    .clk_i,
    .rst_ni,
    .now_i,
    .bus_master_i,
    .wide_tags_i,
    .never_late_i,
    .rd_valid_i,
    .rd_ready_o   (rd_ready),
    .rd_addr_i,
    .rd_tag_i,
    .link_valid_o (link_valid),
    .link_ready_i,
    .link_addr_o  (link_addr),
    .link_tag_o   (link_tag),
    .back_valid_i,
    .back_ready_o (back_ready),
    .back_error_i,
    .back_tag_i,
    .back_data_i,
    .ans_valid_o  (ans_valid),
    .ans_error_o  (ans_error),
    .ans_tag_o    (ans_tag),
    .ans_data_o   (ans_data),
    .late_o       (late),
    .unexpected_o (unexpected)
  );

  (* hierconn *) logic [2:0] \u_tags.state_q ;
  (* hierconn *) logic [LinkWidth-1:0] \u_tags.next_q ;
  (* hierconn *) logic \u_tags.found_q ;
  (* hierconn *) logic [LinkWidth-1:0] \u_tags.sweep_q ;
  (* hierconn *) logic \u_tags.sweeping_q ;
  (* hierconn *) logic [55:0] \u_tags.tick_q ;
  (* hierconn *) logic [StateWidth-1:0] \u_tags.tag ;
  (* hierconn *) logic \u_tags.write ;
  (* hierconn *) logic [StateWidth-1:0] \u_tags.wdata ;
  (* hierconn *) logic [LinkTags*StateWidth-1:0] \u_tags.u_tags.content ;

  localparam logic [2:0] StateClear = 3'd0, StateBack = 3'd2, StateSearch = 3'd3,
      StateSweep = 3'd4;
  localparam logic [1:0] TagFree = 2'd0, TagBusy = 2'd1, TagLate = 2'd2;
  logic [2:0] state;
  assign state = \u_tags.state_q ;

  // a tag of the card, and one of the link
  (* anyconst *) logic [TagWidth-1:0] c;
  (* anyconst *) logic [LinkWidth-1:0] l;

  logic [1:0] use_of_l, use_of_next;
  logic [TagWidth-1:0] card_of_l;
  logic [3:0] age_of_l;
  logic [StateWidth-1:0] of_back, of_next, of_sweep, of_tag;
  logic [7:0] busy_with_c;
  always_comb begin
    of_back = '0;
    of_next = '0;
    of_sweep = '0;
    of_tag = '0;
    use_of_l = TagFree;
    card_of_l = '0;
    age_of_l = '0;
    busy_with_c = '0;
    for (int unsigned i = 0; i < LinkTags; i++) begin
      of_tag = \u_tags.u_tags.content [i*StateWidth+:StateWidth];
      if (back_tag_i[LinkWidth-1:0] == LinkWidth'(i)) of_back = of_tag;
      if (\u_tags.next_q == LinkWidth'(i)) of_next = of_tag;
      if (\u_tags.sweep_q == LinkWidth'(i)) of_sweep = of_tag;
      if (l == LinkWidth'(i)) begin
        use_of_l = of_tag[StateWidth-1-:2];
        card_of_l = of_tag[TagWidth-1:0];
        age_of_l = of_tag[TagWidth+:4];
      end
      if (of_tag[StateWidth-1-:2] == TagBusy && of_tag[TagWidth-1:0] == c) begin
        busy_with_c = busy_with_c + 1'b1;
      end
      if (rst_ni && state != StateClear) assert (of_tag[StateWidth-1-:2] <= TagLate);
      if (rst_ni && state == StateClear && LinkWidth'(i) < \u_tags.sweep_q ) assert (of_tag == 0);
    end
    use_of_next = of_next[StateWidth-1-:2];
  end

  // What the card and the link keep to: the card has one read of a tag at a time (proved in reads);
  // a read on the link is completed once at most, and not after its tag has rested.
  logic is_started_q = 1'b0;
  logic waits_q, flies_q, takes, sends, comes, rested;
  logic [1:0] next_use;
  logic held_q, held_error_q;
  logic [7:0] held_tag_q;
  logic [63:0] held_data_q;
  assign takes  = rd_valid_i && rd_ready;
  assign sends  = link_valid && link_ready_i && link_tag == 8'(l);
  assign comes  = back_valid_i && back_tag_i == 8'(l);
  assign rested = state == StateSweep && \u_tags.sweep_q == l && use_of_l == TagLate &&
      \u_tags.write && next_use == TagFree;
  assign next_use = \u_tags.wdata [StateWidth-1-:2];
  always_ff @(posedge clk_i) begin
    is_started_q <= 1'b1;
    held_q       <= rst_ni && back_valid_i && !back_ready;
    held_error_q <= back_error_i;
    held_tag_q   <= back_tag_i;
    held_data_q  <= back_data_i;
  end
  always_comb begin
    assume (is_started_q || !rst_ni);
    if (rd_valid_i && rd_tag_i == c) assume (!waits_q);
    if (comes) assume (flies_q);
    if (held_q) begin
      assume (back_valid_i && back_tag_i == held_tag_q && back_error_i == held_error_q &&
              back_data_i == held_data_q);
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waits_q <= 1'b0;
      flies_q <= 1'b0;
    end else begin
      if (takes && rd_tag_i == c) waits_q <= 1'b1;
      else if (ans_valid && ans_tag == c) waits_q <= 1'b0;
      if (sends) flies_q <= 1'b1;
      else if ((comes && back_ready) || rested) flies_q <= 1'b0;
    end
  end

  // for which of the card's reads the tag is used, and what has come for it
  logic [TagWidth-1:0] card_q;
  logic came_q, error_q;
  logic [63:0] data_q;
  always_ff @(posedge clk_i) begin
    if (takes && bus_master_i && \u_tags.next_q == l) card_q <= rd_tag_i;
    came_q  <= rst_ni && comes && back_ready && use_of_l == TagBusy;
    error_q <= back_error_i;
    data_q  <= back_data_i;
  end

  always_comb begin
    if (rst_ni) begin
      assert (state <= StateSweep);
      if (state == StateClear) begin
        assert (!waits_q && !flies_q && !link_valid && !ans_valid && !\u_tags.found_q );
      end else begin
        // Each read waits in one place, or is answered now.
        assert (8'(waits_q) == busy_with_c + 8'(ans_valid && ans_tag == c));
        // No tag on the link is used while a read with it can be answered still.
        if (flies_q) assert (use_of_l != TagFree);
        if (link_valid && link_tag == 8'(l)) assert (!flies_q && use_of_l == TagBusy);
        if (\u_tags.found_q ) assert (use_of_next == TagFree);
        if (use_of_l == TagBusy) assert (card_of_l == card_q);
        if (use_of_l == TagBusy) assert (flies_q || (link_valid && link_tag == 8'(l)));
      end
      if (state == StateBack) begin
        assert (back_valid_i && back_tag_i < 8'(LinkTags) && \u_tags.tag == of_back);
        assert (held_q);
      end
      if (state == StateSearch) assert (\u_tags.tag == of_next);
      if (state == StateSweep) assert (\u_tags.tag == of_sweep);
      if (link_valid) assert (link_tag < 8'(LinkTags));
      // An answer has the data of the completion of its own read.
      if (came_q) assert (ans_valid && ans_tag == card_q && ans_error == error_q &&
                          ans_data == data_q);
    end
  end
  // and one without an error has come from the link
  logic back_q;
  always_ff @(posedge clk_i) back_q <= rst_ni && back_valid_i && back_ready && !back_error_i;
  always_comb if (rst_ni && ans_valid && !ans_error) assert (back_q);

  // How long the tag has been used so: since its read was sent, or has failed. The time goes on,
  // by less than a time-out in a cycle.
  localparam logic [31:0] Eighth = 32'((TimeoutNs + 7) / 8);
  logic [55:0] now_q, passed;
  logic [31:0] since_q = 32'd0, since;
  logic fails, is_to_come;
  assign passed = now_i - now_q;
  assign since = since_q[31] ? since_q : since_q + passed[31:0];
  assign fails = state == StateSweep && \u_tags.sweep_q == l && use_of_l == TagBusy &&
      \u_tags.write && next_use == TagLate;
  always_ff @(posedge clk_i) begin
    now_q <= now_i;
    since_q <= !is_started_q || sends || fails ? 32'd0 : since;
  end
  always_comb if (is_started_q) assume (passed < 56'(TimeoutNs));

  // When the next tick comes; the sweep that goes on has yet to come to the tag.
  logic [55:0] to_tick;
  logic [31:0] least;
  assign to_tick = \u_tags.tick_q - now_q;
  assign is_to_come = \u_tags.sweeping_q && \u_tags.sweep_q <= l;
  assign least = age_of_l == 4'd0 ? 32'd0 : 32'(age_of_l - 4'd1) * Eighth;
  always_comb begin
    assert (since_q < 32'h8001_0000);
    if (rst_ni && state != StateClear) begin
      // a tick is never overdue
      assert (to_tick != 56'd0 && to_tick <= 56'(Eighth));
      if (!\u_tags.sweeping_q ) assert (\u_tags.sweep_q == '0);
      if (state == StateSweep) assert (\u_tags.sweeping_q );
      if (link_valid && link_tag == 8'(l)) assert (age_of_l == 4'd0);
      if (flies_q && use_of_l != TagFree) begin
        assert (age_of_l < 4'd10);
        if (age_of_l != 4'd0 && is_to_come) assert (since_q >= least);
        if (age_of_l != 4'd0) begin
          assert (since_q + to_tick[31:0] >= least + (is_to_come ? Eighth : 32'd0));
        end
      end
      if ((fails || rested) && flies_q) assert (since >= 32'(TimeoutNs));
    end
  end

  // What can happen
  (* keep *) logic sees_answer, sees_late, sees_rest;
  assign sees_answer = rst_ni && came_q && !error_q;
  assign sees_late = rst_ni && late && flies_q && waits_q;
  assign sees_rest = rst_ni && rested && flies_q;

endmodule
