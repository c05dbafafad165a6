// SPDX-License-Identifier: GPL-2.0-or-later
// hbs_counter_bank against an array of counters: the value comes a cycle after the address, as it
// was before; what was counted in the cycle before, or two before, is in it.
#include <vector>

#include "module.h"

using namespace module;

int main(int argc, char **argv)
{
	const uint64_t cycles = cycles_of(argc, argv);
	uint64_t again = 0, cleared = 0, counted = 0, due = 0;
	std::vector<uint64_t> counters(DEPTH);
	unsigned before = 0;
	bool known = false;
	Random dice;
	Vtop top;

	top.addr_i = top.count_i = top.clear_i = 0;
	reset(top);
	for (uint64_t cycle = 0; cycle < cycles; cycle++) {
		const bool fills = cycle < DEPTH; /* what was never cleared is unknown */

		top.addr_i = fills ? cycle : dice.percent(50) ? before : dice.below(DEPTH);
		top.count_i = dice.percent(60);
		top.clear_i = fills || dice.percent(5);
		top.eval();
		if (known && top.value_o != due)
			wrong("a counter is %lu, not %lu", (uint64_t)top.value_o, due);
		known = true;
		due = top.clear_i ? 0 : counters[top.addr_i];
		if (top.clear_i)
			counters[top.addr_i] = 0;
		else
			counters[top.addr_i] += top.count_i;
		again += !fills && top.count_i && top.addr_i == before;
		cleared += !fills && top.clear_i;
		counted += top.count_i && !top.clear_i;
		before = top.addr_i;
		tick(top);
	}
	met("counts", counted);
	met("counts of the counter of the cycle before", again);
	met("counters that were cleared", cleared);
	result("a bank of " + std::to_string(DEPTH) + " counters counts");
	return failures != 0;
}
