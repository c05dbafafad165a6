/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A refutable group in software, with a count that all share: the central way. The group has two
 * words. The state has the epoch, how many members are idle, and who made that number full. The
 * account has the sum of what each member has sent less what it has freed, as of its last report,
 * and how many of those who are idle vote true.
 *
 * A member that is idle adds to the account, and then counts itself in the state. If that makes the
 * state full, it evaluates: it reads the account, and if the sum is 0, it replaces the state, if that
 * is still the one that it has made, by that of the next epoch. Then it takes the votes that it has
 * read out of the account. A member that withdraws takes itself out of the state, and then its vote
 * out of the account.
 *
 * Why that is so: between the two changes of the state by the member that evaluates there was no
 * other one. For to be the same again, the state must have been made full by this member, and
 * it was busy. While the state is full the account stays as it is: all add to it before they
 * count themselves, and take votes out after they have withdrawn. So what the member has read is
 * right at the moment in which it ends the epoch. If the sum is not 0, a member is going to withdraw;
 * if the state has changed, one has withdrawn. In both cases the one that makes the state full
 * again evaluates.
 *
 * A member withdraws in one step in which it also sees whether the epoch is over. So it may withdraw
 * without a message (WHIM): it either learns that the epoch is over, or has withdrawn in time.
 *
 * Each change of a word is one atomic step, and on x86 a fence. A message may become visible late
 * there, but before its sender's next report. That is as if it had been sent then, so there is no
 * store buffer here. On a CPU that reorders more, these must stay in order: addition, count;
 * count, what is read of the account; withdraw, what is sent afterwards; withdraw, what is taken out
 * of the account. For each of them there is an error to plant, in which they are not.
 *
 * Errors to plant, besides STAMP of messages.pml: ANONYMOUS, the state does not say who made it
 * full; LATE, a member counts itself before it adds; EARLY, it reads the account before it counts
 * itself; SLOW, it may send a message before it withdraws; HURRY, it takes its vote out of the account
 * before it withdraws; STICKY, a vote that was withdrawn still counts; KEEP, the votes of an epoch
 * stay in the account; BACK, a member that withdraws takes its last report back, too; QUEUED, a
 * message counts as freed as soon as it is queued; TAKEN, it does when it is taken.
 */
#define NOBODY N

/* The state */
byte over; /* how many epochs */
byte idlers;
byte last = NOBODY; /* who made it full */

/* The account */
short sum;
short votes_for;

#ifdef ANONYMOUS
#define IS_FULL (idlers == N)
#else
#define IS_FULL (idlers == N && last == me)
#endif
#define IS_OVER (over > mine)
#define CAN_SEND true
#define CAN_REFUSE
#ifdef VOTES
#define MY_VOTE vote[me]
#else
#define MY_VOTE true
#endif
#define LOCALS                                                    \
	short balance = 0, said = 0, total = 0, all = 0;          \
	byte rank = 0;                                            \
	bool is_full = false, has_ended = false, all_true = true; \
	bool is_withdrawn = false;

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

inline reads() {
	total = sum;
	all = votes_for
}

inline adds() {
	sum = sum + balance;
#ifdef BACK
	said = balance;
#endif
	balance = 0;
	votes_for = votes_for + MY_VOTE
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
#ifdef EARLY
	reads();
#endif
	atomic {
		assert(over == mine);
		idlers++;
		is_full = idlers == N;
		last = (is_full -> me : NOBODY)
	}
#ifdef LATE
	atomic { adds() }
#endif
	if
	:: is_full ->
#ifndef EARLY
		atomic { reads() }
#endif
		atomic {
			has_ended = total == 0 && over == mine && IS_FULL;
			if
			:: has_ended ->
				ends();
				checks_votes(all == N);
				over++;
				idlers = 0;
				last = NOBODY
			:: else
			fi
		}
#ifndef KEEP
		if
		:: atomic { has_ended -> votes_for = votes_for - all }
		:: else
		fi
#endif
	:: else
	fi;
	atomic { is_full = false; has_ended = false; total = 0; all = 0 }
}

inline takes_back() {
#ifdef STICKY
	skip
#else
	votes_for = votes_for - MY_VOTE
#endif
}

inline withdraws() {
#ifdef SLOW
	if
	:: atomic { budget > 0 -> send() }
	:: true
	fi;
#endif
#ifdef HURRY
	atomic { takes_back() };
#endif
	atomic {
		if
		:: over == mine ->
			idle[me] = false;
			idlers--;
			last = NOBODY;
			is_withdrawn = true
		:: else
		fi
	}
	if
	:: atomic {
		is_withdrawn ->
		is_withdrawn = false;
#ifdef BACK
		sum = sum - said;
		said = 0;
#endif
#ifndef HURRY
		takes_back()
#endif
	}
	:: else
	fi
}

inline departs() {
	skip
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
