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
 * Rounds: log2(N), rounded up, and the release. Messages: N - 1 flags, each with one member
 * that waits for it, and one that all wait for. Memory: a flag on the member's line, and a
 * line for rank 0's.
 *
 * Order: by flags alone, see flags.h: what a loser did reaches its winner with the loser's
 * flag, the champion with the flags of winners that lost later, and all with the champion's
 * flag.
 *
 * A winner plays on in over(), and others wait for that: so there is no split phase. The
 * members are fixed.
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
