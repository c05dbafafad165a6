/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The butterfly with virtual members: lib/software/algorithms/butterfly.c. It is hard,
 * since a member that plays two has one flag a round for both, and goes through the rounds
 * with both at once, which no paper describes.
 *
 * Errors to plant, besides those of flags.pml: FEWER, a round less; UNPLAYED, virtual
 * members wait for nobody.
 */
#if N == 2
#define ROUNDS 1
#define HALF 1
#elif N <= 4
#define ROUNDS 2
#define HALF 2
#else
#define ROUNDS 3
#define HALF 4
#endif
#define FLAGS (N * ROUNDS)

#ifdef FEWER
#define LAST (ROUNDS - 1)
#else
#define LAST ROUNDS
#endif

#define FLAG(rank, round) ((rank) * ROUNDS + (round))
#define PARTNER(rank) ((rank) ^ (1 << step))

inline meet(partner) {
	if
	:: partner < N -> await(FLAG(partner, step))
	:: else
	fi
}

inline barrier() {
	raise(FLAG(me, 0));
	do
	:: atomic {
		step < LAST ->
		meet(PARTNER(me));
#ifndef UNPLAYED
		if
		:: me < HALF && me + HALF >= N -> meet(PARTNER(me + HALF))
		:: else
		fi;
#endif
		step++;
		if
		:: step < LAST -> raise(FLAG(me, step))
		:: else
		fi
	}
	:: step == LAST -> break
	od
}

#include "flags.pml"
