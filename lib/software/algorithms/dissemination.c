// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Dissemination, of the survey, 2.2.3: Hensgen, Finkel and Manber, "Two algorithms for
 * barrier synchronization", International Journal of Parallel Programming 17(1), 1988.
 *
 * In the round r (from 0) each member raises a flag for the one that is 2^r ranks further,
 * modulo N, and waits for the same from the one that is 2^r ranks behind. What a member
 * knows of doubles in each round, until it is all: nobody has to release anybody.
 *
 * Rounds: log2(N), rounded up. Messages: N flags a round, that one member waits for each.
 * Memory: a line for each member and round, of which the first is the member's anyway. A
 * flag has one writer, with whose flags it lies, and one reader.
 *
 * Order: by flags alone, see flags.h: who sees the flag of the round r up has what the
 * members of the 2^(r + 1) - 1 ranks behind it did, and hands it on with its next flag.
 * One that is ahead may raise a flag for the next epoch before it was looked at in this
 * one; it cannot be ahead by two.
 *
 * A member does its part in over(), and others wait for that: no split phase. The members
 * are fixed.
 */
#include "flags.h"

static size_t bytes(uint32_t members, uint32_t fan_in)
{
	(void)fan_in;
	return flag_round_bytes(members);
}

/* The other end of the round is behind it, around the circle */
static bool is_told(struct algorithm_member *member, uint32_t round)
{
	uint32_t distance = 1U << round, rank = member->rank;
	uint32_t other = rank < distance ? rank + member->members - distance : rank - distance;

	return flag_is_up(member, flag_round(member, other, round));
}

static void tell(const struct algorithm_member *member, uint32_t round)
{
	flag_raise(flag_round(member, member->rank, round), member->epoch);
}

static void arrive(struct algorithm_member *member)
{
	member->step = 0;
	if (member->members > 1)
		tell(member, 0);
}

/* member->step is the round */
static bool over(struct algorithm_member *member)
{
	uint32_t rounds = flag_rounds(member->members), round = member->step;

	while (round < rounds) {
		if (!is_told(member, round)) {
			member->step = round;
			return false;
		}
		if (++round < rounds)
			tell(member, round);
	}
	return true;
}

const struct algorithm hbsi_dissemination = {
	.name = "dissemination",
	.helps = true,
	.bytes = bytes,
	.arrive = arrive,
	.over = over,
};
