// SPDX-License-Identifier: GPL-2.0-or-later
// hbs_members against the list of the bits that are set: each once, in order, those that become 0
// before their turn not; and in few cycles.
#include "module.h"

using namespace module;

class Bench
{
      public:
	/* One walk through a word */
	void walk()
	{
		const unsigned first = dice.percent(50) ? 0 : dice.below(64);
		unsigned next = first, cycles = 0, seen = 0;
		uint64_t mask = word();

		top.one_i = dice.percent(20);
		top.any_i = top.one_i && dice.percent(50);
		top.first_i = first;
		top.begin_i = 1;
		top.end_i = 0;
		top.take_i = dice.percent(50);
		top.mask_i = dice.word(); /* the mask comes a cycle later */
		tick(top);
		top.begin_i = 0;
		for (;; cycles++) {
			const uint64_t gone = dice.percent(20) ? 1ull << dice.below(64) : 0;

			mask &= ~gone;
			removed += gone != 0;
			top.mask_i = mask;
			top.take_i = dice.percent(60);
			top.end_i = dice.percent(1);
			top.eval();
			if (top.done_o)
				break;
			if (top.valid_o) {
				check(mask, first, next);
				if (top.take_i) {
					next = top.index_o + 1;
					seen++;
				}
			} else {
				waits++;
			}
			ended += top.end_i;
			const bool ends = top.end_i;

			tick(top);
			if (ends) {
				top.eval();
				if (!top.done_o)
					wrong("it goes on after its end");
				return;
			}
			if (cycles > 2000) {
				wrong("it does not come to an end");
				return;
			}
		}
		finish(mask, first, next, seen);
		walks++;
	}
	void totals()
	{
		met("walks to the end", walks);
		met("walks that were ended", ended);
		met("bits that were taken", taken);
		met("bits that became 0", removed);
		met("cycles without a bit", waits);
		met("looks at one bit alone", ones_alone);
	}

      private:
	/* Sparse, dense, or a whole byte of zeros here and there */
	uint64_t word()
	{
		uint64_t mask = dice.word();

		if (dice.percent(40))
			mask &= dice.word() & dice.word();
		for (unsigned byte = 0; byte < 8; byte++)
			if (dice.percent(30))
				mask &= ~(0xffull << 8 * byte);
		return mask & ones(WIDTH);
	}
	void check(uint64_t mask, unsigned first, unsigned next)
	{
		const unsigned index = top.index_o;

		if (index >= WIDTH || index < next)
			wrong("bit %u comes after %u", index, next);
		if (!(mask >> index & 1) && !(top.any_i && index == first))
			wrong("bit %u is not set", index);
		if (top.one_i && index != first)
			wrong("bit %u is not the one", index);
		/* none that is set now has been passed over: bits only become 0 */
		if (!top.one_i && index > next && (mask >> next & ones(index - next)))
			wrong("a bit before %u is passed over", index);
		taken += top.take_i;
	}
	void finish(uint64_t mask, unsigned first, unsigned next, unsigned seen)
	{
		if (top.valid_o)
			wrong("a bit is there at the end");
		if (top.one_i) {
			ones_alone++;
			if (first < WIDTH && ((mask >> first & 1) || top.any_i) && seen != 1)
				wrong("the one bit was not there");
		} else if (next < WIDTH && mask >> next) {
			wrong("bits from %u on are left: %lx", next, mask);
		}
	}

	Random dice;
	Vtop top;
	uint64_t walks = 0, ended = 0, taken = 0, removed = 0, waits = 0, ones_alone = 0;
};

/* With each bit set and taken, a cycle for each; with none, one for each byte and one more */
static void check_time()
{
	Vtop top;

	top.one_i = top.any_i = top.end_i = top.first_i = 0;
	top.take_i = 1;
	for (uint64_t mask : { ones(WIDTH), (uint64_t)0 }) {
		unsigned cycles = 0;

		top.begin_i = 1;
		tick(top);
		top.begin_i = 0;
		top.mask_i = mask;
		for (top.eval(); !top.done_o && cycles < 100; cycles++)
			tick(top);
		if (cycles != (mask ? WIDTH : (WIDTH + 7) / 8))
			wrong("%u cycles for %lx", cycles, mask);
	}
	result("members take a cycle each, bytes without one a cycle");
}

int main(int argc, char **argv)
{
	const uint64_t cycles = cycles_of(argc, argv);
	Bench bench;

	for (uint64_t i = 0; i < cycles / 20; i++)
		bench.walk();
	bench.totals();
	result("a walk through " + std::to_string(WIDTH) + " bits meets each that is set");
	check_time();
	return failures != 0;
}
