// SPDX-License-Identifier: GPL-2.0-or-later
// hbs_interrupts against the page's block INT: bits of causes and of groups are set by steps and
// cleared by writes of 1, a bit that is set in the step of its clearing stays, and vector 0 is
// raised when a cause that is enabled comes up, when one that is up is enabled, or when the card
// starts to run with one.
#include "module.h"

using namespace module;

class Bench
{
      public:
	Bench()
	{
		idle();
		reset(top);
	}
	void cycle()
	{
		choose();
		top.eval();
		check();
		follow();
		tick(top);
	}
	void totals()
	{
		met("raises", raises);
		met("raises by enabling a cause that is up", by_enabling);
		met("raises by starting the card", by_starting);
		met("causes that come up again while they are cleared", kept);
		met("resets", resets);
	}

      private:
	void idle()
	{
		top.reset_i = top.running_i = top.starts_i = 0;
		top.set_cause_i = top.set_group_i = top.set_timeout_i = 0;
		top.write_i = 0;
	}
	void choose()
	{
		static const unsigned TARGETS[] = { rtl::RegCause, rtl::RegCauseEnable,
						    rtl::RegIntGroups, rtl::RegIntTimeouts,
						    rtl::RegCtlTag };

		idle();
		if (dice.percent(5))
			running = !running;
		top.starts_i = running && !ran;
		top.running_i = ran;
		ran = running;
		top.reset_i = dice.below(200) == 0;
		top.group_i = dice.below(GROUPS);
		top.index_i = dice.below(2);
		top.target_i = TARGETS[dice.below(5)];
		top.data_i = dice.percent(50) ? dice.word() : dice.word() & dice.word();
		/* a step is a write, or it sets bits; a bad write sets a cause */
		top.write_i = dice.percent(30);
		top.set_cause_i = dice.percent(20) ? dice.below(8) : 0;
		top.set_group_i = !top.write_i && dice.percent(20);
		top.set_timeout_i = !top.write_i && dice.percent(20);
	}
	void check()
	{
		const bool enables = top.write_i && top.target_i == rtl::RegCauseEnable;
		const unsigned after = enables ? top.data_i & 7 : enable;
		const bool comes = top.set_cause_i & ~cause & enable;
		const bool enabled = after & ~enable & cause;
		const bool starts = top.starts_i && (cause & enable);

		if (top.raises_o != ((top.running_i && (comes || enabled)) || starts))
			wrong("raises is %u", top.raises_o);
		if (top.cause_o != cause || top.enable_o != enable)
			wrong("causes are %x, enabled %x, not %x and %x", top.cause_o, top.enable_o,
			      cause, enable);
		for (unsigned i = 0; i < 2; i++)
			if (get(top.groups_o, { 64 * i, 64 }) != groups[i] ||
			    get(top.timeouts_o, { 64 * i, 64 }) != timeouts[i])
				wrong("the bits of groups");
		raises += top.raises_o;
		by_enabling += top.running_i && enabled && !comes;
		by_starting += starts;
	}
	void follow()
	{
		const unsigned i = top.index_i, g = top.group_i;

		if (top.reset_i) {
			cause = enable = 0;
			groups[0] = groups[1] = timeouts[0] = timeouts[1] = 0;
			resets++;
			return;
		}
		if (top.write_i && top.target_i == rtl::RegCause) {
			kept += (cause & top.set_cause_i & top.data_i) != 0;
			cause &= ~top.data_i;
		}
		if (top.write_i && top.target_i == rtl::RegCauseEnable)
			enable = top.data_i & 7;
		if (top.write_i && top.target_i == rtl::RegIntGroups)
			groups[i] &= ~top.data_i;
		if (top.write_i && top.target_i == rtl::RegIntTimeouts)
			timeouts[i] &= ~top.data_i;
		cause |= top.set_cause_i;
		if (top.set_group_i)
			groups[g / 64] |= 1ull << g % 64;
		if (top.set_timeout_i)
			timeouts[g / 64] |= 1ull << g % 64;
	}

	Random dice;
	Vtop top;
	bool running = false, ran = false;
	unsigned cause = 0, enable = 0;
	uint64_t groups[2] = {}, timeouts[2] = {};
	uint64_t raises = 0, by_enabling = 0, by_starting = 0, kept = 0, resets = 0;
};

int main(int argc, char **argv)
{
	const uint64_t cycles = cycles_of(argc, argv);
	Bench bench;

	for (uint64_t i = 0; i < cycles; i++)
		bench.cycle();
	bench.totals();
	result("causes and groups of " + std::to_string(GROUPS) + " raise vector 0 as the page says");
	return failures != 0;
}
