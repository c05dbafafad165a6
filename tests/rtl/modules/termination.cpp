// SPDX-License-Identifier: GPL-2.0-or-later
// hbs_termination against the idle word of the page, in arithmetic that is wider than the balance.
#include "module.h"

using namespace module;

static int64_t balance_of(uint64_t bits)
{
	return (int64_t)(bits << 16) >> 16;
}

int main(int argc, char **argv)
{
	const uint64_t cycles = cycles_of(argc, argv);
	const int64_t end = 1ll << 47;
	uint64_t over = 0, under = 0, bad = 0;
	Random dice;
	Vtop top;

	for (uint64_t cycle = 0; cycle < cycles; cycle++) {
		uint64_t idle = dice.word();

		if (dice.percent(70))
			idle &= HBSR_IDLE_DELTA | HBSR_IDLE_FREED | HBSR_IDLE_VOTE;
		if (dice.percent(30)) /* one bit alone */
			idle = 1ull << dice.below(64);
		top.idle_i = idle;
		top.balance_i = (dice.percent(50) ? dice.word() : end - 3 + dice.below(6)) & ones(48);
		if (dice.percent(20)) /* to the boundary */
			top.idle_i = (end + dice.below(3) - 1 - top.balance_i) & ones(48);
		top.eval();

		const int64_t sum = balance_of(top.balance_i) + balance_of(top.idle_i & ones(48));
		const bool overflows = sum >= end || sum < -end;

		if (top.is_bad_o !=
		    !!(top.idle_i & ~(HBSR_IDLE_DELTA | HBSR_IDLE_FREED | HBSR_IDLE_VOTE)))
			wrong("whether %lx is bad", (uint64_t)top.idle_i);
		if (top.overflows_o != overflows)
			wrong("whether %lx and %lx overflow", (uint64_t)top.balance_i,
			      (uint64_t)top.idle_i);
		if (!overflows && balance_of(top.balance_o) != sum)
			wrong("%ld, not %ld", balance_of(top.balance_o), sum);
		if (top.freed_o != !!(top.idle_i & HBSR_IDLE_FREED) ||
		    top.vote_o != !!(top.idle_i & HBSR_IDLE_VOTE))
			wrong("the bits of %lx", (uint64_t)top.idle_i);
		over += sum >= end;
		under += sum < -end;
		bad += top.is_bad_o;
	}
	met("balances too high", over);
	met("balances too low", under);
	met("idle words with a reserved bit", bad);
	result("an idle word changes the balance as the page says");
	return failures != 0;
}
