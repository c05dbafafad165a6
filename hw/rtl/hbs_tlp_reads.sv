// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
// Brings requests to the card and to the MSI-X table, and gathers what is read. Each request that
// is to be completed has a slot; so as many of them may come as there are slots. Of such a request
// one word is read at a time, so a slot's number is the tag of its read of the card. The first word
// is read in the order in which the request came, each further one when the one before has been
// answered; writes that come meanwhile go on. What was read of 128 aligned bytes is one completion:
// an endpoint may end one there, and no link has a smaller greatest payload.

module hbs_tlp_reads #(
  parameter int unsigned Reads = 8,       // a power of two, 2 to 64
  parameter int unsigned LaneBits = 26,   // of an address in BAR 2
  localparam int unsigned SlotWidth = $clog2(Reads)
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,

  // what has come
  input  logic                     item_valid_i,
  output logic                     item_ready_o,
  input  logic                     item_write_i,
  input  hbs_link_pkg::space_e      item_space_i,
  input  logic [25:2]              item_addr_i,
  input  logic [7:0]               item_be_i,
  input  logic [63:0]              item_data_i,
  input  hbs_link_pkg::who_t        item_who_i,
  input  hbs_link_pkg::request_t    item_request_i,

  // to the card
  output logic                     req_valid_o,
  input  logic                     req_ready_i,
  output logic                     req_write_o,
  output logic                     req_lane_o,
  output logic [25:3]              req_addr_o,
  output logic [7:0]               req_be_o,
  output logic [63:0]              req_data_o,
  output logic [SlotWidth-1:0]     req_tag_o,

  // to the MSI-X table; what is read is there in the same cycle
  output logic                     msix_write_o,
  output logic [11:3]              msix_addr_o,
  output logic [7:0]               msix_be_o,
  output logic [63:0]              msix_data_o,
  input  logic [63:0]              msix_data_i,

  // answers of the card
  input  logic                     ans_valid_i,
  output logic                     ans_ready_o,
  input  logic [SlotWidth-1:0]     ans_tag_i,
  input  logic [63:0]              ans_data_i,

  // completions; the words of one are at first_o and after it, until it was taken
  output logic                     cpl_valid_o,
  input  logic                     cpl_ready_i,
  output hbs_link_pkg::who_t        cpl_who_o,
  output hbs_link_pkg::completion_t cpl_head_o,
  input  logic [3:0]               word_addr_i,
  output logic [63:0]              word_o,

  output logic                     credit_o,  // a slot has become free
  output logic                     idle_o
);

  // Bytes of a double word that are passed over, before the first one that is enabled and after
  // the last one.
  function automatic logic [1:0] before_first(logic [3:0] be);
    before_first = be[0] ? 2'd0 : be[1] ? 2'd1 : be[2] ? 2'd2 : be[3] ? 2'd3 : 2'd0;
  endfunction
  function automatic logic [1:0] after_last(logic [3:0] be);
    after_last = be[3] ? 2'd0 : be[2] ? 2'd1 : be[1] ? 2'd2 : be[0] ? 2'd3 : 2'd0;
  endfunction

  // Byte enables of a word with which `left` double words begin, the last of them with last_be.
  function automatic logic [7:0] enables(logic [10:0] left, logic [3:0] last_be);
    enables[3:0] = left == 11'd1 ? last_be : 4'hf;
    enables[7:4] = left == 11'd1 ? 4'h0 : left == 11'd2 ? last_be : 4'hf;
  endfunction

  localparam int unsigned SlotState = 30 + 61;  // of a who_t and a todo_t

  // slots that are free, and the one for the next request
  logic [Reads-1:0]     free_q, free_d;
  logic [SlotWidth-1:0] slot_q, slot_d;
  logic                 has_slot_q, has_slot_d;

  // the next word of a request
  logic                 next_valid_q, next_valid_d;
  hbs_link_pkg::space_e  next_space_q, next_space_d;
  logic [25:3]          next_addr_q, next_addr_d;
  logic [7:0]           next_be_q, next_be_d;
  logic [SlotWidth-1:0] next_slot_q, next_slot_d;

  // requests come in turns from both, and stay until they are taken
  logic                 turn_q, held_q, is_next, item_ok;
  assign item_ok = item_valid_i && (item_write_i || has_slot_q);
  assign is_next = held_q ? turn_q : next_valid_q && !(item_ok && turn_q);

  logic                 valid, ready, write, local_ready;
  hbs_link_pkg::space_e  space;
  logic [25:3]          addr;
  logic [7:0]           be;
  logic [SlotWidth-1:0] slot;
  always_comb begin
    if (is_next) begin
      valid = next_valid_q;
      write = 1'b0;
      space = next_space_q;
      addr  = next_addr_q;
      be    = next_be_q;
      slot  = next_slot_q;
    end else begin
      valid = item_ok;
      write = item_write_i;
      space = item_space_i;
      addr  = item_addr_i[25:3];
      be    = item_be_i;
      slot  = slot_q;
      if (!item_write_i && item_addr_i[2]) begin
        be = {item_request_i.first_be, 4'h0};
      end else if (!item_write_i) begin
        be      = enables(item_request_i.length, item_request_i.last_be);
        be[3:0] = item_request_i.first_be;
      end
    end
    if (space == hbs_link_pkg::SpaceRegs) addr[25:18] = '0;
    // If no byte is asked for, this is no access. But the answer must come after all that is due:
    // it is that of a read of ID_MAGIC, which changes nothing.
    if (!write && be == 8'h00 && space != hbs_link_pkg::SpaceMsix
        && space != hbs_link_pkg::SpaceNone) begin
      space = hbs_link_pkg::SpaceRegs;
      addr  = '0;
      be    = 8'h0f;
    end
    for (int unsigned i = 3; i < 26; i++) begin
      if (space == hbs_link_pkg::SpaceLanes && i >= LaneBits) addr[i] = 1'b0;
    end
  end

  logic is_card;
  assign is_card = space == hbs_link_pkg::SpaceRegs || space == hbs_link_pkg::SpaceLanes;
  assign ready   = is_card ? req_ready_i : write || local_ready;

  assign req_valid_o  = valid && is_card;
  assign req_write_o  = write;
  assign req_lane_o   = space == hbs_link_pkg::SpaceLanes;
  assign req_addr_o   = addr;
  assign req_be_o     = be;
  assign req_data_o   = item_data_i;
  assign req_tag_o    = slot;
  assign msix_write_o = valid && write && space == hbs_link_pkg::SpaceMsix;
  assign msix_addr_o  = addr[11:3];
  assign msix_be_o    = be;
  assign msix_data_o  = item_data_i;
  assign item_ready_o = item_ok && !is_next && ready;

  // what is answered here
  logic                 local_valid, local_taken, local_none;
  logic [SlotWidth-1:0] local_slot;
  logic [63:0]          local_data;
  hbs_fifo #(.Width(SlotWidth + 65), .Depth(Reads)) u_local (
    .clk_i, .rst_ni,
    .valid_i(valid && !is_card && !write), .ready_o(local_ready),
    .data_i({slot, space == hbs_link_pkg::SpaceNone, msix_data_i}),
    .valid_o(local_valid), .ready_i(local_taken), .data_o({local_slot, local_none, local_data})
  );

  // what a slot's request is about
  logic                     begins;
  hbs_link_pkg::todo_t       begun;
  assign begins = item_ready_o && !item_write_i;
  always_comb begin
    begun.space   = item_space_i;
    begun.word    = item_addr_i[25:3];
    begun.upper   = item_addr_i[2];
    begun.left    = item_request_i.length;
    begun.last_be = item_request_i.last_be;
    begun.start   = item_addr_i[6:2];
    begun.offset  = before_first(item_request_i.first_be);
    begun.bytes   = {item_request_i.length, 2'd0} - 13'(begun.offset)
                    - 13'(after_last(item_request_i.length == 11'd1 ? item_request_i.first_be
                                                                    : item_request_i.last_be));
    if (item_request_i.length == 11'd1 && item_request_i.first_be == 4'h0) begun.bytes = 13'd1;
  end

  // Answers, one after the other
  typedef enum logic [1:0] {
    StWait,
    StLook,  // what was it that was read?
    StSend,  // a completion
    StMore   // the next word
  } state_e;

  state_e               state_q, state_d;
  logic                 fair_q, fair_d;   // the last answer was one of the card
  logic [SlotWidth-1:0] of_q, of_d;
  logic                 none_q, none_d;
  logic [63:0]          data_q, data_d;
  logic                 look;

  hbs_link_pkg::who_t    who;
  hbs_link_pkg::todo_t   todo, then;
  logic                 slot_write;

  hbs_ram #(.Width(SlotState), .Depth(Reads)) u_slots (
    .clk_i, .write_i(begins || slot_write), .waddr_i(begins ? slot_q : of_q),
    .wdata_i(begins ? {item_who_i, begun} : {who, then}),
    .read_i(look), .clear_i(1'b0), .raddr_i(of_d), .rdata_o({who, todo})
  );
  hbs_ram #(.Width(64), .Depth(Reads * 16)) u_words (
    .clk_i, .write_i(state_q == StLook), .waddr_i({of_q, todo.word[3:0]}), .wdata_i(data_q),
    .read_i(1'b1), .clear_i(1'b0), .raddr_i({of_q, word_addr_i}), .rdata_o(word_o)
  );

  logic        ends, is_last, is_two;
  logic [10:0] left;
  logic [5:0]  length;
  assign is_two  = !todo.upper && todo.left != 11'd1;
  assign left    = todo.left - (is_two ? 11'd2 : 11'd1);
  assign is_last = left == 11'd0 || none_q;
  assign ends    = is_last || todo.word[3:0] == 4'hf;
  assign length  = {1'b0, todo.word[3:0], todo.upper || is_two} - {1'b0, todo.start} + 6'd1;
  always_comb begin
    then       = todo;
    then.word  = todo.word + 1'b1;
    then.upper = 1'b0;
    then.left  = left;
    if (ends) begin
      then.start  = '0;
      then.offset = '0;
      then.bytes  = todo.bytes - {5'd0, length, 2'd0} + 13'(todo.offset);
    end
  end

  assign local_taken = state_q == StWait && local_valid && (fair_q || !ans_valid_i);
  assign ans_ready_o = state_q == StWait && !local_taken && ans_valid_i;

  assign cpl_valid_o            = state_q == StSend;
  assign cpl_who_o              = who;
  assign cpl_head_o.unsupported = none_q;
  assign cpl_head_o.bytes       = todo.bytes[11:0];
  assign cpl_head_o.lower       = {todo.start, todo.offset};
  assign cpl_head_o.length      = none_q ? 6'd0 : length;

  always_comb begin
    state_d      = state_q;
    fair_d       = fair_q;
    of_d         = of_q;
    none_d       = none_q;
    data_d       = data_q;
    look         = 1'b0;
    slot_write   = 1'b0;
    credit_o     = 1'b0;
    next_valid_d = next_valid_q && !(is_next && ready);
    next_space_d = next_space_q;
    next_addr_d  = next_addr_q;
    next_be_d    = next_be_q;
    next_slot_d  = next_slot_q;

    unique case (state_q)
      StWait: begin
        if (local_taken) begin
          of_d        = local_slot;
          none_d      = local_none;
          data_d      = local_data;
        end else begin
          of_d        = ans_tag_i;
          none_d      = 1'b0;
          data_d      = ans_data_i;
        end
        if (local_taken || ans_ready_o) begin
          look    = 1'b1;
          fair_d  = ans_ready_o;
          state_d = StLook;
        end
      end
      StLook: state_d = ends ? StSend : StMore;
      StSend: begin
        if (cpl_ready_i) begin
          credit_o = is_last;
          state_d  = is_last ? StWait : StMore;
        end
      end
      StMore: begin
        if (!next_valid_d && !begins) begin
          slot_write   = 1'b1;
          next_valid_d = 1'b1;
          next_space_d = then.space;
          next_addr_d  = then.word;
          next_be_d    = enables(then.left, then.last_be);
          next_slot_d  = of_q;
          state_d      = StWait;
        end
      end
    endcase
  end

  always_comb begin
    free_d     = free_q;
    slot_d     = slot_q;
    has_slot_d = has_slot_q && !begins;
    if (credit_o) free_d[of_q] = 1'b1;
    if (!has_slot_q || begins) begin
      for (int unsigned i = 0; i < Reads; i++) begin
        if (free_q[i] && !has_slot_d) begin
          slot_d     = SlotWidth'(i);
          has_slot_d = 1'b1;
        end
      end
      if (has_slot_d) free_d[slot_d] = 1'b0;
    end
  end

  assign idle_o = &(free_q | (has_slot_q ? Reads'(1) << slot_q : '0)) && !item_valid_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q      <= StWait;
      fair_q       <= 1'b0;
      free_q       <= '1;
      has_slot_q   <= 1'b0;
      next_valid_q <= 1'b0;
      turn_q       <= 1'b0;
      held_q       <= 1'b0;
    end else begin
      state_q      <= state_d;
      fair_q       <= fair_d;
      free_q       <= free_d;
      has_slot_q   <= has_slot_d;
      next_valid_q <= next_valid_d;
      held_q       <= valid && !ready;
      if (valid) turn_q <= is_next;
    end
  end

  always_ff @(posedge clk_i) begin
    of_q         <= of_d;
    none_q       <= none_d;
    data_q       <= data_d;
    slot_q       <= slot_d;
    next_space_q <= next_space_d;
    next_addr_q  <= next_addr_d;
    next_be_q    <= next_be_d;
    next_slot_q  <= next_slot_d;
  end

endmodule
