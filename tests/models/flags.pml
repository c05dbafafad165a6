/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the models share: flags as lib/software/algorithms/flags.h has them, N members and
 * E epochs. A model defines FLAGS, how many there are, and barrier().
 *
 * Memory is as weak as C11 allows where nothing but releases and acquires orders it. What a
 * member knows is a view: of each member, the latest epoch whose arrival it knows of. A
 * raised flag carries its writer's view, and a member that sees it up adds that view to its
 * own. A load may find a value that is not the latest one: of a flag that is not up, this
 * is the same as having looked earlier; of one that is up for the next epoch already, it
 * may be the value, and the view, before that. Hence a flag keeps two of them.
 *
 * The promise is one assertion: a member that leaves knows that all have arrived, which
 * also implies that they have. The formula all_leave says that all leave in the end. It
 * needs no fairness: nothing here can go on for ever, and a member that does not go on is
 * stuck.
 *
 * What a member does from one look at a flag until it would have to wait is atomic: a pause
 * in between is the same as having looked later.
 *
 * Errors to plant: RELAXED, a flag carries no view; STRICT, > instead of >= ; EQUAL, ==
 * instead of >=.
 */
byte flag[FLAGS];
byte carried[2 * FLAGS * N]; /* views: of a flag, of the epoch modulo 2, of a member */
byte done;

#define CARRIED(number, epoch) carried[(2 * (number) + (epoch) % 2) * N + i]

inline raise(number) {
	d_step {
		assert(flag[number] == epoch - 1);
		flag[number] = epoch;
#ifndef RELAXED
		i = 0;
		do
		:: i < N -> CARRIED(number, epoch) = known[i]; i++
		:: else -> break
		od;
		i = 0
#endif
	}
}

inline learn(number, which) {
	d_step {
		i = 0;
		do
		:: i < N && CARRIED(number, which) > known[i] ->
			known[i] = CARRIED(number, which); i++
		:: i < N && CARRIED(number, which) <= known[i] -> i++
		:: i == N -> break
		od;
		i = 0
	}
}

#if defined(STRICT)
#define IS_UP(number) (flag[number] > epoch)
#elif defined(EQUAL)
#define IS_UP(number) (flag[number] == epoch)
#else
#define IS_UP(number) (flag[number] >= epoch)
#endif

inline await(number) {
	IS_UP(number);
	assert(flag[number] <= epoch + 1);
	if
	:: learn(number, epoch)
	:: flag[number] > epoch -> learn(number, epoch + 1)
	fi
}

inline leave() {
	d_step {
		do
		:: i < N -> assert(known[i] >= epoch); i++
		:: else -> break
		od;
		i = 0
	}
}

proctype member(byte me) {
	byte epoch = 0, step = 0, i = 0;
	byte known[N];

	do
	:: epoch < E ->
		d_step {
			epoch++;
			known[me] = epoch;
			step = 0
		}
		barrier();
		leave()
	:: else -> break
	od;
	done++
}

init {
	byte rank = 0;

	atomic {
		do
		:: rank < N -> run member(rank); rank++
		:: else -> break
		od
	}
}

ltl all_leave { <> (done == N) }
