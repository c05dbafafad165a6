// SPDX-License-Identifier: GPL-2.0-or-later
// What is sent to the link: whole packets, in the order in which they are taken, of the length that
// they say; and no completion before a packet that was taken before the answer that it is made of.

module tlp_tx #(
  parameter int unsigned Reads = 2,
  localparam int unsigned SlotWidth = $clog2(Reads)
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic [15:0]          id_i,
  input logic                 bus_master_i,
  input logic                 np_ok_i,
  input logic                 card_valid_i,
  input logic [1:0]           card_kind_i,
  input logic [63:2]          card_addr_i,
  input logic [127:0]         card_data_i,
  input logic [SlotWidth-1:0] card_tag_i,
  input logic                 ans_ready_i,
  input logic                 send_i,
  input logic [63:2]          send_addr_i,
  input logic [31:0]          send_data_i,
  input logic                 late_valid_i,
  input logic [63:2]          late_addr_i,
  input logic [31:0]          late_data_i,
  input logic                 link_valid_i,
  input logic [63:2]          link_addr_i,
  input logic [7:0]           link_tag_i,
  input logic                 cpl_valid_i,
  input logic                 cpl_sop_i,
  input logic                 cpl_eop_i,
  input logic [1:0]           cpl_keep_i,
  input logic [63:0]          cpl_data_i,
  input logic                 tx_ready_i
);

  logic card_ready, card_refused, ans_valid, raise, vector, late_ready, link_ready, cpl_ready;
  logic [SlotWidth-1:0] ans_tag;
  logic [63:0] ans_data, tx_data;
  logic tx_valid, tx_sop, tx_eop;
  logic [1:0] tx_keep;

  hbs_tlp_tx #(
    .Reads (Reads)
  ) u_tx (
    .clk_i,
    .rst_ni,
    .id_i,
    .bus_master_i,
    .np_ok_i,
    .card_valid_i,
    .card_ready_o   (card_ready),
    .card_refused_o (card_refused),
    .card_kind_i,
    .card_addr_i,
    .card_data_i,
    .card_tag_i,
    .ans_valid_o    (ans_valid),
    .ans_ready_i,
    .ans_tag_o      (ans_tag),
    .ans_data_o     (ans_data),
    .raise_o        (raise),
    .vector_o       (vector),
    .send_i,
    .send_addr_i,
    .send_data_i,
    .late_valid_i,
    .late_ready_o   (late_ready),
    .late_addr_i,
    .late_data_i,
    .link_valid_i,
    .link_ready_o   (link_ready),
    .link_addr_i,
    .link_tag_i,
    .cpl_valid_i,
    .cpl_ready_o    (cpl_ready),
    .cpl_sop_i,
    .cpl_eop_i,
    .cpl_keep_i,
    .cpl_data_i,
    .tx_valid_o     (tx_valid),
    .tx_ready_i,
    .tx_sop_o       (tx_sop),
    .tx_eop_o       (tx_eop),
    .tx_keep_o      (tx_keep),
    .tx_data_o      (tx_data),
    .idle_o         ()
  );

  (* hierconn *) logic \u_tx.valid_q ;
  (* hierconn *) logic \u_tx.first_q ;
  (* hierconn *) logic [3:0] \u_tx.left_q ;
  (* hierconn *) logic [255:0] \u_tx.packet_q ;
  (* hierconn *) logic \u_tx.is_cpl ;
  (* hierconn *) logic \u_tx.mid_q ;
  (* hierconn *) logic \u_tx.mid_cpl_q ;
  (* hierconn *) logic \u_tx.load ;
  (* hierconn *) logic \u_tx.own_beat ;

  // What the others keep to. Who makes completions takes no answer while one is offered, offers it
  // two cycles after its answer at the earliest, and then whole.
  logic is_started_q = 1'b0;
  logic answered_q, in_cpl_q, held_cpl_q;
  always_ff @(posedge clk_i) begin
    is_started_q <= 1'b1;
    answered_q   <= rst_ni && ans_valid && ans_ready_i;
    held_cpl_q   <= rst_ni && cpl_valid_i && !(cpl_ready && cpl_eop_i);
    if (!rst_ni) in_cpl_q <= 1'b0;
    else if (cpl_valid_i && cpl_ready) in_cpl_q <= !cpl_eop_i;
  end
  always_comb begin
    assume (is_started_q || !rst_ni);
    if (ans_ready_i) assume (!cpl_valid_i);
    if (answered_q) assume (!cpl_valid_i);
    if (held_cpl_q) assume (cpl_valid_i);
    if (cpl_valid_i) assume (cpl_sop_i == !in_cpl_q);
    if (card_kind_i == hbs_pkg::TxAnswer) assume (!send_i);
  end

  // Whether a packet is under way, and whose; and of one of the card's own what is left of it
  logic in_packet_q, of_cpl_q, older_q;
  logic [3:0] sent_q;
  logic beat, answers;
  assign beat    = tx_valid && tx_ready_i;
  assign answers = ans_valid && ans_ready_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      in_packet_q <= 1'b0;
      of_cpl_q    <= 1'b0;
      older_q     <= 1'b0;
    end else begin
      if (beat) begin
        in_packet_q <= !tx_eop;
        of_cpl_q    <= \u_tx.is_cpl ;
      end
      // a packet waits that was taken before an answer
      if (\u_tx.own_beat && tx_eop) older_q <= 1'b0;
      else if (answers && \u_tx.valid_q ) older_q <= 1'b1;
    end
  end

  // The packet that was taken last: what it must be
  logic takes_read, takes_late, takes_card, is_write, is_message;
  logic [63:2] addr_q;
  logic [2:0] words_q;
  logic [127:0] data_q;
  logic write_q, long_q;
  logic [7:0] tag_q;
  logic [15:0] id_q;
  assign takes_read = link_valid_i && link_ready;
  assign takes_late = late_valid_i && late_ready;
  assign takes_card = card_valid_i && card_ready;
  assign is_write   = card_kind_i == hbs_pkg::TxWrite || card_kind_i == hbs_pkg::TxWide;
  assign is_message = card_kind_i == hbs_pkg::TxMessage;
  logic takes_packet;
  assign takes_packet = takes_read || takes_late ||
      (takes_card && ((is_write && bus_master_i) || (is_message && send_i)));
  always_ff @(posedge clk_i) begin
    if (takes_packet) begin
      sent_q  <= '0;
      write_q <= !takes_read;
      tag_q   <= link_tag_i;
      id_q    <= id_i;
      if (takes_late) {addr_q, words_q, data_q} <= {late_addr_i, 3'd1, 96'd0, late_data_i};
      else if (takes_read) {addr_q, words_q, data_q} <= {link_addr_i, 3'd0, 128'd0};
      else if (is_message) {addr_q, words_q, data_q} <= {send_addr_i, 3'd1, 96'd0, send_data_i};
      else begin
        {addr_q, words_q, data_q} <= {card_addr_i, card_kind_i == hbs_pkg::TxWide ? 3'd4 : 3'd2,
                                      card_data_i};
      end
    end else if (\u_tx.own_beat ) sent_q <= sent_q + 4'd2;
  end
  assign long_q = addr_q[63:32] != 0;

  // the packet, as double words
  logic [255:0] whole;
  logic [3:0] length;
  logic [31:0] h0, h1;
  assign length = (long_q ? 4'd4 : 4'd3) + {1'b0, words_q};
  assign h0 = (write_q ? 32'h40000000 : 32'd0) | (long_q ? 32'h20000000 : 32'd0) |
      (write_q ? 32'(words_q) : 32'd2);
  assign h1 = {id_q, write_q ? 8'd0 : tag_q, words_q == 3'd1 && write_q ? 4'h0 : 4'hf, 4'hf};
  assign whole = long_q ? {data_q, addr_q[31:2], 2'b00, addr_q[63:32], h1, h0} :
                          {32'd0, data_q, addr_q[31:2], 2'b00, h1, h0};

  always_comb begin
    if (rst_ni) begin
      assert (\u_tx.load == takes_packet);
      assert (32'(takes_read) + 32'(takes_late) + 32'(takes_card) <= 1);
      // Packets are whole, and not mixed.
      if (tx_valid) assert (tx_sop == !in_packet_q);
      if (tx_valid && in_packet_q) assert (\u_tx.is_cpl == of_cpl_q);
      assert (in_cpl_q == (in_packet_q && of_cpl_q));
      if (in_packet_q) assert (\u_tx.mid_q && \u_tx.mid_cpl_q == of_cpl_q);
      if (\u_tx.mid_q && \u_tx.mid_cpl_q ) assert (held_cpl_q);
      if (\u_tx.mid_q && !\u_tx.mid_cpl_q ) assert (\u_tx.valid_q );
      if (\u_tx.valid_q ) begin
        assert (\u_tx.first_q == (sent_q == 0));
        assert (sent_q < length && \u_tx.left_q == length - sent_q && !sent_q[0] &&
                length <= 4'd8);
        if (sent_q != 0) assert (in_packet_q && !of_cpl_q);
        if (in_packet_q && !of_cpl_q) assert (sent_q != 0);
        // What is sent of it is what was taken.
        for (int unsigned i = 0; i < 8; i++) begin
          if (4'(i) + sent_q < length) begin
            assert (\u_tx.packet_q [i*32+:32] == 32'(whole >> {32'(i) + 32'(sent_q), 5'd0}));
          end
        end
        if (tx_valid && !\u_tx.is_cpl ) begin
          assert (tx_eop == (sent_q + 4'd2 >= length));
          assert (tx_keep == {sent_q + 4'd1 != length, 1'b1});
        end
      end else assert (!(in_packet_q && !of_cpl_q));
      // No packet is taken before the one that was taken before has left.
      if (takes_packet && \u_tx.valid_q ) assert (\u_tx.own_beat && tx_eop);
      // A completion is sent after the packets that were taken before its answer.
      if (older_q) assert (\u_tx.valid_q && \u_tx.mid_q && !\u_tx.mid_cpl_q );
      if (tx_valid && \u_tx.is_cpl ) assert (!older_q);
      // A write fails at once where the function is no bus master; no read is sent without room.
      if (card_valid_i && is_write) assert (card_refused == !bus_master_i);
      if (takes_read) assert (np_ok_i);
      if (answers) assert (takes_card && ans_tag == card_tag_i && ans_data == card_data_i[63:0]);
      if (raise) assert (takes_card && is_message && vector == card_data_i[0]);
    end
  end

  // What can happen
  (* keep *) logic sees_wide, sees_older, sees_completion;
  assign sees_wide = rst_ni && \u_tx.own_beat && tx_eop && length == 4'd8;
  assign sees_older = rst_ni && older_q && !tx_ready_i;
  assign sees_completion = rst_ni && tx_valid && \u_tx.is_cpl && cpl_sop_i && \u_tx.valid_q ;

endmodule
