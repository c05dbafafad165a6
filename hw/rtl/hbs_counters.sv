// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
// The counters of the card and of its groups, but for those of the egress. They are in three
// memories, so that what a step counts at once is in different ones:
//
//   main      the counters of a group of which a step counts one at most
//   outcomes  completions of a group; violations
//   others    interrupts of a group, its lines that were read; bad accesses, reads by strangers,
//             failed reads
//
// A line or a failed read is counted a cycle later. Its step leaves that cycle empty.

module hbs_counters #(
  parameter int unsigned Groups = 16,
  localparam int unsigned GroupBits = Groups > 1 ? $clog2(Groups) : 1,
  localparam int unsigned MainDepth = 8 << (Groups > 1 ? GroupBits : 0),
  // the counters of the card are in the place of those of groups 0 to 3
  localparam int unsigned PlaceBits = GroupBits > 2 ? GroupBits : 2
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 clear_i,         // counters by their place in each memory
  input  logic [9:0]           clear_place_i,
  input  logic [6:0]           group_i,

  // a read: the value comes a cycle later
  input  logic                 read_i,
  input  hbs_pkg::reg_e        target_i,
  input  logic [3:0]           index_i,
  output logic [63:0]          value_o,         // 0 if no counter of these is read

  // what a step counts
  input  logic                 wipe_i,          // clears the group's counters in 8 steps
  input  logic                 counts_i,
  input  logic [2:0]           counter_i,
  input  logic                 completes_i,
  input  logic                 violates_i,
  input  logic                 raises_i,
  input  logic                 is_access_bad_i,
  input  logic                 is_foreign_i,
  input  logic                 reads_line_i,
  input  logic                 read_fails_i
);

  // Which of the counters of a place
  localparam logic [1:0] OthersInterrupts = 2'd0;
  localparam logic [1:0] OthersLines = 2'd1;
  localparam logic [1:0] OthersCard = 2'd2;

  logic [$clog2(MainDepth)-1:0] main_addr;
  logic [PlaceBits:0] outcomes_addr;
  logic [PlaceBits+1:0] others_addr;
  logic [PlaceBits-1:0] place, line_place_q;
  logic line_q, fail_q, is_card, by_index;
  logic [1:0] card_counter;
  logic [63:0] main, outcomes, others;
  logic is_main_q, is_outcome_q, is_other_q;
  logic is_group, is_any, is_outcome;

  assign place = PlaceBits'(group_i[GroupBits-1:0]);
  assign is_card = read_i && target_i != hbs_pkg::RegCounter;
  assign by_index = wipe_i || (read_i && target_i == hbs_pkg::RegCounter);
  assign card_counter = is_access_bad_i ? hbs_pkg::CardBad :
                        is_foreign_i ? hbs_pkg::CardForeign : index_i[1:0];

  // which of the memories is read
  assign is_group = target_i == hbs_pkg::RegCounter;
  assign is_any = is_group || target_i == hbs_pkg::RegCardCounter ||
      target_i == hbs_pkg::RegDmaErrors;
  assign is_outcome = is_group ? index_i == hbs_pkg::CountCompletions :
                                 is_any && index_i[1:0] == hbs_pkg::CardViolations;

  always_comb begin
    main_addr = $clog2(MainDepth)'({group_i, by_index ? index_i[2:0] : counter_i});
    outcomes_addr = {1'b0, place};
    if (violates_i || is_card) outcomes_addr = {1'b1, PlaceBits'(hbs_pkg::CardViolations)};
    others_addr = {OthersInterrupts, place};
    if (fail_q) begin
      others_addr = {OthersCard, PlaceBits'(hbs_pkg::CardReadErrors)};
    end else if (line_q) begin
      others_addr = {OthersLines, line_place_q};
    end else if (is_access_bad_i || is_foreign_i || is_card) begin
      others_addr = {OthersCard, PlaceBits'(card_counter)};
    end else if (by_index && index_i[0]) begin
      others_addr = {OthersLines, place};
    end
    if (clear_i) begin
      main_addr     = clear_place_i[$clog2(MainDepth)-1:0];
      outcomes_addr = clear_place_i[PlaceBits:0];
      others_addr   = clear_place_i[PlaceBits+1:0];
    end
  end

  hbs_counter_bank #(
    .Depth (MainDepth)
  ) u_main (
    .clk_i,
    .rst_ni,
    .addr_i  (main_addr),
    .count_i (counts_i),
    .clear_i (wipe_i || clear_i),
    .value_o (main)
  );

  hbs_counter_bank #(
    .Depth (2 << PlaceBits)
  ) u_outcomes (
    .clk_i,
    .rst_ni,
    .addr_i  (outcomes_addr),
    .count_i (completes_i || violates_i),
    .clear_i (wipe_i || clear_i),
    .value_o (outcomes)
  );

  hbs_counter_bank #(
    .Depth (4 << PlaceBits)
  ) u_others (
    .clk_i,
    .rst_ni,
    .addr_i  (others_addr),
    .count_i (raises_i || is_access_bad_i || is_foreign_i || line_q || fail_q),
    .clear_i (wipe_i || clear_i),
    .value_o (others)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      line_q <= 1'b0;
      fail_q <= 1'b0;
    end else begin
      line_q <= reads_line_i;
      fail_q <= read_fails_i;
    end
  end

  always_ff @(posedge clk_i) begin
    line_place_q <= place;
    is_main_q    <= is_group && !index_i[3];
    is_outcome_q <= is_outcome;
    is_other_q   <= is_any && !is_outcome && !(is_group && !index_i[3]);
  end

  assign value_o = is_main_q ? main : is_outcome_q ? outcomes : is_other_q ? others : 64'd0;

endmodule
