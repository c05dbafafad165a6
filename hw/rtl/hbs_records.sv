// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
// The record writer: writes the word of a group, and before it the result if one is due, into the
// records of its members in the order of the ports, and then into those of the group, the one with
// index 0 last; or into the record of one port. A record takes a cycle, or two with a result that
// does not leave together with the word.

module hbs_records #(
  parameter int unsigned Ports = 64,
  parameter int unsigned Groups = 16,
  parameter int unsigned Records = 16,
  parameter bit Wide = 1'b0
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  // what the pipeline did in the cycle before
  input  logic             event_valid_i,
  input  hbs_pkg::event_t  event_i,
  input  logic [63:0]      word_i,
  input  logic [63:0]      result_i,
  input  logic             reset_i,
  input  logic             has_members_i,  // the feature of their records
  // its changes of memories
  input  logic [1:0]       write_record_addr_i,
  input  logic [1:0]       write_port_addr_i,
  input  logic [10:0]      record_index_i,
  input  logic [9:0]       port_index_i,
  input  logic [63:0]      address_i,
  input  logic             write_p_i,
  input  logic [10:0]      p_index_i,
  input  logic [63:0]      p_i,

  // a job; look_i without start_i only gets the word of the group
  input  logic             look_i,
  input  logic             start_i,
  input  logic             one_i,          // the record of one port
  input  logic             member_i,       //   if it is a member
  input  logic [6:0]       group_i,
  input  logic [9:0]       port_i,
  input  logic [4:0]       records_i,
  input  logic             port_record_i,
  input  logic             has_result_i,
  output logic             busy_o,
  output logic             done_o,         // in the last cycle of a job
  output logic             failed_o,       //   a write failed
  output logic             aborted_o,      //   the group was disabled meanwhile
  output logic             result_o,       //   the job is to write results
  output logic [15:0]      written_o,      //   so many words were written
  output logic [15:0]      errors_o,       //   so many writes failed
  output logic [63:0]      word_o,         // of the group, a cycle after look_i

  // addresses for others, while there is no job: a cycle after they are asked for
  input  logic             seek_record_i,
  input  logic             seek_port_i,
  input  logic [3:0]       seek_index_i,
  output logic [63:0]      record_addr_o,
  output logic             has_port_addr_o,
  output logic [63:0]      line_addr_o,    // the group's lines in the memory of the port

  output logic             tx_valid_o,
  input  logic             tx_ready_i,
  input  logic             tx_refused_i,
  output logic             tx_wide_o,
  output logic [63:0]      tx_addr_o,
  output logic [127:0]     tx_data_o
);

  localparam int unsigned MaskWords = (Ports + 63) / 64;
  localparam int unsigned MaskWidth = Ports < 64 ? Ports : 64;
  localparam int unsigned MaskBits = MaskWords > 1 ? $clog2(MaskWords) : 0;
  localparam int unsigned MaskDepth = Groups << MaskBits;
  localparam int unsigned MaskAddr = MaskDepth > 1 ? $clog2(MaskDepth) : 1;
  localparam int unsigned PortBits = Ports > 1 ? $clog2(Ports) : 1;
  localparam int unsigned GroupBits = Groups > 1 ? $clog2(Groups) : 1;
  // so synthesis sees which bits of groups are 0
  localparam logic [6:0] GroupMask = 7'((1 << $clog2(Groups)) - 1);
  localparam int unsigned RecordBits = Records > 1 ? $clog2(Records) : 0;
  localparam int unsigned RecordDepth = Groups << RecordBits;
  localparam int unsigned RecordAddr = RecordDepth > 1 ? $clog2(RecordDepth) : 1;

  typedef enum logic [1:0] {StateIdle, StateMask, StateMembers, StateRecords} state_e;

  state_e state_q;
  logic [6:0] group_q;
  logic one_q, member_q, has_result_q;
  logic [5:0] only_q;
  logic [3:0] index_q;            // of a word of P
  logic [5:0] first_member, member_index;
  logic member_valid, members_done, leaves;
  logic [4:0] left_q;             // records of the group
  logic aborts, aborted_q, failed_q;
  logic [15:0] written_q, errors_q;

  // Memories: words and results, P, and the addresses
  logic [63:0] word, result;
  logic [MaskWidth-1:0] p_stored;
  logic looks;
  logic [6:0] group_d, event_group;

  assign event_group = event_i.group & GroupMask;
  assign group_d = state_q == StateIdle ? group_i & GroupMask : group_q;
  assign looks = state_q == StateIdle && (look_i || start_i);

  hbs_ram #(
    .Width (64),
    .Depth (Groups),
    .Block (1'b1)
  ) u_words (
    .clk_i,
    .write_i (event_valid_i && event_i.shows),
    .waddr_i (event_i.group[GroupBits-1:0]),
    .wdata_i (word_i),
    .read_i  (looks),
    .clear_i (1'b0),
    .raddr_i (group_i[GroupBits-1:0]),
    .rdata_o (word)
  );

  // A word of a break comes with no result: the latest one stays.
  hbs_ram #(
    .Width (64),
    .Depth (Groups),
    .Block (1'b1)
  ) u_results (
    .clk_i,
    .write_i (event_valid_i && event_i.shows && event_i.has_result),
    .waddr_i (event_i.group[GroupBits-1:0]),
    .wdata_i (result_i),
    .read_i  (looks),
    .clear_i (1'b0),
    .raddr_i (group_i[GroupBits-1:0]),
    .rdata_o (result)
  );

  function automatic logic [MaskAddr-1:0] mask_addr(logic [6:0] group, logic [3:0] index);
    mask_addr = MaskAddr'((32'(group) << MaskBits) + (MaskBits == 0 ? 0 : 32'(index)));
  endfunction

  hbs_ram #(
    .Width (MaskWidth),
    .Depth (MaskDepth)
  ) u_p (
    .clk_i,
    .write_i (write_p_i),
    .waddr_i (mask_addr(p_index_i[10:4], p_index_i[3:0])),
    .wdata_i (p_i[MaskWidth-1:0]),
    .read_i  (1'b1),
    .clear_i (1'b0),
    .raddr_i (mask_addr(group_q, index_q)),
    .rdata_o (p_stored)
  );

  // A record on its way: its address is there.
  logic [63:0] port_addr;
  logic item_valid_q, item_member_q, item_word_q, advances, item_done, no_address;
  logic takes_member, takes_record, writes, refused;
  logic [9:0] next_port;
  logic [3:0] next_record;

  hbs_address_ram #(
    .Depth (RecordDepth)
  ) u_record_addr (
    .clk_i,
    .write_i (write_record_addr_i),
    .waddr_i (record_index_i[RecordAddr-1:0]),
    .wdata_i (address_i),
    .read_i  (takes_record || seek_record_i),
    .clear_i (1'b0),
    .raddr_i (RecordAddr'((32'(group_d) << RecordBits) +
                           (RecordBits == 0 ? 0 : 32'(next_record)))),
    .rdata_o (record_addr_o)
  );

  hbs_address_ram #(
    .Depth (Ports)
  ) u_port_addr (
    .clk_i,
    .write_i (write_port_addr_i),
    .waddr_i (port_index_i[PortBits-1:0]),
    .wdata_i (address_i),
    .read_i  (takes_member || seek_port_i),
    .clear_i (1'b0),
    .raddr_i (next_port[PortBits-1:0]),
    .rdata_o (port_addr)
  );

  // Choosing the next record
  hbs_members #(
    .Width (MaskWidth)
  ) u_members (
    .clk_i,
    .begin_i (state_q == StateMask || (state_q == StateIdle && start_i)),
    .first_i (first_member),
    .end_i   (aborts),
    .mask_i  (64'(p_stored)),
    .one_i   (one_q),
    .any_i   (one_q && !member_q),
    .valid_o (member_valid),
    .take_i  (takes_member),
    .index_o (member_index),
    .done_o  (members_done)
  );

  // The word of P is that of now. Of a member that leaves in this cycle it was read before.
  assign leaves = event_valid_i && event_i.leaves && event_group == group_q &&
      event_i.port[9:6] == index_q && state_q != StateIdle;
  assign first_member = state_q == StateIdle ? port_i[5:0] & {6{one_i}} : only_q & {6{one_q}};

  assign aborts = (event_valid_i && event_i.forgets && event_group == group_q &&
                   state_q != StateIdle) || reset_i;
  assign advances = !item_valid_q || item_done;
  assign takes_member = has_members_i && state_q == StateMembers && member_valid && advances &&
      !aborts && !leaves;
  assign takes_record = (state_q == StateIdle && start_i && !one_i && !port_record_i &&
                         records_i != 5'd0) ||
      (state_q == StateRecords && left_q != 5'd0 && advances && !aborts);
  assign next_record = state_q != StateIdle ? 4'(left_q - 5'd1) :
                       seek_record_i ? seek_index_i : 4'(records_i - 5'd1);
  assign next_port = state_q == StateIdle ? port_i : {index_q, member_index};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q      <= StateIdle;
      item_valid_q <= 1'b0;
      aborted_q    <= 1'b0;
    end else begin
      if (advances) item_valid_q <= takes_member || takes_record;
      if (aborts) aborted_q <= 1'b1;
      case (state_q)
        StateIdle: begin
          aborted_q <= 1'b0;
          if (start_i) begin
            state_q <= one_i ? (member_i ? StateMask : StateMembers) :
                       port_record_i ? StateMask : StateRecords;
          end
        end
        StateMask: state_q <= aborts ? StateRecords : StateMembers;
        StateMembers: begin
          if (aborts) state_q <= StateRecords;
          else if (members_done) begin
            state_q <= one_q || 32'(index_q) == MaskWords - 1 ? StateRecords : StateMask;
          end
        end
        default: if (done_o) state_q <= StateIdle;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    case (state_q)
      StateIdle: begin
        group_q      <= group_i & GroupMask;
        one_q        <= one_i;
        member_q     <= member_i;
        only_q       <= port_i[5:0];
        has_result_q <= has_result_i;
        index_q      <= one_i ? port_i[9:6] : 4'd0;
        left_q       <= one_i ? 5'd0 : records_i - {4'd0, takes_record};
      end
      StateMembers: if (members_done) index_q <= index_q + 4'd1;
      default: if (takes_record) left_q <= left_q - 5'd1;
    endcase
    if (aborts) left_q <= 5'd0;
    if (advances) begin
      item_member_q <= takes_member;
      item_word_q   <= Wide || (state_q == StateIdle ? !has_result_i : !has_result_q);
    end else if (writes) begin
      item_word_q <= 1'b1;
    end
  end

  // Writing it: without an address the write fails here.
  assign has_port_addr_o = port_addr != 64'd0;
  assign no_address = item_member_q && !has_port_addr_o;
  assign tx_valid_o = item_valid_q && !no_address;
  assign tx_wide_o  = Wide && has_result_q;
  // The lowest bits of addresses are 0.
  assign line_addr_o = {port_addr[63:7] + {50'd0, group_q}, 7'd0};
  assign tx_addr_o  = (item_member_q ? line_addr_o |
                                       {57'd0, hbs_regs_pkg::MemoryDepartureOffset} :
                                       {record_addr_o[63:6], 6'd0}) |
      (item_word_q ? 64'd0 : {58'd0, hbs_regs_pkg::RecordResultOffset});
  assign tx_data_o  = {Wide ? result : 64'd0, item_word_q ? word : result};
  assign writes     = item_valid_q && (no_address || tx_ready_i);
  assign refused    = no_address || tx_refused_i;
  // Nobody may take an old result for the new one: if it was not written, nor is the word.
  assign item_done   = writes && (item_word_q || refused);

  always_ff @(posedge clk_i) begin
    if (state_q == StateIdle) begin
      written_q <= 16'd0;
      errors_q  <= 16'd0;
      failed_q  <= 1'b0;
    end else if (writes) begin
      if (refused) begin
        errors_q <= errors_q + 16'd1;
        failed_q <= 1'b1;
      end else begin
        written_q <= written_q + (tx_wide_o ? 16'd2 : 16'd1);
      end
    end
  end

  assign busy_o    = state_q != StateIdle;
  assign done_o    = state_q == StateRecords && left_q == 5'd0 && !item_valid_q;
  assign failed_o  = failed_q;
  assign result_o  = has_result_q;
  assign aborted_o = aborted_q || aborts;
  assign written_o = written_q;
  assign errors_o  = errors_q;
  assign word_o    = word;

endmodule
