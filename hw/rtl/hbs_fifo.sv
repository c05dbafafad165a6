// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
// A queue in a memory that is read without a clock (registers, or a lookup table's memory), or in
// two registers: what goes in can come out in the next cycle, one a cycle.

module hbs_fifo #(
  parameter int unsigned Width = 64,
  parameter int unsigned Depth = 4,  // a power of two, at least 2
  localparam int unsigned AddrWidth = $clog2(Depth)
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             valid_i,
  output logic             ready_o,
  input  logic [Width-1:0] data_i,
  output logic             valid_o,
  input  logic             ready_i,
  output logic [Width-1:0] data_o
);

  if (Depth == 2) begin : gen_two
    // Two registers, of which the output is one: nothing chooses between them behind it.
    logic [Width-1:0] head_q, next_q;
    logic full_q, more_q, takes, moves;

    assign valid_o = full_q;
    assign ready_o = !more_q;
    assign data_o  = head_q;
    assign takes   = valid_i && ready_o;
    assign moves   = !full_q || ready_i;

    always_ff @(posedge clk_i) begin
      if (moves) head_q <= more_q ? next_q : data_i;
      if (!more_q) next_q <= data_i;
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        full_q <= 1'b0;
        more_q <= 1'b0;
      end else begin
        if (moves) full_q <= more_q || takes;
        more_q <= !moves && (more_q || takes);
      end
    end
  end else begin : gen_memory
    logic [Width-1:0]   memory[Depth];
    logic [AddrWidth:0] in_q, out_q;

    assign valid_o = in_q != out_q;
    assign ready_o = in_q != {~out_q[AddrWidth], out_q[AddrWidth-1:0]};
    assign data_o  = memory[out_q[AddrWidth-1:0]];

    always_ff @(posedge clk_i) begin
      if (valid_i && ready_o) memory[in_q[AddrWidth-1:0]] <= data_i;
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        in_q  <= '0;
        out_q <= '0;
      end else begin
        if (valid_i && ready_o) in_q <= in_q + 1'b1;
        if (valid_o && ready_i) out_q <= out_q + 1'b1;
      end
    end

`ifdef FORMAL
    // what proofs look at
    logic [Depth*Width-1:0] content;
    for (genvar i = 0; i < Depth; i++) begin : gen_content
      assign content[i*Width+:Width] = memory[i];
    end
`endif
  end

endmodule
