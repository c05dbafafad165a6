// SPDX-License-Identifier: GPL-2.0-or-later
// hbs_address_ram against an array: each half of an address changes alone.
#include <vector>

#include "module.h"

using namespace module;

int main(int argc, char **argv)
{
	const uint64_t cycles = cycles_of(argc, argv);
	uint64_t halves[4] = {}, clears = 0, due = 0;
	std::vector<uint64_t> memory(DEPTH);
	bool known = false;
	Random dice;
	Vtop top;

	for (uint64_t cycle = 0; cycle < cycles; cycle++) {
		const bool fills = cycle < DEPTH;

		top.write_i = fills ? 3 : dice.below(4);
		top.waddr_i = fills ? cycle : dice.below(DEPTH);
		top.wdata_i = dice.word();
		top.read_i = !fills && dice.percent(80);
		top.clear_i = dice.percent(10);
		top.raddr_i = dice.percent(30) ? top.waddr_i : dice.below(DEPTH);
		top.eval();
		if (known && top.rdata_o != due)
			wrong("an address is %lx, not %lx", (uint64_t)top.rdata_o, due);
		if (top.clear_i || top.read_i) {
			known = true;
			due = top.clear_i ? 0 : memory[top.raddr_i];
		}
		clears += top.clear_i;
		halves[top.write_i]++;
		for (unsigned half = 0; half < 2; half++)
			if (top.write_i >> half & 1)
				set(memory[top.waddr_i], { 32 * half, 32 },
				    top.wdata_i >> 32 * half);
		tick(top);
	}
	met("writes of the lower half", halves[1]);
	met("writes of the upper half", halves[2]);
	met("writes of both", halves[3]);
	met("outputs that were cleared", clears);
	result("a memory of " + std::to_string(DEPTH) + " addresses changes their halves");
	return failures != 0;
}
