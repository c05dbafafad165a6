/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What an algorithm of the software backend is: a file below algorithms/, and a line in
 * algorithms.c.
 *
 * It says when all members have arrived at a barrier, and nothing else: its callers handle
 * seats, deaths, timeouts, values and sleep. Members are numbered; each has joined once and
 * for all. Processes may share the memory of the group, so it has no pointers. It is all
 * zeros before the first barrier, as the flags of members are, and nobody clears it between
 * two barriers: flags are epochs, which only go up.
 *
 * A member calls arrive() once, and over() until that is true, and so on for the next
 * epoch. What any member did before its arrive() must be visible to all after their
 * over(): arrive() and over() release what they store and acquire what they load.
 * Neither ever waits: over() goes as far as it can and returns false where it would have
 * to wait for another member.
 */
#ifndef HBS_ALGORITHM_H
#define HBS_ALGORITHM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ALGORITHM_LINE 64 /* bytes of a line; two members should not write to the same one */

#define FAN_IN_MIN 2
#define FAN_IN_MAX 64

/* A flag: an epoch, aligned to eight bytes even where 64-bit numbers may lie at four (i386) */
struct algorithm_flag {
	_Alignas(8) _Atomic uint64_t epoch;
};

/* A flag that has a line of its own */
struct algorithm_flag_line {
	_Alignas(ALGORITHM_LINE) struct algorithm_flag flag;
};

/*
 * A line that each member has anyway, and that nobody else writes as long as all is well. The
 * front has what the caller notes about the arrival; behind it the algorithm may have flags,
 * which the member raises when it arrives or later.
 */
struct algorithm_line {
	_Alignas(ALGORITHM_LINE) char callers[48];
	struct algorithm_flag flag[2];
};

/* A member, as an algorithm sees it; no other code looks at it */
struct algorithm_member {
	struct algorithm_line *lines; /* lines of all members, by rank; the memory is behind them */
	uint64_t epoch;		      /* of this barrier: 1, 2, 3, ...; set before arrive() */
	/* a line that changes before over() can become true; over() sets it if it is false */
	const void *waits_for;
	uint16_t members; /* 1 to 65535 */
	uint16_t rank;	  /* 0 to members - 1 */
	uint16_t fan_in;  /* of a tree: 2 to 64 */
	uint16_t step;	  /* its position in this barrier; arrive() sets it */
};

/* The memory that the algorithm's bytes() asks for: the group's, aligned to a line */
static inline void *algorithm_memory(const struct algorithm_member *member)
{
	return member->lines + member->members;
}

/**
 * struct algorithm - an algorithm
 * @name: as users write it
 * @full: the group can do everything: its one word alone decides, see state.h
 * @helps: other members wait for what over() does, so a member that has arrived must wait
 * @fan_in: the fan-in if the user names none; 0: the algorithm has no choice
 * @bytes: how much memory a group needs besides the members' lines
 * @arrive: see above
 * @over: see above
 */
struct algorithm {
	const char *name;
	bool full;
	bool helps;
	uint32_t fan_in;
	size_t (*bytes)(uint32_t members, uint32_t fan_in);
	void (*arrive)(struct algorithm_member *member);
	bool (*over)(struct algorithm_member *member);
};

/* By enum hbs_algorithm; NULL for a number that no algorithm has, and for HBS_ALGORITHM_AUTO */
const struct algorithm *hbsi_algorithm(uint32_t number);

/* The same, for a number that an algorithm has */
extern const struct algorithm *const hbsi_algorithms[];

#endif /* HBS_ALGORITHM_H */
