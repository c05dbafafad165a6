// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
// Sequences: the steps that follow from a step whose effect needs more rows than one. A sequence
// begins with what the step before asks for, gives its steps as soon as it has their rows, and
// ends by itself.

module hbs_sequence #(
  parameter int unsigned Ports = 64,
  parameter int unsigned Groups = 16,
  localparam int unsigned MaskWidth = Ports < 64 ? Ports : 64
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 stops_i,        // the card's reset begins

  // what the step that is computed now lets follow
  input  hbs_pkg::op_t         op_i,
  input  hbs_pkg::row_t        row_i,
  input  logic                 follows_i,      // a sequence, which begins with a step ...
  input  hbs_pkg::kind_e       follow_i,       // ... of this kind
  input  logic                 starts_card_i,  // the operations of all groups start
  input  logic                 moves_port_i,   // those that use the port's memory start anew

  output logic                 active_o,       // nothing else is chosen
  output logic                 step_o,         // a step is to be computed
  output hbs_pkg::op_t         op_o,

  // members whose operands are reduced
  input  logic [MaskWidth-1:0] p_i,            // the word of P that was read last
  output logic [6:0]           operand_group_o,
  output logic [9:0]           operand_port_o,
  input  logic [63:0]          operand_i       // a cycle after its address
);

  localparam int unsigned MaskWords = (Ports + 63) / 64;
  // masks have at most 16 words, and counters of a group have 8 places
  localparam int unsigned WipeSteps = MaskWords > 8 ? MaskWords : 8;

  typedef enum logic [3:0] {
    StateNone, StateWipe, StateNote, StateGather, StateLoad, StateFold, StateFolded, StateOnce,
    StateDrain, StateGroup, StateLook
  } state_e;

  state_e state_q;
  hbs_pkg::kind_e kind_q;       // of the next step of StateOnce
  logic [6:0] group_q;
  logic [9:0] port_q;
  logic [3:0] index_q;
  logic loops_q;                // groups follow that are still to be visited
  hbs_pkg::kind_e loop_kind_q;  // of the step that visits each group
  logic [6:0] loop_group_q;
  logic [9:0] loop_port_q;      // the port that moves
  logic [5:0] member_index;
  logic member_valid, members_done;
  logic fold_q;                 // the operand is there
  logic last_group, needs_start;

  assign active_o = state_q != StateNone;

  hbs_members #(
    .Width (MaskWidth)
  ) u_gathered (
    .clk_i,
    .begin_i (state_q == StateLoad),
    .first_i (6'd0),
    .end_i   (1'b0),
    .mask_i  (64'(p_i)),
    .one_i   (1'b0),
    .any_i   (1'b0),
    .valid_o (member_valid),
    .take_i  (state_q == StateFold),
    .index_o (member_index),
    .done_o  (members_done)
  );

  assign operand_group_o = group_q;
  assign operand_port_o  = {index_q, member_index};
  assign last_group = 32'(loop_group_q) == Groups - 1;
  assign needs_start = row_i.operation != hbs_pkg::OperationNone && row_i.enable &&
      (loop_kind_q == hbs_pkg::KindResume ||
       (row_i.operation != hbs_pkg::OperationEnabling && row_i.subject == loop_port_q));

  always_comb begin
    op_o         = '0;
    op_o.kind    = kind_q;
    op_o.target  = hbs_pkg::RegNone;
    op_o.purpose = hbs_pkg::UseWord;
    op_o.group   = group_q;
    op_o.port    = port_q;
    op_o.index   = port_q[9:6];
    step_o       = 1'b0;
    case (state_q)
      StateWipe: begin
        op_o.kind  = hbs_pkg::KindWipe;
        op_o.index = index_q;
        step_o     = 1'b1;
      end
      StateNote: begin
        op_o.kind  = hbs_pkg::KindNote;
        op_o.index = index_q;
        step_o     = 1'b1;
      end
      StateGather: begin
        op_o.kind  = hbs_pkg::KindGather;
        op_o.index = index_q;
        step_o     = 1'b1;
      end
      StateLoad: op_o.index = index_q;
      // The word of P stays at the output of its memory.
      StateFold: begin
        op_o.kind  = hbs_pkg::KindFold;
        op_o.index = index_q;
        op_o.data  = operand_i;
        step_o     = fold_q;
      end
      StateOnce: step_o = 1'b1;
      StateGroup: begin
        op_o.kind  = loop_kind_q;
        op_o.group = loop_group_q;
        op_o.port  = loop_port_q;
        step_o     = 1'b1;
      end
      default: ;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q      <= StateNone;
      kind_q       <= hbs_pkg::KindNone;
      group_q      <= '0;
      port_q       <= '0;
      index_q      <= '0;
      loops_q      <= 1'b0;
      loop_group_q <= '0;
      loop_kind_q  <= hbs_pkg::KindNone;
      loop_port_q  <= '0;
      fold_q       <= 1'b0;
    end else if (stops_i) begin
      state_q <= StateNone;
      loops_q <= 1'b0;
      fold_q  <= 1'b0;
    end else begin
      fold_q <= 1'b0;
      case (state_q)
        StateNone, StateDrain: begin
          // A step that was just computed says what follows.
          state_q <= StateNone;
          if (follows_i) begin
            group_q <= op_i.group;
            port_q  <= op_i.port;
            index_q <= 4'd0;
            kind_q  <= follow_i;
            case (follow_i)
              hbs_pkg::KindWipe: state_q <= StateWipe;
              hbs_pkg::KindNote: state_q <= StateNote;
              hbs_pkg::KindGather: state_q <= StateGather;
              default: state_q <= StateOnce;
            endcase
          end else if (starts_card_i || moves_port_i) begin
            state_q      <= StateGroup;
            loops_q      <= 1'b1;
            loop_group_q <= 7'd0;
            loop_kind_q  <= starts_card_i ? hbs_pkg::KindResume : hbs_pkg::KindMove;
            loop_port_q  <= op_i.port;
          end else if (loops_q) begin
            // the group's operation has started anew
            state_q      <= last_group ? StateNone : StateGroup;
            loops_q      <= !last_group;
            loop_group_q <= loop_group_q + 7'd1;
          end
        end
        StateWipe: begin
          index_q <= index_q + 4'd1;
          if (32'(index_q) == WipeSteps - 1) begin
            state_q <= StateOnce;
            kind_q  <= hbs_pkg::KindStart;
          end
        end
        StateNote: begin
          index_q <= index_q + 4'd1;
          if (32'(index_q) == MaskWords - 1) begin
            state_q <= StateOnce;
            kind_q  <= hbs_pkg::KindExpired;
          end
        end
        StateGather: state_q <= StateLoad;
        StateLoad: state_q <= StateFold;
        StateFold: begin
          if (!members_done) begin
            fold_q <= member_valid;
          end else if (32'(index_q) == MaskWords - 1) begin
            state_q <= StateFolded;
          end else begin
            index_q <= index_q + 4'd1;
            state_q <= StateGather;
          end
        end
        StateFolded: begin
          state_q <= StateOnce;
          kind_q  <= hbs_pkg::KindComplete;
        end
        StateOnce: state_q <= StateDrain;
        StateGroup: state_q <= StateLook;
        StateLook: begin
          if (needs_start) begin
            state_q <= StateOnce;
            kind_q  <= hbs_pkg::KindStart;
            group_q <= loop_group_q;
            port_q  <= row_i.subject;
          end else begin
            state_q      <= last_group ? StateNone : StateGroup;
            loops_q      <= !last_group;
            loop_group_q <= loop_group_q + 7'd1;
          end
        end
        default: state_q <= StateNone;
      endcase
    end
  end

endmodule
