/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The memory of a group of the software backend: a sealed memory file, so that it can be
 * passed on like a card's group. First comes the page, then the seats, a line each, then
 * what the algorithm needs, and at the end of the last page what the waits of each seat's member
 * were like (struct waits). It has no pointers: each process maps it at another address.
 *
 * A process cannot trust a file that it gets. The library uses its content as numbers
 * only, so a bad file can make waits wrong, but nothing worse. So what needs more than one
 * atomic access is under a lock of the file, which the kernel keeps (lock.c).
 */
#ifndef HBS_SOFTWARE_LAYOUT_H
#define HBS_SOFTWARE_LAYOUT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "algorithm.h"

#define SOFT_MAGIC   0x5342485346544f53ULL
#define SOFT_VERSION 8
#define SOFT_LINE    64
#define SOFT_SEATS   512 /* where the seats begin */

/* A value and the word of the barrier that it was brought to; 0 for none */
struct soft_value {
	_Atomic uint64_t word;
	_Atomic uint64_t value;
};

enum soft_seat_state {
	SEAT_FREE,
	SEAT_TAKEN,
	SEAT_STALE, /* of a member from before a reset, which has not left yet */
};

/* Mark beside the state: it has not arrived at the barrier of soft_page.told */
#define SEAT_MISSED 0x100u
/* Another mark: its member has died, and the group is broken */
#define SEAT_DEAD  0x200u
#define SEAT_MARKS (SEAT_MISSED | SEAT_DEAD)

/* In the form that an algorithm knows: struct algorithm_line */
struct soft_seat {
	/* its member writes this, without a lock */
	_Alignas(SOFT_LINE) _Atomic uint64_t arrived; /* the word after its last arrival */
	_Atomic uint64_t arrived_ns;		      /* when, if the group has a timeout */
	/* only the holder of the lock writes this */
	uint64_t joined; /* the word at the join; stale: at the reset */
	uint64_t tag;	 /* its member's tag */
	int32_t pid;
	int32_t tid;
	uint32_t pid_namespace;
	_Atomic uint16_t state; /* enum soft_seat_state, perhaps with SEAT_MARKS */
	/* its member's process writes this: so many sleepers sleep in the seat's name */
	_Atomic uint16_t asleep;
	union {
		/* if the algorithm is not full: its member's flags */
		struct algorithm_flag flag[2];
		/* if it is; only the holder of the lock writes this */
		struct {
			uint64_t counted; /* the word of the last arrival that a recount counted */
			uint64_t result;  /* stale: of the barrier before the reset */
		};
	};
};

/* What else a seat has in a group that reduces: values for barriers of even and of odd epochs */
struct soft_values {
	_Alignas(SOFT_LINE) struct soft_value of[2];
};

/* What else a seat has if the algorithm is "scan". Its member writes this, but for the last field. */
struct soft_report {
	_Alignas(SOFT_LINE) _Atomic uint64_t word; /* as soft_seat.arrived, 0 after a withdrawal */
	_Atomic uint64_t moves;			   /* withdrawals */
	_Atomic uint64_t balance; /* messages sent less those freed, since the member joined */
	_Atomic uint32_t vote;
	_Atomic uint32_t present; /* the seat is taken; only the holder of the lock writes this */
};

struct soft_page {
	/* constant */
	uint64_t magic;
	uint32_t version;
	uint32_t members;  /* seats that must be taken before the group starts */
	uint32_t capacity; /* seats there are: more, since stale ones stay taken for a time */
	uint32_t algorithm;
	uint32_t fan_in;
	uint32_t reduce;
	uint32_t type;
	uint32_t policy;
	uint64_t timeout_ns;
	/*
	 * how often the state was made anew; the state has the last bits of this. It lies
	 * on a line that all CPUs have, since it seldom changes
	 */
	_Atomic uint32_t recounts;
	/* only the holder of the lock changes this */
	_Atomic uint32_t used; /* from this seat on, no seat was ever taken */
	/* epochs that resets skipped, for words from the later one that there has been */
	struct {
		uint64_t from;
		uint64_t epochs;
	} skipped[2];
	uint64_t arrivals;     /* arrivals of members that have left */
	_Atomic uint64_t told; /* the word of the last barrier that timed out, + 1; all read it */
	struct soft_value left[2]; /* values of members that left since, reduced */
	/* algorithm "scan": the balances of members that have left */
	_Atomic uint64_t left_balance;
	/* what giving up a seat changes, noted so that it happens once: see values.c */
	struct {
		_Atomic uint32_t seat; /* its number + 1; 0: none */
		uint64_t arrivals;
		uint64_t balance;
		struct soft_value left[2];
	} leaving;
	/* all that decides a barrier: see state.h */
	_Alignas(SOFT_LINE) _Atomic uint64_t state;
	_Atomic uint32_t expected; /* how many arrivals a barrier needs */
	_Atomic uint64_t recent;   /* a whole word that the state had not long ago */
	/*
	 * a refutable group whose algorithm is not "scan": see idle.c. The low 16 bits of the
	 * balance, and the high 16 of the number of votes, say how many resets there have been.
	 */
	_Atomic uint64_t balance; /* messages in flight, by what idle members have said */
	_Atomic uint64_t withdrawals;
	_Atomic uint32_t votes_for; /* how many members are idle and vote true */
	/* algorithm "counting": the word after the last barrier, for two generations */
	struct {
		_Alignas(SOFT_LINE) _Atomic uint64_t word; /* with the votes of a refutable group */
	} release[2];
	/* the sleepers' line */
	_Alignas(SOFT_LINE) _Atomic uint64_t bell; /* changes when it rings */
	_Atomic uint32_t sleepers;
	_Atomic uint64_t sleeps;
	_Atomic uint64_t watched_ns; /* when a member last looked for the dead */
	_Atomic uint32_t deaf;	     /* a process does not have membarrier(): see bell.c */
	_Atomic uint32_t shared;     /* there have been several processes, or handles */
};

_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "the memory is shared by processes");
_Static_assert(sizeof(struct soft_page) <= SOFT_SEATS, "the seats come after it");
_Static_assert(sizeof(struct soft_seat) == SOFT_LINE, "no two members write one line");
_Static_assert(sizeof(struct algorithm_line) == sizeof(struct soft_seat), "they are the same");
_Static_assert(offsetof(struct algorithm_line, flag) == offsetof(struct soft_seat, flag), "too");
_Static_assert(offsetof(struct soft_page, release) - offsetof(struct soft_page, state) == SOFT_LINE,
	       "what decides a barrier is on one line");

#endif /* HBS_SOFTWARE_LAYOUT_H */
