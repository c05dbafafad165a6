// SPDX-License-Identifier: GPL-2.0-or-later
// What is true of a group between steps: the invariants that the proofs of the pipeline share.
// They follow from the section "State of a group" of the specification.

module group_state #(
  parameter int unsigned Ports = 3
) (
  input logic             clk_i,
  input logic [55:0]      now,
  input logic [55:0]      now_q,        // a cycle before
  input logic             checked,      // the row is cleared since the reset
  input logic             is_resetting,
  input hbs_pkg::row_t    row,
  input logic [63:0]      p_row,
  input hbs_pkg::marks_t  marks,
  input logic             is_wiped,     // an enabling is about to clear P
  input logic             is_gathering, // it is complete, and its operands are being reduced
  input logic             is_timed,     // what hbs_timers knows
  input logic [55:0]      deadline,
  input logic             is_slow,      // the core expects that of the group
  input logic             starts_card,  // CTL_CTRL.ENABLE goes to 1
  input logic             resumes_late, //   and did so, and the core has not come to the group
  input logic             starts_timer,
  input logic             expires
);

  logic [55:0] since_q;  // when the timer started

  always_ff @(posedge clk_i) if (starts_card || starts_timer) since_q <= now;

  // the masks as an access sees them
  logic [Ports-1:0] p, s, v;
  logic [10:0] p_bits, s_bits, v_bits;
  logic is_full, is_complete, on_subject;

  assign p = row.enable && !is_wiped ? p_row[Ports-1:0] : '0;
  assign s = row.live[0] ? marks.s[Ports-1:0] : '0;
  assign v = row.live[0] ? marks.v[Ports-1:0] : '0;

  always_comb begin
    p_bits = '0;
    s_bits = '0;
    v_bits = '0;
    for (int unsigned i = 0; i < Ports; i++) begin
      p_bits = p_bits + 11'(p[i]);
      s_bits = s_bits + 11'(s[i]);
      v_bits = v_bits + 11'(v[i]);
    end
    on_subject = 1'b0;
    for (int unsigned i = 0; i < Ports; i++) if (row.subject == 10'(i)) on_subject = p[i];
  end

  // the sentence "Group g is complete when ..." of the specification
  assign is_complete = row.enable && !row.broken && row.vacant == 0 && p != 0 &&
      (row.counting ? row.arrived == row.count && row.count != 0 :
                      s == p && (!row.refutable || row.balance == 0));

  always_comb begin
    if (is_timed) assert (deadline <= now_q + 56'h1_0000_0000_0000);
    if (checked) begin
      // (2) who has arrived is a member, and who has voted has arrived
      assert ((s & ~p) == 0);
      assert ((v & ~s) == 0);
      // (3) the numbers that stand for the masks
      assert (row.members == p_bits);
      assert (row.present == s_bits);
      assert (row.ayes == v_bits);
      // (1) a group that is complete has been released
      if (!is_gathering) assert (!is_complete);
      else begin
        assert (is_complete && row.refutable && row.reduce != 0 && !is_wiped);
      end
      // Nothing is left in a group that is not enabled.
      if (!row.enable) begin
        assert (!row.broken && !row.armed && !row.expired && !row.black && !row.has_missing);
        assert (row.arrived == 0 && row.balance == 0 && row.vote == 0);
        assert (row.operation == hbs_pkg::OperationNone);
      end
      // (4) a broken group has nobody who has arrived, and is armed no more
      if (row.broken) assert (row.enable && row.arrived == 0 && !row.armed);
      // modes that exclude each other
      if (row.refutable) assert (!row.counting && !row.polling);
      else assert (v == 0 && row.balance == 0 && row.vote == 0);
      // arrivals
      if (row.counting) assert (row.arrived >= row.present && row.arrived <= row.count);
      else assert (row.arrived == row.present);
      // seats
      assert (row.vacant <= 11'(Ports));
      if (row.enable && row.vacant != 0) assert (row.vacant + row.members <= 11'(Ports));
      assert (row.records <= 5'd16 && row.subject < 10'(Ports));
      // (11) the timer runs exactly when it has to (while the card is enabled)
      assert (row.timing == (row.timeout != 0 && row.arrived != 0 && !row.expired));
      if (row.timing) begin
        assert (since_q <= now_q);
        if (!resumes_late) assert (deadline >= since_q + 56'(row.timeout));
      end
      assert (is_timed == row.timing);
      if (expires) assert (now - since_q >= 56'(row.timeout));
      if (row.enable && row.refutable && row.reduce != 0) assert (is_slow);
      if (is_resetting) assert (row == 0);
      // operations
      if (row.operation == hbs_pkg::OperationEnabling) assert (row.enable && row.members == 0);
      if (row.operation == hbs_pkg::OperationJoining) begin
        assert (row.enable && !on_subject && (row.polling || row.port_record));
        assert (row.subject < 10'(Ports));
        if (row.counting && row.vacant == 0) assert (row.count != 16'hffff);
        if (row.vacant != 0) assert (row.vacant + row.members <= 11'(Ports));
      end
      if (row.operation == hbs_pkg::OperationLeaving) begin
        assert (row.enable && on_subject && row.polling && row.subject < 10'(Ports));
      end
      if (is_wiped) assert (row.enable && row.members == 0 && row.arrived == 0 && !row.broken);
      // the masks of an epoch that has ended are empty
      assert ((row.live >> 1) == 0);
      if (row.live[0]) begin
        assert (row.enable && !row.broken);
        assert ((marks.s >> Ports) == 0 && (marks.v >> Ports) == 0);
      end
      assert ((p_row >> Ports) == 0);
    end
  end

endmodule
