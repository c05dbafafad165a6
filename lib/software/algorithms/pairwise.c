// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Pairwise exchange with recursive doubling, of the survey, 2.2.2: Gupta, Tipparaju,
 * Nieplocha and Panda, "Efficient barrier using remote memory operations on VIA-based
 * clusters", IEEE Cluster 2002.
 *
 * Of a power of two of members, Y, i and i XOR 2^r meet in the round r (from 0): each
 * raises its flag and waits for the other's. If N is no power of two, Y is the highest
 * power below it, and each rank from Y on has a partner Y ranks below: it tells the partner
 * before the first round that it has arrived, and after the last round the partner tells it
 * that all have. So no member has to play two, as in butterfly.c, but the barrier takes two
 * more steps.
 *
 * Rounds: log2(N), rounded down, and two more if N is no power of two. Messages: Y flags a
 * round, and 2 * (N - Y) more, each with one member that waits for it. Memory: as many
 * lines a member as log2(N), rounded up, of which the first is the member's anyway; members
 * that have only a partner use no other line.
 *
 * Order, and why there is no split phase: see flags.h.
 */
#include "flags.h"

static size_t bytes(uint32_t members, uint32_t fan_in)
{
	(void)fan_in;
	return flag_round_bytes(members);
}

/* log2 of the highest power of two that is not above the number of members */
static uint32_t meetings(const struct algorithm_member *member)
{
	return 31 - (uint32_t)__builtin_clz(member->members);
}

static void raise_own(const struct algorithm_member *member, uint32_t number)
{
	flag_raise(flag_round(member, member->rank, number), member->epoch);
}

/*
 * Flag @number of a member. A member that meets others has one for each round, and the
 * last for its partner. Any other member has only the first, for its partner.
 */
static bool sees(struct algorithm_member *member, uint32_t rank, uint32_t number)
{
	return flag_is_up(member, flag_round(member, rank, number));
}

/* member->step: 0 before its partner has arrived, then the round plus 1 */
static void arrive(struct algorithm_member *member)
{
	uint32_t power = 1U << meetings(member);
	bool waits = member->rank < power && member->rank + power < member->members;

	member->step = waits ? 0 : 1;
	if (!waits && member->members > 1)
		raise_own(member, 0);
}

static bool over(struct algorithm_member *member)
{
	uint32_t rounds = meetings(member), power = 1U << rounds, rank = member->rank;

	if (rank >= power)
		return sees(member, rank - power, rounds);
	if (!member->step) {
		if (!sees(member, rank + power, 0))
			return false;
		raise_own(member, 0);
		member->step = 1;
	}
	while (member->step <= rounds) {
		if (!sees(member, rank ^ 1U << (member->step - 1), member->step - 1))
			return false;
		if (member->step < rounds)
			raise_own(member, member->step);
		member->step++;
	}
	if (rank + power < member->members)
		raise_own(member, rounds);
	return true;
}

const struct algorithm hbsi_pairwise = {
	.name = "pairwise",
	.helps = true,
	.bytes = bytes,
	.arrive = arrive,
	.over = over,
};
