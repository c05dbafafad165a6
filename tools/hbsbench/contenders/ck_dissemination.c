// SPDX-License-Identifier: GPL-2.0-or-later
/* Concurrency Kit's dissemination barrier */
#include <ck_barrier.h>

#include "arena.h"
#include "ck.h"
#include "contender.h"

static ck_barrier_dissemination_t *barrier;

static const char *dissemination_make(const struct contender *self, unsigned int members,
				      bool shared)
{
	ck_barrier_dissemination_flag_t **flags = arena_alloc(members * sizeof(*flags));
	const char *why = ck_states_make(members, sizeof(ck_barrier_dissemination_state_t));

	(void)self;
	(void)shared;
	barrier = arena_alloc(members * sizeof(*barrier));
	if (why || !flags || !barrier)
		return "out of memory";
	for (unsigned int i = 0; i < members; i++) {
		flags[i] =
			arena_alloc(2 * ck_barrier_dissemination_size(members) * sizeof(**flags));
		if (!flags[i])
			return "out of memory";
	}
	ck_barrier_dissemination_init(barrier, flags, members);
	for (unsigned int i = 0; i < members; i++)
		ck_barrier_dissemination_subscribe(barrier, ck_state(i));
	return NULL;
}

static void dissemination_wait(unsigned int member)
{
	ck_barrier_dissemination(barrier, ck_state(member));
}

const struct contender contender_ck_dissemination = {
	.name = "ck-dissemination",
	.what = "Concurrency Kit: dissemination",
	.spins = true,
	.shared = true,
	.version = ck_version,
	.make = dissemination_make,
	.wait = dissemination_wait,
};
