// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
// The MSI-X table at offset 0 of BAR 4, and the pending bits at PendingOffset. A message that may
// not be sent, because its vector or the function is masked or the function is no bus master,
// stays pending until it may.

module hbs_msix #(
  parameter logic [11:0] PendingOffset = 12'h800
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        enable_i,
  input  logic        mask_i,  // the whole function
  input  logic        bus_master_i,

  // accesses to the BAR; what is read is there in the same cycle
  input  logic        write_i,
  input  logic [11:3] addr_i,
  input  logic [7:0]  be_i,
  input  logic [63:0] data_i,
  output logic [63:0] data_o,

  // a message of the card: if send_o, it is to be sent at once
  input  logic        raise_i,
  input  logic        vector_i,
  output logic        send_o,
  output logic [63:2] send_addr_o,
  output logic [31:0] send_data_o,

  // a message that was pending, and may be sent now
  output logic        late_valid_o,
  input  logic        late_ready_i,
  output logic [63:2] late_addr_o,
  output logic [31:0] late_data_o
);

  logic [63:2] addr0_q, addr1_q;
  logic [31:0] data0_q, data1_q;
  logic [1:0]  masked_q, pending_q, may;
  logic        late_vector;

  assign may = (enable_i && !mask_i && bus_master_i) ? ~masked_q : 2'b00;

  assign send_o      = raise_i && may[vector_i];
  assign send_addr_o = vector_i ? addr1_q : addr0_q;
  assign send_data_o = vector_i ? data1_q : data0_q;

  assign late_valid_o = |(pending_q & may);
  assign late_vector  = !(pending_q[0] && may[0]);
  assign late_addr_o  = late_vector ? addr1_q : addr0_q;
  assign late_data_o  = late_vector ? data1_q : data0_q;

  always_comb begin
    data_o = '0;
    if (addr_i[11:5] == '0) begin
      unique case (addr_i[4:3])
        2'd0: data_o = {addr0_q, 2'b00};
        2'd1: data_o = {31'd0, masked_q[0], data0_q};
        2'd2: data_o = {addr1_q, 2'b00};
        2'd3: data_o = {31'd0, masked_q[1], data1_q};
      endcase
    end else if (addr_i == PendingOffset[11:3]) begin
      data_o = {62'd0, pending_q};
    end
  end

  // the word as the write leaves it
  logic [63:0] mixed;
  always_comb begin
    for (int unsigned i = 0; i < 8; i++) begin
      mixed[8*i+:8] = be_i[i] ? data_i[8*i+:8] : data_o[8*i+:8];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      addr0_q   <= '0;
      addr1_q   <= '0;
      data0_q   <= '0;
      data1_q   <= '0;
      masked_q  <= '1;
      pending_q <= '0;
    end else begin
      if (write_i && addr_i[11:5] == '0) begin
        unique case (addr_i[4:3])
          2'd0: addr0_q <= mixed[63:2];
          2'd1: {masked_q[0], data0_q} <= mixed[32:0];
          2'd2: addr1_q <= mixed[63:2];
          2'd3: {masked_q[1], data1_q} <= mixed[32:0];
        endcase
      end
      if (!enable_i) begin
        pending_q <= '0;
      end else begin
        if (late_valid_o && late_ready_i) pending_q[late_vector] <= 1'b0;
        if (raise_i) pending_q[vector_i] <= !may[vector_i];
      end
    end
  end

endmodule
