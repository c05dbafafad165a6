// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
// Rounds of polling arrival lines. A round begins when its time has come and all answers of the
// one before are there, and asks for the line of each member that has not arrived.

module hbs_poll #(
  parameter int unsigned Ports = 64,
  parameter int unsigned Groups = 16
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             running_i,
  input  logic [31:0]      poll_i,         // ns from round to round
  input  logic [55:0]      now_i,
  input  logic             event_valid_i,
  input  hbs_pkg::event_t  event_i,
  input  logic             reset_i,

  // which members of a group are to be read: the pipeline answers by an event
  output logic             scan_valid_o,
  input  logic             scan_ready_i,
  output logic [6:0]       scan_group_o,
  output logic [3:0]       scan_index_o,
  input  logic [63:0]      scan_i,

  output logic             read_valid_o,
  input  logic             read_ready_i,
  output logic [6:0]       read_group_o,
  output logic [9:0]       read_port_o,
  input  logic             round_i,        // reads of a round are in flight
  output logic             idle_o
);

  localparam int unsigned MaskWords = (Ports + 63) / 64;
  localparam int unsigned MaskWidth = Ports < 64 ? Ports : 64;
  localparam int unsigned MaskIndex = MaskWidth > 1 ? $clog2(MaskWidth) : 1;
  localparam int unsigned GroupBits = Groups > 1 ? $clog2(Groups) : 1;

  typedef enum logic [2:0] {StateOff, StateWait, StateGroup, StateAsk, StateAnswer, StateRead}
      state_e;

  state_e state_q;
  logic [Groups-1:0] wants_q;
  logic is_wanted, is_time, was_time_q, last_word, last_group;
  logic [32:0] next_q, past;
  logic [6:0] group_q;
  logic [3:0] index_q;
  logic [5:0] line_index;
  logic [MaskWidth-1:0] mask_q;   // whose lines are still to be read
  logic loads;
  logic line_valid, lines_done, is_dropping, leaves, leaves_all;

  assign is_wanted = running_i && wants_q != '0;
  // By the sign of the difference, of which the lowest bits suffice for a second: it is remembered
  // that the time has come, however long a round takes.
  assign past = now_i[32:0] - next_q;
  assign is_time = (!past[32] || was_time_q) && !round_i;
  assign last_word = 32'(index_q) == MaskWords - 1;
  assign last_group = 32'(group_q) == Groups - 1;
  hbs_members #(
    .Width (MaskWidth)
  ) u_lines (
    .clk_i,
    .begin_i (loads),
    .first_i (6'd0),
    .end_i   (state_q == StateOff || leaves_all),
    .mask_i  (64'(mask_q)),
    .one_i   (1'b0),
    .any_i   (1'b0),
    .valid_o (line_valid),
    .take_i  (read_valid_o && read_ready_i),
    .index_o (line_index),
    .done_o  (lines_done)
  );

  assign loads = state_q == StateAnswer && event_valid_i && event_i.scans;
  always_ff @(posedge clk_i) begin
    if (loads) mask_q <= scan_i[MaskWidth-1:0];
    if (leaves) mask_q[event_i.port[MaskIndex-1:0]] <= 1'b0;
  end

  assign scan_valid_o = state_q == StateAsk;
  assign scan_group_o = group_q;
  assign scan_index_o = index_q;
  assign read_valid_o = state_q == StateRead && line_valid && !leaves && !leaves_all;
  assign read_group_o = group_q;
  assign read_port_o  = {index_q, line_index};

  // Lines that are not to be read any more: of members that leave, of a group that is disabled
  assign is_dropping = event_valid_i && event_i.drops &&
      (event_i.drops_groups || event_i.group == group_q);
  assign leaves_all = is_dropping && event_i.drops_ports;
  assign leaves = is_dropping && !event_i.drops_groups && event_i.port[9:6] == index_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wants_q <= '0;
    end else if (reset_i) begin
      wants_q <= '0;
    end else if (event_valid_i && event_i.has_wants) begin
      wants_q[event_i.group[GroupBits-1:0]] <= event_i.wants;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StateOff;
      next_q     <= '0;
      was_time_q <= 1'b0;
      group_q    <= '0;
      index_q    <= '0;
    end else if (reset_i || !is_wanted) begin
      state_q <= StateOff;
    end else begin
      if (state_q == StateOff || (state_q == StateWait && is_time)) was_time_q <= 1'b0;
      else if (!past[32]) was_time_q <= 1'b1;
      case (state_q)
        StateOff: begin
          next_q  <= now_i[32:0] + {1'b0, poll_i};
          state_q <= StateWait;
        end
        StateWait:
        if (is_time) begin
          next_q  <= now_i[32:0] + {1'b0, poll_i};
          group_q <= 7'd0;
          index_q <= 4'd0;
          state_q <= StateGroup;
        end
        StateGroup: begin
          index_q <= 4'd0;
          if (wants_q[group_q[GroupBits-1:0]]) state_q <= StateAsk;
          else begin
            group_q <= group_q + 7'd1;
            if (last_group) state_q <= StateWait;
          end
        end
        StateAsk: if (scan_ready_i) state_q <= StateAnswer;
        StateAnswer:
        if (event_valid_i && event_i.scans) state_q <= StateRead;
        StateRead:
        if (lines_done || !wants_q[group_q[GroupBits-1:0]]) begin
          index_q <= index_q + 4'd1;
          state_q <= StateAsk;
          if (last_word || !wants_q[group_q[GroupBits-1:0]]) begin
            group_q <= group_q + 7'd1;
            state_q <= last_group ? StateWait : StateGroup;
          end
        end
        default: state_q <= StateOff;
      endcase
    end
  end

  // A round that waits for its time, for answers or for a tag goes on by itself.
  assign idle_o = !is_wanted ? state_q == StateOff :
      (state_q == StateWait && !is_time) || (state_q == StateRead && read_valid_o && !read_ready_i);

endmodule
