// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
// Makes the packet of a completion. Words of data come from a memory, a cycle after their address.

module hbs_tlp_cpl (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic [15:0]              id_i,

  input  logic                     cpl_valid_i,
  output logic                     cpl_ready_o,
  input  hbs_link_pkg::who_t        cpl_who_i,
  input  hbs_link_pkg::completion_t cpl_head_i,
  output logic [3:0]               word_addr_o,
  input  logic [63:0]              word_i,

  output logic                     tx_valid_o,
  input  logic                     tx_ready_i,
  output logic                     tx_sop_o,
  output logic                     tx_eop_o,
  output logic [1:0]               tx_keep_o,
  output logic [63:0]              tx_data_o
);

  typedef enum logic [1:0] {StFirst, StSecond, StData} state_e;

  state_e      state_q, state_d;
  logic [3:0]  addr_q;
  logic [5:0]  left_q, left_d;  // double words
  logic [31:0] high_q;
  logic        upper, beat;

  assign upper = cpl_head_i.lower[2];
  assign beat  = tx_valid_o && tx_ready_i;

  logic has_data;
  assign has_data   = cpl_head_i.length != 6'd0;
  assign tx_valid_o = cpl_valid_i;
  assign tx_sop_o   = state_q == StFirst;

  always_comb begin
    state_d     = state_q;
    left_d      = left_q;
    word_addr_o = addr_q;
    tx_eop_o    = 1'b0;
    tx_keep_o   = 2'b11;
    tx_data_o   = '0;
    unique case (state_q)
      StFirst: begin
        word_addr_o = cpl_head_i.lower[6:3];
        tx_data_o   = {id_i, 2'b00, cpl_head_i.unsupported, 1'b0, cpl_head_i.bytes,
                       1'b0, has_data, 5'b00101, cpl_who_i.locked, 1'b0, cpl_who_i.tc, 6'd0,
                       cpl_who_i.attr, 6'd0, cpl_head_i.length};
        if (beat) begin
          state_d = StSecond;
          left_d  = cpl_head_i.length;
        end
      end
      StSecond: begin
        tx_data_o = {upper ? word_i[63:32] : word_i[31:0],
                     cpl_who_i.requester, cpl_who_i.tag, 1'b0, cpl_head_i.lower};
        tx_keep_o = {has_data, 1'b1};
        tx_eop_o  = left_q <= 6'd1;
        if (beat) begin
          state_d     = tx_eop_o ? StFirst : StData;
          left_d      = left_q - 6'd1;
          word_addr_o = addr_q + 4'd1;
        end
      end
      default: begin
        tx_data_o = upper ? word_i : {word_i[31:0], high_q};
        tx_keep_o = {left_q != 6'd1, 1'b1};
        tx_eop_o  = left_q <= 6'd2;
        if (beat) begin
          state_d     = tx_eop_o ? StFirst : StData;
          left_d      = left_q - 6'd2;
          word_addr_o = addr_q + 4'd1;
        end
      end
    endcase
  end

  assign cpl_ready_o = beat && tx_eop_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= StFirst;
    else state_q <= state_d;
  end

  always_ff @(posedge clk_i) begin
    left_q <= left_d;
    addr_q <= word_addr_o;
    if (beat) high_q <= word_i[63:32];
  end

endmodule
