// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The MCS tree of the survey, 2.1.5: Mellor-Crummey and Scott, "Algorithms for scalable
 * synchronization on shared-memory multiprocessors", ACM Transactions on Computer Systems
 * 9(1), 1991.
 *
 * The members are the nodes of a tree in which each has at most fan_in children, 4 in the
 * original: those of the rank r are r * fan_in + 1 and the next. A member waits for its
 * children and then raises its arrival flag. The wake-up is that of the original, by a
 * second tree, a binary one, where the survey leaves it to a broadcast: the children of r
 * in it are 2 * r + 1 and 2 * r + 2; a woken member raises its wake-up flag for these two.
 * So at most two members spin on a line, unlike in the other trees here. The original packs
 * the arrival flags of the children into one word; here they have lines of their own, so
 * that a parent does not spin on a line that several write.
 *
 * Rounds: log_fan_in(N) up and log2(N) down, rounded up at most. Messages: N - 1 arrival
 * flags, each with one member that waits for it, and at most N / 2 wake-up flags, each with
 * two. Memory: two flags on the member's line, and a line for rank 0, whose arrival flag,
 * which is up when all have arrived, is its wake-up flag. A parent spins on that line till
 * the first flag is up, and the children till the second is.
 *
 * Order: by flags alone, see flags.h: what a member did reaches rank 0 with the arrival
 * flags above it, and all with the wake-up flags.
 *
 * A parent does its part in over(), and so does a member that wakes others: so there is no
 * split phase. The members are fixed.
 */
#include "tree.h"

/* Members of ranks above 0 that have others to wake */
static uint32_t wakers(uint32_t members)
{
	return members > 1 ? members / 2 - 1 : 0;
}

static struct algorithm_flag *wake_up(const struct algorithm_member *member, uint32_t rank)
{
	return rank ? flag_own(member, rank, 1) : tree_flag(member, 0);
}

/* member->step is the number of the child that the member looks at */
static void climb(struct algorithm_member *member)
{
	uint32_t first = member->rank * member->fan_in + 1;

	for (uint32_t child = member->step; child < member->fan_in; child++) {
		if (first + child >= member->members)
			break;
		if (!tree_is_up(member, first + child)) {
			member->step = child;
			return;
		}
	}
	tree_report(member);
}

static void arrive(struct algorithm_member *member)
{
	member->step = 0;
	climb(member);
}

static bool over(struct algorithm_member *member)
{
	uint32_t rank = member->rank;

	if (member->step != TREE_REPORTED)
		climb(member);
	if (member->step != TREE_REPORTED)
		return false;
	if (!rank)
		return true;
	if (!flag_is_up(member, wake_up(member, (rank - 1) / 2)))
		return false;
	if (rank <= wakers(member->members))
		flag_raise(wake_up(member, rank), member->epoch);
	return true;
}

const struct algorithm hbsi_mcs = {
	.name = "mcs",
	.helps = true,
	.fan_in = 4,
	.bytes = tree_bytes,
	.arrive = arrive,
	.over = over,
};
