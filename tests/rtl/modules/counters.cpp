// SPDX-License-Identifier: GPL-2.0-or-later
// hbs_counters against an array for each group and one for the card: what the steps of the pipeline
// count is read back, whatever they count at once.
#include <vector>

#include "module.h"

using namespace module;

constexpr unsigned KINDS = rtl::CountInterrupts + 1;

class Bench
{
      public:
	Bench() : of_group(GROUPS, std::vector<uint64_t>(KINDS))
	{
		idle();
		reset(top);
		clear();
	}
	void cycle()
	{
		idle();
		if (empty) { /* behind a step that ends late, as hbs_core leaves it */
			empty = false;
			run();
			return;
		}
		switch (dice.below(10)) {
		case 0:
		case 1:
			arrive();
			break;
		case 2:
			violate();
			break;
		case 3:
			load();
			break;
		case 4:
			answer();
			break;
		case 5:
			if (!dice.below(20))
				wipe();
			break;
		case 6:
			if (!dice.below(1000))
				clear();
			break;
		default:
			read();
		}
		run();
	}
	void totals()
	{
		met("reads", reads);
		met("reads of other registers", others);
		met("completions together with interrupts", together);
		met("lines that were counted", lines);
		met("groups that were wiped", wipes);
		met("resets", clears);
	}

      private:
	void idle()
	{
		top.clear_i = top.read_i = top.wipe_i = top.counts_i = top.completes_i = 0;
		top.violates_i = top.raises_i = top.is_access_bad_i = top.is_foreign_i = 0;
		top.reads_line_i = top.read_fails_i = 0;
		top.group_i = dice.below(GROUPS);
		top.target_i = rtl::RegNone;
		top.index_i = dice.below(16);
		top.counter_i = dice.below(8);
	}
	/* The value that was asked for in the cycle before is there now. */
	void run()
	{
		top.eval();
		if (asked && top.value_o != due)
			wrong("a counter is %lu, not %lu", (uint64_t)top.value_o, due);
		asked = asks;
		due = wanted;
		asks = false;
		tick(top);
	}
	std::vector<uint64_t> &group()
	{
		return of_group[top.group_i];
	}
	void count(unsigned counter)
	{
		top.counts_i = 1;
		top.counter_i = counter;
		group()[counter]++;
	}
	void finish()
	{
		top.completes_i = dice.percent(30);
		top.raises_i = dice.percent(30);
		group()[rtl::CountCompletions] += top.completes_i;
		group()[rtl::CountInterrupts] += top.raises_i;
		together += top.completes_i && top.raises_i;
	}
	void arrive()
	{
		count(rtl::CountArrivals);
		finish();
	}
	void violate()
	{
		static const unsigned OF_GROUP[] = { rtl::CountNonMember, rtl::CountDouble,
						     rtl::CountRefused, rtl::CountUnarrived };

		top.violates_i = 1;
		card[rtl::CardViolations]++;
		if (dice.percent(40)) {
			top.is_access_bad_i = 1;
			card[rtl::CardBad]++;
			top.read_i = dice.percent(50); /* a bad read, whose value is hidden */
			top.target_i = top.read_i ? rtl::RegCounter : rtl::RegCtrl;
		} else if (dice.percent(70)) {
			count(OF_GROUP[dice.below(4)]);
		} else { /* an overflow, which breaks the group */
			top.raises_i = dice.percent(50);
			group()[rtl::CountInterrupts] += top.raises_i;
		}
	}
	void load()
	{
		top.read_i = 1;
		top.target_i = dice.percent(70) ? rtl::LaneDeparture : rtl::LaneWithdraw;
		asks = true;
		wanted = 0;
		if (dice.percent(30)) {
			top.is_foreign_i = 1;
			card[rtl::CardForeign]++;
		} else {
			count(top.target_i == rtl::LaneDeparture ? rtl::CountDepartureReads
								 : rtl::CountReadbacks);
		}
	}
	/* Of a read of host memory */
	void answer()
	{
		empty = true;
		if (dice.percent(20)) {
			top.read_fails_i = 1;
			card[rtl::CardReadErrors]++;
			return;
		}
		top.reads_line_i = dice.percent(80);
		lines += top.reads_line_i;
		group()[rtl::CountLineReads] += top.reads_line_i;
		if (top.reads_line_i && dice.percent(50))
			arrive();
	}
	void read()
	{
		top.read_i = 1;
		asks = true;
		reads++;
		if (dice.percent(60)) {
			top.target_i = rtl::RegCounter;
			top.index_i = dice.below(KINDS);
			wanted = group()[top.index_i];
		} else if (dice.percent(70)) {
			const unsigned index = dice.below(4);

			top.target_i = index == rtl::CardReadErrors ? rtl::RegDmaErrors
								    : rtl::RegCardCounter;
			top.index_i = index;
			wanted = card[index];
		} else {
			static const unsigned OTHERS[] = { rtl::RegNone, rtl::RegEpoch, rtl::RegP,
							   rtl::RegRecordWrites };

			top.target_i = OTHERS[dice.below(4)];
			wanted = 0;
			others++;
		}
	}
	void wipe()
	{
		const unsigned g = top.group_i;

		for (unsigned step = 0; step < 8; step++) {
			idle();
			top.group_i = g;
			top.wipe_i = 1;
			top.index_i = step;
			run();
		}
		group().assign(KINDS, 0);
		idle();
		wipes++;
	}
	void clear()
	{
		const unsigned places = GROUPS > 4 ? 1024 : 32;

		for (unsigned place = 0; place < places; place++) {
			idle();
			top.clear_i = 1;
			top.clear_place_i = place;
			run();
		}
		for (auto &counters : of_group)
			counters.assign(KINDS, 0);
		for (uint64_t &counter : card)
			counter = 0;
		idle();
		clears++;
	}

	Random dice;
	Vtop top;
	std::vector<std::vector<uint64_t>> of_group;
	uint64_t card[4] = {}, wanted = 0, due = 0;
	bool empty = false, asks = false, asked = false;
	uint64_t reads = 0, others = 0, together = 0, lines = 0, wipes = 0, clears = 0;
};

int main(int argc, char **argv)
{
	const uint64_t cycles = cycles_of(argc, argv);
	Bench bench;

	for (uint64_t i = 0; i < cycles; i++)
		bench.cycle();
	bench.totals();
	result("the counters of " + std::to_string(GROUPS) + " groups and of the card count");
	return failures != 0;
}
