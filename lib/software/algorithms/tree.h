/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What trees of members have in common: each member has a flag, which it raises when all
 * below it have raised theirs and it has arrived itself. So the flag of the root, which is
 * rank 0, says that all have arrived, and is the release. Only the parent of a member
 * spins on its flag, and all on the root's.
 */
#ifndef HBS_ALGORITHMS_TREE_H
#define HBS_ALGORITHMS_TREE_H

#include "flags.h"

#define TREE_REPORTED UINT32_MAX /* member->step, when its flag is up */

static inline size_t tree_bytes(uint32_t members, uint32_t fan_in)
{
	(void)fan_in;
	return (size_t)members * sizeof(struct algorithm_flag);
}

/* Whether all of the tree below the member of this rank have arrived, and it too */
static inline bool tree_is_up(struct algorithm_member *member, uint32_t rank)
{
	const struct algorithm_flag *flags = member->memory;

	return flag_is_up(member, &flags[rank]);
}

/* To be called once, when all below the member have reported */
static inline void tree_report(struct algorithm_member *member)
{
	struct algorithm_flag *flags = member->memory;

	flag_raise(&flags[member->rank], member->epoch);
	member->step = TREE_REPORTED;
}

/*
 * over(), where the root's flag releases all. @climb looks at the flags below, from
 * member->step on, and reports when it has seen them all up.
 */
static inline bool tree_over(struct algorithm_member *member,
			     void (*climb)(struct algorithm_member *member))
{
	if (member->step != TREE_REPORTED)
		climb(member);
	return member->step == TREE_REPORTED && tree_is_up(member, 0);
}

#endif /* HBS_ALGORITHMS_TREE_H */
