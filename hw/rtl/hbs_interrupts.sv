// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
// The block INT: causes of vector 0, and which groups have raised what.

module hbs_interrupts #(
  parameter int unsigned Groups = 16
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               reset_i,         // of the card
  input  logic               running_i,       // CTL_CTRL.ENABLE
  input  logic               starts_i,        // it goes from 0 to 1
  // what a step sets
  input  logic [2:0]         set_cause_i,
  input  logic               set_group_i,
  input  logic               set_timeout_i,
  input  logic [6:0]         group_i,
  // a write of a register
  input  logic               write_i,
  input  hbs_pkg::reg_e      target_i,
  input  logic               index_i,
  input  logic [63:0]        data_i,
  output logic               raises_o,        // vector 0
  output logic [2:0]         cause_o,
  output logic [2:0]         enable_o,
  output logic [127:0]       groups_o,
  output logic [127:0]       timeouts_o
);

  logic [2:0] cause_d, enable_d, cleared;
  logic [127:0] bit_of_group, written;
  logic [Groups-1:0] groups_q, timeouts_q;

  assign cleared = write_i && target_i == hbs_pkg::RegCause ? data_i[2:0] : 3'd0;
  assign cause_d = (cause_o & ~cleared) | set_cause_i;
  assign enable_d = write_i && target_i == hbs_pkg::RegCauseEnable ? data_i[2:0] : enable_o;
  assign raises_o = (running_i && ((set_cause_i & ~cause_o & enable_o) != 3'd0 ||
                                   (enable_d & ~enable_o & cause_o) != 3'd0)) ||
      (starts_i && (enable_o & cause_o) != 3'd0);
  assign groups_o = 128'(groups_q);
  assign timeouts_o = 128'(timeouts_q);
  assign bit_of_group = 128'd1 << group_i;
  assign written = index_i ? {data_i, 64'd0} : {64'd0, data_i};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cause_o    <= '0;
      enable_o   <= '0;
      groups_q   <= '0;
      timeouts_q <= '0;
    end else if (reset_i) begin
      cause_o    <= '0;
      enable_o   <= '0;
      groups_q   <= '0;
      timeouts_q <= '0;
    end else begin
      cause_o  <= cause_d;
      enable_o <= enable_d;
      if (set_group_i) groups_q <= groups_q | bit_of_group[Groups-1:0];
      else if (write_i && target_i == hbs_pkg::RegIntGroups) begin
        groups_q <= groups_q & ~written[Groups-1:0];
      end
      if (set_timeout_i) timeouts_q <= timeouts_q | bit_of_group[Groups-1:0];
      else if (write_i && target_i == hbs_pkg::RegIntTimeouts) begin
        timeouts_q <= timeouts_q & ~written[Groups-1:0];
      end
    end
  end

endmodule
