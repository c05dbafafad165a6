// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
// The deadlines of the timers, and their scanner: it looks at a group in each cycle, and asks the
// pipeline to let a timer expire whose time has come. A step may have changed the timer meanwhile;
// so the pipeline gets the deadline looked at again.

module hbs_timers #(
  parameter int unsigned Groups = 16
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        running_i,
  input  logic [55:0] now_i,
  input  logic        write_i,     // whether the timer of a group runs,
  input  logic [6:0]  group_i,
  input  logic        timing_i,
  input  logic        starts_i,    //   and its deadline
  input  logic [55:0] deadline_i,
  output logic        valid_o,
  input  logic        ready_i,
  output logic [6:0]  group_o,
  output logic        is_due_o     // a cycle after ready_i: that group's deadline has passed
);

  localparam int unsigned GroupWidth = Groups > 1 ? $clog2(Groups) : 1;

  logic [Groups-1:0] timing_q;
  logic [6:0] scanned_q, seen_q, looked;
  logic found_q, scans_q, finds;
  logic [55:0] deadline, past;

  assign looked = found_q ? group_o : scanned_q;

  hbs_ram #(
    .Width (56),
    .Depth (Groups)
  ) u_ram (
    .clk_i,
    .write_i (write_i && starts_i),
    .waddr_i (group_i[GroupWidth-1:0]),
    .wdata_i (deadline_i),
    .read_i  (1'b1),
    .clear_i (1'b0),
    .raddr_i (looked[GroupWidth-1:0]),
    .rdata_o (deadline)
  );

  // By the sign of the difference: the time of the card may begin anew at 0.
  assign past = now_i - deadline;
  assign is_due_o = !past[55];
  assign finds = scans_q && is_due_o && timing_q[seen_q[GroupWidth-1:0]] && running_i;
  assign valid_o = found_q && timing_q[group_o[GroupWidth-1:0]] && running_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      timing_q  <= '0;
      scanned_q <= '0;
      seen_q    <= '0;
      scans_q   <= 1'b0;
      found_q   <= 1'b0;
      group_o   <= '0;
    end else begin
      if (write_i) timing_q[group_i[GroupWidth-1:0]] <= timing_i;
      seen_q  <= looked;
      scans_q <= !found_q;
      if (found_q) begin
        found_q <= valid_o && !ready_i;
      end else begin
        // one that is found keeps the next from being seen
        found_q <= finds;
        group_o <= seen_q;
        if (!finds) scanned_q <= scanned_q == 7'(Groups - 1) ? 7'd0 : scanned_q + 7'd1;
      end
    end
  end

endmodule
