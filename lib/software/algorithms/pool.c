// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The pool barrier of the HARP paper, section 2, which measures and names one, and says no
 * more about it. Our reading is what a pool of workers with a master does between two tasks:
 *
 * Each member has a flag and raises it when it arrives. Rank 0, the master, looks at one flag
 * after the other until it has seen all up, and then raises its own, which releases all. It is
 * the central counter (central.c) without its hot spot: one member reads N - 1 lines, instead
 * of all writing one line.
 *
 * Rounds: two: the arrivals, for which the master has to load N - 1 lines, one after the other
 * for members that come late together; and the release. Messages: N - 1 flags that the master
 * waits for, and one that all wait for. Memory: a flag on the member's line, and a line for
 * the master's.
 *
 * Order: by flags alone, see flags.h: what a member did reaches the master with the
 * member's flag, and all with the master's.
 *
 * The master collects in over(), and the others wait for that: so there is no split phase. The
 * members are fixed.
 */
#include "tree.h"

/* member->step is the rank that the master looks at */
static void climb(struct algorithm_member *member)
{
	if (!member->rank)
		for (uint32_t other = member->step; other < member->members; other++)
			if (!tree_is_up(member, other)) {
				member->step = other;
				return;
			}
	tree_report(member);
}

static void arrive(struct algorithm_member *member)
{
	member->step = 1;
	climb(member);
}

static bool over(struct algorithm_member *member)
{
	return tree_over(member, climb);
}

const struct algorithm hbsi_pool = {
	.name = "pool",
	.helps = true,
	.bytes = tree_bytes,
	.arrive = arrive,
	.over = over,
};
