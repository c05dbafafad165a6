// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
// Reductions of the operands of an epoch: the identity, and the sum after an operand, or without
// one as it was.

module hbs_reduce (
  input  logic [3:0]  reduce_i,
  input  logic        takes_i,     // the operand is taken
  input  logic [63:0] sum_i,
  input  logic [63:0] operand_i,
  output logic [63:0] identity_o,
  output logic [63:0] sum_o
);

  // What becomes of each bit
  typedef enum logic [2:0] {
    BitZero, BitSum, BitOperand, BitAnd, BitOr, BitXor, BitAdded
  } bit_e;

  bit_e which;
  logic is_sum, is_signed, is_less, is_vote, has_operand;
  logic [63:0] added;
  logic carry;

  // One adder: it adds the operand, or subtracts it to compare.
  assign is_sum = reduce_i == hbs_regs_pkg::ReduceSum;
  assign {carry, added} = {1'b0, sum_i} + {1'b0, is_sum ? operand_i : ~operand_i} + 65'(!is_sum);
  // Signed numbers of different signs compare the other way than unsigned ones.
  assign is_signed = reduce_i == hbs_regs_pkg::ReduceSmin || reduce_i == hbs_regs_pkg::ReduceSmax;
  assign is_less = !carry ^ (is_signed && sum_i[63] != operand_i[63]);
  assign is_vote = reduce_i == hbs_regs_pkg::ReduceVote;
  assign has_operand = operand_i != 64'd0;

  always_comb begin
    case (reduce_i)
      hbs_regs_pkg::ReduceAnd: which = BitAnd;
      hbs_regs_pkg::ReduceOr: which = BitOr;
      hbs_regs_pkg::ReduceXor: which = BitXor;
      hbs_regs_pkg::ReduceSum: which = BitAdded;
      hbs_regs_pkg::ReduceMin, hbs_regs_pkg::ReduceSmin: which = is_less ? BitSum : BitOperand;
      hbs_regs_pkg::ReduceMax, hbs_regs_pkg::ReduceSmax: which = is_less ? BitOperand : BitSum;
      hbs_regs_pkg::ReduceVote: which = BitSum;
      default: which = BitZero;
    endcase
    if (!takes_i) which = BitSum;
    for (int unsigned i = 0; i < 64; i++) begin
      case (which)
        BitSum: sum_o[i] = sum_i[i];
        BitOperand: sum_o[i] = operand_i[i];
        BitAnd: sum_o[i] = sum_i[i] & operand_i[i];
        BitOr: sum_o[i] = sum_i[i] | operand_i[i];
        BitXor: sum_o[i] = sum_i[i] ^ operand_i[i];
        BitAdded: sum_o[i] = added[i];
        default: sum_o[i] = 1'b0;
      endcase
    end
    // a vote: whether all of them are not 0, and whether one is not
    if (takes_i && is_vote && !has_operand) sum_o[0] = 1'b0;
    if (takes_i && is_vote && has_operand) sum_o[1] = 1'b1;
  end

  // all bits are the same but the uppermost and the lowest
  always_comb begin
    identity_o = {64{reduce_i == hbs_regs_pkg::ReduceAnd || reduce_i == hbs_regs_pkg::ReduceMin ||
                     reduce_i == hbs_regs_pkg::ReduceSmin}};
    if (is_signed) identity_o[63] = reduce_i == hbs_regs_pkg::ReduceSmax;
    if (is_vote) identity_o[0] = 1'b1;
  end

endmodule
