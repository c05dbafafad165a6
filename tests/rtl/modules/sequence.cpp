// SPDX-License-Identifier: GPL-2.0-or-later
// hbs_sequence against lists of the steps that each sequence must have, in a pipeline that computes a
// step a cycle after it was chosen.
#include <deque>
#include <vector>

#include "module.h"

using namespace module;
using namespace rtl;

constexpr unsigned MASKWORDS = (PORTS + 63) / 64, MASKWIDTH = PORTS < 64 ? PORTS : 64;
constexpr unsigned WIPESTEPS = MASKWORDS > 8 ? MASKWORDS : 8; /* counters and masks */
constexpr unsigned BOUND = 80; /* cycles to the next step, where 64 bits of a word are 0 */

/* A step that must come; a port or an index that does not matter is -1 */
struct Step {
	unsigned kind, group;
	int port, index;
	uint64_t data;
};

class Bench
{
      public:
	Bench() : p(GROUPS, std::vector<uint64_t>(MASKWORDS)), rows(GROUPS)
	{
		top.stops_i = top.follows_i = top.starts_card_i = top.moves_port_i = 0;
		reset(top);
	}
	void cycle()
	{
		choose();
		top.eval();
		check();
		const Step step = chosen();
		const unsigned of = top.operand_group_o, port = top.operand_port_o;
		const bool stops = top.stops_i;

		tick(top);
		/* what memories give and what is computed a cycle later */
		top.p_i = step.group < GROUPS && (unsigned)step.index < MASKWORDS
				  ? p[step.group][step.index]
				  : dice.word() & ones(MASKWIDTH);
		top.operand_i = operand(of, port);
		computed = stepped && !stops ? step.kind : (unsigned)KindNone;
		group = step.group;
		if (stops)
			stop();
	}
	void totals()
	{
		met("groups that were wiped", kinds[KindWipe]);
		met("expiries that were noted", kinds[KindNote]);
		met("reductions of members", kinds[KindGather]);
		met("operands that were reduced", folds);
		met("single steps", kinds[KindDepart]);
		met("starts of the card", card_starts);
		met("ports that moved", moves);
		met("operations that started again", starts);
		met("sequences behind a sequence", behind);
		met("sequences that a reset ended", stopped);
	}

      private:
	static uint64_t operand(unsigned g, unsigned port)
	{
		return (g * 1024ull + port + 1) * 0x9e3779b97f4a7c15ull;
	}
	Step chosen()
	{
		stepped = top.step_o;
		return { (unsigned)get(top.op_o, op::kind), (unsigned)get(top.op_o, op::group),
			 (int)get(top.op_o, op::port), (int)get(top.op_o, op::index),
			 get(top.op_o, op::data) };
	}
	void choose()
	{
		top.follows_i = top.starts_card_i = top.moves_port_i = 0;
		top.stops_i = dice.below(400) == 0;
		randomize(top.row_i, row::width, dice);
		randomize(top.op_i, op::width, dice);
		if (computed == KindResume || computed == KindMove)
			show_row();
		if (top.stops_i)
			return;
		/* Behind the last step of a sequence another one may follow. */
		const bool is_last = computed != KindNone && computed != KindResume &&
				     computed != KindMove;

		if (due.empty() && (is_last ? dice.percent(20) : !looping() && !top.active_o &&
								     dice.percent(50)))
			begin();
	}
	bool looping() const
	{
		return loop < GROUPS;
	}
	/* The row of the group that the loop has visited in the cycle before */
	void show_row()
	{
		const Row &r = rows[group];

		set(top.row_i, row::enable, r.enable);
		set(top.row_i, row::operation, r.operation);
		set(top.row_i, row::subject, r.subject);
	}
	void begin()
	{
		static const unsigned FOLLOW[] = { KindWipe, KindNote, KindGather, KindDepart };
		const unsigned g = dice.below(GROUPS), port = dice.below(PORTS);

		set(top.op_i, op::group, g);
		set(top.op_i, op::port, port);
		behind += top.active_o;
		if (!looping() && dice.percent(20)) {
			begin_loop(port);
			return;
		}
		const unsigned kind = FOLLOW[dice.below(4)];

		top.follows_i = 1;
		top.follow_i = kind;
		kinds[kind]++;
		switch (kind) {
		case KindWipe:
			for (unsigned i = 0; i < WIPESTEPS; i++)
				due.push_back({ kind, g, -1, (int)i, 0 });
			due.push_back({ KindStart, g, (int)port, -1, 0 });
			break;
		case KindNote:
			for (unsigned i = 0; i < MASKWORDS; i++)
				due.push_back({ kind, g, -1, (int)i, 0 });
			due.push_back({ KindExpired, g, -1, -1, 0 });
			break;
		case KindGather:
			gather(g);
			break;
		default:
			due.push_back({ kind, g, (int)port, (int)port / 64, 0 });
		}
	}
	void gather(unsigned g)
	{
		for (unsigned i = 0; i < MASKWORDS; i++) {
			uint64_t word = dice.word() & (dice.below(2) ? dice.word() : ~0ull);

			if (dice.percent(20))
				word = 0;
			if (PORTS % 64 && i == MASKWORDS - 1)
				word &= ones(PORTS % 64);
			p[g][i] = word;
			due.push_back({ KindGather, g, -1, (int)i, 0 });
			for (unsigned b = 0; b < 64; b++) {
				if (!(word >> b & 1))
					continue;
				due.push_back({ KindFold, g, -1, (int)i, operand(g, 64 * i + b) });
				folds++;
			}
		}
		due.push_back({ KindComplete, g, -1, -1, 0 });
	}
	/* All groups are visited, and an operation that there is may start. */
	void begin_loop(unsigned port)
	{
		loop_kind = dice.below(2) ? KindResume : KindMove;
		(loop_kind == KindResume ? top.starts_card_i : top.moves_port_i) = 1;
		(loop_kind == KindResume ? card_starts : moves)++;
		loop = 0;
		loop_port = port;
		for (Row &r : rows) {
			r.enable = dice.below(2);
			r.operation = dice.below(4);
			r.subject = dice.below(2) ? port : dice.below(PORTS);
		}
		visit();
	}
	void visit()
	{
		const Row &r = rows[loop];

		due.push_back({ loop_kind, loop, (int)loop_port, -1, 0 });
		if (r.enable && r.operation != OperationNone &&
		    (loop_kind == KindResume ||
		     (r.operation != OperationEnabling && r.subject == loop_port))) {
			due.push_back({ KindStart, loop, (int)r.subject, -1, 0 });
			starts++;
		}
		loop++;
	}
	void check()
	{
		/* in the cycle in which it is told what follows, nothing of it has begun yet */
		const bool begins = top.follows_i || top.starts_card_i || top.moves_port_i;

		if (begins) {
			if (top.step_o)
				wrong("a step before its sequence has begun");
			since = 0;
			return;
		}
		if (top.step_o)
			compare();
		else if (!due.empty() && ++since > BOUND)
			wrong("a sequence does not go on");
		else if (!due.empty() && !top.active_o)
			wrong("something else can be chosen in the middle of a sequence");
		if (due.empty() && looping() && !top.step_o) {
			/* the next group follows, unless the step behind lets a sequence follow */
			visit();
			return;
		}
		idle = due.empty() && !top.step_o ? idle + 1 : 0;
		if (idle > 4 && top.active_o)
			wrong("a sequence does not end");
	}
	void compare()
	{
		const Step step = chosen();

		if (due.empty()) {
			wrong("a step of kind %u that does not follow", step.kind);
			return;
		}
		const Step d = due.front();

		due.pop_front();
		since = 0;
		if (!top.active_o)
			wrong("something else can be chosen beside a step of kind %u", d.kind);
		if (step.kind != d.kind || step.group != d.group)
			wrong("kind %u of group %u, not %u of %u", step.kind, step.group, d.kind,
			      d.group);
		if ((d.port >= 0 && step.port != d.port) || (d.index >= 0 && step.index != d.index))
			wrong("port %d, index %d of a step of kind %u, not %d, %d", step.port,
			      step.index, d.kind, d.port, d.index);
		if (d.kind == KindFold && step.data != d.data)
			wrong("another operand than that of the next member");
		if (get(top.op_o, op::target) != RegNone)
			wrong("a step of a sequence is for a register");
	}
	void stop()
	{
		stopped += !due.empty();
		due.clear();
		loop = GROUPS;
		top.stops_i = 0;
		top.eval();
		if (top.active_o)
			wrong("a sequence goes on in a reset");
	}

	struct Row {
		unsigned enable, operation, subject;
	};

	Random dice;
	Vtop top;
	std::vector<std::vector<uint64_t>> p;
	std::vector<Row> rows;
	std::deque<Step> due;
	bool stepped = false;
	unsigned computed = KindNone, group = 0, loop = GROUPS, loop_kind = 0, loop_port = 0;
	unsigned since = 0, idle = 0;
	uint64_t kinds[KindDepart + 1] = {}, folds = 0, starts = 0, card_starts = 0, moves = 0;
	uint64_t behind = 0, stopped = 0;
};

int main(int argc, char **argv)
{
	const uint64_t cycles = cycles_of(argc, argv);
	Bench bench;

	for (uint64_t i = 0; i < cycles; i++)
		bench.cycle();
	bench.totals();
	result("sequences of " + std::to_string(PORTS) + " ports and " + std::to_string(GROUPS) +
	       " groups have the steps that they need");
	return failures != 0;
}
