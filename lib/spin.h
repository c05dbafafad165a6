/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How long a member that waits keeps its CPU, before it sleeps */
#ifndef HBS_SPIN_H
#define HBS_SPIN_H

#include "deadline.h"
#include "internal.h"
#include "ticks.h"

/* How often it lets others run before it sleeps, where they cannot all run at once */
#define YIELDS 4

/* The same after each spin, if it never sleeps */
#define YIELDS_AWAKE 1

/* Spinning is no use, by default, where a member may not be running at all */
static inline bool spin_is_any_use(const struct hbs_group *group)
{
	return !group->hbs->spin_default || group->seats <= group->hbs->cpus;
}

/* In ticks: not beyond the deadline */
static inline uint64_t spin_time(const struct hbs_group *group, uint64_t deadline)
{
	uint64_t spin = spin_is_any_use(group) ? group->hbs->spin : 0;
	uint64_t left;

	if (!spin || deadline == DEADLINE_NEVER)
		return spin;
	left = hbsi_ticks_from_ns(deadline_left(deadline));
	return left < spin ? left : spin;
}

/* How often it yields after a spin */
static inline unsigned int spin_yields(const struct hbs_group *group)
{
	if (group->hbs->never_sleeps)
		return YIELDS_AWAKE;
	return spin_is_any_use(group) ? 0 : YIELDS;
}

#endif /* HBS_SPIN_H */
