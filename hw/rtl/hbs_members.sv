// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
// Goes through the bits that are set in a word of a mask, from the lowest on: one in a cycle where
// they are next to each other; eight in a cycle where none of a byte is set. Or looks at one bit
// alone.

module hbs_members #(
  parameter int unsigned Width = 64  // 1 to 64
) (
  input  logic        clk_i,
  input  logic        begin_i,
  input  logic [5:0]  first_i,   // with begin_i: the bit to begin with
  input  logic        end_i,
  // from the cycle after begin_i on, until done_o; a bit may become 0 meanwhile
  input  logic [63:0] mask_i,
  input  logic        one_i,     // no other bit than the first one
  input  logic        any_i,     //   as if it were set
  output logic        valid_o,
  input  logic        take_i,
  output logic [5:0]  index_o,
  output logic        done_o     // nothing is left
);

  logic [6:0] place_q;
  logic [7:0] part;

  assign part    = mask_i[{place_q[5:3], 3'd0}+:8];
  assign valid_o = !done_o && (any_i || part[place_q[2:0]]);
  assign index_o = place_q[5:0];
  assign done_o  = 32'(place_q) >= Width;

  always_ff @(posedge clk_i) begin
    if (begin_i) begin
      place_q <= {1'b0, first_i};
    end else if (!done_o && (!valid_o || take_i)) begin
      if (one_i) place_q <= 7'd64;
      else if (part == 8'd0) place_q <= {place_q[6:3] + 4'd1, 3'd0};
      else place_q <= place_q + 7'd1;
    end
    if (end_i) place_q <= 7'd64;
  end

endmodule
