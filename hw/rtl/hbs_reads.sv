// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
// Reads of host memory: who asked for what by which tag, and whether anybody still wants the
// answer. Reads leave in the order in which they are asked for; answers come in any order.

module hbs_reads #(
  parameter int unsigned Ports = 64,
  parameter int unsigned Groups = 128,
  parameter int unsigned Tags = 32,
  localparam int unsigned TagWidth = $clog2(Tags)
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  // what the pipeline did in the cycle before
  input  logic                event_valid_i,
  input  hbs_pkg::event_t     event_i,
  input  logic                reset_i,
  input  logic                has_poll_i,    // the feature: else no line is read
  input  logic [63:0]         expected_i,    // of an operand: the word that was read
  // changes of PRT_ADDR
  input  logic [1:0]          write_port_addr_i,
  input  logic [9:0]          port_index_i,
  input  logic [63:0]         address_i,

  // reads for a round: of the word of a line
  input  logic                poll_valid_i,
  output logic                poll_ready_o,
  input  logic [6:0]          poll_group_i,
  input  logic [9:0]          poll_port_i,
  output logic                round_o,       // one of them is in flight and wanted
  // reads for an operation
  input  logic                op_valid_i,
  output logic                op_ready_o,
  input  hbs_pkg::use_e       op_use_i,
  input  logic [6:0]          op_group_i,
  input  logic [10:0]         op_port_i,     // the uppermost bit: a record of the group
  input  logic [63:0]         op_addr_i,
  input  logic                op_fails_i,    // there is no address
  input  logic [63:0]         op_expected_i,

  // to and from the bus
  output logic                rd_valid_o,
  input  logic                rd_ready_i,
  output logic [63:0]         rd_addr_o,
  output logic [TagWidth-1:0] rd_tag_o,
  input  logic                ans_valid_i,
  input  logic                ans_error_i,
  input  logic [TagWidth-1:0] ans_tag_i,
  input  logic [63:0]         ans_data_i,

  // to the pipeline
  output logic                answer_valid_o,
  input  logic                answer_ready_i,
  output logic [6:0]          answer_group_o,
  output logic [9:0]          answer_port_o,
  output hbs_pkg::use_e       answer_use_o,
  output logic [7:0]          answer_tag_o,
  output logic                answer_error_o,
  output logic [63:0]         answer_data_o,
  output logic [63:0]         answer_expected_o,
  input  logic [7:0]          computed_tag_i,
  output logic                dropped_o,
  input  logic [6:0]          computed_group_i,
  output logic                draining_o,
  output logic                reading_o,
  output logic                idle_o
);

  localparam int unsigned PortBits = Ports > 1 ? $clog2(Ports) : 1;
  // so synthesis sees which bits of groups and ports are 0
  localparam logic [6:0] GroupMask = 7'((1 << $clog2(Groups)) - 1);
  localparam logic [9:0] PortMask = 10'((1 << $clog2(Ports)) - 1);
  logic [6:0] op_group, poll_group, event_group, computed_group;
  logic [10:0] op_port;
  logic [9:0] poll_port, event_port;
  assign op_group    = op_group_i & GroupMask;
  assign op_port     = op_port_i & {1'b1, PortMask};
  assign poll_group  = poll_group_i & GroupMask;
  assign poll_port   = poll_port_i & PortMask;
  assign event_group = event_i.group & GroupMask;
  assign computed_group = computed_group_i & GroupMask;
  assign event_port  = event_i.port & PortMask;

  // The table of tags
  logic [Tags-1:0] busy_q, dropped_q, round_q, hit, drained, wanted;
  logic [6:0] group_q[Tags];
  logic [10:0] port_q[Tags];
  // and the same in a memory, for who looks at one tag
  logic [16:0] target_q[Tags], answer_target, again_target;
  hbs_pkg::use_e use_q[Tags];
  // what a check expects; the word that came before an operand
  logic [63:0] expected_q[Tags];

  // A read that is dropped in this cycle counts as dropped at once.
  always_comb begin
    for (int unsigned t = 0; t < Tags; t++) begin
      hit[t] = event_valid_i && event_i.drops &&
          (event_i.drops_groups || group_q[t] == event_group) &&
          (event_i.drops_ports || port_q[t] == {1'b0, event_port});
      drained[t] = busy_q[t] && (dropped_q[t] || hit[t]) && group_q[t] == computed_group;
      wanted[t] = busy_q[t] && round_q[t] && !dropped_q[t];
    end
  end

  assign draining_o = |drained;
  // a line that waits for the bus has no tag yet
  assign round_o    = |wanted || (line_valid_q && !line_again_q);
  assign reading_o  = |busy_q;
  assign dropped_o  = dropped_q[computed_tag_i[TagWidth-1:0]] ||
      hit[computed_tag_i[TagWidth-1:0]];

  // A free tag
  logic [TagWidth-1:0] free_tag;
  logic has_free, has_two;
  always_comb begin
    free_tag = '0;
    for (int unsigned t = 0; t < Tags; t++) begin
      if (!busy_q[Tags-1-t]) free_tag = TagWidth'(Tags - 1 - t);
    end
  end
  assign has_free = !(&busy_q);
  // the sum has the lowest 0 of them as a 1
  assign has_two = !(&(busy_q | (busy_q + Tags'(1))));

  // Tags whose operand is still to be asked for
  logic again_waits, again_valid, again_ready;
  assign again_valid = has_poll_i && again_waits;
  logic [TagWidth-1:0] again_tag;

  hbs_fifo #(
    .Width (TagWidth),
    .Depth (Tags)
  ) u_again (
    .clk_i,
    .rst_ni,
    .valid_i (event_valid_i && event_i.asks),
    /* verilator lint_off PINCONNECTEMPTY */
    .ready_o (),  // a tag is in it once at most
    /* verilator lint_on PINCONNECTEMPTY */
    .data_i  (event_i.tag[TagWidth-1:0]),
    .valid_o (again_waits),
    .ready_i (again_ready),
    .data_o  (again_tag)
  );

  // First cycle: a line is chosen, and the address of its port's memory is read.
  logic line_valid_q, line_again_q, line_moves, line_done, takes_again, takes_poll, line_free;
  logic [TagWidth-1:0] line_tag_q;
  logic [6:0] line_group_q;
  logic [9:0] line_port_q, line_port_d;
  logic [63:0] line_base;

  // A line whose port moves, or whose member leaves, is not read.
  assign line_moves = reset_i || (event_valid_i && event_i.drops &&
      (event_i.drops_groups || line_group_q == event_group) &&
      (event_i.drops_ports || line_port_q == event_port));
  assign line_free = !line_valid_q || line_done;
  assign takes_again = again_valid && line_free;
  // A line is chosen only if there is a tag for it: otherwise it would keep those waiting that have
  // one, and that is needed to free it.
  assign takes_poll = has_poll_i && poll_valid_i && poll_ready_o && !reset_i;
  assign again_ready = line_free;
  assign poll_ready_o = line_free && !again_valid && (claims ? has_two : has_free);
  assign again_target = target_q[again_tag];
  assign line_port_d = takes_again ? again_target[9:0] : poll_port;

  hbs_address_ram #(
    .Depth (Ports)
  ) u_port_addr (
    .clk_i,
    .write_i (write_port_addr_i),
    .waddr_i (port_index_i[PortBits-1:0]),
    .wdata_i (address_i),
    .read_i  (line_free),
    .clear_i (1'b0),
    .raddr_i (line_port_d[PortBits-1:0]),
    .rdata_o (line_base)
  );

  // Second cycle: the read gets a tag, and is offered to the bus.
  logic takes_op, takes_line, sends, claims, fails, out_free, line_is_dropped, op_moves, asks;
  logic [TagWidth-1:0] tag, noted_tag;
  logic [63:0] line_addr;
  logic failed_q;
  logic [TagWidth-1:0] failed_tag_q;
  logic failed_taken;

  assign op_moves = event_valid_i && event_i.drops &&
      (event_i.drops_groups || op_group == event_group) &&
      (event_i.drops_ports || op_port == {1'b0, event_port});
  // The lowest bits of an address of PRT_ADDR are 0.
  assign line_addr = {line_base[63:7] + {50'd0, line_group_q},
                      hbs_regs_pkg::MemoryArrivalOffset |
                      (line_again_q ? {1'b0, hbs_regs_pkg::LineOperandOffset} : 7'd0)};
  // These memories have one port to write: while it is noted that an operand is asked for, no read
  // is sent.
  assign asks = event_valid_i && event_i.asks;
  assign out_free = (!rd_valid_o || rd_ready_i) && !failed_q && !asks;
  assign op_ready_o = out_free && (line_valid_q && !line_again_q ? has_two : has_free);
  assign takes_op = op_valid_i && op_ready_o;
  // the port's memory may have moved since its address was read
  assign line_is_dropped = line_again_q ? dropped_q[line_tag_q] || hit[line_tag_q] : line_moves;
  assign takes_line = line_valid_q && out_free && !takes_op && (line_again_q || has_free);
  assign line_done = takes_line || (line_valid_q && line_is_dropped);
  assign tag = takes_op || !line_again_q ? free_tag : line_tag_q;
  assign noted_tag = asks ? event_i.tag[TagWidth-1:0] : tag;
  assign fails = takes_op ? op_fails_i : line_base == 64'd0;
  assign sends = takes_op || (takes_line && !line_is_dropped);
  assign claims = sends && (takes_op || !line_again_q);

  // Answers; a read that cannot be sent is answered when the bus answers nothing. Nobody looks at
  // the data of a failed one.
  logic [TagWidth-1:0] answer_tag;
  assign failed_taken = failed_q && !ans_valid_i;

  hbs_fifo #(
    .Width (TagWidth + 65),
    .Depth (Tags)
  ) u_answers (
    .clk_i,
    .rst_ni,
    .valid_i (ans_valid_i || failed_q),
    /* verilator lint_off PINCONNECTEMPTY */
    .ready_o (),  // a tag is in it once at most
    /* verilator lint_on PINCONNECTEMPTY */
    .data_i  ({ans_valid_i ? ans_tag_i : failed_tag_q, !ans_valid_i || ans_error_i, ans_data_i}),
    .valid_o (answer_valid_o),
    .ready_i (answer_ready_i),
    .data_o  ({answer_tag, answer_error_o, answer_data_o})
  );

  assign answer_target = target_q[answer_tag];
  assign answer_group_o = answer_target[16:10];
  assign answer_port_o = answer_target[9:0];
  assign answer_use_o = use_q[answer_tag];
  assign answer_tag_o      = 8'(answer_tag);
  assign answer_expected_o = expected_q[answer_tag];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q       <= '0;
      dropped_q    <= '0;
      round_q      <= '0;
      line_valid_q <= 1'b0;
      rd_valid_o   <= 1'b0;
      failed_q     <= 1'b0;
    end else begin
      dropped_q <= dropped_q | hit | (reset_i ? busy_q : '0);
      if (event_valid_i && event_i.frees) busy_q[event_i.tag[TagWidth-1:0]] <= 1'b0;
      if (line_free) line_valid_q <= takes_again || takes_poll;
      // a tag whose operand nobody wants any more is free
      if (line_valid_q && line_again_q && line_is_dropped) busy_q[line_tag_q] <= 1'b0;
      if (rd_valid_o && rd_ready_i) rd_valid_o <= 1'b0;
      if (failed_taken) failed_q <= 1'b0;
      if (sends) begin
        busy_q[tag] <= 1'b1;
        // a read that is sent in the cycle of a reset is not wanted either
        dropped_q[tag] <= reset_i || (takes_op ? op_moves : line_moves);
        round_q[tag] <= takes_op ? 1'b0 : line_again_q ? round_q[tag] : 1'b1;
        rd_valid_o <= !fails;
        failed_q <= fails;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (line_free) begin
      line_again_q <= takes_again;
      line_tag_q   <= again_tag;
      line_group_q <= takes_again ? again_target[16:10] : poll_group;
      line_port_q  <= line_port_d;
    end
    if (asks || takes_op) expected_q[noted_tag] <= asks ? expected_i : op_expected_i;
    if (asks || claims) begin
      use_q[noted_tag] <= asks ? (use_q[event_i.tag[TagWidth-1:0]] == hbs_pkg::UseWord ?
                                  hbs_pkg::UseOperand : hbs_pkg::UseLastOperand) :
                          takes_op ? op_use_i : hbs_pkg::UseWord;
    end
    if (sends) begin
      rd_addr_o    <= takes_op ? op_addr_i : line_addr;
      rd_tag_o     <= tag;
      failed_tag_q <= tag;
    end
    if (claims) begin
      group_q[tag]  <= takes_op ? op_group : line_group_q;
      port_q[tag]   <= takes_op ? op_port : {1'b0, line_port_q};
      target_q[tag] <= takes_op ? {op_group, op_port[9:0]} : {line_group_q, line_port_q};
    end
  end

  assign idle_o = !rd_valid_o && !failed_q && !answer_valid_o && !again_valid &&
      !(line_valid_q && (line_again_q || has_free));

endmodule
