// SPDX-License-Identifier: GPL-2.0-or-later
// hbs_ram against an array: a word comes a cycle after its address, as it was before a write of the
// same cycle; it stays where nothing is read, and is 0 where it is to be cleared.
#include <vector>

#include "module.h"

using namespace module;

int main(int argc, char **argv)
{
	constexpr unsigned WORD = WIDTH < 64 ? WIDTH : 64;
	const uint64_t cycles = cycles_of(argc, argv);
	uint64_t reads = 0, clears = 0, same = 0, kept = 0, due = 0;
	std::vector<uint64_t> memory(DEPTH);
	bool known = false;
	Random dice;
	Vtop top;

	for (uint64_t cycle = 0; cycle < cycles; cycle++) {
		const bool fills = cycle < DEPTH; /* what was never written is unknown */
		const uint64_t datum = dice.word() & ones(WORD);

		top.write_i = fills || dice.percent(50);
		top.waddr_i = fills ? cycle : dice.below(DEPTH);
		set(top.wdata_i, { 0, WORD }, datum);
		if (WIDTH > 64)
			set(top.wdata_i, { WIDTH - WORD, WORD }, ~datum);
		top.read_i = !fills && dice.percent(70);
		top.clear_i = dice.percent(20);
		top.raddr_i = dice.percent(30) ? top.waddr_i : dice.below(DEPTH);
		top.eval();
		if (known && get(top.rdata_o, { 0, WORD }) != due)
			wrong("a word is not what was written");
		if (known && WIDTH > 64 && due &&
		    get(top.rdata_o, { WIDTH - WORD, WORD }) != (uint64_t)~due)
			wrong("the upper part of a word is not what was written");
		if (top.clear_i || top.read_i) {
			known = true;
			due = top.clear_i ? 0 : memory[top.raddr_i];
		}
		clears += top.clear_i;
		reads += top.read_i && !top.clear_i;
		kept += known && !top.read_i && !top.clear_i;
		same += top.read_i && top.write_i && top.raddr_i == top.waddr_i && !top.clear_i;
		if (top.write_i)
			memory[top.waddr_i] = datum;
		tick(top);
	}
	met("reads", reads);
	met("reads of a word that is written in the same cycle", same);
	met("outputs that were cleared", clears);
	met("cycles in which the output had to stay", kept);
	result("a memory keeps its words, " + std::to_string(DEPTH) + " of them");
	return failures != 0;
}
