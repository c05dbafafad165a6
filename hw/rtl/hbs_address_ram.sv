// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
// A memory of bus addresses, of which a write can change a half. A small card has no flip-flops for
// them.

module hbs_address_ram #(
  parameter int unsigned Depth = 16,
  localparam int unsigned AddrWidth = Depth > 1 ? $clog2(Depth) : 1
) (
  input  logic                 clk_i,
  input  logic [1:0]           write_i,   // the halves
  input  logic [AddrWidth-1:0] waddr_i,
  input  logic [63:0]          wdata_i,
  input  logic                 read_i,
  input  logic                 clear_i,
  input  logic [AddrWidth-1:0] raddr_i,
  output logic [63:0]          rdata_o
);

  hbs_ram #(
    .Width (32),
    .Depth (Depth),
    .Block (1'b1)
  ) u_low (
    .clk_i,
    .write_i (write_i[0]),
    .waddr_i,
    .wdata_i (wdata_i[31:0]),
    .read_i,
    .clear_i,
    .raddr_i,
    .rdata_o (rdata_o[31:0])
  );

  hbs_ram #(
    .Width (32),
    .Depth (Depth),
    .Block (1'b1)
  ) u_high (
    .clk_i,
    .write_i (write_i[1]),
    .waddr_i,
    .wdata_i (wdata_i[63:32]),
    .read_i,
    .clear_i,
    .raddr_i,
    .rdata_o (rdata_o[63:32])
  );

endmodule
