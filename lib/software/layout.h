/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The memory of a group of the software backend: a sealed memory file, so that it can be
 * passed on like a card's group. First the page, then the seats, a line each, then what
 * the algorithm needs. There are no pointers in it: each process maps it elsewhere.
 *
 * Whose file it is nobody knows. What it says is used as numbers only, and can make waits
 * wrong, but nothing worse; so the lock of what is not done by one atomic access is a lock
 * of the file, which the kernel keeps (lock.h).
 */
#ifndef HBS_SOFTWARE_LAYOUT_H
#define HBS_SOFTWARE_LAYOUT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "algorithm.h"

#define SOFT_MAGIC   0x5342485346544f53ULL
#define SOFT_VERSION 6
#define SOFT_LINE    64
#define SOFT_SEATS   512 /* where the seats begin */

/* A value and the word of the barrier that it was brought to, 0 for none */
struct soft_value {
	_Atomic uint64_t word;
	_Atomic uint64_t value;
};

enum soft_seat_state {
	SEAT_FREE,
	SEAT_TAKEN,
	SEAT_STALE, /* of a member of before a reset, which has not left yet */
};

/* Beside the state: it has not arrived at the barrier of soft_page.told */
#define SEAT_MISSED 0x100u
/* and: its member has died, and the group is broken */
#define SEAT_DEAD  0x200u
#define SEAT_MARKS (SEAT_MISSED | SEAT_DEAD)

/* As an algorithm has it: struct algorithm_line */
struct soft_seat {
	/* written by its member, without a lock */
	_Alignas(SOFT_LINE) _Atomic uint64_t arrived; /* the word after its last arrival */
	_Atomic uint64_t arrived_ns;		      /* when, if the group has a timeout */
	/* written by who holds the lock */
	uint64_t joined; /* the word at the join; stale: at the reset */
	uint64_t tag;	 /* what its member is called */
	int32_t pid;
	int32_t tid;
	uint32_t pid_namespace;
	_Atomic uint16_t state; /* enum soft_seat_state, perhaps with SEAT_MARKS */
	/* by its member's process: of the sleepers, so many are in its name */
	_Atomic uint16_t asleep;
	union {
		/* with an algorithm that is not full: its member's flags */
		struct algorithm_flag flag[2];
		/* with one that is; written by who holds the lock */
		struct {
			uint64_t counted; /* the word of the last arrival that a recount counted */
			uint64_t result;  /* stale: of the barrier before the reset */
		};
	};
};

/* What a seat has besides in a group that reduces: of barriers of even and of odd epochs */
struct soft_values {
	_Alignas(SOFT_LINE) struct soft_value of[2];
};

struct soft_page {
	/* constant */
	uint64_t magic;
	uint32_t version;
	uint32_t members;  /* seats that the group has to fill */
	uint32_t capacity; /* seats there are: more, since stale ones stay taken for a time */
	uint32_t algorithm;
	uint32_t fan_in;
	uint32_t reduce;
	uint32_t policy;
	uint64_t timeout_ns;
	/* how often the state was made anew, of which it has the last bits: on a line that
	 * all have, since it seldom changes
	 */
	_Atomic uint32_t recounts;
	/* changed by who holds the lock */
	_Atomic uint32_t used; /* no seat from here on was ever taken */
	/* epochs that resets left out, for words from the later one that there has been */
	struct {
		uint64_t from;
		uint64_t epochs;
	} skipped[2];
	uint64_t arrivals;     /* of members that have left */
	_Atomic uint64_t told; /* the word of the last barrier that timed out, + 1; read by all */
	struct soft_value left[2]; /* values of members that left since, reduced */
	/* what a seat that is being given up changes, so that it is done once: see values.c */
	struct {
		_Atomic uint32_t seat; /* its number + 1; 0: none */
		uint64_t arrivals;
		struct soft_value left[2];
	} leaving;
	/* all that decides a barrier: see state.h */
	_Alignas(SOFT_LINE) _Atomic uint64_t state;
	_Atomic uint32_t expected; /* arrivals that a barrier needs */
	_Atomic uint64_t recent;   /* a whole word that was that of the state, not long ago */
	/* the algorithm "counting": the word after the last barrier, of two generations */
	struct {
		_Alignas(SOFT_LINE) _Atomic uint64_t word;
	} release[2];
	/* the sleepers' line */
	_Alignas(SOFT_LINE) _Atomic uint64_t bell; /* changes when it rings */
	_Atomic uint32_t sleepers;
	_Atomic uint64_t sleeps;
	_Atomic uint64_t watched_ns; /* when somebody last looked for the dead */
	_Atomic uint32_t polled;     /* a process has no membarrier(): see bell.c */
	_Atomic uint32_t shared;     /* there have been several processes, or handles */
};

_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "the memory is shared by processes");
_Static_assert(sizeof(struct soft_page) <= SOFT_SEATS, "the seats come after it");
_Static_assert(sizeof(struct soft_seat) == SOFT_LINE, "no two members write one line");
_Static_assert(sizeof(struct algorithm_line) == sizeof(struct soft_seat), "they are the same");
_Static_assert(offsetof(struct algorithm_line, flag) == offsetof(struct soft_seat, flag), "too");

/*
 * Seats lie in halves: those that a group has to fill, and behind them, where stale seats
 * stay taken for a time, as many again. Pages that nobody needs are not there. In front of
 * the seats of a half are their values, if the group reduces.
 */
static inline uint32_t soft_half_size(uint32_t members, bool values)
{
	uint32_t each = sizeof(struct soft_seat) + (values ? sizeof(struct soft_values) : 0);

	return members * each;
}

#endif /* HBS_SOFTWARE_LAYOUT_H */
