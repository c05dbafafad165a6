// SPDX-License-Identifier: GPL-2.0-or-later
// hbs_clock against exact arithmetic: at every cycle it shows the time, rounded down to ns.
#include "module.h"

using namespace module;

int main(int argc, char **argv)
{
	const uint64_t cycles = cycles_of(argc, argv);
	Vtop top;

	top.rst_ni = 0;
	tick(top);
	top.rst_ni = 1;
	for (uint64_t cycle = 0; cycle < cycles; cycle++) {
		const uint64_t due = (unsigned __int128)cycle * PERIODPS / (1000u * DIVISOR);

		top.eval();
		if (top.now_o != due)
			wrong("cycle %lu: %lu ns, not %lu", cycle, (uint64_t)top.now_o, due);
		tick(top);
	}
	result("a clock of " + std::to_string(PERIODPS) + " / " + std::to_string(DIVISOR) +
	       " ps is exact");
	return failures != 0;
}
