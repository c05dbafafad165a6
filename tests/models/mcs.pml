/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The MCS tree: lib/software/algorithms/mcs.c. It is hard, since members come up by one
 * tree and are woken by another: some arrive at the next epoch before others have been
 * woken.
 *
 * Errors to plant, besides those of flags.pml: CHILD, a parent does not wait for its last
 * child; ASLEEP, a woken member wakes nobody.
 */
#define FLAGS (2 * N)

#define ARRIVED(rank) (rank)
/* the flag of rank 0 is its arrival flag */
#define AWAKE(rank) ((rank) -> N + (rank) : 0)

#ifdef CHILD
#define LAST (FAN_IN - 1)
#else
#define LAST FAN_IN
#endif

#define HAS_CHILD(number) ((number) < LAST && me * FAN_IN + 1 + (number) < N)

inline barrier() {
	do
	:: atomic {
		HAS_CHILD(step) ->
		await(ARRIVED(me * FAN_IN + 1 + step));
		step++
	}
	:: !HAS_CHILD(step) -> break
	od;
	raise(ARRIVED(me));
	if
	:: me > 0 ->
		atomic {
			await(AWAKE((me - 1) / 2));
#ifndef ASLEEP
			if
			:: 2 * me + 1 < N -> raise(AWAKE(me))
			:: else
			fi
#endif
		}
	:: else
	fi
}

#include "flags.pml"
