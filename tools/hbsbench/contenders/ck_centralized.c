// SPDX-License-Identifier: GPL-2.0-or-later
/* Concurrency Kit's centralized barrier: a counter and a sense */
#include <ck_barrier.h>

#include "arena.h"
#include "ck.h"
#include "contender.h"

static ck_barrier_centralized_t *barrier;
static unsigned int count;

static const char *centralized_make(const struct contender *self, unsigned int members, bool shared)
{
	(void)self;
	(void)shared;
	count = members;
	barrier = arena_alloc(sizeof(*barrier));
	return barrier ? ck_states_make(members, sizeof(ck_barrier_centralized_state_t))
		       : "out of memory";
}

static void centralized_wait(unsigned int member)
{
	ck_barrier_centralized(barrier, ck_state(member), count);
}

const struct contender contender_ck_centralized = {
	.name = "ck-centralized",
	.what = "Concurrency Kit: a counter and a sense",
	.spins = true,
	.shared = true,
	.version = ck_version,
	.make = centralized_make,
	.wait = centralized_wait,
};
