// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
// A memory with one port to write and one to read, which is read without a clock (a lookup table's
// memory, or registers). Memories of lookup tables have 64 words, so a larger one is of two halves.

module hbs_table #(
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 16,  // at most 128
  localparam int unsigned AddrWidth = Depth > 1 ? $clog2(Depth) : 1
) (
  input  logic                 clk_i,
  input  logic                 write_i,
  input  logic [AddrWidth-1:0] waddr_i,
  input  logic [Width-1:0]     wdata_i,
  input  logic [AddrWidth-1:0] raddr_i,
  output logic [Width-1:0]     rdata_o
);

  if (Depth <= 64) begin : gen_one
    logic [Width-1:0] memory[Depth]  /* verilator public_flat_rw */;

    assign rdata_o = memory[raddr_i];
    always_ff @(posedge clk_i) if (write_i) memory[waddr_i] <= wdata_i;

`ifdef FORMAL
    // what proofs look at
    logic [Depth*Width-1:0] content;
    for (genvar i = 0; i < Depth; i++) begin : gen_content
      assign content[i*Width+:Width] = memory[i];
    end
`endif
  end else begin : gen_two
    logic [Width-1:0] low[64]  /* verilator public_flat_rw */;
    logic [Width-1:0] high[64]  /* verilator public_flat_rw */;

    assign rdata_o = raddr_i[6] ? high[raddr_i[5:0]] : low[raddr_i[5:0]];
    always_ff @(posedge clk_i) begin
      if (write_i && !waddr_i[6]) low[waddr_i[5:0]] <= wdata_i;
      if (write_i && waddr_i[6]) high[waddr_i[5:0]] <= wdata_i;
    end
  end

endmodule
