// SPDX-License-Identifier: GPL-2.0-or-later
// The decoder, against the registers page written once more: for every access, and every set of
// features, which register or lane it is for, and whether it is a bad access. There is no register
// in it, so one cycle is all.

module decode #(
  parameter int unsigned Ports = 70,
  parameter int unsigned Groups = 5,
  parameter int unsigned Records = 6
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic [63:0] features_i,
  input logic        ready_i,
  input logic        write_i,
  input logic        lane_i,
  input logic [25:3] addr_i,
  input logic [7:0]  be_i,
  input logic [63:0] data_i,
  input logic [7:0]  tag_i
);

  hbs_pkg::op_t op;

  hbs_decode #(
    .Records (Records)
  ) u_decode (
    .ports_i  (11'(Ports)),
    .groups_i (8'(Groups)),
    .features_i,
    .ready_i,
    .write_i,
    .lane_i,
    .addr_i,
    .be_i,
    .data_i,
    .tag_i,
    .op_o     (op)
  );

  // the first eight are those of every card
  always_comb begin
    assume ((features_i & ~hbs_regs_pkg::FeatureAll) == 0);
    assume (features_i[7:0] == 8'h0f);
  end

  logic times, reduces, counts, polls, records, refutes, has_memory;
  assign times      = features_i[hbs_regs_pkg::FeatureTimeoutBit];
  assign reduces    = features_i[hbs_regs_pkg::FeatureReduceBit];
  assign counts     = features_i[hbs_regs_pkg::FeatureCountingBit];
  assign polls      = features_i[hbs_regs_pkg::FeaturePollArrivalBit];
  assign records    = features_i[hbs_regs_pkg::FeaturePortRecordBit];
  assign refutes    = features_i[hbs_regs_pkg::FeatureRefutableBit];
  assign has_memory = polls || records;

  // The access: a word, one of its halves, no byte at all, or something else
  logic is_word, is_upper, is_half, is_none;
  logic [63:0] datum;     // where it is in a register of 64 bits
  logic [31:0] value;     // of one of 32 bits
  logic [17:0] at;        // the first byte, in BAR 0
  assign is_word  = be_i == 8'hff;
  assign is_upper = be_i == 8'hf0;
  assign is_half  = is_upper || be_i == 8'h0f;
  assign is_none  = be_i == 8'h00;
  assign datum    = is_word ? data_i : is_upper ? data_i & 64'hffffffff00000000 :
                                                  data_i & 64'h00000000ffffffff;
  assign value    = is_upper ? data_i[63:32] : data_i[31:0];
  assign at       = {addr_i[17:3], 3'd0} + (is_upper ? 18'd4 : 18'd0);

  // The register that is there: a page of blocks, a table of groups, a table of ports
  logic [17:0] word, in_group;
  logic [6:0] group;
  logic [9:0] port;
  logic is_group, is_port;
  assign word     = at & ~18'h7;
  assign is_group = at >= hbs_regs_pkg::GrpBase &&
      at < hbs_regs_pkg::GrpBase + 18'(Groups * hbs_regs_pkg::GrpStride);
  assign is_port  = at >= hbs_regs_pkg::PrtBase &&
      at < hbs_regs_pkg::PrtBase + 18'(Ports * hbs_regs_pkg::PrtStride);
  assign group    = 7'((at - hbs_regs_pkg::GrpBase) / hbs_regs_pkg::GrpStride);
  assign in_group = (at - hbs_regs_pkg::GrpBase) % hbs_regs_pkg::GrpStride;
  assign port     = 10'((at - hbs_regs_pkg::PrtBase) / hbs_regs_pkg::PrtStride);

  localparam logic [1:0] Ro = 2'd0, Rw = 2'd1, Wo = 2'd2;
  hbs_pkg::reg_e target;
  logic is_wide, excluded;
  logic [1:0] access;
  logic [63:0] mask;      // of bits that are not reserved
  logic [3:0] index;
  logic has_index;
  logic [17:0] entry;     // its offset in the group, and that of its word
  logic [17:0] entry_word;

  always_comb begin
    target = hbs_pkg::RegNone;
    is_wide = 1'b0;
    access = Ro;
    mask = '1;
    index = '0;
    has_index = 1'b0;
    excluded = 1'b0;
    entry = in_group;
    entry_word = in_group & ~18'h7;
    // ID
    if (at == hbs_regs_pkg::IdMagicOffset) target = hbs_pkg::RegMagic;
    if (at == hbs_regs_pkg::IdVersionOffset) target = hbs_pkg::RegVersion;
    if (word == hbs_regs_pkg::IdFeaturesOffset) begin
      target = hbs_pkg::RegFeatures;
      is_wide = 1'b1;
    end
    if (at == hbs_regs_pkg::IdPortsOffset) target = hbs_pkg::RegPorts;
    if (at == hbs_regs_pkg::IdGroupsOffset) target = hbs_pkg::RegGroups;
    if (at == hbs_regs_pkg::IdPortStrideOffset) target = hbs_pkg::RegPortStride;
    if (at == hbs_regs_pkg::IdLaneStrideOffset) target = hbs_pkg::RegLaneStride;
    if (at == hbs_regs_pkg::IdEpochBitsOffset) target = hbs_pkg::RegEpochBits;
    if (at == hbs_regs_pkg::IdGroupTypesOffset) target = hbs_pkg::RegGroupTypes;
    if (at == hbs_regs_pkg::IdRecordsOffset) target = hbs_pkg::RegRecordsMax;
    if (at == hbs_regs_pkg::IdVectorsOffset) target = hbs_pkg::RegVectors;
    if (at == hbs_regs_pkg::IdBlocksOffset) target = hbs_pkg::RegBlocks;
    if (at == hbs_regs_pkg::IdBlockListOffset) target = hbs_pkg::RegBlockList;
    if (at >= 18'(hbs_regs_pkg::IdBlockListDefault) &&
        at < 18'(hbs_regs_pkg::IdBlockListDefault) +
             18'((has_memory ? hbs_regs_pkg::Blocks : hbs_regs_pkg::Blocks - 1) *
                 hbs_regs_pkg::EntryStride)) begin
      target = hbs_pkg::RegList;
    end
    // CTL
    if (at == hbs_regs_pkg::CtlCtrlOffset) begin
      target = hbs_pkg::RegCtlCtrl;
      access = Rw;
      mask = 64'(hbs_regs_pkg::CtlCtrlEnableMask | hbs_regs_pkg::CtlCtrlResetMask);
    end
    if (at == hbs_regs_pkg::CtlStatusOffset) target = hbs_pkg::RegCtlStatus;
    if (at == hbs_regs_pkg::CtlTagOffset) begin
      target = hbs_pkg::RegCtlTag;
      access = Rw;
    end
    if (at == hbs_regs_pkg::CtlPollOffset && polls) begin
      target = hbs_pkg::RegCtlPoll;
      access = Rw;
      excluded = value < 32'd1000 || value > 32'h40000000;
    end
    // INT
    if (at == hbs_regs_pkg::IntCauseOffset || at == hbs_regs_pkg::IntEnableOffset) begin
      target = at == hbs_regs_pkg::IntCauseOffset ? hbs_pkg::RegCause : hbs_pkg::RegCauseEnable;
      access = Rw;
      mask = 64'(hbs_regs_pkg::IntCauseViolationMask | hbs_regs_pkg::IntCauseDmaMask |
                 (times ? hbs_regs_pkg::IntCauseTimeoutMask : 32'd0));
    end
    if (word == hbs_regs_pkg::IntGroupsOffset || word == hbs_regs_pkg::IntGroupsOffset + 18'd8)
    begin
      target = hbs_pkg::RegIntGroups;
      is_wide = 1'b1;
      access = Rw;
      has_index = 1'b1;
      index = word == hbs_regs_pkg::IntGroupsOffset ? 4'd0 : 4'd1;
    end
    if (times && (word == hbs_regs_pkg::IntTimeoutsOffset ||
                  word == hbs_regs_pkg::IntTimeoutsOffset + 18'd8)) begin
      target = hbs_pkg::RegIntTimeouts;
      is_wide = 1'b1;
      access = Rw;
      has_index = 1'b1;
      index = word == hbs_regs_pkg::IntTimeoutsOffset ? 4'd0 : 4'd1;
    end
    // CNT
    if (word == hbs_regs_pkg::CntViolationsOffset || word == hbs_regs_pkg::CntBadAccessesOffset ||
        word == hbs_regs_pkg::CntForeignReadsOffset || word == hbs_regs_pkg::CntDmaErrorsOffset)
    begin
      target = word == hbs_regs_pkg::CntDmaErrorsOffset ? hbs_pkg::RegDmaErrors :
                                                          hbs_pkg::RegCardCounter;
      is_wide = 1'b1;
      has_index = 1'b1;
      index = word == hbs_regs_pkg::CntViolationsOffset ? {2'd0, hbs_pkg::CardViolations} :
              word == hbs_regs_pkg::CntBadAccessesOffset ? {2'd0, hbs_pkg::CardBad} :
              word == hbs_regs_pkg::CntForeignReadsOffset ? {2'd0, hbs_pkg::CardForeign} :
                                                            {2'd0, hbs_pkg::CardReadErrors};
    end
    if (word == hbs_regs_pkg::CntInterruptsOffset || word == hbs_regs_pkg::CntViolationLastOffset)
    begin
      target = word == hbs_regs_pkg::CntInterruptsOffset ? hbs_pkg::RegMessages :
                                                           hbs_pkg::RegViolationLast;
      is_wide = 1'b1;
    end
    // GRP
    if (is_group) begin
      if (entry == 18'(hbs_regs_pkg::GrpCtrlOffset)) begin
        target = hbs_pkg::RegCtrl;
        access = Rw;
        mask = 64'(hbs_regs_pkg::GrpCtrlEnableMask |
                   (refutes ? hbs_regs_pkg::GrpCtrlTypeMask : 32'd0) |
                   (counts ? hbs_regs_pkg::GrpCtrlCompletionMask : 32'd0) |
                   (polls ? hbs_regs_pkg::GrpCtrlArrivalMask : 32'd0) |
                   (records ? hbs_regs_pkg::GrpCtrlDepartureMask : 32'd0) |
                   (reduces ? hbs_regs_pkg::GrpCtrlReduceMask : 32'd0) |
                   (times ? hbs_regs_pkg::GrpCtrlPolicyMask : 32'd0));
        // what TYPE, COMPLETION, ARRIVAL, DEPARTURE, REDUCE and POLICY can be
        excluded = value[7:4] > 4'd1 || value[9:8] > 2'd1 || value[11:10] > 2'd1 ||
            value[13:12] > 2'd1 || value[19:16] > 4'd9 || value[21:20] > 2'd1 ||
            (value[7:4] == 4'd1 && (value[9:8] == 2'd1 || value[11:10] == 2'd1));
      end
      if (entry == 18'(hbs_regs_pkg::GrpCommandOffset)) begin
        target = hbs_pkg::RegCommand;
        access = Wo;
        mask = 64'(hbs_regs_pkg::GrpCommandOpMask | hbs_regs_pkg::GrpCommandArgMask);
      end
      if (entry == 18'(hbs_regs_pkg::GrpStatusOffset)) target = hbs_pkg::RegStatus;
      if (entry == 18'(hbs_regs_pkg::GrpArmOffset)) begin
        target = hbs_pkg::RegArm;
        access = Wo;
      end
      if (entry_word == 18'(hbs_regs_pkg::GrpEpochOffset)) begin
        target = hbs_pkg::RegEpoch;
        is_wide = 1'b1;
      end
      if (entry == 18'(hbs_regs_pkg::GrpVacantOffset)) begin
        target = hbs_pkg::RegVacant;
        access = Rw;
        excluded = value > 32'(Ports);
      end
      if (entry == 18'(hbs_regs_pkg::GrpVectorOffset)) begin
        target = hbs_pkg::RegVector;
        access = Rw;
        excluded = value > 32'd1;
      end
      if (entry == 18'(hbs_regs_pkg::GrpRecordsOffset)) begin
        target = hbs_pkg::RegRecords;
        access = Rw;
        excluded = value > 32'(Records);
      end
      if (entry == 18'(hbs_regs_pkg::GrpMembersOffset)) target = hbs_pkg::RegMembers;
      if (entry == 18'(hbs_regs_pkg::GrpArrivedOffset)) target = hbs_pkg::RegArrived;
      if (entry == 18'(hbs_regs_pkg::GrpCountOffset) && counts) begin
        target = hbs_pkg::RegCount;
        access = Rw;
        excluded = value > 32'd65535;
      end
      if (entry_word == 18'(hbs_regs_pkg::GrpTimeoutOffset) && times) begin
        target = hbs_pkg::RegTimeout;
        is_wide = 1'b1;
        access = Rw;
        excluded = datum >= 64'h1000000000000;
      end
      if (entry_word == 18'(hbs_regs_pkg::GrpResultOffset) && reduces) begin
        target = hbs_pkg::RegResult;
        is_wide = 1'b1;
      end
      if (entry_word == 18'(hbs_regs_pkg::GrpBalanceOffset) && refutes) begin
        target = hbs_pkg::RegBalance;
        is_wide = 1'b1;
      end
      if (entry_word == 18'(hbs_regs_pkg::GrpWordOffset)) begin
        target = hbs_pkg::RegWord;
        is_wide = 1'b1;
      end
      if (entry >= 18'(hbs_regs_pkg::GrpRecordAddrOffset) &&
          entry < 18'(hbs_regs_pkg::GrpRecordAddrOffset) + 18'(Records * 8)) begin
        target = hbs_pkg::RegRecordAddr;
        is_wide = 1'b1;
        access = Rw;
        has_index = 1'b1;
        index = 4'((entry - 18'(hbs_regs_pkg::GrpRecordAddrOffset)) / 8);
        excluded = datum % 64 != 0;
      end
      if (entry >= 18'(hbs_regs_pkg::GrpPOffset) && entry < 18'(hbs_regs_pkg::GrpPOffset) + 18'd128)
      begin
        target = hbs_pkg::RegP;
        is_wide = 1'b1;
        has_index = 1'b1;
        index = 4'((entry - 18'(hbs_regs_pkg::GrpPOffset)) / 8);
      end
      if (entry >= 18'(hbs_regs_pkg::GrpSOffset) && entry < 18'(hbs_regs_pkg::GrpSOffset) + 18'd128)
      begin
        target = hbs_pkg::RegS;
        is_wide = 1'b1;
        has_index = 1'b1;
        index = 4'((entry - 18'(hbs_regs_pkg::GrpSOffset)) / 8);
      end
      if (times && entry >= 18'(hbs_regs_pkg::GrpMissingOffset) &&
          entry < 18'(hbs_regs_pkg::GrpMissingOffset) + 18'd128) begin
        target = hbs_pkg::RegMissing;
        is_wide = 1'b1;
        has_index = 1'b1;
        index = 4'((entry - 18'(hbs_regs_pkg::GrpMissingOffset)) / 8);
      end
      if (refutes && entry >= 18'(hbs_regs_pkg::GrpVOffset) &&
          entry < 18'(hbs_regs_pkg::GrpVOffset) + 18'd128) begin
        target = hbs_pkg::RegV;
        is_wide = 1'b1;
        has_index = 1'b1;
        index = 4'((entry - 18'(hbs_regs_pkg::GrpVOffset)) / 8);
      end
      // counters
      if (entry_word == 18'(hbs_regs_pkg::GrpRecordWritesOffset)) begin
        target = hbs_pkg::RegRecordWrites;
        is_wide = 1'b1;
      end
      case (entry_word)
        18'(hbs_regs_pkg::GrpCompletionsOffset): index = hbs_pkg::CountCompletions;
        18'(hbs_regs_pkg::GrpArrivalsOffset): index = {1'b0, hbs_pkg::CountArrivals};
        18'(hbs_regs_pkg::GrpDepartureReadsOffset): index = {1'b0, hbs_pkg::CountDepartureReads};
        18'(hbs_regs_pkg::GrpNonMemberOffset): index = {1'b0, hbs_pkg::CountNonMember};
        18'(hbs_regs_pkg::GrpDoubleOffset): index = {1'b0, hbs_pkg::CountDouble};
        18'(hbs_regs_pkg::GrpRefusedOffset): index = {1'b0, hbs_pkg::CountRefused};
        18'(hbs_regs_pkg::GrpInterruptsOffset): index = hbs_pkg::CountInterrupts;
        18'(hbs_regs_pkg::GrpLineReadsOffset): index = hbs_pkg::CountLineReads;
        18'(hbs_regs_pkg::GrpWithdrawalsOffset): index = {1'b0, hbs_pkg::CountWithdrawals};
        18'(hbs_regs_pkg::GrpUnarrivedOffset): index = {1'b0, hbs_pkg::CountUnarrived};
        18'(hbs_regs_pkg::GrpReadbacksOffset): index = {1'b0, hbs_pkg::CountReadbacks};
        default: ;
      endcase
      if ((entry_word >= 18'(hbs_regs_pkg::GrpCompletionsOffset) &&
           entry_word <= 18'(hbs_regs_pkg::GrpInterruptsOffset) &&
           entry_word != 18'(hbs_regs_pkg::GrpRecordWritesOffset)) ||
          (entry_word == 18'(hbs_regs_pkg::GrpLineReadsOffset) && polls) ||
          (entry_word >= 18'(hbs_regs_pkg::GrpWithdrawalsOffset) &&
           entry_word <= 18'(hbs_regs_pkg::GrpReadbacksOffset) && refutes)) begin
        target = hbs_pkg::RegCounter;
        is_wide = 1'b1;
        has_index = 1'b1;
      end
    end
    // PRT
    if (is_port && has_memory && (at - hbs_regs_pkg::PrtBase) % hbs_regs_pkg::PrtStride < 8) begin
      target = hbs_pkg::RegPortAddr;
      is_wide = 1'b1;
      access = Rw;
      excluded = datum % 128 != 0;
    end
  end

  // What comes of an access to BAR 0
  logic is_there, is_bad;
  assign is_there = target != hbs_pkg::RegNone;
  always_comb begin
    is_bad = !is_word && !is_half;
    if (is_there && !is_wide && is_word) is_bad = 1'b1;
    if (write_i && !is_bad) begin
      if (!is_there) is_bad = datum != 0;
      else if (access == Ro || excluded) is_bad = 1'b1;
      else is_bad = ((is_wide ? datum : 64'(value)) & ~mask) != 0;
    end
  end

  always_comb begin
    assert (op.tag == tag_i);
    if (is_none || (!ready_i && write_i)) begin
      // no access, or one that a reset drops
      if (write_i) assert (op.kind == hbs_pkg::KindNone);
      else assert (op.target == hbs_pkg::RegNone && !op.is_bad);
    end
    if (op.kind != hbs_pkg::KindNone) begin
      assert (op.kind == (lane_i ? (write_i ? hbs_pkg::KindStore : hbs_pkg::KindLoad) :
                                   (write_i ? hbs_pkg::KindWrite : hbs_pkg::KindRead)));
      assert (op.is_card == !lane_i);
      if (is_word || is_half) assert (op.is_zero == (datum == 0));
    end else assert (write_i && (is_none || !ready_i));
    if (!is_none && ready_i && !lane_i) begin
      assert (op.is_bad == is_bad);
      assert (op.has_group == is_group);
      if (is_group) assert (op.group == group);
      if (!is_bad) begin
        assert (op.target == (!write_i && access == Wo ? hbs_pkg::RegNone : target));
        if (has_index) assert (op.index == index);
        if (target == hbs_pkg::RegPortAddr) assert (op.port == port);
        if (target == hbs_pkg::RegCommand && write_i) begin
          assert (op.port == value[25:16] && op.index == value[25:22]);
        end
        if (target == hbs_pkg::RegList) begin
          assert (op.port == 10'((at - 18'(hbs_regs_pkg::IdBlockListDefault)) / 4));
        end
        if (write_i && is_there) begin
          assert (op.half == {is_word || is_upper, !is_upper});
          assert (is_wide ? op.data == datum : op.data[31:0] == value);
        end
      end
    end
    // While the card resets itself ID and CTL can be read, and no access is bad.
    if (!is_none && !ready_i && !lane_i && !write_i) begin
      assert (!op.is_bad);
      if (is_bad || at >= 18'(hbs_regs_pkg::IntBlockOffset)) assert (op.target == hbs_pkg::RegNone);
      else assert (op.target == target);
    end
  end

  // BAR 2
  logic [18:0] page, lane, place;
  logic is_lane;
  assign page    = 19'(addr_i[25:16]);
  assign lane    = 19'({addr_i[15:3], 3'd0} / hbs_regs_pkg::LaneStride);
  assign place   = 19'({addr_i[15:3], 3'd0} % hbs_regs_pkg::LaneStride);
  assign is_lane = lane < 19'(Groups);

  logic lane_bad;
  hbs_pkg::reg_e lane_target;
  always_comb begin
    lane_target = hbs_pkg::RegNone;
    lane_bad = (!is_word && !is_half) || !is_lane || page >= 19'(Ports);
    case (place)
      19'(hbs_regs_pkg::LaneArrivalOffset): begin
        if (write_i) lane_target = hbs_pkg::LaneArrival;
        if (write_i && is_upper) lane_bad = 1'b1;
      end
      19'(hbs_regs_pkg::LaneOperandOffset): if (write_i) lane_target = hbs_pkg::LaneOperand;
      19'(hbs_regs_pkg::LaneWithdrawOffset): lane_target = hbs_pkg::LaneWithdraw;
      19'(hbs_regs_pkg::LaneDepartureOffset): begin
        lane_target = hbs_pkg::LaneDeparture;
        if (write_i) lane_bad = 1'b1;
      end
      19'(hbs_regs_pkg::LaneResultOffset): begin
        lane_target = hbs_pkg::LaneResult;
        if (write_i) lane_bad = 1'b1;
      end
      default: if (write_i && datum != 0) lane_bad = 1'b1;
    endcase
  end

  always_comb begin
    if (!is_none && lane_i && ready_i) begin
      assert (op.is_bad == lane_bad);
      assert (op.has_group == is_lane);
      assert (op.port == page[9:0] && op.index == page[9:6]);
      if (is_lane) assert (op.group == lane[6:0]);
      if (!lane_bad) begin
        assert (op.target == lane_target);
        assert (op.half == {is_word || is_upper, !is_upper} && op.data == datum);
      end
    end
    if (!is_none && lane_i && !ready_i && !write_i) begin
      assert (op.target == hbs_pkg::RegNone && !op.is_bad);
    end
  end

  // What can happen
  (* keep *) logic sees_store, sees_bad, sees_index, sees_memory;
  assign sees_store = ready_i && lane_i && write_i && !lane_bad && is_upper;
  assign sees_bad = ready_i && !lane_i && write_i && is_there && access == Rw && is_bad && is_half;
  assign sees_index = ready_i && !lane_i && target == hbs_pkg::RegRecordAddr && !is_bad &&
      write_i && index == 4'd5 && op.kind == hbs_pkg::KindWrite;
  assign sees_memory = ready_i && !lane_i && is_port && port == 10'd69 && !is_bad && has_memory;

endmodule
