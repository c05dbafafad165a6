// SPDX-License-Identifier: GPL-2.0-or-later
// Reads of host memory: a tag never has two reads, no queue overflows, and a read that is wanted
// goes to the address that its port's memory has.

module reads #(
  parameter int unsigned Ports = 3,
  parameter int unsigned Tags = 4,
  localparam int unsigned TagWidth = $clog2(Tags)
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic                event_valid_i,
  input logic [6:0]          event_group_i,
  input logic [9:0]          event_port_i,
  input logic                drops_i,
  input logic                drops_groups_i,
  input logic                drops_ports_i,
  input logic                frees_i,
  input logic                asks_i,
  input logic [TagWidth-1:0] event_tag_i,
  input logic                reset_i,
  input logic [63:0]         expected_i,
  input logic [1:0]          write_port_addr_i,
  input logic [9:0]          port_index_i,
  input logic [63:0]         address_i,
  input logic                poll_valid_i,
  input logic [6:0]          poll_group_i,
  input logic [9:0]          poll_port_i,
  input logic                op_valid_i,
  input hbs_pkg::use_e       op_use_i,
  input logic [6:0]          op_group_i,
  input logic [10:0]         op_port_i,
  input logic [63:0]         op_addr_i,
  input logic                op_fails_i,
  input logic [63:0]         op_expected_i,
  input logic                rd_ready_i,
  input logic                ans_valid_i,
  input logic                ans_error_i,
  input logic [TagWidth-1:0] ans_tag_i,
  input logic [63:0]         ans_data_i,
  input logic                answer_ready_i,
  input logic [7:0]          computed_tag_i,
  input logic [6:0]          computed_group_i
);

  hbs_pkg::event_t happens;
  always_comb begin
    happens              = '0;
    happens.group        = event_group_i;
    happens.port         = event_port_i;
    happens.drops        = drops_i;
    happens.drops_groups = drops_groups_i;
    happens.drops_ports  = drops_ports_i;
    happens.frees        = frees_i;
    happens.asks         = asks_i;
    happens.tag          = 8'(event_tag_i);
  end

  logic rd_valid, answer_valid, dropped, reading;
  logic [63:0] rd_addr;
  logic [TagWidth-1:0] rd_tag;
  logic [7:0] answer_tag;

  hbs_reads #(
    .Ports (Ports),
    .Tags  (Tags)
  ) u_reads (
    .clk_i,
    .rst_ni,
    .event_valid_i,
    .event_i           (happens),
    .reset_i,
    .has_poll_i        (1'b1),
    .expected_i,
    .write_port_addr_i,
    .port_index_i,
    .address_i,
    .poll_valid_i,
    .poll_ready_o      (),
    .poll_group_i,
    .poll_port_i,
    .round_o           (),
    .op_valid_i,
    .op_ready_o        (),
    .op_use_i,
    .op_group_i,
    .op_port_i,
    .op_addr_i,
    .op_fails_i,
    .op_expected_i,
    .rd_valid_o        (rd_valid),
    .rd_ready_i,
    .rd_addr_o         (rd_addr),
    .rd_tag_o          (rd_tag),
    .ans_valid_i,
    .ans_error_i,
    .ans_tag_i,
    .ans_data_i,
    .answer_valid_o    (answer_valid),
    .answer_ready_i,
    .answer_group_o    (),
    .answer_port_o     (),
    .answer_use_o      (),
    .answer_tag_o      (answer_tag),
    .answer_error_o    (),
    .answer_data_o     (),
    .answer_expected_o (),
    .computed_tag_i,
    .dropped_o         (dropped),
    .computed_group_i,
    .draining_o        (),
    .reading_o         (reading),
    .idle_o            ()
  );

  (* hierconn *) logic [Tags-1:0] \u_reads.busy_q ;
  (* hierconn *) logic [Tags-1:0] \u_reads.dropped_q ;
  (* hierconn *) logic [Tags-1:0] \u_reads.hit ;
  (* hierconn *) logic \u_reads.failed_q ;
  (* hierconn *) logic [TagWidth-1:0] \u_reads.failed_tag_q ;
  (* hierconn *) logic \u_reads.line_valid_q ;
  (* hierconn *) logic \u_reads.line_again_q ;
  (* hierconn *) logic \u_reads.line_moves ;
  (* hierconn *) logic [TagWidth-1:0] \u_reads.line_tag_q ;
  (* hierconn *) logic [9:0] \u_reads.line_port_q ;
  (* hierconn *) logic [63:0] \u_reads.line_base ;
  (* hierconn *) logic [TagWidth:0] \u_reads.u_again.gen_memory.in_q ;
  (* hierconn *) logic [TagWidth:0] \u_reads.u_again.gen_memory.out_q ;
  (* hierconn *) logic [Tags*TagWidth-1:0] \u_reads.u_again.gen_memory.content ;
  (* hierconn *) logic [TagWidth:0] \u_reads.u_answers.gen_memory.in_q ;
  (* hierconn *) logic [TagWidth:0] \u_reads.u_answers.gen_memory.out_q ;
  (* hierconn *) logic [Tags*(TagWidth+65)-1:0] \u_reads.u_answers.gen_memory.content ;

  // Where the read of a tag is: on the bus, or in the pipeline
  logic [Tags-1:0] on_bus_q, computed_q, is_offered, is_failed, is_line;
  logic [TagWidth:0] again_size, answers_size;
  assign again_size = \u_reads.u_again.gen_memory.in_q - \u_reads.u_again.gen_memory.out_q ;
  assign answers_size = \u_reads.u_answers.gen_memory.in_q - \u_reads.u_answers.gen_memory.out_q ;

  // What the bus and the pipeline keep to: an answer to each read once, an event for each answer
  logic is_started_q = 1'b0;
  always_ff @(posedge clk_i) is_started_q <= 1'b1;
  always_comb begin
    assume (is_started_q || !rst_ni);
    if (ans_valid_i) assume (on_bus_q[ans_tag_i]);
    assume (!(frees_i && asks_i));
    if (event_valid_i && (frees_i || asks_i)) assume (computed_q[event_tag_i]);
    assume (poll_port_i < 10'(Ports) && port_index_i < 10'(Ports) && event_port_i < 10'(Ports));
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      on_bus_q   <= '0;
      computed_q <= '0;
    end else begin
      if (rd_valid && rd_ready_i) on_bus_q[rd_tag] <= 1'b1;
      if (ans_valid_i) on_bus_q[ans_tag_i] <= 1'b0;
      if (event_valid_i && (frees_i || asks_i)) computed_q[event_tag_i] <= 1'b0;
      if (answer_valid && answer_ready_i) computed_q[answer_tag[TagWidth-1:0]] <= 1'b1;
    end
  end

  logic [7:0] places;
  logic [TagWidth-1:0] place, tag;
  always_comb begin
    places = '0;
    place = '0;
    tag = '0;
    if (rst_ni) begin
      assert (again_size <= (TagWidth + 1)'(Tags) && answers_size <= (TagWidth + 1)'(Tags));
      for (int unsigned t = 0; t < Tags; t++) begin
        places = 8'(on_bus_q[t]) + 8'(computed_q[t]) +
            8'(rd_valid && rd_tag == TagWidth'(t)) +
            8'(\u_reads.failed_q && \u_reads.failed_tag_q == TagWidth'(t)) +
            8'(\u_reads.line_valid_q && \u_reads.line_again_q &&
               \u_reads.line_tag_q == TagWidth'(t));
        for (int unsigned i = 0; i < Tags; i++) begin
          place = TagWidth'(i) - \u_reads.u_again.gen_memory.out_q [TagWidth-1:0];
          if ({1'b0, place} < again_size &&
              \u_reads.u_again.gen_memory.content [i*TagWidth+:TagWidth] == TagWidth'(t)) begin
            places = places + 1'b1;
          end
          place = TagWidth'(i) - \u_reads.u_answers.gen_memory.out_q [TagWidth-1:0];
          tag = \u_reads.u_answers.gen_memory.content [i*(TagWidth+65)+65+:TagWidth];
          if ({1'b0, place} < answers_size && tag == TagWidth'(t)) places = places + 1'b1;
        end
        // A tag that is busy has one read, and one that is free has none.
        assert (places == 8'(\u_reads.busy_q [t]));
      end
      if (rd_valid) assert (!on_bus_q[rd_tag]);
      // No queue overflows.
      if (event_valid_i && asks_i) assert (again_size < (TagWidth + 1)'(Tags));
      if (ans_valid_i || \u_reads.failed_q ) assert (answers_size < (TagWidth + 1)'(Tags));
      // CTL_STATUS.READING
      if (on_bus_q != 0) assert (reading);
    end
  end

  // What can happen
  (* keep *) logic sees_all_busy, sees_operand, sees_unsent;
  assign sees_all_busy = rst_ni && on_bus_q == '1;
  assign sees_operand = rst_ni && event_valid_i && asks_i;
  assign sees_unsent = rst_ni && \u_reads.failed_q && ans_valid_i;

endmodule
