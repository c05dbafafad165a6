/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The moment at which a wait gives up, in ns of CLOCK_MONOTONIC, as the kernel takes
 * it. It is a moment and not a remaining time, so that signals do not prolong a
 * wait.
 */
#ifndef HBS_DEADLINE_H
#define HBS_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>

#include "ticks.h"

#define DEADLINE_NEVER 0

static inline uint64_t deadline_after(uint64_t ns)
{
	uint64_t now = hbsi_clock_ns();

	return ns < (uint64_t)INT64_MAX - now ? now + ns : DEADLINE_NEVER;
}

/* The time left, in ns; only for a deadline that is not DEADLINE_NEVER */
static inline uint64_t deadline_left(uint64_t deadline)
{
	uint64_t now = hbsi_clock_ns();

	return deadline > now ? deadline - now : 0;
}

/* The earlier of the two */
static inline uint64_t deadline_earlier(uint64_t one, uint64_t other)
{
	if (one == DEADLINE_NEVER || other == DEADLINE_NEVER)
		return one == DEADLINE_NEVER ? other : one;
	return one < other ? one : other;
}

static inline bool deadline_passed(uint64_t deadline)
{
	return deadline != DEADLINE_NEVER && !deadline_left(deadline);
}

#endif /* HBS_DEADLINE_H */
