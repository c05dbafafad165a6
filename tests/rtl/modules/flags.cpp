// SPDX-License-Identifier: GPL-2.0-or-later
// hbs_flags against flags that two sides write: each sees what both have written, and where both
// write a flag at once the first side's value stays.
#include <vector>

#include "module.h"

using namespace module;

int main(int argc, char **argv)
{
	const uint64_t cycles = cycles_of(argc, argv);
	std::vector<uint64_t> flags(GROUPS);
	uint64_t both = 0, clears = 0, others = 0;
	Random dice;
	Vtop top;

	for (uint64_t cycle = 0; cycle < cycles; cycle++) {
		const bool fills = cycle < GROUPS;

		/* while a group is cleared nothing else is written, as hbs_egress has it */
		top.clear_i = fills || dice.percent(2);
		top.clear_group_i = fills ? cycle : dice.below(GROUPS);
		top.first_group_i = dice.below(GROUPS);
		top.second_group_i = dice.percent(50) ? top.first_group_i : dice.below(GROUPS);
		top.first_write_i = top.clear_i ? 0 : dice.word() & ones(WIDTH);
		top.second_write_i = top.clear_i ? 0 : dice.word() & ones(WIDTH);
		if (dice.percent(30))
			top.first_write_i = 0;
		if (dice.percent(30))
			top.second_write_i = 0;
		top.first_i = dice.word() & ones(WIDTH);
		top.second_i = dice.word() & ones(WIDTH);
		top.eval();
		if (!fills && top.first_o != flags[top.first_group_i])
			wrong("the first side sees %x of group %u, not %lx", top.first_o,
			      top.first_group_i, flags[top.first_group_i]);
		if (!fills && top.second_o != flags[top.second_group_i])
			wrong("the second side sees %x of group %u, not %lx", top.second_o,
			      top.second_group_i, flags[top.second_group_i]);
		clears += top.clear_i;
		others += top.first_write_i && top.second_write_i &&
			  top.first_group_i != top.second_group_i;
		both += top.first_group_i == top.second_group_i &&
			(top.first_write_i & top.second_write_i & (top.first_i ^ top.second_i));
		for (unsigned i = 0; i < WIDTH; i++) {
			if (top.second_write_i >> i & 1)
				set(flags[top.second_group_i], { i, 1 }, top.second_i >> i);
			if (top.first_write_i >> i & 1)
				set(flags[top.first_group_i], { i, 1 }, top.first_i >> i);
		}
		if (top.clear_i)
			flags[top.clear_group_i] = 0;
		tick(top);
	}
	met("cycles in which both sides write a flag, and differ", both);
	met("cycles in which both sides write, each of another group", others);
	met("groups that were cleared", clears);
	result("flags of " + std::to_string(GROUPS) + " groups have what two sides write");
	return failures != 0;
}
