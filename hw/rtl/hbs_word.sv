// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
// The epoch word of a group, as records and lanes show it.

module hbs_word (
  input  hbs_pkg::row_t  row_i,
  output logic [63:0]    word_o
);

  assign word_o = {row_i.epoch, 6'd0, row_i.vote, 1'b0, row_i.reason, 3'd0, row_i.broken};

endmodule
