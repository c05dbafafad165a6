// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
// The scanner of the timers: it looks at a group in each cycle, and asks the pipeline to let a
// timer expire whose time has come. The pipeline looks at the group's own deadline again.

module hbs_timers #(
  parameter int unsigned Groups = 16
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        running_i,
  input  logic [55:0] now_i,
  input  logic        write_i,     // the deadline of a group, or none
  input  logic [6:0]  group_i,
  input  logic        timing_i,
  input  logic [55:0] deadline_i,
  output logic        valid_o,
  input  logic        ready_i,
  output logic [6:0]  group_o,
  output logic [55:0] deadline_o
);

  localparam int unsigned GroupWidth = Groups > 1 ? $clog2(Groups) : 1;

  logic [6:0] scanned_q, seen_q;
  logic timing, is_due;
  logic [55:0] deadline, past;

  hbs_ram #(
    .Width (57),
    .Depth (Groups)
  ) u_ram (
    .clk_i,
    .write_i,
    .waddr_i (group_i[GroupWidth-1:0]),
    .wdata_i ({timing_i, deadline_i}),
    .read_i  (!valid_o),
    .raddr_i (scanned_q[GroupWidth-1:0]),
    .rdata_o ({timing, deadline})
  );

  // By the sign of the difference: the time of the card may begin anew at 0.
  assign past = now_i - deadline;
  assign is_due = timing && !past[55] && running_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      scanned_q <= '0;
      seen_q    <= '0;
      valid_o   <= 1'b0;
      group_o   <= '0;
      deadline_o <= '0;
    end else if (valid_o) begin
      valid_o <= !ready_i;
    end else begin
      scanned_q <= scanned_q == 7'(Groups - 1) ? 7'd0 : scanned_q + 7'd1;
      seen_q    <= scanned_q;
      valid_o   <= is_due;
      if (is_due) deadline_o <= deadline;
      group_o   <= seen_q;
    end
  end

endmodule
