// SPDX-License-Identifier: GPL-2.0-or-later
/* Concurrency Kit's combining tree, with two members at each node */
#include <ck_barrier.h>

#include "arena.h"
#include "ck.h"
#include "contender.h"

#define MEMBERS_OF_NODE 2

static ck_barrier_combining_t *barrier;
static ck_barrier_combining_group_t *nodes;

static const char *combining_make(const struct contender *self, unsigned int members, bool shared)
{
	unsigned int count = (members + MEMBERS_OF_NODE - 1) / MEMBERS_OF_NODE;
	ck_barrier_combining_group_t *root = arena_alloc(sizeof(*root));
	const ck_barrier_combining_state_t initial = CK_BARRIER_COMBINING_STATE_INITIALIZER;
	const char *why = ck_states_make(members, sizeof(initial));

	(void)self;
	(void)shared;
	barrier = arena_alloc(sizeof(*barrier));
	nodes = arena_alloc(count * sizeof(*nodes));
	if (why || !root || !barrier || !nodes)
		return "out of memory";
	ck_barrier_combining_init(barrier, root);
	for (unsigned int i = 0; i < count; i++) {
		unsigned int left = members - i * MEMBERS_OF_NODE;

		ck_barrier_combining_group_init(barrier, &nodes[i],
						left < MEMBERS_OF_NODE ? left : MEMBERS_OF_NODE);
	}
	for (unsigned int i = 0; i < members; i++)
		*(ck_barrier_combining_state_t *)ck_state(i) = initial;
	return NULL;
}

static void combining_wait(unsigned int member)
{
	ck_barrier_combining(barrier, &nodes[member / MEMBERS_OF_NODE], ck_state(member));
}

const struct contender contender_ck_combining = {
	.name = "ck-combining",
	.what = "Concurrency Kit: a combining tree",
	.spins = true,
	.shared = true,
	.version = ck_version,
	.make = combining_make,
	.wait = combining_wait,
};
