// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
// Counters of 64 bits in a memory, of which one can be counted, cleared or read in each cycle. The
// value comes a cycle after the address, as it was before; that of a cleared counter is 0.

module hbs_counter_bank #(
  parameter int unsigned Depth = 16,
  localparam int unsigned AddrWidth = Depth > 1 ? $clog2(Depth) : 1
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic [AddrWidth-1:0] addr_i,
  input  logic                 count_i,
  input  logic                 clear_i,
  output logic [63:0]          value_o
);

  logic [AddrWidth-1:0] addr_q, last_addr_q;
  logic count_q, clear_q, write, last_q, is_last;
  logic [63:0] stored, next, last_value_q;

  assign is_last = last_q && last_addr_q == addr_q;
  assign value_o = clear_q ? 64'd0 : is_last ? last_value_q : stored;
  assign write   = count_q || clear_q;
  assign next    = value_o + 64'(count_q);

  hbs_ram #(
    .Width (64),
    .Depth (Depth)
  ) u_ram (
    .clk_i,
    .write_i (write),
    .waddr_i (addr_q),
    .wdata_i (next),
    .read_i  (1'b1),
    .clear_i (1'b0),
    .raddr_i (addr_i),
    .rdata_o (stored)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= 1'b0;
      clear_q <= 1'b0;
      last_q  <= 1'b0;
    end else begin
      count_q <= count_i && !clear_i;
      clear_q <= clear_i;
      last_q  <= write;
    end
  end

  always_ff @(posedge clk_i) begin
    addr_q       <= addr_i;
    last_addr_q  <= addr_q;
    last_value_q <= next;
  end

endmodule
