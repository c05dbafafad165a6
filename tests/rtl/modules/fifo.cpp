// SPDX-License-Identifier: GPL-2.0-or-later
// hbs_fifo against a queue of C++: nothing is lost, made or turned round, and it is as deep as said.
#include <deque>

#include "module.h"

using namespace module;

int main(int argc, char **argv)
{
	const uint64_t cycles = cycles_of(argc, argv);
	constexpr unsigned WORD = WIDTH < 64 ? WIDTH : 64;
	std::deque<uint64_t> queue;
	uint64_t full = 0, empty = 0, both = 0, in = 0, out = 0;
	unsigned fills = 50, drains = 50;
	Random dice;
	Vtop top;

	top.valid_i = top.ready_i = 0;
	reset(top);
	for (uint64_t cycle = 0; cycle < cycles; cycle++) {
		if (!dice.below(100)) {
			fills = dice.below(101);
			drains = dice.below(101);
		}
		const uint64_t datum = dice.word() & ones(WIDTH);

		top.valid_i = dice.percent(fills);
		top.ready_i = dice.percent(drains);
		set(top.data_i, { 0, WORD }, datum);
		if (WIDTH > 64)
			set(top.data_i, { WIDTH - 6, 6 }, datum);
		top.eval();
		if (top.valid_o != !queue.empty())
			wrong("%zu in it, and valid is %u", queue.size(), top.valid_o);
		if (top.ready_o != (queue.size() < DEPTH))
			wrong("%zu in it, and ready is %u", queue.size(), top.ready_o);
		if (top.valid_o && !queue.empty() &&
		    (get(top.data_o, { 0, WORD }) != queue.front() ||
		     (WIDTH > 64 && get(top.data_o, { WIDTH - 6, 6 }) != (queue.front() & 63))))
			wrong("another datum comes out than the one that went in first");
		full += queue.size() == DEPTH;
		empty += queue.empty();
		both += top.valid_i && top.ready_i && queue.size() && queue.size() < DEPTH;
		if (top.ready_i && !queue.empty()) {
			queue.pop_front();
			out++;
		}
		if (top.valid_i && top.ready_o) {
			queue.push_back(datum);
			in++;
		}
		tick(top);
	}
	met("cycles in which it was full", full);
	met("cycles in which it was empty", empty);
	met("cycles in which one went in and one out", both);
	met("that went in", in);
	met("that came out", out);
	result("a queue of " + std::to_string(DEPTH) + " is one");
	return failures != 0;
}
