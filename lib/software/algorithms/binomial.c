// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The binomial spanning tree of the survey, 2.1.6: Tzeng and Kongmunvattana, "Distributed
 * shared memory systems with improved barrier synchronization and data transfer", 11th
 * International Conference on Supercomputing, 1997.
 *
 * The parent of a member is its rank without the highest bit; the children of a member are
 * its rank with one bit more, above all bits that it has. A member waits for its children
 * and then raises its flag. A child with a high bit has few below it, and none with the
 * highest, so that these are looked at first: one child of the root is ready in each round.
 * The flag of rank 0 releases all, as the survey has it.
 *
 * Rounds: log2(N), rounded up, and the release. Messages, memory, order, and why there is no
 * split phase: see tree.h.
 */
#include "tree.h"

/* member->step is the bit of the child that is looked at */
static void climb(struct algorithm_member *member)
{
	uint32_t rank = member->rank;

	for (uint32_t bit = member->step; bit > rank; bit >>= 1)
		if (rank + bit < member->members && !tree_is_up(member, rank + bit)) {
			member->step = bit;
			return;
		}
	tree_report(member);
}

static void arrive(struct algorithm_member *member)
{
	/* the highest bit of any rank; 0 if there is only the rank 0 */
	member->step = (1U << flag_rounds(member->members)) >> 1;
	climb(member);
}

static bool over(struct algorithm_member *member)
{
	return tree_over(member, climb);
}

const struct algorithm hbsi_binomial = {
	.name = "binomial",
	.helps = true,
	.bytes = tree_bytes,
	.arrive = arrive,
	.over = over,
};
