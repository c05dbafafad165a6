// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
// The value that a read of a register or a lane gives, from what the step before left.

module hbs_answer #(
  parameter int unsigned Records = 16
) (
  input  hbs_pkg::op_t    op_i,
  input  hbs_pkg::row_t   row_i,
  input  logic [63:0]     word_i,        // of the group
  // of memories, and 0 where something else is read
  input  logic [63:0]     result_i,
  input  logic [63:0]     mask_i,        // the word of P, S, V or MISSING
  input  logic [63:0]     record_addr_i,
  input  logic [63:0]     port_addr_i,
  input  logic [63:0]     counter_i,
  input  logic            hides_i,
  input  logic            busy_i,
  input  logic            has_arrived_i,
  input  logic [10:0]     ports_i,
  input  logic [7:0]      groups_i,
  input  logic [63:0]     features_i,
  input  logic            running_i,
  input  logic            ready_i,
  input  logic            reading_i,
  input  logic [31:0]     tag_i,
  input  logic [31:0]     poll_i,
  input  logic [2:0]      cause_i,
  input  logic [2:0]      cause_enable_i,
  input  logic [127:0]    cause_groups_i,
  input  logic [127:0]    cause_timeouts_i,
  input  logic [35:0]     last_i,        // group, port and kind of the latest violation
  output logic [63:0]     value_o
);

  logic has_refutable, has_port_memory;
  assign has_refutable = features_i[hbs_regs_pkg::FeatureRefutableBit];
  assign has_port_memory = features_i[hbs_regs_pkg::FeaturePollArrivalBit] ||
      features_i[hbs_regs_pkg::FeaturePortRecordBit];

  // The block list
  logic [31:0] list;
  always_comb begin
    case (op_i.port[4:0])
      5'd0: list = hbs_regs_pkg::IdBlockType;
      5'd1: list = hbs_regs_pkg::IdBlockVersion;
      5'd2: list = hbs_regs_pkg::IdBlockOffset;
      5'd3: list = hbs_regs_pkg::IdBlockSize;
      5'd4: list = hbs_regs_pkg::CtlBlockType;
      5'd5: list = hbs_regs_pkg::CtlBlockVersion;
      5'd6: list = hbs_regs_pkg::CtlBlockOffset;
      5'd7: list = hbs_regs_pkg::CtlBlockSize;
      5'd8: list = hbs_regs_pkg::IntBlockType;
      5'd9: list = hbs_regs_pkg::IntBlockVersion;
      5'd10: list = hbs_regs_pkg::IntBlockOffset;
      5'd11: list = hbs_regs_pkg::IntBlockSize;
      5'd12: list = hbs_regs_pkg::CntBlockType;
      5'd13: list = hbs_regs_pkg::CntBlockVersion;
      5'd14: list = hbs_regs_pkg::CntBlockOffset;
      5'd15: list = hbs_regs_pkg::CntBlockSize;
      5'd16: list = hbs_regs_pkg::GrpBlockType;
      5'd17: list = hbs_regs_pkg::GrpBlockVersion;
      5'd18: list = hbs_regs_pkg::GrpBlockOffset;
      5'd19: list = hbs_regs_pkg::GrpBlockSize;
      5'd20: list = hbs_regs_pkg::PrtBlockType;
      5'd21: list = hbs_regs_pkg::PrtBlockVersion;
      5'd22: list = hbs_regs_pkg::PrtBlockOffset;
      5'd23: list = hbs_regs_pkg::PrtBlockSize;
      default: list = 32'd0;
    endcase
  end

  // Registers of 32 bits; the answer has them in both halves of its word.
  logic [31:0] narrow;
  always_comb begin
    case (op_i.target)
      hbs_pkg::RegMagic: narrow = hbs_regs_pkg::IdMagicDefault;
      hbs_pkg::RegVersion: narrow = {hbs_regs_pkg::VersionMajor, hbs_regs_pkg::VersionMinor};
      hbs_pkg::RegPorts: narrow = {21'd0, ports_i};
      hbs_pkg::RegGroups: narrow = {24'd0, groups_i};
      hbs_pkg::RegPortStride: narrow = hbs_regs_pkg::IdPortStrideDefault;
      hbs_pkg::RegLaneStride: narrow = hbs_regs_pkg::IdLaneStrideDefault;
      hbs_pkg::RegEpochBits: narrow = hbs_regs_pkg::IdEpochBitsDefault;
      hbs_pkg::RegGroupTypes: narrow = {30'd0, has_refutable, 1'b1};
      hbs_pkg::RegRecordsMax: narrow = Records;
      hbs_pkg::RegVectors: narrow = hbs_regs_pkg::IdVectorsDefault;
      hbs_pkg::RegBlocks: narrow = hbs_regs_pkg::Blocks - (has_port_memory ? 0 : 1);
      hbs_pkg::RegBlockList: narrow = hbs_regs_pkg::IdBlockListDefault;
      hbs_pkg::RegList: narrow = list;
      hbs_pkg::RegCtlCtrl: narrow = {31'd0, running_i};
      hbs_pkg::RegCtlStatus: narrow = {30'd0, reading_i, ready_i};
      hbs_pkg::RegCtlTag: narrow = tag_i;
      hbs_pkg::RegCtlPoll: narrow = poll_i;
      hbs_pkg::RegCause: narrow = {29'd0, cause_i};
      hbs_pkg::RegCauseEnable: narrow = {29'd0, cause_enable_i};
      hbs_pkg::RegCtrl:
      narrow = {11'd0, row_i.notify, row_i.reduce, 3'd0, row_i.port_record, 1'b0, row_i.polling,
                1'b0, row_i.counting, 3'd0, row_i.refutable, 3'd0, row_i.enable};
      hbs_pkg::RegStatus:
      narrow = {21'd0, row_i.black, row_i.vote, 1'b0, row_i.reason, busy_i, row_i.expired,
                row_i.armed, row_i.broken};
      hbs_pkg::RegVacant: narrow = {21'd0, row_i.vacant};
      hbs_pkg::RegVector: narrow = {31'd0, row_i.message};
      hbs_pkg::RegRecords: narrow = {27'd0, row_i.records};
      hbs_pkg::RegMembers: narrow = {21'd0, row_i.members};
      hbs_pkg::RegArrived: narrow = {16'd0, row_i.arrived};
      hbs_pkg::RegCount: narrow = {16'd0, row_i.count};
      hbs_pkg::LaneWithdraw: narrow = {31'd0, has_arrived_i};
      default: narrow = 32'd0;
    endcase
  end

  // What the row and the card have is one of 8 words; what memories have is 0 if it is not read.
  logic [2:0] source;
  logic [8*64-1:0] words;
  logic [63:0] memories, group_bits;

  always_comb begin
    case (op_i.target)
      hbs_pkg::RegFeatures: source = 3'd1;
      hbs_pkg::RegIntGroups, hbs_pkg::RegIntTimeouts: source = 3'd2;
      hbs_pkg::RegViolationLast: source = 3'd3;
      hbs_pkg::RegEpoch: source = 3'd4;
      hbs_pkg::RegTimeout: source = 3'd5;
      hbs_pkg::RegBalance: source = 3'd6;
      hbs_pkg::RegWord, hbs_pkg::LaneDeparture: source = 3'd7;
      default: source = 3'd0;
    endcase
    case ({op_i.target == hbs_pkg::RegIntTimeouts, op_i.index[0]})
      2'd0: group_bits = cause_groups_i[63:0];
      2'd1: group_bits = cause_groups_i[127:64];
      2'd2: group_bits = cause_timeouts_i[63:0];
      default: group_bits = cause_timeouts_i[127:64];
    endcase
  end

  assign words = {
    word_i,
    {16{row_i.balance[47]}}, row_i.balance,
    16'd0, row_i.timeout,
    16'd0, row_i.epoch,
    16'd0, last_i[35:20], last_i[19:4], 12'd0, last_i[3:0],
    group_bits,
    features_i,
    op_i.target == hbs_pkg::LaneWithdraw ? 32'd0 : narrow, narrow
  };
  assign memories = result_i | mask_i | record_addr_i | port_addr_i | counter_i;
  assign value_o = hides_i ? 64'd0 : words[{source, 6'd0}+:64] | memories;

endmodule
