// SPDX-License-Identifier: GPL-2.0-or-later
// hbs_word against the page's fields of the epoch word.
#include "module.h"

using namespace module;

int main(int argc, char **argv)
{
	const uint64_t cycles = cycles_of(argc, argv);
	Random dice;
	Vtop top;

	for (uint64_t cycle = 0; cycle < cycles; cycle++) {
		randomize(top.row_i, rtl::row::width, dice);
		top.eval();

		const uint64_t due = get(top.row_i, rtl::row::epoch) << HBSR_WORD_EPOCH_SHIFT |
				     get(top.row_i, rtl::row::vote) << HBSR_WORD_VOTE_SHIFT |
				     get(top.row_i, rtl::row::reason) << HBSR_WORD_REASON_SHIFT |
				     get(top.row_i, rtl::row::broken) * HBSR_WORD_BROKEN;

		if (top.word_o != due)
			wrong("a word is %lx, not %lx", (uint64_t)top.word_o, due);
	}
	result("the epoch word has the fields of the page");
	return failures != 0;
}
