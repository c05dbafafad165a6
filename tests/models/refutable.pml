/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A refutable group on one card. It completes when the card's set of idle members is full and its
 * sum is 0, both of which the card evaluates in one step, with each store that it takes.
 *
 * One more promise: a card that is white when it completes has no member that has freed a message
 * in that epoch (white). One card needs no colour to complete; cards that are linked do.
 *
 * One more error to plant: SAMPLES, the card evaluates the sum at another time than the set.
 */
#define CARDS 1
#define POSTED (N + 2)

#ifdef SAMPLES
bool had_zero = true;
#define HAS_ZERO had_zero
#else
#define HAS_ZERO (sum[0] == 0)
#endif

#ifndef MAIN
bool any_freed; /* message of this epoch; only the promise looks at it */
#endif

#include "card.pml"

inline completes() {
	if
	:: IS_FULL(0) && HAS_ZERO && over[0] < E ->
		ends();
		counts_votes(0);
#ifndef MAIN
		assert(black[0] || !any_freed);
		any_freed = false;
#endif
		checks_votes(all_for);
		releases(0)
	:: else
	fi;
	all_for = false
}

proctype card(byte from) {
	byte rank = 0;
	bool says = false, freed = false, votes = false, all_for = false;
	bool all_true = true;
	short said = 0;

	do
	:: atomic { nempty(port[from]) -> takes_store(0, from); completes() }
#ifdef SAMPLES
	:: atomic { had_zero != (sum[0] == 0) -> had_zero = (sum[0] == 0); completes() }
#endif
	od
}

init {
	byte rank = 0;

	atomic {
		do
		:: rank < PORTS -> run card(rank); rank++
		:: else -> break
		od;
		rank = 0;
		do
		:: rank < N -> run record(rank); run member(rank); rank++
		:: else -> break
		od
	}
}
