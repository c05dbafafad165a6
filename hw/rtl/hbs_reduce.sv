// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
// Reductions of the operands of an epoch: the identity, and the sum after an operand.

module hbs_reduce (
  input  logic [3:0]  reduce_i,
  input  logic [63:0] sum_i,
  input  logic [63:0] operand_i,
  output logic [63:0] identity_o,
  output logic [63:0] sum_o
);

  logic is_signed, is_less;
  logic [63:0] flip;

  // One comparison for all four: signed numbers compare as unsigned ones with the sign flipped.
  assign is_signed = reduce_i == hbs_regs_pkg::ReduceSmin || reduce_i == hbs_regs_pkg::ReduceSmax;
  assign flip      = {is_signed, 63'd0};
  assign is_less   = (sum_i ^ flip) < (operand_i ^ flip);

  always_comb begin
    case (reduce_i)
      hbs_regs_pkg::ReduceAnd, hbs_regs_pkg::ReduceMin: identity_o = 64'hffff_ffff_ffff_ffff;
      hbs_regs_pkg::ReduceSmin: identity_o = 64'h7fff_ffff_ffff_ffff;
      hbs_regs_pkg::ReduceSmax: identity_o = 64'h8000_0000_0000_0000;
      hbs_regs_pkg::ReduceVote: identity_o = 64'd1;
      default: identity_o = 64'd0;
    endcase
    case (reduce_i)
      hbs_regs_pkg::ReduceAnd: sum_o = sum_i & operand_i;
      hbs_regs_pkg::ReduceOr: sum_o = sum_i | operand_i;
      hbs_regs_pkg::ReduceXor: sum_o = sum_i ^ operand_i;
      hbs_regs_pkg::ReduceSum: sum_o = sum_i + operand_i;
      hbs_regs_pkg::ReduceMin, hbs_regs_pkg::ReduceSmin: sum_o = is_less ? sum_i : operand_i;
      hbs_regs_pkg::ReduceMax, hbs_regs_pkg::ReduceSmax: sum_o = is_less ? operand_i : sum_i;
      hbs_regs_pkg::ReduceVote:
      sum_o = operand_i == 64'd0 ? {sum_i[63:1], 1'b0} : {sum_i[63:2], 1'b1, sum_i[0]};
      default: sum_o = 64'd0;
    endcase
  end

endmodule
