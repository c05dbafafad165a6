// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The tournament of the survey, 2.1.3: Hensgen, Finkel and Manber, "Two algorithms for
 * barrier synchronization", International Journal of Parallel Programming 17(1), 1988.
 *
 * In each round two members play, and the winner is known before: the lower rank. The loser
 * raises its flag and is out; the winner waits for that, and plays the next round. In the
 * round r (from 0), two ranks play that differ in the bit r and have no lower bit set; a
 * member without an opponent wins without a game. Rank 0 wins all its games, and its flag
 * releases all, as in the original and in the survey.
 *
 * Rounds: log2(N), rounded up, and the release. The games are a tree: a loser's parent is
 * its winner. Messages, memory, order, and why there is no split phase: see tree.h.
 */
#include "tree.h"

/* member->step is the distance to the opponent: 1 << round */
static void climb(struct algorithm_member *member)
{
	uint32_t rank = member->rank, distance = member->step;

	for (; !(rank & distance) && rank + distance < member->members; distance <<= 1)
		if (!tree_is_up(member, rank + distance)) {
			member->step = distance;
			return;
		}
	/* the member loses; or nobody is at this distance, nor farther away */
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

const struct algorithm hbsi_tournament = {
	.name = "tournament",
	.helps = true,
	.bytes = tree_bytes,
	.arrive = arrive,
	.over = over,
};
