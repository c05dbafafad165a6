// SPDX-License-Identifier: GPL-2.0-or-later
// hbs_table against an array: a word is there in the cycle of its address.
#include <vector>

#include "module.h"

using namespace module;

int main(int argc, char **argv)
{
	const uint64_t cycles = cycles_of(argc, argv);
	std::vector<uint64_t> memory(DEPTH);
	uint64_t writes = 0, same = 0;
	Random dice;
	Vtop top;

	for (uint64_t cycle = 0; cycle < cycles; cycle++) {
		const bool fills = cycle < DEPTH;

		top.write_i = fills || dice.percent(50);
		top.waddr_i = fills ? cycle : dice.below(DEPTH);
		top.wdata_i = dice.word() & ones(WIDTH);
		top.raddr_i = fills		? 0
			      : dice.percent(30) ? top.waddr_i
						 : dice.below(DEPTH);
		top.eval();
		if (!fills && top.rdata_o != memory[top.raddr_i])
			wrong("word %u is %lx, not %lx", top.raddr_i, (uint64_t)top.rdata_o,
			      memory[top.raddr_i]);
		writes += top.write_i;
		same += top.write_i && top.raddr_i == top.waddr_i;
		if (top.write_i)
			memory[top.waddr_i] = top.wdata_i;
		tick(top);
	}
	met("writes", writes);
	met("reads of a word that is written in the same cycle", same);
	result("a table of " + std::to_string(DEPTH) + " words keeps them");
	return failures != 0;
}
