// SPDX-License-Identifier: GPL-2.0-or-later
/* Concurrency Kit's tournament barrier */
#include <ck_barrier.h>

#include "arena.h"
#include "ck.h"
#include "contender.h"

static ck_barrier_tournament_t *barrier;

static const char *tournament_make(const struct contender *self, unsigned int members, bool shared)
{
	ck_barrier_tournament_round_t **rounds = arena_alloc(members * sizeof(*rounds));
	const char *why = ck_states_make(members, sizeof(ck_barrier_tournament_state_t));

	(void)self;
	(void)shared;
	barrier = arena_alloc(sizeof(*barrier));
	if (why || !rounds || !barrier)
		return "out of memory";
	for (unsigned int i = 0; i < members; i++) {
		rounds[i] = arena_alloc(ck_barrier_tournament_size(members) * sizeof(**rounds));
		if (!rounds[i])
			return "out of memory";
	}
	ck_barrier_tournament_init(barrier, rounds, members);
	for (unsigned int i = 0; i < members; i++)
		ck_barrier_tournament_subscribe(barrier, ck_state(i));
	return NULL;
}

static void tournament_wait(unsigned int member)
{
	ck_barrier_tournament(barrier, ck_state(member));
}

const struct contender contender_ck_tournament = {
	.name = "ck-tournament",
	.what = "Concurrency Kit: a tournament",
	.spins = true,
	.shared = true,
	.version = ck_version,
	.make = tournament_make,
	.wait = tournament_wait,
};
