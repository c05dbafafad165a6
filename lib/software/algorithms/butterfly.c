// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The butterfly of the survey, 2.2.1: Brooks, "The butterfly barrier", International
 * Journal of Parallel Programming 15(4), 1986.
 *
 * In the round r (from 0) the members i and i XOR 2^r meet: each raises its flag and waits for
 * the other's. After all rounds each member knows that all have arrived. That needs a power of
 * two, P, of members: those that are missing are virtual, as the survey has it, and others
 * play them. The rank v - P / 2 plays the virtual member v; this rank exists, since P / 2 is
 * less than N. A member that plays two goes through the rounds with both at once: one flag a
 * round stands for both, and it waits for the partners of both.
 *
 * Rounds: log2(N), rounded up, with one flag to wait for in each, or two for a member that
 * plays two. Messages: N flags a round, each with at most two members that wait for it.
 * Memory: a line for each member and round, of which the first is the member's anyway; virtual
 * members need none.
 *
 * Order, and why there is no split phase: see flags.h.
 */
#include "flags.h"

static size_t bytes(uint32_t members, uint32_t fan_in)
{
	(void)fan_in;
	return flag_round_bytes(members);
}

static void arrive(struct algorithm_member *member)
{
	member->step = 0;
	if (member->members > 1)
		flag_raise(flag_round(member, member->rank, 0), member->epoch);
}

/* Whether the partners of all that the member plays have come to this round */
static bool meets(struct algorithm_member *member, uint32_t round, uint32_t half)
{
	uint32_t members = member->members, rank = member->rank;
	uint32_t partner = rank ^ 1U << round;

	/* in the last round, a member that plays two meets itself */
	if (partner < members && !flag_is_up(member, flag_round(member, partner, round)))
		return false;
	if (rank >= half || rank + half < members)
		return true;
	/* the rank of the virtual member, if it is not virtual too: then it was played above */
	partner = (rank + half) ^ 1U << round;
	return partner >= members || flag_is_up(member, flag_round(member, partner, round));
}

/* member->step is the round */
static bool over(struct algorithm_member *member)
{
	uint32_t rounds = flag_rounds(member->members), round = member->step;
	uint32_t half = (1U << rounds) >> 1;

	while (round < rounds) {
		if (!meets(member, round, half)) {
			member->step = round;
			return false;
		}
		if (++round < rounds)
			flag_raise(flag_round(member, member->rank, round), member->epoch);
	}
	return true;
}

const struct algorithm hbsi_butterfly = {
	.name = "butterfly",
	.helps = true,
	.bytes = bytes,
	.arrive = arrive,
	.over = over,
};
