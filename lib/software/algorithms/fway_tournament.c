// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The f-way tournament of the survey, 2.1.4: Grunwald and Vajracharya, "Efficient barriers
 * for distributed shared memory computers", 8th International Parallel Processing
 * Symposium, 1994.
 *
 * A tournament (tournament.c) in which fan_in members play in each game, and the lowest
 * rank of them wins: it waits for the flags of all others of the game. In the round r (from
 * 0) the ranks that are multiples of fan_in^r play; those of one game have the same
 * quotient by fan_in^(r + 1). This is the static kind of the original, which knows the
 * winner before. The original packs the flags of a game into one word; here they have lines
 * of their own, so that a winner does not spin on a line that several write.
 *
 * Rounds: log_fan_in(N), rounded up, of at most fan_in - 1 flags to look at, and the
 * release. All else is as in tournament.c.
 */
#include "tree.h"

/* member->step: the round, and the player of its game that it looks at */
static uint16_t step_of(uint32_t round, uint32_t player)
{
	return (uint16_t)(round * FAN_IN_MAX + player);
}

/* The distance between two players of a game */
static uint32_t distance_in(uint32_t round, uint32_t fan_in)
{
	uint32_t distance = 1;

	while (round--)
		distance *= fan_in;
	return distance;
}

static void climb(struct algorithm_member *member)
{
	uint32_t rank = member->rank, fan_in = member->fan_in;
	uint32_t round = member->step / FAN_IN_MAX, player = member->step % FAN_IN_MAX;
	uint32_t distance = distance_in(round, fan_in);

	for (; distance < member->members && rank % (distance * fan_in) == 0; distance *= fan_in) {
		for (; player < fan_in; player++) {
			uint32_t other = rank + player * distance;

			if (other >= member->members)
				break;
			if (!tree_is_up(member, other)) {
				member->step = step_of(round, player);
				return;
			}
		}
		player = 1;
		round++;
	}
	tree_report(member);
}

static void arrive(struct algorithm_member *member)
{
	member->step = step_of(0, 1);
	climb(member);
}

static bool over(struct algorithm_member *member)
{
	return tree_over(member, climb);
}

const struct algorithm hbsi_fway_tournament = {
	.name = "fway-tournament",
	.helps = true,
	.fan_in = 4,
	.bytes = tree_bytes,
	.arrive = arrive,
	.over = over,
};
