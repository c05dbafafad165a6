// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
// Takes packets apart: a write becomes accesses of aligned words of 8 bytes in ascending order, a
// request that is to be completed one item, and a completion an answer. Everything leaves in the
// order in which it came. Of a packet only as much is looked at as its header announces, so an
// ECRC at its end is passed over.

module hbs_tlp_rx (
  input  logic                     clk_i,
  input  logic                     rst_ni,

  // packets; the first double word is in the lower half
  input  logic                     rx_valid_i,
  output logic                     rx_ready_o,
  input  logic                     rx_sop_i,
  input  logic                     rx_eop_i,
  input  logic [1:0]               rx_keep_i,
  input  logic [63:0]              rx_data_i,
  input  logic [2:0]               rx_bar_i,

  // words that are written, and requests that are to be completed
  output logic                     item_valid_o,
  input  logic                     item_ready_i,
  output logic                     item_write_o,
  output hbs_link_pkg::space_e      item_space_o,
  output logic [25:2]              item_addr_o,
  output logic [7:0]               item_be_o,
  output logic [63:0]              item_data_o,
  output hbs_link_pkg::who_t        item_who_o,
  output hbs_link_pkg::request_t    item_request_o,

  // completions
  output logic                     answer_valid_o,
  input  logic                     answer_ready_i,
  output logic                     answer_error_o,
  output logic [7:0]               answer_tag_o,
  output logic [63:0]              answer_data_o,

  // what is to be reported, for a cycle each
  output logic                     poisoned_o,
  output logic                     unsupported_o,
  output logic                     malformed_o
);

  typedef enum logic [2:0] {
    StFirst,   // the packet's first beat
    StSecond,  // the rest of the header, and perhaps a double word of data
    StWrite,   // data of a write
    StAnswer,  // the second half of a completion's data
    StSkip     // what is left of the packet does not matter
  } state_e;

  state_e      state_q, state_d;

  // of the packet's first two double words
  logic        prefix_q, has_data_q, long_q, poison_q;
  logic [4:0]  kind_q;
  logic [2:0]  tc_q, bar_q;
  logic [1:0]  attr_q;
  logic [10:0] length_q;
  logic [31:0] h1_q;

  // of a write: the word that is being put together
  logic [25:3] addr_q, addr_d;
  logic        upper_q, upper_d;      // the next double word is the upper half
  logic        first_q, first_d;      // and the first of the packet
  logic        flush_q, flush_d;      // the packet has ended in the lower half
  logic [10:0] left_q, left_d;
  logic [31:0] low_q, low_d;
  logic [3:0]  low_be_q, low_be_d;

  // the answer
  logic [7:0]  tag_q, tag_d;

  // what is offered
  logic                  item_valid_q, item_valid_d, item_write_q, item_write_d;
  hbs_link_pkg::space_e   item_space_q, item_space_d;
  logic [25:2]           item_addr_q, item_addr_d;
  logic [7:0]            item_be_q, item_be_d;
  logic [63:0]           item_data_q, item_data_d;
  hbs_link_pkg::who_t     item_who_q, item_who_d;
  hbs_link_pkg::request_t item_request_q, item_request_d;
  logic                  answer_valid_q, answer_valid_d, answer_error_q, answer_error_d;
  logic [63:0]           answer_data_q, answer_data_d;

  assign item_valid_o   = item_valid_q;
  assign item_write_o   = item_write_q;
  assign item_space_o   = item_space_q;
  assign item_addr_o    = item_addr_q;
  assign item_be_o      = item_be_q;
  assign item_data_o    = item_data_q;
  assign item_who_o     = item_who_q;
  assign item_request_o = item_request_q;
  assign answer_valid_o = answer_valid_q;
  assign answer_error_o = answer_error_q;
  assign answer_tag_o   = tag_q;
  assign answer_data_o  = answer_data_q;

  logic item_free, answer_free, beat;
  assign item_free   = !item_valid_q || item_ready_i;
  assign answer_free = !answer_valid_q || answer_ready_i;
  assign rx_ready_o  = item_free && answer_free && !flush_q;
  assign beat        = rx_valid_i && rx_ready_o;

  logic [25:2] addr;
  assign addr = long_q ? rx_data_i[57:34] : rx_data_i[25:2];

  logic is_memory, is_completion, is_message, is_other;
  assign is_memory     = kind_q == 5'b00000;
  assign is_completion = kind_q[4:1] == 4'b0101 && !long_q;
  assign is_message    = kind_q[4:3] == 2'b10 && long_q;
  always_comb begin
    case (kind_q)
      5'b00001: is_other = !has_data_q;                     // locked read
      5'b00010, 5'b00100, 5'b00101: is_other = !long_q;     // I/O, configuration
      5'b01100, 5'b01101, 5'b01110, 5'b11011: is_other = has_data_q;  // atomic, deferrable write
      default: is_other = 1'b0;
    endcase
  end

  hbs_link_pkg::space_e space;
  always_comb begin
    case (bar_q)
      3'd0: space = hbs_link_pkg::SpaceRegs;
      3'd2: space = hbs_link_pkg::SpaceLanes;
      3'd4: space = hbs_link_pkg::SpaceMsix;
      default: space = hbs_link_pkg::SpaceNone;
    endcase
  end

  // the double words of data in this beat, and what is known of them
  logic [1:0]  count;
  logic [31:0] one, two;
  logic [3:0]  one_be, two_be;
  logic        is_first, is_upper;
  logic [25:3] word;
  logic [10:0] left;
  always_comb begin
    one   = rx_data_i[31:0];
    two   = rx_data_i[63:32];
    count = rx_keep_i[1] ? 2'd2 : {1'b0, rx_keep_i[0]};
    is_first = first_q;
    is_upper = upper_q;
    word     = addr_q;
    left     = left_q;
    if (state_q == StSecond) begin
      one   = rx_data_i[63:32];
      count = {1'b0, rx_keep_i[1] && !long_q};
      is_first = 1'b1;
      is_upper = addr[2];
      word     = addr[25:3];
      left     = length_q;
    end
    if (left == 11'd0) count = 2'd0;
    else if (left == 11'd1 && count == 2'd2) count = 2'd1;
    one_be = is_first ? h1_q[3:0] : (left == 11'd1 ? h1_q[7:4] : 4'hf);
    two_be = left == 11'd2 ? h1_q[7:4] : 4'hf;
  end

  logic poisoned_d, unsupported_d, malformed_d, takes;

  always_comb begin
    state_d        = state_q;
    addr_d         = addr_q;
    upper_d        = upper_q;
    first_d        = first_q;
    flush_d        = flush_q;
    left_d         = left_q;
    low_d          = low_q;
    low_be_d       = low_be_q;
    tag_d          = tag_q;
    item_valid_d   = item_valid_q && !item_ready_i;
    item_write_d   = item_write_q;
    item_space_d   = item_space_q;
    item_addr_d    = item_addr_q;
    item_be_d      = item_be_q;
    item_data_d    = item_data_q;
    item_who_d     = item_who_q;
    item_request_d = item_request_q;
    answer_valid_d = answer_valid_q && !answer_ready_i;
    answer_error_d = answer_error_q;
    answer_data_d  = answer_data_q;
    poisoned_d     = 1'b0;
    unsupported_d  = 1'b0;
    malformed_d    = 1'b0;
    takes          = 1'b0;

    if (beat && rx_sop_i) begin
      state_d     = rx_eop_i ? StFirst : StSecond;
      malformed_d = rx_eop_i || (state_q != StFirst);
    end else if (beat) begin
      unique case (state_q)
        StSecond: begin
          state_d = StSkip;
          if (!rx_keep_i[0] || (long_q && !rx_keep_i[1]) || prefix_q) begin
            malformed_d = 1'b1;
          end else if (is_memory && has_data_q) begin
            if (space == hbs_link_pkg::SpaceNone) begin
              unsupported_d = 1'b1;
            end else if (poison_q) begin
              poisoned_d = 1'b1;
            end else begin
              takes   = 1'b1;
              state_d = StWrite;
            end
          end else if (is_memory || is_other) begin
            item_valid_d  = 1'b1;
            item_write_d  = 1'b0;
            item_space_d  = is_memory ? space : hbs_link_pkg::SpaceNone;
            unsupported_d = !is_memory || space == hbs_link_pkg::SpaceNone;
            item_addr_d   = addr;
            item_who_d.requester    = h1_q[31:16];
            item_who_d.tag          = h1_q[15:8];
            item_who_d.tc           = tc_q;
            item_who_d.attr         = attr_q;
            item_who_d.locked       = kind_q == 5'b00001;
            item_request_d.first_be = h1_q[3:0];
            item_request_d.last_be  = h1_q[7:4];
            item_request_d.length   = length_q;
            if (!is_memory && kind_q != 5'b00001) begin
              // the fields of its completion are those of a read of 4 bytes at 0
              item_addr_d             = '0;
              item_request_d.first_be = 4'hf;
              item_request_d.last_be  = 4'h0;
              item_request_d.length   = 11'd1;
            end
          end else if (is_completion) begin
            tag_d          = rx_data_i[15:8];
            low_d          = rx_data_i[63:32];
            answer_error_d = 1'b0;
            if (has_data_q && h1_q[15:13] == 3'd0 && !poison_q && length_q == 11'd2
                && rx_keep_i[1] && !rx_eop_i) begin
              state_d = StAnswer;
            end else begin
              answer_valid_d = 1'b1;
              answer_error_d = 1'b1;
              poisoned_d     = has_data_q && poison_q;
            end
          end else begin
            malformed_d = !is_message;
          end
        end
        StWrite: takes = 1'b1;
        StAnswer: begin
          answer_valid_d = 1'b1;
          answer_error_d = !rx_keep_i[0];
          answer_data_d  = {rx_data_i[31:0], low_q};
          state_d        = StSkip;
        end
        default: ;  // also what comes without a beginning
      endcase
      if (rx_eop_i) state_d = StFirst;
    end

    // at most one word is complete with a beat
    if (takes) begin
      addr_d   = word;
      upper_d  = is_upper;
      first_d  = is_first && count == 2'd0;
      left_d   = left - {9'd0, count};
      if (count != 2'd0) begin
        item_write_d = 1'b1;
        item_space_d = space;
        item_addr_d  = {word, 1'b0};
        if (is_upper) begin
          item_be_d    = {one_be, is_first ? 4'h0 : low_be_q};
          item_data_d  = {one, low_q};
          item_valid_d = item_be_d != 8'h00;
          addr_d       = word + 1'b1;
          upper_d      = count == 2'd2;
          low_d        = two;
          low_be_d     = two_be;
          flush_d      = count == 2'd2 && left == 11'd2;
        end else if (count == 2'd2) begin
          item_be_d    = {two_be, one_be};
          item_data_d  = {two, one};
          item_valid_d = item_be_d != 8'h00;
          addr_d       = word + 1'b1;
        end else begin
          low_d    = one;
          low_be_d = one_be;
          upper_d  = 1'b1;
          flush_d  = left == 11'd1;
        end
      end
      // a packet that is shorter than it says
      if (rx_eop_i && left_d != 11'd0) malformed_d = 1'b1;
    end

    if (flush_q && item_free) begin
      flush_d      = 1'b0;
      item_write_d = 1'b1;
      item_addr_d  = {addr_q, 1'b0};
      item_be_d    = {4'h0, low_be_q};
      item_data_d  = {32'd0, low_q};
      item_valid_d = low_be_q != 4'h0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q        <= StFirst;
      flush_q        <= 1'b0;
      item_valid_q   <= 1'b0;
      answer_valid_q <= 1'b0;
      poisoned_o     <= 1'b0;
      unsupported_o  <= 1'b0;
      malformed_o    <= 1'b0;
    end else begin
      state_q        <= state_d;
      flush_q        <= flush_d;
      item_valid_q   <= item_valid_d;
      answer_valid_q <= answer_valid_d;
      poisoned_o     <= poisoned_d;
      unsupported_o  <= unsupported_d;
      malformed_o    <= malformed_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (beat && rx_sop_i) begin
      prefix_q   <= rx_data_i[31];
      has_data_q <= rx_data_i[30];
      long_q     <= rx_data_i[29];
      kind_q     <= rx_data_i[28:24];
      tc_q       <= rx_data_i[22:20];
      poison_q   <= rx_data_i[14];
      attr_q     <= rx_data_i[13:12];
      length_q   <= {rx_data_i[9:0] == 10'd0, rx_data_i[9:0]};
      h1_q       <= rx_data_i[63:32];
      bar_q      <= rx_bar_i;
    end
    addr_q         <= addr_d;
    upper_q        <= upper_d;
    first_q        <= first_d;
    left_q         <= left_d;
    low_q          <= low_d;
    low_be_q       <= low_be_d;
    tag_q          <= tag_d;
    item_write_q   <= item_write_d;
    item_space_q   <= item_space_d;
    item_addr_q    <= item_addr_d;
    item_be_q      <= item_be_d;
    item_data_q    <= item_data_d;
    item_who_q     <= item_who_d;
    item_request_q <= item_request_d;
    answer_error_q <= answer_error_d;
    answer_data_q  <= answer_data_d;
  end

endmodule
