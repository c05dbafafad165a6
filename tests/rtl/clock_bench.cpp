// SPDX-License-Identifier: GPL-2.0-or-later
// hbs_clock against exact arithmetic: at every cycle it shows the time, rounded down to ns.
#include "Vclock.h"
#include "tlp.h"

#define STRING(x) #x
#define NAME(x)	  STRING(x)

int main()
{
	Vclock top;

	top.rst_ni = 0;
	top.clk_i = 0;
	top.eval();
	top.clk_i = 1;
	top.eval();
	top.clk_i = 0;
	top.rst_ni = 1;
	for (unsigned __int128 cycle = 0; cycle < 3000000; cycle++) {
		uint64_t due = cycle * PERIOD / (1000u * DIVISOR);

		top.eval();
		if (top.now_o != due)
			tlp::wrong("cycle %lu: %lu ns, not %lu", (uint64_t)cycle,
				   (uint64_t)top.now_o, due);
		top.clk_i = 1;
		top.eval();
		top.clk_i = 0;
	}
	tlp::result("a clock of " NAME(PERIOD) " / " NAME(DIVISOR) " ps is exact");
	return tlp::failures != 0;
}
