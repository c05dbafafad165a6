// SPDX-License-Identifier: GPL-2.0-or-later
// hbs_reduce against the reductions of the model of the page.
#include "model.h"
#include "module.h"

using namespace module;

/* Often near to a boundary, where comparing goes wrong */
static uint64_t number(Random &dice)
{
	static const uint64_t NEAR[] = { 0, INT64_MAX, (uint64_t)INT64_MIN, UINT64_MAX, 1ull << 32 };

	return dice.percent(50) ? NEAR[dice.below(5)] + dice.below(5) - 2 : dice.word();
}

int main(int argc, char **argv)
{
	const uint64_t cycles = cycles_of(argc, argv);
	uint64_t met_each[16] = {}, signs = 0, equal = 0;
	Random dice;
	Vtop top;

	for (uint64_t cycle = 0; cycle < cycles; cycle++) {
		const unsigned reduction = dice.below(HBSR_REDUCE_VOTE + 1);

		top.reduce_i = reduction;
		top.takes_i = dice.percent(80);
		top.sum_i = number(dice);
		top.operand_i = dice.percent(10) ? (uint64_t)top.sum_i : number(dice);
		top.eval();

		const uint64_t due = top.takes_i ? hbs::reduce(reduction, top.sum_i, top.operand_i)
						 : (uint64_t)top.sum_i;

		if (top.identity_o != hbs::identity(reduction))
			wrong("the identity of reduction %u is %lx", reduction,
			      (uint64_t)top.identity_o);
		if (top.sum_o != due)
			wrong("reduction %u of %lx and %lx is %lx, not %lx", reduction,
			      (uint64_t)top.sum_i, (uint64_t)top.operand_i, (uint64_t)top.sum_o,
			      due);
		if (top.takes_i)
			met_each[reduction]++;
		signs += top.takes_i && (top.sum_i ^ top.operand_i) >> 63;
		equal += top.takes_i && top.sum_i == top.operand_i;
	}
	met("operands of other sign than the sum", signs);
	met("operands equal to the sum", equal);
	met("sums", met_each[HBSR_REDUCE_SUM]);
	result("reductions are those of the page");
	return failures != 0;
}
