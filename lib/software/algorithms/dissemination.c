// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Dissemination, of the survey, 2.2.3: Hensgen, Finkel and Manber, "Two algorithms for
 * barrier synchronization", International Journal of Parallel Programming 17(1), 1988.
 *
 * In the round r (from 0) each member raises a flag for the one that is 2^r ranks further,
 * modulo N, and waits for the same from the one that is 2^r ranks behind. The number of
 * members that a member knows to have arrived doubles in each round, until it is all of
 * them: nobody has to release anybody.
 *
 * Rounds: log2(N), rounded up. Messages: N flags a round, each with one member that waits
 * for it. Memory: a line for each member and round, of which the first is the member's
 * anyway. A flag has one writer, lies with the other flags of that writer, and has one
 * reader.
 *
 * Order, and why there is no split phase: see flags.h. So a member that sees the flag of the
 * round r up also sees what the members of the 2^(r + 1) - 1 ranks behind it did.
 */
#include "flags.h"

static size_t bytes(uint32_t members, uint32_t fan_in)
{
	(void)fan_in;
	return flag_round_bytes(members);
}

/* The other end of the round: a rank behind this one, around the circle */
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
