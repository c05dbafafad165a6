// SPDX-License-Identifier: GPL-2.0-or-later
// Requests that are to be completed: each has a slot of its own until its last completion, which
// comes once; no answer of the card is taken while a completion is offered, and completions are
// whole packets with what was answered for each place; and writes do not wait for slots.

module tlp_reads #(
  parameter int unsigned Reads = 4,
  localparam int unsigned SlotWidth = $clog2(Reads),
  localparam int unsigned SlotState = 91   // of a who_t and a todo_t
) (
  input logic                    clk_i,
  input logic                    rst_ni,
  input logic [15:0]             id_i,
  input logic                    item_valid_i,
  input logic                    item_write_i,
  input hbs_link_pkg::space_e    item_space_i,
  input logic [25:2]             item_addr_i,
  input logic [7:0]              item_be_i,
  input logic [63:0]             item_data_i,
  input hbs_link_pkg::who_t      item_who_i,
  input hbs_link_pkg::request_t  item_request_i,
  input logic                    req_ready_i,
  input logic [63:0]             msix_data_i,
  input logic                    ans_valid_i,
  input logic [SlotWidth-1:0]    ans_tag_i,
  input logic [63:0]             ans_data_i,
  input logic                    tx_ready_i
);

  logic item_ready, req_valid, req_write, req_lane, msix_write, ans_ready, cpl_valid, cpl_ready;
  logic [25:3] req_addr;
  logic [7:0] req_be;
  logic [63:0] req_data, word, tx_data;
  logic [SlotWidth-1:0] req_tag;
  hbs_link_pkg::who_t cpl_who;
  hbs_link_pkg::completion_t cpl_head;
  logic [3:0] word_addr;
  logic credit, tx_valid, tx_sop, tx_eop;
  logic [1:0] tx_keep;

  hbs_tlp_reads #(
    .Reads (Reads)
  ) u_reads (
    .clk_i,
    .rst_ni,
    .item_valid_i,
    .item_ready_o (item_ready),
    .item_write_i,
    .item_space_i,
    .item_addr_i,
    .item_be_i,
    .item_data_i,
    .item_who_i,
    .item_request_i,
    .req_valid_o  (req_valid),
    .req_ready_i,
    .req_write_o  (req_write),
    .req_lane_o   (req_lane),
    .req_addr_o   (req_addr),
    .req_be_o     (req_be),
    .req_data_o   (req_data),
    .req_tag_o    (req_tag),
    .msix_write_o (msix_write),
    .msix_addr_o  (),
    .msix_be_o    (),
    .msix_data_o  (),
    .msix_data_i,
    .ans_valid_i,
    .ans_ready_o  (ans_ready),
    .ans_tag_i,
    .ans_data_i,
    .cpl_valid_o  (cpl_valid),
    .cpl_ready_i  (cpl_ready),
    .cpl_who_o    (cpl_who),
    .cpl_head_o   (cpl_head),
    .word_addr_i  (word_addr),
    .word_o       (word),
    .credit_o     (credit),
    .idle_o       ()
  );

  hbs_tlp_cpl u_cpl (
    .clk_i,
    .rst_ni,
    .id_i,
    .cpl_valid_i (cpl_valid),
    .cpl_ready_o (cpl_ready),
    .cpl_who_i   (cpl_who),
    .cpl_head_i  (cpl_head),
    .word_addr_o (word_addr),
    .word_i      (word),
    .tx_valid_o  (tx_valid),
    .tx_ready_i,
    .tx_sop_o    (tx_sop),
    .tx_eop_o    (tx_eop),
    .tx_keep_o   (tx_keep),
    .tx_data_o   (tx_data)
  );

  (* hierconn *) logic [1:0] \u_reads.state_q ;
  (* hierconn *) logic [Reads-1:0] \u_reads.free_q ;
  (* hierconn *) logic [SlotWidth-1:0] \u_reads.slot_q ;
  (* hierconn *) logic \u_reads.has_slot_q ;
  (* hierconn *) logic \u_reads.next_valid_q ;
  (* hierconn *) logic [SlotWidth-1:0] \u_reads.next_slot_q ;
  (* hierconn *) logic [SlotWidth-1:0] \u_reads.of_q ;
  (* hierconn *) logic \u_reads.is_next ;
  (* hierconn *) logic \u_reads.held_q ;
  (* hierconn *) logic \u_reads.turn_q ;
  (* hierconn *) logic \u_reads.begins ;
  (* hierconn *) logic [SlotWidth:0] \u_reads.u_local.gen_memory.in_q ;
  (* hierconn *) logic [SlotWidth:0] \u_reads.u_local.gen_memory.out_q ;
  (* hierconn *) logic [Reads*(SlotWidth+65)-1:0] \u_reads.u_local.gen_memory.content ;
  (* hierconn *) logic [60:0] \u_reads.todo ;
  (* hierconn *) logic [63:0] \u_reads.data_q ;
  (* hierconn *) logic \u_reads.none_q ;
  (* hierconn *) logic \u_reads.ends ;
  (* hierconn *) logic \u_reads.is_last ;
  (* hierconn *) logic \u_reads.local_taken ;
  (* hierconn *) logic [SlotWidth-1:0] \u_reads.local_slot ;
  (* hierconn *) logic [63:0] \u_reads.local_data ;
  (* hierconn *) logic [25:3] \u_reads.next_addr_q ;
  (* hierconn *) logic [Reads*SlotState-1:0] \u_reads.u_slots.content ;
  (* hierconn *) logic [Reads*16*64-1:0] \u_reads.u_words.content ;
  (* hierconn *) logic [3:0] \u_cpl.addr_q ;
  (* hierconn *) logic [31:0] \u_cpl.high_q ;
  (* hierconn *) logic [1:0] \u_cpl.state_q ;
  (* hierconn *) logic [5:0] \u_cpl.left_q ;

  localparam logic [1:0] StateWait = 2'd0, StateLook = 2'd1, StateSend = 2'd2, StateMore = 2'd3;
  localparam logic [1:0] CplFirst = 2'd0, CplSecond = 2'd1, CplData = 2'd2;

  // What has come stays until it is taken; the card answers each read once.
  logic is_started_q = 1'b0;
  logic held_q, held_write_q;
  logic [Reads-1:0] at_card_q;
  always_ff @(posedge clk_i) begin
    is_started_q <= 1'b1;
    held_q       <= rst_ni && item_valid_i && !item_ready;
    held_write_q <= item_write_i;
  end
  logic [25:2] held_addr_q;
  hbs_link_pkg::space_e held_space_q;
  hbs_link_pkg::request_t held_request_q;
  always_ff @(posedge clk_i) begin
    held_addr_q    <= item_addr_i;
    held_space_q   <= item_space_i;
    held_request_q <= item_request_i;
  end
  always_comb begin
    assume (is_started_q || !rst_ni);
    if (ans_valid_i) assume (at_card_q[ans_tag_i]);
    if (held_q) begin
      assume (item_valid_i && item_write_i == held_write_q && item_addr_i == held_addr_q &&
              item_space_i == held_space_q && item_request_i == held_request_q);
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) at_card_q <= '0;
    else begin
      if (ans_valid_i && ans_ready) at_card_q[ans_tag_i] <= 1'b0;
      if (req_valid && req_ready_i && !req_write) at_card_q[req_tag] <= 1'b1;
    end
  end

  // Where each slot is: free, kept for the next request, at the card, answered here, with a next
  // word to read, or with the answer that is looked at
  logic [SlotWidth:0] local_size;
  logic [7:0] places;
  logic [SlotWidth-1:0] place, slot;
  assign local_size = \u_reads.u_local.gen_memory.in_q - \u_reads.u_local.gen_memory.out_q ;
  always_comb begin
    places = '0;
    place = '0;
    slot = '0;
    if (rst_ni) begin
      assert (local_size <= (SlotWidth + 1)'(Reads));
      for (int unsigned s = 0; s < Reads; s++) begin
        places = 8'(\u_reads.free_q [s]) + 8'(at_card_q[s]) +
            8'(\u_reads.has_slot_q && \u_reads.slot_q == SlotWidth'(s)) +
            8'(\u_reads.next_valid_q && \u_reads.next_slot_q == SlotWidth'(s)) +
            8'(\u_reads.state_q != StateWait && \u_reads.of_q == SlotWidth'(s));
        for (int unsigned i = 0; i < Reads; i++) begin
          place = SlotWidth'(i) - \u_reads.u_local.gen_memory.out_q [SlotWidth-1:0];
          slot = \u_reads.u_local.gen_memory.content [i*(SlotWidth+65)+65+:SlotWidth];
          if ({1'b0, place} < local_size && slot == SlotWidth'(s)) places = places + 1'b1;
        end
        assert (places == 8'd1);
      end
      // A read of the card has a slot's number that none has that is not answered.
      if (req_valid && !req_write) assert (!at_card_q[req_tag]);
      if (credit) assert (!\u_reads.free_q [\u_reads.of_q ]);
    end
  end

  // What is offered to the card stays.
  logic offered_q, offered_write_q;
  logic [25:3] offered_addr_q;
  logic [SlotWidth-1:0] offered_tag_q;
  always_ff @(posedge clk_i) begin
    offered_q       <= rst_ni && req_valid && !req_ready_i;
    offered_write_q <= req_write;
    offered_addr_q  <= req_addr;
    offered_tag_q   <= req_tag;
  end
  always_comb begin
    if (rst_ni && offered_q) begin
      assert (req_valid && req_write == offered_write_q && req_addr == offered_addr_q);
      if (!req_write) assert (req_tag == offered_tag_q);
    end
  end
  // A write waits for one other request of the card at most, and never for a slot.
  logic waited_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) waited_q <= 1'b0;
    else waited_q <= item_valid_i && item_write_i && req_ready_i && !item_ready;
  end
  always_comb begin
    if (rst_ni && waited_q && item_valid_i && item_write_i) begin
      assert (!\u_reads.is_next );
      if (req_ready_i) assert (item_ready);
    end
  end

  // Completions, as tlp_tx takes them: whole, and none soon after an answer
  logic answered_q, in_packet_q, offers_q;
  logic [6:0] sent_q;
  always_ff @(posedge clk_i) begin
    answered_q <= rst_ni && ans_valid_i && ans_ready;
    offers_q   <= rst_ni && tx_valid && !(tx_ready_i && tx_eop);
    if (!rst_ni) in_packet_q <= 1'b0;
    else if (tx_valid && tx_ready_i) in_packet_q <= !tx_eop;
    if (!tx_valid || (tx_ready_i && tx_eop)) sent_q <= '0;
    else if (tx_ready_i) sent_q <= sent_q + 7'd2;
  end
  always_comb begin
    if (rst_ni) begin
      if (ans_ready || answered_q) assert (!tx_valid);
      if (offers_q) assert (tx_valid);
      if (tx_valid) assert (tx_sop == !in_packet_q);
      assert (\u_cpl.state_q <= CplData && in_packet_q == (\u_cpl.state_q != CplFirst));
      if (in_packet_q) assert (cpl_valid && \u_reads.state_q == StateSend);
      if (!in_packet_q) assert (sent_q == 0);
      // its length is that of its header
      if (\u_cpl.state_q == CplSecond) begin
        assert (sent_q == 7'd2 && \u_cpl.left_q == cpl_head.length);
      end
      if (\u_cpl.state_q == CplData) begin
        assert (sent_q + {1'b0, \u_cpl.left_q } == 7'd3 + {1'b0, cpl_head.length});
        assert (\u_cpl.left_q != 0 && \u_cpl.left_q < cpl_head.length);
      end
      if (tx_valid && tx_eop) begin
        assert (sent_q + 7'(tx_keep[0]) + 7'(tx_keep[1]) == 7'd3 + {1'b0, cpl_head.length});
      end
    end
  end

  // What a completion has: for any slot, and any word of 128 bytes, what was answered last.
  (* anyconst *) logic [SlotWidth-1:0] chosen;
  (* anyconst *) logic [3:0] place_of_word;
  logic [SlotState-1:0] state_of_slot;
  hbs_link_pkg::todo_t todo;
  logic [63:0] stored;
  always_comb begin
    state_of_slot = '0;
    stored = '0;
    for (int unsigned i = 0; i < Reads; i++) begin
      if (chosen == SlotWidth'(i)) begin
        state_of_slot = \u_reads.u_slots.content [i*SlotState+:SlotState];
      end
      for (int unsigned w = 0; w < 16; w++) begin
        if (chosen == SlotWidth'(i) && place_of_word == 4'(w)) begin
          stored = \u_reads.u_words.content [(i*16+w)*64+:64];
        end
      end
    end
  end
  assign todo = state_of_slot[60:0];

  logic is_local, is_asked, is_next, is_looked_at, is_here, has_value_q, is_magic_q;
  logic [63:0] value_q;
  logic [14:0] asked_q;
  logic answers_here;
  always_comb begin
    is_local = 1'b0;
    for (int unsigned i = 0; i < Reads; i++) begin
      if ({1'b0, SlotWidth'(i) - \u_reads.u_local.gen_memory.out_q [SlotWidth-1:0]} < local_size &&
          \u_reads.u_local.gen_memory.content [i*(SlotWidth+65)+65+:SlotWidth] == chosen) begin
        is_local = 1'b1;
      end
    end
  end
  assign is_next = \u_reads.next_valid_q && \u_reads.next_slot_q == chosen;
  assign is_looked_at = \u_reads.state_q != StateWait && \u_reads.of_q == chosen;
  assign is_here = todo.word[3:0] == place_of_word;
  assign is_asked = req_valid && req_ready_i && !req_write && req_tag == chosen;
  assign answers_here = is_here && ((ans_valid_i && ans_ready && ans_tag_i == chosen) ||
      (\u_reads.local_taken && \u_reads.local_slot == chosen));
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) has_value_q <= 1'b0;
    else if ((\u_reads.begins && \u_reads.slot_q == chosen) || (is_looked_at && cpl_ready)) begin
      has_value_q <= 1'b0;
    end else if (answers_here) has_value_q <= 1'b1;
  end
  always_ff @(posedge clk_i) begin
    if (answers_here) value_q <= \u_reads.local_taken ? \u_reads.local_data : ans_data_i;
    if (is_asked) begin
      asked_q    <= req_addr[17:3];
      is_magic_q <= !req_lane && req_be == 8'h0f && req_addr == 0;
    end
  end
  always_comb begin
    if (rst_ni) begin
      // the card was asked for the word that is to come, or for ID_MAGIC
      if (is_next) assert (\u_reads.next_addr_q == todo.word);
      if (at_card_q[chosen]) assert (asked_q == todo.word[14:0] || is_magic_q);
      // what is looked at is what the slot says
      if (is_looked_at) assert (\u_reads.todo == todo);
      if (\u_reads.state_q == StateSend) assert (\u_reads.ends );
      if (\u_reads.state_q == StateMore) assert (!\u_reads.is_last );
      // the words from the completion's beginning on are there
      if (is_local || at_card_q[chosen] || is_next || is_looked_at) begin
        assert (todo.start[4:1] < todo.word[3:0] ||
                (todo.start[4:1] == todo.word[3:0] && todo.start[0] == todo.upper));
      end
      if ((is_local || at_card_q[chosen] || is_next || is_looked_at) &&
          todo.start[4:1] <= place_of_word && place_of_word < todo.word[3:0] &&
          !(is_looked_at && \u_reads.state_q == StateMore && \u_reads.ends )) begin
        assert (has_value_q);
      end
      if (is_looked_at && is_here && !(\u_reads.state_q == StateMore && \u_reads.ends )) begin
        assert (has_value_q);
      end
      if (is_looked_at && is_here && \u_reads.state_q == StateLook) begin
        assert (\u_reads.data_q == value_q);
      end else if (has_value_q && !(is_looked_at && is_here && \u_reads.state_q == StateLook)) begin
        assert (stored == value_q);
      end
    end
  end

  // and it is sent at its place
  logic sends_here;
  logic [4:0] first_place, second_place;  // of the double words of a beat
  assign sends_here = rst_ni && is_looked_at && \u_reads.state_q == StateSend && !\u_reads.none_q ;
  assign first_place = todo.start + 5'(sent_q - 7'd3);
  assign second_place = first_place + 5'd1;
  always_comb begin
    if (sends_here && \u_cpl.state_q == CplSecond) begin
      assert (\u_cpl.addr_q == todo.start[4:1]);
    end
    if (sends_here && \u_cpl.state_q == CplData) begin
      assert (\u_cpl.addr_q == first_place[4:1] + {3'd0, first_place[0]});
      assert (!sent_q[0] && sent_q >= 7'd4);
      if (has_value_q && \u_cpl.addr_q - 4'd1 == place_of_word) begin
        assert (\u_cpl.high_q == value_q[63:32]);
      end
    end
    if (sends_here && \u_cpl.state_q != CplFirst && has_value_q &&
        \u_cpl.addr_q == place_of_word) begin
      assert (word == value_q);
    end
    if (sends_here && tx_valid && \u_cpl.state_q == CplSecond && tx_keep[1] &&
        todo.start[4:1] == place_of_word) begin
      assert (tx_data[63:32] == (todo.start[0] ? value_q[63:32] : value_q[31:0]));
    end
    if (sends_here && tx_valid && \u_cpl.state_q == CplData) begin
      if (first_place[4:1] == place_of_word) begin
        assert (tx_data[31:0] == (first_place[0] ? value_q[63:32] : value_q[31:0]));
      end
      if (tx_keep[1] && second_place[4:1] == place_of_word) begin
        assert (tx_data[63:32] == (second_place[0] ? value_q[63:32] : value_q[31:0]));
      end
    end
  end

  // What can happen
  (* keep *) logic sees_full, sees_next, sees_long;
  assign sees_full = rst_ni && at_card_q == '1 && item_valid_i && item_write_i && item_ready;
  assign sees_next = rst_ni && req_valid && req_ready_i && \u_reads.is_next && item_valid_i;
  assign sees_long = rst_ni && tx_valid && \u_cpl.state_q == CplData && tx_eop;

endmodule
