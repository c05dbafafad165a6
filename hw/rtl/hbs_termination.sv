// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
// What an idle word says at a refutable group: the balance of messages after it, its vote, and
// whether the member has freed a message, which colours the epoch.

module hbs_termination (
  input  logic [63:0] idle_i,      // the idle word
  input  logic [47:0] balance_i,
  output logic        is_bad_o,    // it sets a reserved bit
  output logic        overflows_o, // the balance would leave its 48 bits
  output logic [47:0] balance_o,
  output logic        freed_o,
  output logic        vote_o
);

  localparam int unsigned Top = hbs_regs_pkg::IdleDeltaWidth - 1;

  assign is_bad_o = (idle_i & ~(hbs_regs_pkg::IdleDeltaMask | hbs_regs_pkg::IdleFreedMask |
                                hbs_regs_pkg::IdleVoteMask)) != 64'd0;
  assign balance_o = balance_i + idle_i[Top:0];
  // both have one sign, and the sum has the other
  assign overflows_o = balance_i[Top] == idle_i[Top] && balance_o[Top] != balance_i[Top];
  assign freed_o = idle_i[hbs_regs_pkg::IdleFreedLow];
  assign vote_o = idle_i[hbs_regs_pkg::IdleVoteLow];

endmodule
