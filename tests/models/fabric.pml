/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A refutable group over CARDS cards, which links join to a tree with card 0 at its root: a star,
 * or with CHAIN a chain. Links keep the order of frames and lose none.
 *
 * The root sends a wave down the tree. A card answers once all cards below it have answered, and all
 * its own members are idle, as far as it knows. Its answer adds its sum to those from below, and says
 * whether it and all those are white; then it is white. The epoch is over when the root finds the
 * answers white and their sum 0. It releases its members, and sends the release down the tree.
 * Nothing is frozen meanwhile: members send as soon as they are released, and waves of
 * the next epoch start.
 *
 * A real root begins one wave after the other. Here waves must end, so it begins two after each
 * thing that may change the answer: a store that a card has taken, or an answer that is not white.
 * Another one before the next such thing finds what the second has found.
 *
 * More errors to plant: COLOUR, answers are always white; KEEP, a card stays black; ORDER, a
 * wave may overtake a release on a link; EAGER, a card answers although a member of it is not idle.
 */
#define POSTED 3


#ifdef CHAIN
#define PARENT(card) ((card) - 1)
#define FIRST_BELOW(card) ((card) + 1)
#define BELOW(card) ((card) + 1 < CARDS -> 1 : 0)
#else
#define PARENT(card) 0
#define FIRST_BELOW(card) 1
#define BELOW(card) ((card) -> 0 : CARDS - 1)
#endif

#ifdef EAGER
#define MAY_ANSWER true
#else
#define MAY_ANSWER IS_FULL(me)
#endif

#define WAVE true
#define RELEASE false

chan down[CARDS] = [2] of { bool };	       /* to a card, from the one above it */
chan up[CARDS] = [CARDS] of { short, bool, bool }; /* to a card, from those below it */
byte waves = 2;				       /* that the root may begin before something changes */

#include "card.pml"

proctype card(byte from) {
	byte rank = 0;
	bool says = false, freed = false, votes = false;
	short said = 0;

	do
	:: atomic { nempty(port[from]) -> takes_store(CARD(from), from); waves = 2 }
	od
}

inline sends_down(frame) {
	do
	:: i < BELOW(me) -> down[FIRST_BELOW(me) + i]!frame; i++
	:: else -> break
	od;
	i = 0
}

inline answers() {
	total = total + sum[me];
#ifndef COLOUR
	white = white && !black[me];
#endif
#ifndef KEEP
	black[me] = false;
#endif
	unanimous = unanimous && all_for;
	if
	:: me != 0 -> up[PARENT(me)]!total, white, unanimous
	:: me == 0 && white && total == 0 ->
		ends();
		checks_votes(unanimous);
		sends_down(RELEASE);
		releases(me)
	:: me == 0 && !white -> waves = 2
	:: else
	fi;
	in_wave = false;
	answered = 0;
	total = 0;
	white = true;
	unanimous = true
}

proctype link(byte me) {
	byte rank = 0, i = 0, answered = 0;
	bool in_wave = false, white = true, unanimous = true, is_white = false, is_for = false;
	bool all_for = false, all_true = true;
	short total = 0, part = 0;

	do
	:: atomic {
		me == 0 && !in_wave && waves > 0 && over[0] < E ->
		waves--;
		in_wave = true;
		sends_down(WAVE)
	}
#ifdef ORDER
	:: atomic { down[me]??[WAVE] -> down[me]??WAVE; in_wave = true; sends_down(WAVE) }
	:: atomic { down[me]??[RELEASE] -> down[me]??RELEASE; sends_down(RELEASE); releases(me) }
#else
	:: atomic { down[me]?[WAVE] -> down[me]?WAVE; in_wave = true; sends_down(WAVE) }
	:: atomic { down[me]?[RELEASE] -> down[me]?RELEASE; sends_down(RELEASE); releases(me) }
#endif
	:: atomic {
		up[me]?part, is_white, is_for ->
		total = total + part;
		white = white && is_white;
		unanimous = unanimous && is_for;
		answered++;
		part = 0;
		is_white = false;
		is_for = false
	}
	:: atomic {
		in_wave && answered == BELOW(me) && MAY_ANSWER ->
		counts_votes(me);
		answers();
		all_for = false
	}
	od
}

init {
	byte rank = 0;

	atomic {
		do
		:: rank < CARDS -> run link(rank); rank++
		:: else -> break
		od;
		rank = 0;
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
