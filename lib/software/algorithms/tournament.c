// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The tournament of the survey, 2.1.3: Hensgen, Finkel and Manber, "Two algorithms for
 * barrier synchronization", International Journal of Parallel Programming 17(1), 1988.
 *
 * In each round two play, and who wins is known before: the lower rank. The loser raises
 * its flag and is out; the winner waits for that, and plays the next round. In the round r
 * (from 0) those play whose ranks differ in the bit r and have no lower one; who has no
 * opponent wins without a game. Rank 0 wins all its games, and its flag releases all, as
 * the original has it and the survey.
 *
 * Rounds: log2(N), rounded up, and the release. Messages: N - 1 flags that one member waits
 * for each, and one that all wait for. Memory: a flag on the member's line, and a line for
 * rank 0's.
 *
 * Order: by flags alone, see flags.h: what a loser did reaches its winner with the loser's
 * flag, the champion with the flags of winners that lost later, and all with its flag.
 *
 * A winner plays on in over(), and others wait for that: no split phase. The members are
 * fixed.
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
	/* it loses; or there is nobody at this distance, and less so farther away */
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
