// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
// A memory with one port to write and one to read: the word of the address comes a cycle later,
// as it was before a write of the same cycle.

module hbs_ram #(
  parameter int unsigned Width = 64,
  parameter int unsigned Depth = 16,
  // in block memories; else as the tools like
  /* verilator lint_off UNUSEDPARAM */
  parameter bit Block = Depth >= 16,
  /* verilator lint_on UNUSEDPARAM */
  localparam int unsigned AddrWidth = Depth > 1 ? $clog2(Depth) : 1
) (
  input  logic                 clk_i,
  input  logic                 write_i,
  input  logic [AddrWidth-1:0] waddr_i,
  input  logic [Width-1:0]     wdata_i,
  input  logic                 read_i,
  input  logic                 clear_i,   // the output becomes 0
  input  logic [AddrWidth-1:0] raddr_i,
  output logic [Width-1:0]     rdata_o
);

  (* ram_style = Block ? "block" : "auto" *)
  logic [Width-1:0] memory[Depth]  /* verilator public_flat_rw */;

  always_ff @(posedge clk_i) begin
    if (write_i) memory[waddr_i] <= wdata_i;
    if (clear_i) rdata_o <= '0;
    else if (read_i) rdata_o <= memory[raddr_i];
  end

`ifdef FORMAL
  // what proofs look at
  logic [Depth*Width-1:0] content;
  for (genvar i = 0; i < Depth; i++) begin : gen_content
    assign content[i*Width+:Width] = memory[i];
  end
`endif

endmodule
