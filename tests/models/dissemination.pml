/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dissemination: lib/software/algorithms/dissemination.c. It is hard, since no member ever
 * knows more than the others, nothing separates two epochs, and a flag may be raised anew
 * before its reader has looked at it.
 *
 * Errors to plant, besides those of flags.pml: FEWER, a round less; PARTNER, twice as far
 * as it ought to be.
 */
#if N == 2
#define ROUNDS 1
#elif N <= 4
#define ROUNDS 2
#else
#define ROUNDS 3
#endif
#define FLAGS (N * ROUNDS)

#ifdef FEWER
#define LAST (ROUNDS - 1)
#else
#define LAST ROUNDS
#endif
#ifdef PARTNER
#define DISTANCE(round) (2 << (round))
#else
#define DISTANCE(round) (1 << (round))
#endif

#define FLAG(rank, round) ((rank) * ROUNDS + (round))

/* the member that is told looks behind, around the circle */
#define BEHIND(round) ((me + N - DISTANCE(round) % N) % N)

inline barrier() {
	raise(FLAG(me, 0));
	do
	:: atomic {
		step < LAST ->
		await(FLAG(BEHIND(step), step));
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
