// SPDX-License-Identifier: GPL-2.0-or-later
// What the test of tools/synth takes for the card: a memory with a lane for each group of a port.

module hbs_card #(
  parameter int unsigned Ports = 2,
  parameter int unsigned Groups = 2,
  parameter logic [63:0] Features = hbs_regs_pkg::FeatureAll,
  localparam int unsigned Width = $clog2(Ports * Groups)
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             write_i,
  input  logic [Width-1:0] lane_i,
  input  logic [15:0]      data_i,
  output logic [15:0]      sum_o
);

  logic [15:0] word, step;

  lanes #(.Width(Width)) u_lanes (.clk_i, .write_i, .lane_i, .data_i, .word_o(word));

  assign step = `STEP;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) sum_o <= '0;
    else if (Features[hbs_regs_pkg::FeatureReduceBit]) sum_o <= sum_o + step;
  end

endmodule

module lanes #(
  parameter int unsigned Width = 4
) (
  input  logic             clk_i,
  input  logic             write_i,
  input  logic [Width-1:0] lane_i,
  input  logic [15:0]      data_i,
  output logic [15:0]      word_o
);

  memory #(.Width(Width)) u_memory (.*);

endmodule

module memory #(
  parameter int unsigned Width = 4
) (
  input  logic             clk_i,
  input  logic             write_i,
  input  logic [Width-1:0] lane_i,
  input  logic [15:0]      data_i,
  output logic [15:0]      word_o
);

  logic [15:0] words[2**Width];

  always_ff @(posedge clk_i) begin
    if (write_i) words[lane_i] <= data_i;
    else word_o <= words[lane_i];
  end

endmodule
