/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What trees of members have in common: each member has a flag, which it raises when all
 * below it have raised theirs and it has arrived itself. So the flag of the root, which is
 * rank 0, says that all have arrived, and is the release. Only the parent of a member spins
 * on its flag, which is on the member's line. All spin on the root's flag, which has a line
 * of its own, so that the root's mere arrival does not store to it.
 *
 * If the root's flag releases all, as tree_over() has it: the messages are N - 1 flags, each
 * with one member that waits for it, and one that all wait for; the memory is a flag on each
 * member's line, and a line for rank 0's. Order comes from flags alone, see flags.h: what a
 * member did reaches each of those above it with the flags between, and all with the root's.
 * A parent does its part in over(), and others wait for that: so there is no split phase. The
 * members are fixed.
 */
#ifndef HBS_ALGORITHMS_TREE_H
#define HBS_ALGORITHMS_TREE_H

#include "flags.h"

#define TREE_REPORTED UINT16_MAX /* member->step, when its flag is up */

static inline size_t tree_bytes(uint32_t members, uint32_t fan_in)
{
	(void)members;
	(void)fan_in;
	return sizeof(struct algorithm_flag_line);
}

static inline struct algorithm_flag *tree_flag(const struct algorithm_member *member, uint32_t rank)
{
	struct algorithm_flag_line *root = algorithm_memory(member);

	return rank ? flag_own(member, rank, 0) : &root->flag;
}

/* Whether all of the tree below the member of this rank have arrived, and the member too */
static inline bool tree_is_up(struct algorithm_member *member, uint32_t rank)
{
	return flag_is_up(member, tree_flag(member, rank));
}

/* Call this once, when all below the member have reported */
static inline void tree_report(struct algorithm_member *member)
{
	flag_raise(tree_flag(member, member->rank), member->epoch);
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
