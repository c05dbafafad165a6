/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A refutable group in software, with a count that all share: the algorithms "central" and
 * "counting", as lib/software/idle.c has them. There are four words. The state has the epoch, how
 * many members are idle, and the votes of the last epoch. Beside it are the sum of what each member
 * has sent less what it has freed, as of its last report; how many of those who are idle vote true;
 * and how often members have withdrawn.
 *
 * A member that is idle adds to the sum and to the votes, and then counts itself in the state. The
 * last one looks at all words: at the number of withdrawals, the state, the votes, the sum, and the
 * number of withdrawals again. If that has not changed and the sum is 0, it replaces the state that
 * it has read by that of the next epoch, which has the votes that it has read. Then it takes these
 * out of the number of votes. It does so without being counted first. If it cannot, it counts
 * itself, and looks and tries once more. A member that withdraws takes itself out of the state,
 * then counts its withdrawal, and then takes its vote back.
 *
 * Why that is so: a member that changes the sum or the votes after the state was read has withdrawn
 * since then, for all were idle (the last one in its own eyes), and has counted that first. So what
 * was read before the number of withdrawals is that of the moment in which the state was read. If
 * the sum was 0, there is no message that could let a member withdraw, so all stays as it
 * was. The state may have come back to what it was, but only in a look that does not end the
 * epoch.
 *
 * The last one must look again after it is counted (ONCE): a member may have withdrawn and come back
 * between its look and its count. That one was not the last, and this one has seen a
 * withdrawal, or a sum that was not 0.
 *
 * A member may withdraw only for a message. Without one (WHIM) it may take itself out of the state and
 * count itself again, with another sum, between the look of the last one and its change of the
 * state, which finds the state as it was.
 *
 * Each change of a word is one atomic step, and on x86 a fence. A message may become visible late
 * there, but before its sender's next report. That is as if it had been sent then, so there is no
 * store buffer here. On a CPU that reorders more, these must stay in order: additions, count;
 * the reads of a look; out of the state, withdrawal counted, vote taken back, what is sent or
 * reported afterwards. For each of them but one there is an error to plant, in which they are not.
 * The one is that a vote may be taken back at any time before that of the next report (HURRY is no
 * error): as long as the member has its message, the sum that belongs to the vote is not 0.
 *
 * Errors to plant, besides STAMP and WHIM of messages.pml: BLIND, nobody looks at the number of
 * withdrawals; AFTER, it is read after the state at first; EARLY, the votes and the sum are
 * read before the state; RAISED, a withdrawal is counted before the member is taken out of the state;
 * LATE, a member counts itself before it adds to the sum; UNHEARD, before it adds its vote; SLOW, it may
 * send a message before it withdraws; ONCE, the last one does not look again; STICKY, a vote that was
 * withdrawn still counts; KEEP, the votes of an epoch stay in the number of votes; PUBLISH, the votes of
 * an epoch have a word of their own, which is written just before the state; BACK, a member that
 * withdraws takes its last report back, too; QUEUED, a message counts as freed as soon as it is
 * queued; TAKEN, it does when it is taken.
 */

/* The state */
byte over; /* how many epochs */
byte idlers;
#ifdef VOTES
#ifdef PUBLISH
bool published[2]; /* beside the state, for each of two epochs */
#define OUTCOME published[(mine - 1) & 1]
#else
bool outcome;
#define OUTCOME outcome
#endif
#endif

short sum;
byte withdrawals;
#ifdef VOTES
short votes_for;
bool truth; /* for the promise: the result of the last epoch */
#endif

#define IS_OVER (over > mine)
#define CAN_SEND true
#define CAN_REFUSE
#define LOCALS                                                   \
	short balance = 0, said = 0, all = 0;                    \
	byte rank = 0, before = 0;                               \
	bool all_true = true, is_over = false, is_out = false;

inline sends() {
	queue[to]!mine;
#ifndef QUEUED
	balance++
#endif
}

inline takes() {
#ifdef TAKEN
	balance--
#else
	skip
#endif
}

inline frees() {
#if !defined(TAKEN) && !defined(QUEUED)
	balance--
#else
	skip
#endif
}

inline adds() {
	sum = sum + balance;
#ifdef BACK
	said = balance;
#endif
	balance = 0
}

inline adds_vote() {
#ifdef VOTES
	votes_for = votes_for + vote[me]
#else
	skip
#endif
}

inline takes_vote_back() {
#if defined(VOTES) && !defined(STICKY)
	votes_for = votes_for - vote[me]
#else
	skip
#endif
}

inline reads_withdrawals() {
	before = withdrawals
}

/* Who finds that the sum is not 0 need not read on */
inline reads_sums() {
#ifdef VOTES
	all = votes_for;
#endif
	is_over = sum == 0
}

/* A look, up to the state */
inline begins_look() {
#ifndef AFTER
	reads_withdrawals();
#endif
#ifdef EARLY
	reads_sums()
#else
	skip
#endif
}

/* The rest, and what has to be done before the state is changed */
inline ends_look() {
#ifdef AFTER
	reads_withdrawals();
#endif
#ifndef EARLY
	reads_sums();
#endif
	atomic {
#ifndef BLIND
		is_over = is_over && before == withdrawals;
#endif
		before = 0
	}
#ifdef PUBLISH
	if
	:: is_over -> published[mine & 1] = (all == N)
	:: else
	fi
#endif
}

/* One change of the state */
inline begins_next() {
	ends();
	checks_votes(all == N);
	over++;
	idlers = 0;
#ifdef VOTES
	truth = all == N;
#ifndef PUBLISH
	outcome = truth
#endif
#endif
}

/* The votes of the epoch that it has ended */
inline forgets() {
#if defined(VOTES) && !defined(KEEP)
	votes_for = votes_for - all
#else
	skip
#endif
}

inline says_idle() {
	atomic {
		idle[me] = true;
#ifdef VOTES
		if
		:: vote[me] = true
		:: vote[me] = false
		fi;
#endif
#ifndef LATE
		adds()
#endif
	}
#if defined(VOTES) && !defined(UNHEARD)
	adds_vote();
#endif
again:
	begins_look();
	atomic {
		assert(over == mine);
		if
		:: idlers + 1 < N -> idlers++; goto stops
		:: else
		fi
	}
	ends_look();
	atomic {
		if
		:: idlers + 1 < N -> goto again
		:: idlers + 1 == N && is_over -> begins_next()
		:: else -> idlers++; goto counted
		fi
	}
	forgets();
	goto stops;
counted:
#ifndef ONCE
	begins_look();
	atomic {
		if
		:: over == mine && idlers == N
		:: else -> goto stops
		fi
	}
	ends_look();
	atomic {
		if
		:: is_over && over == mine && idlers == N -> begins_next()
		:: else -> goto stops
		fi
	}
	forgets();
#endif
stops:
#ifdef LATE
	atomic { adds() }
#endif
#ifdef UNHEARD
	adds_vote();
#endif
	atomic { is_over = false; all = 0; before = 0 }
}

inline withdraws() {
#ifdef SLOW
	if
	:: atomic { budget > 0 -> send() }
	:: true
	fi;
#endif
#ifdef HURRY
	takes_vote_back();
#endif
#ifdef RAISED
	withdrawals++;
#endif
	atomic {
		if
		:: over == mine ->
			idle[me] = false;
			idlers--;
			is_out = true
		:: else
		fi
	}
	if
	:: is_out ->
		atomic {
			is_out = false;
#ifdef BACK
			sum = sum - said;
			said = 0;
#endif
#ifndef RAISED
			withdrawals++
#endif
		}
#ifndef HURRY
		takes_vote_back()
#endif
	:: else
	fi
}

inline departs() {
#ifdef VOTES
	all_true = truth;
	assert(OUTCOME == all_true);
	all_true = true
#else
	skip
#endif
}

#include "messages.pml"

init {
	byte rank = 0;

	atomic {
		do
		:: rank < N -> run member(rank); rank++
		:: else -> break
		od
	}
}
