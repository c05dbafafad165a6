// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
// The time in ns, from a clock whose period is PeriodPs / Divisor picoseconds. What is less than a
// nanosecond is kept, so the time is exact in the long run: 300 MHz is 10000 / 3.

module hbs_clock #(
  parameter int unsigned PeriodPs = 4000,
  parameter int unsigned Divisor = 1
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  output logic [55:0] now_o
);

  localparam int unsigned Whole = PeriodPs / (1000 * Divisor);
  localparam int unsigned Rest = PeriodPs % (1000 * Divisor);
  localparam int unsigned RestWidth = $clog2(1000 * Divisor) + 1;

  logic [RestWidth-1:0] rest_q, rest;
  logic                 carry;

  assign rest  = rest_q + RestWidth'(Rest);
  assign carry = rest >= RestWidth'(1000 * Divisor);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rest_q <= '0;
      now_o  <= '0;
    end else begin
      rest_q <= carry ? rest - RestWidth'(1000 * Divisor) : rest;
      now_o  <= now_o + 56'(Whole) + 56'(carry);
    end
  end

endmodule
