// SPDX-License-Identifier: GPL-2.0-or-later
#include <ck_md.h>

#include "arena.h"
#include "ck.h"

static char *states;

const char *ck_version(void)
{
	return "Concurrency Kit " CK_VERSION;
}

const char *ck_states_make(unsigned int members, size_t size)
{
	_Static_assert(CACHE_LINE == 64, "the shift in ck_state()");
	if (size > CACHE_LINE)
		return "its state is larger than a cache line";
	states = arena_alloc((size_t)members * CACHE_LINE);
	return states ? NULL : "out of memory";
}

void *ck_state(unsigned int member)
{
	return states + (size_t)member * CACHE_LINE;
}
