// SPDX-License-Identifier: GPL-2.0-or-later
/* Concurrency Kit's tree barrier of Mellor-Crummey and Scott */
#include <ck_barrier.h>

#include "arena.h"
#include "ck.h"
#include "contender.h"

static ck_barrier_mcs_t *barrier;

static const char *mcs_make(const struct contender *self, unsigned int members, bool shared)
{
	const char *why = ck_states_make(members, sizeof(ck_barrier_mcs_state_t));

	(void)self;
	(void)shared;
	barrier = arena_alloc(members * sizeof(*barrier));
	if (why || !barrier)
		return "out of memory";
	ck_barrier_mcs_init(barrier, members);
	for (unsigned int i = 0; i < members; i++)
		ck_barrier_mcs_subscribe(barrier, ck_state(i));
	return NULL;
}

static void mcs_wait(unsigned int member)
{
	ck_barrier_mcs(barrier, ck_state(member));
}

const struct contender contender_ck_mcs = {
	.name = "ck-mcs",
	.what = "Concurrency Kit: the tree of Mellor-Crummey and Scott",
	.spins = true,
	.shared = true,
	.version = ck_version,
	.make = mcs_make,
	.wait = mcs_wait,
};
