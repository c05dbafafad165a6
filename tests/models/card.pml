/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the models of refutable groups share: the members' stores to CARDS cards, and what a card
 * does with one. Member i has its port on card i modulo CARDS.
 *
 * One store says that a member is idle, how many messages it has sent less those that it has freed
 * since its last such store, whether it has freed any since, and its vote. Another store
 * withdraws that. Stores are posted: a card takes them as late as it likes. By default it takes
 * them in the order in which its members made them, as with uncached stores of x86. WEAK: it keeps
 * to the order of each member's stores only. READBACK: a member that withdraws waits until its
 * card has taken that store, before it goes on.
 *
 * A card has the set of its idle members, the sum of what they said, and a colour: it is black
 * when a member has withdrawn, or has said that it has freed a message, since the card became white.
 * PALE: a withdraw makes no card black. That is as good: who withdraws frees a message, and says so
 * before its card answers again.
 *
 * Two more promises, of the card's own: it takes no second store of the same kind from a member, so
 * that each store comes in its epoch; and what refutable.pml says. MAIN leaves these out, for Spin
 * stops at the first promise that is broken.
 *
 * Errors to plant, besides those of messages.pml: WITHDRAW, a member does not withdraw; QUEUED, a
 * message counts as received as soon as it is queued; TAKEN, it does when it is taken; RECEIPT, no
 * store says that its member has freed a message; STICKY, a vote that was withdrawn still counts.
 */
#define CARD(member) ((member) % CARDS)
#ifdef WEAK
#define PORT(member) (member)
#define PORTS N
#else
#define PORT(member) CARD(member)
#define PORTS CARDS
#endif

chan port[PORTS] = [POSTED] of { byte, bool, short, bool, bool };
short balance[N];    /* messages that the member has sent less freed, and not said yet */
bool has_freed[N];   /* whether it has freed one, and not said so yet */
byte posted[N];	     /* stores that the card has not taken */
bool is_in[N];	     /* whether the card has the member in its set */
byte idlers[CARDS];  /* how many each card has in it */
short sum[CARDS];
bool black[CARDS];
byte over[CARDS];    /* epochs that have ended, as the card knows */
byte shown[N];	     /* the same in the record of each member */
#ifdef VOTES
bool voted[N];
#ifdef STICKY
bool against[CARDS]; /* one of the votes */
#endif
#endif

#ifdef PALE
#define WITHDRAW_BLACKENS(says) false
#else
#define WITHDRAW_BLACKENS(says) !says
#endif
#define MEMBERS(card) ((N - (card) + CARDS - 1) / CARDS)
#define IS_FULL(card) (idlers[card] == MEMBERS(card))
#define IS_OVER (shown[me] > mine)
#define CAN_SEND true

inline post(says, votes) {
	posted[me]++;
	port[PORT(me)]!me, says, balance[me], has_freed[me], votes
}

inline says_idle() {
	atomic {
		nfull(port[PORT(me)]) ->
		idle[me] = true;
#ifdef VOTES
		if
		:: vote[me] = true
		:: vote[me] = false
		fi;
		post(true, vote[me]);
#else
		post(true, true);
#endif
		balance[me] = 0;
		has_freed[me] = false
	}
}

inline withdraws() {
#ifndef WITHDRAW
	atomic { nfull(port[PORT(me)]) -> post(false, false) };
#endif
#ifdef READBACK
	posted[me] == 0
#else
	skip
#endif
}

inline sends() {
	queue[to]!mine;
#ifndef QUEUED
	balance[me]++
#endif
}

inline takes() {
#ifdef TAKEN
	balance[me]--
#else
	skip
#endif
}

inline frees() {
#if CARDS == 1 && !defined(MAIN)
	any_freed = true;
#endif
#if !defined(TAKEN) && !defined(QUEUED)
	balance[me]--;
#endif
#ifndef RECEIPT
	has_freed[me] = true
#endif
}

inline departs() {
	skip
}

#include "messages.pml"

/* @card takes the oldest store that has reached @from */
inline takes_store(card, from) {
	port[from]?rank, says, said, freed, votes;
	posted[rank]--;
#ifndef MAIN
	assert(is_in[rank] != says);
#endif
	idlers[card] = idlers[card] + says - is_in[rank];
	is_in[rank] = says;
	sum[card] = sum[card] + said;
	black[card] = black[card] || freed || WITHDRAW_BLACKENS(says);
#ifdef VOTES
	voted[rank] = votes;
#ifdef STICKY
	against[card] = against[card] || (says && !votes);
#endif
#endif
	rank = 0;
	says = false;
	said = 0;
	freed = false;
	votes = false
}

/* whether all members of @card have voted true in the stores that say that they are idle */
inline counts_votes(card) {
#ifdef STICKY
	all_for = !against[card];
#else
	all_for = true;
#endif
#if defined(VOTES) && !defined(STICKY)
	do
	:: rank < N -> all_for = all_for && (CARD(rank) != card || voted[rank]); rank++
	:: else -> break
	od;
	rank = 0
#endif
}

/* the epoch is over for @card */
inline releases(card) {
	do
	:: rank < N ->
		if
		:: CARD(rank) == card -> is_in[rank] = false
		:: else
		fi;
		rank++
	:: else -> break
	od;
	rank = 0;
	idlers[card] = 0;
	sum[card] = 0;
#ifdef STICKY
	against[card] = false;
#endif
	black[card] = false;
	over[card]++
}

/* the card writes a member's record */
proctype record(byte who) {
	do
	:: atomic { shown[who] < over[CARD(who)] -> shown[who]++ }
	od
}
