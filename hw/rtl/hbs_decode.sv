// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
// Takes an access apart: which register or lane it is for, and whether it is a bad access
// whatever the state of the group is.

module hbs_decode #(
  parameter int unsigned Records = 16
) (
  input  logic [10:0]     ports_i,
  input  logic [7:0]      groups_i,
  input  logic [63:0]     features_i,
  input  logic            ready_i,   // the card is out of reset
  input  logic            write_i,
  input  logic            lane_i,    // BAR 2
  input  logic [25:3]     addr_i,
  input  logic [7:0]      be_i,
  input  logic [63:0]     data_i,
  input  logic [7:0]      tag_i,
  output hbs_pkg::op_t    op_o
);

  // How a register can be accessed.
  typedef enum logic [1:0] {AccessRo, AccessRw, AccessWo} access_e;

  logic is_full, is_low, is_high, is_whole, is_nothing;
  logic [63:0] data, value;
  logic [31:0] narrow;
  logic [17:0] offset;

  assign is_full    = be_i == 8'hff;
  assign is_low     = be_i == 8'h0f;
  assign is_high    = be_i == 8'hf0;
  assign is_whole   = is_full || is_low || is_high;
  assign is_nothing = be_i == 8'h00;
  assign data       = {is_low ? 32'd0 : data_i[63:32], is_high ? 32'd0 : data_i[31:0]};
  assign offset     = {addr_i[17:3], is_high, 2'b00};

  // The features that take away registers, fields and values
  logic has_timeout, has_reduce, has_counting, has_poll, has_port_record, has_refutable;
  logic has_port_memory;

  assign has_timeout     = features_i[hbs_regs_pkg::FeatureTimeoutBit];
  assign has_reduce      = features_i[hbs_regs_pkg::FeatureReduceBit];
  assign has_counting    = features_i[hbs_regs_pkg::FeatureCountingBit];
  assign has_poll        = features_i[hbs_regs_pkg::FeaturePollArrivalBit];
  assign has_port_record = features_i[hbs_regs_pkg::FeaturePortRecordBit];
  assign has_refutable   = features_i[hbs_regs_pkg::FeatureRefutableBit];
  assign has_port_memory = has_poll || has_port_record;

  // The register of a card-wide offset
  hbs_pkg::reg_e card_reg;
  logic card_wide;
  access_e card_access;
  logic [63:0] card_mask;
  logic [3:0] card_index;
  logic [5:0] list_index;

  assign list_index = offset[7:2] - hbs_regs_pkg::IdBlockListDefault[7:2];

  always_comb begin
    card_reg    = hbs_pkg::RegNone;
    card_wide   = 1'b0;
    card_access = AccessRo;
    card_mask   = 64'hffff_ffff_ffff_ffff;
    card_index  = 4'd0;
    case (offset)
      hbs_regs_pkg::IdMagicOffset: card_reg = hbs_pkg::RegMagic;
      hbs_regs_pkg::IdVersionOffset: card_reg = hbs_pkg::RegVersion;
      hbs_regs_pkg::IdFeaturesOffset, hbs_regs_pkg::IdFeaturesOffset + 18'd4: begin
        card_reg  = hbs_pkg::RegFeatures;
        card_wide = 1'b1;
      end
      hbs_regs_pkg::IdPortsOffset: card_reg = hbs_pkg::RegPorts;
      hbs_regs_pkg::IdGroupsOffset: card_reg = hbs_pkg::RegGroups;
      hbs_regs_pkg::IdPortStrideOffset: card_reg = hbs_pkg::RegPortStride;
      hbs_regs_pkg::IdLaneStrideOffset: card_reg = hbs_pkg::RegLaneStride;
      hbs_regs_pkg::IdEpochBitsOffset: card_reg = hbs_pkg::RegEpochBits;
      hbs_regs_pkg::IdGroupTypesOffset: card_reg = hbs_pkg::RegGroupTypes;
      hbs_regs_pkg::IdRecordsOffset: card_reg = hbs_pkg::RegRecordsMax;
      hbs_regs_pkg::IdVectorsOffset: card_reg = hbs_pkg::RegVectors;
      hbs_regs_pkg::IdBlocksOffset: card_reg = hbs_pkg::RegBlocks;
      hbs_regs_pkg::IdBlockListOffset: card_reg = hbs_pkg::RegBlockList;
      hbs_regs_pkg::CtlCtrlOffset: begin
        card_reg    = hbs_pkg::RegCtlCtrl;
        card_access = AccessRw;
        card_mask   = {32'd0, hbs_regs_pkg::CtlCtrlMask};
      end
      hbs_regs_pkg::CtlStatusOffset: card_reg = hbs_pkg::RegCtlStatus;
      hbs_regs_pkg::CtlTagOffset: begin
        card_reg    = hbs_pkg::RegCtlTag;
        card_access = AccessRw;
      end
      hbs_regs_pkg::CtlPollOffset:
      if (has_poll) begin
        card_reg    = hbs_pkg::RegCtlPoll;
        card_access = AccessRw;
      end
      hbs_regs_pkg::IntCauseOffset, hbs_regs_pkg::IntEnableOffset: begin
        card_reg    = offset == hbs_regs_pkg::IntCauseOffset ? hbs_pkg::RegCause :
                                                               hbs_pkg::RegCauseEnable;
        card_access = AccessRw;
        card_mask   = {32'd0, hbs_regs_pkg::IntCauseMask};
        if (!has_timeout) card_mask[hbs_regs_pkg::IntCauseTimeoutLow] = 1'b0;
      end
      hbs_regs_pkg::IntGroupsOffset, hbs_regs_pkg::IntGroupsOffset + 18'd4,
      hbs_regs_pkg::IntGroupsOffset + 18'd8, hbs_regs_pkg::IntGroupsOffset + 18'd12: begin
        card_reg    = hbs_pkg::RegIntGroups;
        card_wide   = 1'b1;
        card_access = AccessRw;
        card_index  = {3'd0, !offset[3]};
      end
      hbs_regs_pkg::IntTimeoutsOffset, hbs_regs_pkg::IntTimeoutsOffset + 18'd4,
      hbs_regs_pkg::IntTimeoutsOffset + 18'd8, hbs_regs_pkg::IntTimeoutsOffset + 18'd12:
      if (has_timeout) begin
        card_reg    = hbs_pkg::RegIntTimeouts;
        card_wide   = 1'b1;
        card_access = AccessRw;
        card_index  = {3'd0, !offset[3]};
      end
      hbs_regs_pkg::CntViolationsOffset, hbs_regs_pkg::CntViolationsOffset + 18'd4: begin
        card_reg   = hbs_pkg::RegCardCounter;
        card_wide  = 1'b1;
        card_index = {2'd0, hbs_pkg::CardViolations};
      end
      hbs_regs_pkg::CntBadAccessesOffset, hbs_regs_pkg::CntBadAccessesOffset + 18'd4: begin
        card_reg   = hbs_pkg::RegCardCounter;
        card_wide  = 1'b1;
        card_index = {2'd0, hbs_pkg::CardBad};
      end
      hbs_regs_pkg::CntDmaErrorsOffset, hbs_regs_pkg::CntDmaErrorsOffset + 18'd4: begin
        card_reg   = hbs_pkg::RegDmaErrors;
        card_wide  = 1'b1;
        card_index = {2'd0, hbs_pkg::CardReadErrors};
      end
      hbs_regs_pkg::CntInterruptsOffset, hbs_regs_pkg::CntInterruptsOffset + 18'd4: begin
        card_reg  = hbs_pkg::RegMessages;
        card_wide = 1'b1;
      end
      hbs_regs_pkg::CntViolationLastOffset, hbs_regs_pkg::CntViolationLastOffset + 18'd4: begin
        card_reg  = hbs_pkg::RegViolationLast;
        card_wide = 1'b1;
      end
      hbs_regs_pkg::CntForeignReadsOffset, hbs_regs_pkg::CntForeignReadsOffset + 18'd4: begin
        card_reg   = hbs_pkg::RegCardCounter;
        card_wide  = 1'b1;
        card_index = {2'd0, hbs_pkg::CardForeign};
      end
      default:
      if (offset[17:8] == 10'd0 && offset[7:6] != 2'd0 &&
          {26'd0, list_index} < hbs_regs_pkg::Blocks * 4 - (has_port_memory ? 0 : 4)) begin
        card_reg = hbs_pkg::RegList;
      end
    endcase
  end

  // The register of an offset in an entry of the group table
  hbs_pkg::reg_e group_reg;
  logic group_wide;
  access_e group_access;
  logic [63:0] group_mask;
  logic [3:0] group_index;
  logic [9:0] entry;

  assign entry = offset[9:0];

  always_comb begin
    group_reg    = hbs_pkg::RegNone;
    group_wide   = 1'b0;
    group_access = AccessRo;
    group_mask   = 64'hffff_ffff_ffff_ffff;
    group_index  = entry[6:3];
    if (entry[9:7] == 3'd0) begin
      case (entry)
        hbs_regs_pkg::GrpCtrlOffset: begin
          group_reg    = hbs_pkg::RegCtrl;
          group_access = AccessRw;
          group_mask   = {32'd0, hbs_regs_pkg::GrpCtrlMask &
                                 ~(has_refutable ? 32'd0 : hbs_regs_pkg::GrpCtrlTypeMask) &
                                 ~(has_counting ? 32'd0 : hbs_regs_pkg::GrpCtrlCompletionMask) &
                                 ~(has_poll ? 32'd0 : hbs_regs_pkg::GrpCtrlArrivalMask) &
                                 ~(has_port_record ? 32'd0 : hbs_regs_pkg::GrpCtrlDepartureMask) &
                                 ~(has_reduce ? 32'd0 : hbs_regs_pkg::GrpCtrlReduceMask) &
                                 ~(has_timeout ? 32'd0 : hbs_regs_pkg::GrpCtrlPolicyMask)};
        end
        hbs_regs_pkg::GrpCommandOffset: begin
          group_reg    = hbs_pkg::RegCommand;
          group_access = AccessWo;
          group_mask   = {32'd0, hbs_regs_pkg::GrpCommandMask};
        end
        hbs_regs_pkg::GrpStatusOffset: group_reg = hbs_pkg::RegStatus;
        hbs_regs_pkg::GrpArmOffset: begin
          group_reg    = hbs_pkg::RegArm;
          group_access = AccessWo;
        end
        hbs_regs_pkg::GrpEpochOffset, hbs_regs_pkg::GrpEpochOffset + 10'd4: begin
          group_reg  = hbs_pkg::RegEpoch;
          group_wide = 1'b1;
        end
        hbs_regs_pkg::GrpVacantOffset: begin
          group_reg    = hbs_pkg::RegVacant;
          group_access = AccessRw;
        end
        hbs_regs_pkg::GrpVectorOffset: begin
          group_reg    = hbs_pkg::RegVector;
          group_access = AccessRw;
        end
        hbs_regs_pkg::GrpRecordsOffset: begin
          group_reg    = hbs_pkg::RegRecords;
          group_access = AccessRw;
        end
        hbs_regs_pkg::GrpMembersOffset: group_reg = hbs_pkg::RegMembers;
        hbs_regs_pkg::GrpArrivedOffset: group_reg = hbs_pkg::RegArrived;
        hbs_regs_pkg::GrpCountOffset:
        if (has_counting) begin
          group_reg    = hbs_pkg::RegCount;
          group_access = AccessRw;
        end
        hbs_regs_pkg::GrpTimeoutOffset, hbs_regs_pkg::GrpTimeoutOffset + 10'd4:
        if (has_timeout) begin
          group_reg    = hbs_pkg::RegTimeout;
          group_wide   = 1'b1;
          group_access = AccessRw;
        end
        hbs_regs_pkg::GrpResultOffset, hbs_regs_pkg::GrpResultOffset + 10'd4:
        if (has_reduce) begin
          group_reg  = hbs_pkg::RegResult;
          group_wide = 1'b1;
        end
        hbs_regs_pkg::GrpBalanceOffset, hbs_regs_pkg::GrpBalanceOffset + 10'd4:
        if (has_refutable) begin
          group_reg  = hbs_pkg::RegBalance;
          group_wide = 1'b1;
        end
        hbs_regs_pkg::GrpWordOffset, hbs_regs_pkg::GrpWordOffset + 10'd4: begin
          group_reg  = hbs_pkg::RegWord;
          group_wide = 1'b1;
        end
        default: ;
      endcase
    end else if (entry[9:7] == hbs_regs_pkg::GrpRecordAddrOffset[9:7]) begin
      if (32'(entry[6:3]) < Records) begin
        group_reg    = hbs_pkg::RegRecordAddr;
        group_wide   = 1'b1;
        group_access = AccessRw;
      end
    end else if (entry[9:7] == hbs_regs_pkg::GrpPOffset[9:7]) begin
      group_reg  = hbs_pkg::RegP;
      group_wide = 1'b1;
    end else if (entry[9:7] == hbs_regs_pkg::GrpSOffset[9:7]) begin
      group_reg  = hbs_pkg::RegS;
      group_wide = 1'b1;
    end else if (entry[9:7] == hbs_regs_pkg::GrpMissingOffset[9:7]) begin
      if (has_timeout) begin
        group_reg  = hbs_pkg::RegMissing;
        group_wide = 1'b1;
      end
    end else if (entry[9:7] == hbs_regs_pkg::GrpVOffset[9:7]) begin
      if (has_refutable) begin
        group_reg  = hbs_pkg::RegV;
        group_wide = 1'b1;
      end
    end else if (entry[9:7] == hbs_regs_pkg::GrpCompletionsOffset[9:7]) begin
      group_wide = 1'b1;
      case ({entry[9:3], 3'd0})
        hbs_regs_pkg::GrpCompletionsOffset: begin
          group_reg   = hbs_pkg::RegCounter;
          group_index = hbs_pkg::CountCompletions;
        end
        hbs_regs_pkg::GrpArrivalsOffset: begin
          group_reg   = hbs_pkg::RegCounter;
          group_index = {1'b0, hbs_pkg::CountArrivals};
        end
        hbs_regs_pkg::GrpDepartureReadsOffset: begin
          group_reg   = hbs_pkg::RegCounter;
          group_index = {1'b0, hbs_pkg::CountDepartureReads};
        end
        hbs_regs_pkg::GrpRecordWritesOffset: group_reg = hbs_pkg::RegRecordWrites;
        hbs_regs_pkg::GrpNonMemberOffset: begin
          group_reg   = hbs_pkg::RegCounter;
          group_index = {1'b0, hbs_pkg::CountNonMember};
        end
        hbs_regs_pkg::GrpDoubleOffset: begin
          group_reg   = hbs_pkg::RegCounter;
          group_index = {1'b0, hbs_pkg::CountDouble};
        end
        hbs_regs_pkg::GrpRefusedOffset: begin
          group_reg   = hbs_pkg::RegCounter;
          group_index = {1'b0, hbs_pkg::CountRefused};
        end
        hbs_regs_pkg::GrpInterruptsOffset: begin
          group_reg   = hbs_pkg::RegCounter;
          group_index = hbs_pkg::CountInterrupts;
        end
        hbs_regs_pkg::GrpLineReadsOffset:
        if (has_poll) begin
          group_reg   = hbs_pkg::RegCounter;
          group_index = hbs_pkg::CountLineReads;
        end
        hbs_regs_pkg::GrpWithdrawalsOffset:
        if (has_refutable) begin
          group_reg   = hbs_pkg::RegCounter;
          group_index = {1'b0, hbs_pkg::CountWithdrawals};
        end
        hbs_regs_pkg::GrpUnarrivedOffset:
        if (has_refutable) begin
          group_reg   = hbs_pkg::RegCounter;
          group_index = {1'b0, hbs_pkg::CountUnarrived};
        end
        hbs_regs_pkg::GrpReadbacksOffset:
        if (has_refutable) begin
          group_reg   = hbs_pkg::RegCounter;
          group_index = {1'b0, hbs_pkg::CountReadbacks};
        end
        default: ;
      endcase
    end
  end

  // Which of the tables the offset is in
  logic in_groups, in_ports, is_there;
  logic [6:0] table_group;
  logic [10:0] table_port;
  hbs_pkg::reg_e target;
  logic wide;
  access_e access;
  logic [63:0] mask;
  logic [3:0] index;

  assign table_group = {offset[17], offset[15:10]};
  assign table_port  = offset[15:5];
  assign in_groups   = ^offset[17:16];
  assign in_ports    = &offset[17:16];

  always_comb begin
    target = card_reg;
    wide     = card_wide;
    access   = card_access;
    mask     = card_mask;
    index    = card_index;
    is_there = 1'b1;
    if (in_groups) begin
      is_there = {1'b0, table_group} < groups_i;
      target = group_reg;
      wide     = group_wide;
      access   = group_access;
      mask     = group_mask;
      index    = group_index;
    end else if (in_ports) begin
      is_there = table_port < ports_i && has_port_memory && offset[4:3] == 2'd0;
      target = hbs_pkg::RegPortAddr;
      wide     = 1'b1;
      access   = AccessRw;
      mask     = 64'hffff_ffff_ffff_ffff;
    end
    if (!is_there) target = hbs_pkg::RegNone;
  end

  assign value = wide || !is_high ? data : {32'd0, data[63:32]};
  // of a register of 32 bits: it is there before it is known which register this is
  assign narrow = is_high ? data_i[63:32] : data_i[31:0];

  // Values that a register never takes; the upper bits need no long chains of carries.
  logic is_excluded, is_mode;
  logic [3:0] mode_type, mode_reduce;
  logic [1:0] mode_completion, mode_arrival, mode_departure, mode_policy;

  assign mode_type = narrow[hbs_regs_pkg::GrpCtrlTypeLow+:4];
  assign mode_completion = narrow[hbs_regs_pkg::GrpCtrlCompletionLow+:2];
  assign mode_arrival = narrow[hbs_regs_pkg::GrpCtrlArrivalLow+:2];
  assign mode_departure = narrow[hbs_regs_pkg::GrpCtrlDepartureLow+:2];
  assign mode_reduce = narrow[hbs_regs_pkg::GrpCtrlReduceLow+:4];
  assign mode_policy = narrow[hbs_regs_pkg::GrpCtrlPolicyLow+:2];
  assign is_mode = mode_type <= hbs_regs_pkg::TypeRefutable && !mode_completion[1] &&
      !mode_arrival[1] && !mode_departure[1] && !mode_policy[1] &&
      mode_reduce <= hbs_regs_pkg::ReduceVote &&
      !(mode_type == hbs_regs_pkg::TypeRefutable && (mode_completion[0] || mode_arrival[0]));

  always_comb begin
    case (target)
      hbs_pkg::RegCtlPoll:
      is_excluded = (narrow[31:10] == 22'd0 && narrow[9:0] < 10'd1000) || narrow[31] ||
          (narrow[30] && narrow[29:0] != 30'd0);
      hbs_pkg::RegCtrl: is_excluded = !is_mode;
      hbs_pkg::RegVacant: is_excluded = narrow[31:11] != 21'd0 || narrow[10:0] > ports_i;
      hbs_pkg::RegVector:
      is_excluded = narrow[31:5] != 27'd0 || narrow[4:0] >= hbs_regs_pkg::IdVectorsDefault[4:0];
      hbs_pkg::RegRecords: is_excluded = narrow[31:5] != 27'd0 || narrow[4:0] > 5'(Records);
      hbs_pkg::RegCount: is_excluded = narrow[31:16] != 16'd0;
      hbs_pkg::RegTimeout: is_excluded = data[63:48] != 16'd0;
      hbs_pkg::RegRecordAddr: is_excluded = data[5:0] != 6'd0;
      hbs_pkg::RegPortAddr: is_excluded = data[6:0] != 7'd0;
      default: is_excluded = 1'b0;
    endcase
  end

  // The lane of an access to BAR 2
  logic [9:0] page;
  logic [8:0] lane;
  logic lane_there, port_there;

  assign page       = addr_i[25:16];
  assign lane       = addr_i[15:7];
  assign lane_there = {1'b0, lane} < {2'd0, groups_i};
  assign port_there = {1'b0, page} < ports_i;

  always_comb begin
    op_o           = '0;
    op_o.kind      = hbs_pkg::KindNone;
    op_o.target  = hbs_pkg::RegNone;
    op_o.purpose   = hbs_pkg::UseWord;
    op_o.half      = {!is_low, !is_high};
    op_o.is_zero   = data == 64'd0;
    op_o.data      = data;
    op_o.tag       = tag_i;
    if (lane_i) begin
      op_o.kind      = write_i ? hbs_pkg::KindStore : hbs_pkg::KindLoad;
      op_o.group     = lane[6:0];
      op_o.port      = page;
      op_o.index     = page[9:6];
      op_o.has_group = lane_there;
      case ({addr_i[6:3], 3'd0})
        hbs_regs_pkg::LaneArrivalOffset: begin
          op_o.target = write_i ? hbs_pkg::LaneArrival : hbs_pkg::RegNone;
          op_o.is_bad   = write_i && is_high;
        end
        hbs_regs_pkg::LaneOperandOffset:
        op_o.target = write_i ? hbs_pkg::LaneOperand : hbs_pkg::RegNone;
        hbs_regs_pkg::LaneWithdrawOffset: op_o.target = hbs_pkg::LaneWithdraw;
        hbs_regs_pkg::LaneDepartureOffset: begin
          op_o.target = hbs_pkg::LaneDeparture;
          op_o.is_bad   = write_i;
        end
        hbs_regs_pkg::LaneResultOffset: begin
          op_o.target = hbs_pkg::LaneResult;
          op_o.is_bad   = write_i;
        end
        default: op_o.is_bad = write_i && !op_o.is_zero;
      endcase
      if (!is_whole || !lane_there || !port_there) op_o.is_bad = 1'b1;
      if (!ready_i) begin
        op_o.target = hbs_pkg::RegNone;
        op_o.is_bad   = 1'b0;
        if (write_i) op_o.kind = hbs_pkg::KindNone;
      end
    end else begin
      op_o.kind      = write_i ? hbs_pkg::KindWrite : hbs_pkg::KindRead;
      op_o.target  = target;
      op_o.is_card   = 1'b1;
      op_o.group     = table_group;
      op_o.has_group = in_groups && is_there;
      op_o.port      = table_port[9:0];
      op_o.index     = target == hbs_pkg::RegList ? 4'd0 : index;
      op_o.data      = value;
      if (target == hbs_pkg::RegList) op_o.port = {4'd0, list_index};
      if (target == hbs_pkg::RegCommand) begin
        op_o.port  = value[25:16];
        op_o.index = value[25:22];
      end
      if (!is_whole || (target != hbs_pkg::RegNone && !wide && is_full)) begin
        op_o.is_bad = 1'b1;
      end else if (write_i) begin
        if (target == hbs_pkg::RegNone) op_o.is_bad = !op_o.is_zero;
        else begin
          op_o.is_bad = access == AccessRo || (value & ~mask) != 64'd0 || is_excluded;
        end
      end else if (access == AccessWo) begin
        op_o.target = hbs_pkg::RegNone;
      end
      if (!ready_i) begin
        if (write_i) op_o.kind = hbs_pkg::KindNone;
        if (op_o.is_bad || offset >= hbs_regs_pkg::IntCauseOffset) begin
          op_o.target = hbs_pkg::RegNone;
        end
        op_o.is_bad = 1'b0;
      end
    end
    if (is_nothing) begin
      op_o.target = hbs_pkg::RegNone;
      op_o.is_bad   = 1'b0;
      if (write_i) op_o.kind = hbs_pkg::KindNone;
    end
  end

endmodule
