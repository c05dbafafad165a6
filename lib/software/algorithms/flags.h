/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Flags that are epochs. A flag has one writer, which only ever makes it higher, so that
 * nobody has to clear it. A member that is late by an epoch finds it higher than it asks
 * for, which is as good. No line has flags of two members.
 *
 * To raise a flag is a release, to see it up is an acquire: a member that sees it up also
 * sees all that its writer did or had seen before. That holds on CPUs that order weakly too,
 * and from flag to flag: nothing but these two orders anything in an algorithm of flags
 * alone.
 */
#ifndef HBS_ALGORITHMS_FLAGS_H
#define HBS_ALGORITHMS_FLAGS_H

#include "../algorithm.h"

static inline void flag_raise(struct algorithm_flag *flag, uint64_t epoch)
{
	atomic_store_explicit(&flag->epoch, epoch, memory_order_release);
}

/* Whether the flag is up in the member's epoch; if not, the member waits for the flag */
static inline bool flag_is_up(struct algorithm_member *member, const struct algorithm_flag *flag)
{
	if (atomic_load_explicit(&flag->epoch, memory_order_acquire) >= member->epoch)
		return true;
	member->waits_for = flag;
	return false;
}

/* The flags that are on a member's own line */
static inline struct algorithm_flag *flag_own(const struct algorithm_member *member, uint32_t rank,
					      uint32_t number)
{
	return &member->lines[rank].flag[number];
}

/* How many rounds it takes if what a member knows doubles in each: log2, rounded up */
static inline uint32_t flag_rounds(uint32_t members)
{
	return members > 1 ? 32 - (uint32_t)__builtin_clz(members - 1) : 0;
}

/*
 * A flag for each member and round, which the member raises. It raises the first one when
 * it arrives, so that flag is on the line that says so; all others are on lines of their
 * own, side by side.
 *
 * Of all algorithms of rounds this holds. A member that sees a flag up also sees what the
 * flag's writer did, and what those did whose flags the writer saw before; it hands this on
 * with its next flag. A member that is ahead may raise a flag for the next epoch before
 * others looked at it in this one; it cannot be ahead by two. A member does its part in
 * over(), and others wait for that: so there is no split phase. The members are fixed.
 */
static inline size_t flag_round_bytes(uint32_t members)
{
	uint32_t rounds = flag_rounds(members);

	return rounds ? (size_t)members * (rounds - 1) * sizeof(struct algorithm_flag_line) : 0;
}

static inline struct algorithm_flag *flag_round(const struct algorithm_member *member,
						uint32_t rank, uint32_t round)
{
	struct algorithm_flag_line *lines = algorithm_memory(member);

	if (!round)
		return flag_own(member, rank, 0);
	return &lines[(size_t)rank * (flag_rounds(member->members) - 1) + round - 1].flag;
}

#endif /* HBS_ALGORITHMS_FLAGS_H */
