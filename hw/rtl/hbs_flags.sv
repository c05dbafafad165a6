// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
// Flags of groups that two sides read and write in the same cycle, in memories that have one port
// to write: each side writes a word of its own, and a flag is set if the two differ in its bit.
// Where both sides write a flag in the same cycle the value of the first side stays.

module hbs_flags #(
  parameter int unsigned Width = 5,
  parameter int unsigned Groups = 16,
  localparam int unsigned GroupBits = Groups > 1 ? $clog2(Groups) : 1
) (
  input  logic                 clk_i,
  input  logic                 clear_i,    // all flags of a group
  input  logic [GroupBits-1:0] clear_group_i,

  input  logic [GroupBits-1:0] first_group_i,
  input  logic [Width-1:0]     first_write_i,
  input  logic [Width-1:0]     first_i,
  output logic [Width-1:0]     first_o,

  input  logic [GroupBits-1:0] second_group_i,
  input  logic [Width-1:0]     second_write_i,
  input  logic [Width-1:0]     second_i,
  output logic [Width-1:0]     second_o
);

  // the words of both sides, at the group of each
  logic [Width-1:0] first_own, first_other, second_own, second_other;
  logic [Width-1:0] first_next, second_next, second_write;

  assign first_o  = first_own ^ first_other;
  assign second_o = second_own ^ second_other;
  assign second_write = second_write_i &
      ~(first_group_i == second_group_i ? first_write_i : '0);
  assign first_next  = (first_write_i & (first_i ^ first_other)) | (~first_write_i & first_own);
  assign second_next = (second_write & (second_i ^ second_other)) | (~second_write & second_own);

  hbs_table #(
    .Width (Width),
    .Depth (Groups)
  ) u_first_own (
    .clk_i,
    .write_i (clear_i || first_write_i != '0),
    .waddr_i (clear_i ? clear_group_i : first_group_i),
    .wdata_i (clear_i ? '0 : first_next),
    .raddr_i (first_group_i),
    .rdata_o (first_own)
  );

  hbs_table #(
    .Width (Width),
    .Depth (Groups)
  ) u_first_copy (
    .clk_i,
    .write_i (clear_i || first_write_i != '0),
    .waddr_i (clear_i ? clear_group_i : first_group_i),
    .wdata_i (clear_i ? '0 : first_next),
    .raddr_i (second_group_i),
    .rdata_o (second_other)
  );

  hbs_table #(
    .Width (Width),
    .Depth (Groups)
  ) u_second_own (
    .clk_i,
    .write_i (clear_i || second_write != '0),
    .waddr_i (clear_i ? clear_group_i : second_group_i),
    .wdata_i (clear_i ? '0 : second_next),
    .raddr_i (second_group_i),
    .rdata_o (second_own)
  );

  hbs_table #(
    .Width (Width),
    .Depth (Groups)
  ) u_second_copy (
    .clk_i,
    .write_i (clear_i || second_write != '0),
    .waddr_i (clear_i ? clear_group_i : second_group_i),
    .wdata_i (clear_i ? '0 : second_next),
    .raddr_i (first_group_i),
    .rdata_o (first_other)
  );

endmodule
