// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
// Types that the modules of the card share.

package hbs_pkg;

  // Widths do not depend on the size of a card: a smaller one leaves the upper bits at zero.

  // What the pipeline does in a step.
  typedef enum logic [4:0] {
    KindNone,
    KindStore,     // a write to a lane
    KindLoad,      // a read of a lane
    KindWrite,     // a write to a register
    KindRead,      // a read of a register
    KindAnswer,    // an answer to a read of host memory
    KindFail,      // a record could not be written
    KindExpire,    // a timer has run out
    KindScan,      // which members' lines are to be read?
    // steps of a sequence, between which nothing else comes
    KindWipe,      // enabling: clears masks and counters
    KindNote,      // expiry: notes who is missing
    KindExpired,   // expiry: the rest
    KindGather,    // completion of a refutable group that reduces: finds the members,
    KindFold,      //   reduces the operand of one,
    KindComplete,  //   and completes the epoch
    KindResume,    // of a group when the card is enabled
    KindMove,      // of a group when a port's memory has moved
    KindStart,     // starts the group's operation, or starts it anew
    KindDepart     // the end of a LEAVE, after its last arrival
  } kind_e;

  // Registers and lanes, as the decoder names them.
  typedef enum logic [5:0] {
    RegNone,
    // card-wide, and they do not change
    RegMagic, RegVersion, RegFeatures, RegPorts, RegGroups, RegPortStride, RegLaneStride,
    RegEpochBits, RegGroupTypes, RegRecordsMax, RegVectors, RegBlocks, RegBlockList, RegList,
    // card-wide
    RegCtlCtrl, RegCtlStatus, RegCtlTag, RegCtlPoll,
    RegCause, RegCauseEnable, RegIntGroups, RegIntTimeouts,
    RegCardCounter, RegDmaErrors, RegMessages, RegViolationLast,
    // of a group
    RegCtrl, RegCommand, RegStatus, RegArm, RegEpoch, RegVacant, RegVector, RegRecords, RegMembers,
    RegArrived, RegCount, RegTimeout, RegResult, RegBalance, RegWord, RegRecordAddr, RegP, RegS,
    RegMissing, RegV, RegCounter, RegRecordWrites,
    // of a port
    RegPortAddr,
    // of a lane
    LaneArrival, LaneOperand, LaneWithdraw, LaneDeparture, LaneResult
  } reg_e;

  // Counters of a group of which a step counts one at most, by their index in the memory.
  localparam logic [2:0] CountArrivals = 3'd0;
  localparam logic [2:0] CountDepartureReads = 3'd1;
  localparam logic [2:0] CountNonMember = 3'd2;
  localparam logic [2:0] CountDouble = 3'd3;
  localparam logic [2:0] CountRefused = 3'd4;
  localparam logic [2:0] CountWithdrawals = 3'd5;
  localparam logic [2:0] CountUnarrived = 3'd6;
  localparam logic [2:0] CountReadbacks = 3'd7;
  // The others of a group, by their index in RegCounter
  localparam logic [3:0] CountCompletions = 4'd8;
  localparam logic [3:0] CountLineReads = 4'd9;
  localparam logic [3:0] CountInterrupts = 4'd10;
  // Those of the card, by their index in RegCardCounter and RegDmaErrors
  localparam logic [1:0] CardViolations = 2'd0;
  localparam logic [1:0] CardBad = 2'd1;
  localparam logic [1:0] CardForeign = 2'd2;
  localparam logic [1:0] CardReadErrors = 2'd3;

  // What a group is busy with.
  typedef enum logic [1:0] {OperationNone, OperationEnabling, OperationJoining, OperationLeaving}
      operation_e;

  // The purpose of a read of host memory.
  typedef enum logic [2:0] {
    UseWord,         // of an arrival line, in a round
    UseOperand,
    UseCheck,        // is it memory that shows what was written?
    UseCheckAny,     // is it memory?
    UseLastWord,     // of the line of a member that leaves
    UseLastOperand
  } use_e;

  // What the card keeps of a group, but for masks, operands, counters and addresses of records.
  typedef struct packed {
    logic        enable;
    logic        refutable;
    logic        counting;
    logic        polling;
    logic        port_record;
    logic [3:0]  reduce;
    logic        notify;
    logic        broken;
    logic [2:0]  reason;
    logic        armed;
    logic        expired;
    logic [1:0]  vote;
    logic        black;
    logic        has_missing;   // MISSING is that of this enabling
    logic        has_result;    // RESULT is that of an epoch of this enabling; else it is 0
    logic [15:0] live;          // which words of S and V are of this epoch; the others are 0
    logic [10:0] vacant;
    logic        message;       // MSI-X vector
    logic [4:0]  records;
    logic [10:0] members;       // bits set in P
    logic [10:0] present;       // bits set in S
    logic [10:0] ayes;          // bits set in V
    logic [15:0] count;
    logic [15:0] arrived;
    logic [47:0] epoch;
    logic [63:0] sum;
    logic [47:0] balance;
    logic [47:0] timeout;
    logic        timing;        // the timer runs; hbs_timers has its deadline
    operation_e  operation;
    logic [9:0]  subject;       // its port
    logic [4:0]  checks;        // its reads in flight
    logic        failed;        // one of them failed
  } row_t;

  localparam int unsigned RowWidth = 346;

  // 64 ports' bits of the masks S and V
  typedef struct packed {
    logic [63:0] s;
    logic [63:0] v;
  } marks_t;

  // A step's operands.
  typedef struct packed {
    kind_e       kind;
    logic [6:0]  group;
    logic [9:0]  port;
    reg_e        target;
    logic [3:0]  index;         // in an array of registers; of a word of a mask
    logic [1:0]  half;          // which halves of the word are written
    logic        is_bad;        // whatever the group's state is
    logic        is_card;       // the access is to BAR 0: a violation has no port
    logic        has_group;     // a violation names the group
    logic        is_zero;       // the datum is zero
    logic [63:0] data;
    logic [7:0]  tag;           // of a read of the card, or of host memory
    use_e        purpose;       // of an answer
    logic        is_error;      // of an answer; of KindFail: an operation failed
    logic [63:0] expected;      // of an answer
    logic        is_expected;   // its data are these
  } op_t;

  // The kind of what leaves the card.
  localparam logic [1:0] TxWrite = 2'd0;
  localparam logic [1:0] TxWide = 2'd1;
  localparam logic [1:0] TxMessage = 2'd2;
  localparam logic [1:0] TxAnswer = 2'd3;

  // What a step lets the rest of the card do, in the cycle after it.
  typedef struct packed {
    logic [6:0]  group;
    logic [9:0]  port;
    logic        shows;         // the group's word has changed
    logic        has_result;    // and its result
    logic        starts;        // an operation that uses host memory
    operation_e  operation;
    logic        repeats;       // the record of a port that has joined
    logic [1:0]  messages;      // of these vectors
    logic        fails;         // of KindFail
    logic        forgets;       // the group was disabled: nothing is due any more
    logic        cancels;       // its operation has ended
    logic        stops;         // all operations stand still
    logic        leaves;        // the port is a member no more
    logic        drops;         // reads of host memory:
    logic        drops_groups;  //   for all groups
    logic        drops_ports;   //   for all ports
    logic        frees;         // the read with this tag has been answered
    logic        asks;          // read the operand, by the same tag
    logic [7:0]  tag;
    logic        wipes;         // the group's counters
    logic        wants;         // the group has a line to read
    logic        has_wants;     // that bit is of this step
    logic        scans;         // the answer to KindScan
  } event_t;

endpackage
