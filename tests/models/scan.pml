/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A refutable group in software, without a word that all change while they work: the way that
 * scans. Each member has a line of its own that only it writes. It has a word, which says at which
 * epoch the member is idle, or that it is not; a balance, which is what the member has ever sent less
 * what it has freed, as of its last report; its vote; and how often it has withdrawn, its moves.
 *
 * A member that is idle stores its balance, its vote and then its word, and passes a fence. Then it
 * scans the lines of the others, from that of the next member on, or from any of them (ANYWHERE): a
 * scan begins where the one before it has stopped. First it reads of each the moves, the word, the
 * balance and the vote. It stops at a member that is not idle at the same epoch, for
 * that one will scan later. It stops if the sum of all balances, with its own, is not 0. Then it
 * reads all moves again, and stops if one has changed, for that member will scan later, too. Else
 * the epoch is over, and it changes a word on which all wait, which so gets the votes of this epoch
 * and the number of the next one. Others may have found the same. Then that word has changed already,
 * and the votes that a slower one has read, which may be those of the next epoch, do not count.
 *
 * A member that withdraws clears its word, and then raises its moves.
 *
 * Why that is so: take the moment between the first and the second reading of moves. No member has
 * raised its moves between the two times at which they were read. So each had, at this moment, the
 * balance and the vote that were read, and had been idle with them. One that has cleared its word
 * since, or is about to, has a message that counts as sent, and not as freed: nobody sees what it does
 * with that before its moves are raised. But there is no such message. Had it raised its moves before
 * it cleared its word (REVERSE), somebody could read the new moves, the word as it was, and then a
 * balance or a vote of its next report.
 *
 * A scan must not be missing for ever: after the last withdraw, take the member that passes its
 * fence last. It finds all idle, and no moves change.
 *
 * Memory is that of x86: stores are in their writer's store buffer first, in order. On a CPU that
 * reorders more, these must stay in order: balance and vote, word; word, what the scan reads;
 * cleared word, raised moves, what is sent afterwards; and what a scan reads of a member. For each
 * of them there is an error to plant, in which they are not.
 *
 * A member may withdraw only for a message. Nothing tells it that a scan which has found it idle is
 * about to end the epoch (WHIM).
 *
 * Errors to plant, besides those of messages.pml: REVERSE, moves are raised first; UNMOVED, they are
 * not raised; STAYS, the word is not cleared; HASTY, the word is stored before the balance; NOFENCE, a
 * member scans without a fence; SLOW, a member may send a message before it withdraws; PEEK, a
 * scan reads the word of a member before its moves; AHEAD, it reads the balance before the word;
 * ONCE, it does not read the moves again; EPOCH, it does not matter at which epoch a member is idle;
 * FINAL, a member scans once in each epoch; QUEUED, a message counts as freed as soon as it is
 * queued; TAKEN, it does when it is taken; STICKY, a vote that was withdrawn still counts; PUBLISH, the
 * votes of an epoch have a word of their own, which is written just before the other.
 */
#define BUFFER 5

mtype = { BALANCE, VOTE, WORD, MOVES, MESSAGE };
chan buffer[N] = [BUFFER] of { mtype, byte, short };

/* each member's line, as memory has it */
byte idle_at[N]; /* the word: an epoch, from 1; or 0 */
short balance[N];
byte moves[N];
#ifdef VOTES
bool shown_vote[N];
#ifdef STICKY
byte voted_at[N];
#endif
#endif

/* One word, on which all wait: the state */
byte over; /* how many epochs */
#ifdef VOTES
#ifdef PUBLISH
bool published[2]; /* beside the state, for each of two epochs */
#define OUTCOME published[(mine - 1) & 1]
#else
bool outcome; /* the votes of the last epoch */
#define OUTCOME outcome
#endif
bool truth; /* the same, for the promise */
#endif

#define IS_OVER (over > mine)
#define NEXT(rank) (((rank) + 1) % N)
#define NEXT_OTHER(rank) (NEXT(rank) == me -> NEXT(NEXT(rank)) : NEXT(rank))
#define FIRST_OTHER (me == 0)
#define HAS_ROOM (len(buffer[me]) + 3 <= BUFFER)
#define CAN_SEND HAS_ROOM
#define LOCALS                                                    \
	byte withdrawals = 0, start = 0, other = 0, rank = 0;     \
	byte seen[N];                                             \
	bool all_for = true, all_true = true, is_done = false;    \
	short counts = 0, total = 0;

inline sends() {
	buffer[me]!MESSAGE, to, mine;
#ifndef QUEUED
	counts++
#endif
}

inline takes() {
#ifdef TAKEN
	counts--
#else
	skip
#endif
}

inline frees() {
#if !defined(TAKEN) && !defined(QUEUED)
	counts--
#else
	skip
#endif
}

inline shows() {
	idle[me] = true;
#ifdef HASTY
	buffer[me]!WORD, mine + 1, 0;
#endif
	buffer[me]!BALANCE, 0, counts;
#ifdef VOTES
	if
	:: vote[me] = true
	:: vote[me] = false
	fi;
	buffer[me]!VOTE, mine + 1, vote[me];
#endif
#ifndef HASTY
	buffer[me]!WORD, mine + 1, 0
#endif
}

#ifdef NOFENCE
#define FENCE true
#else
#define FENCE empty(buffer[me])
#endif

#ifdef EPOCH
#define IS_IDLE(word) ((word) != 0)
#else
#define IS_IDLE(word) ((word) == mine + 1)
#endif

inline looks_at_word() {
	atomic {
		if
		:: IS_IDLE(idle_at[other])
		:: else -> goto stops
		fi
	}
}

inline reads_balance() {
	atomic { total = total + balance[other] }
#ifdef VOTES
	atomic { all_for = all_for && shown_vote[other] }
#endif
}

inline scans() {
	atomic {
		FENCE ->
		start = NEXT(me);
#ifdef ANYWHERE
		do
		:: NEXT(start) != me -> start = NEXT(start)
		:: break
		od;
#endif
		other = start;
		total = counts;
#ifdef VOTES
		all_for = vote[me]
#endif
	}
first:
#if defined(PEEK)
	looks_at_word();
	seen[other] = moves[other];
	reads_balance();
#elif defined(AHEAD)
	seen[other] = moves[other];
	reads_balance();
	looks_at_word();
#else
	seen[other] = moves[other];
	looks_at_word();
	reads_balance();
#endif
	atomic {
		other = NEXT_OTHER(other);
		if
		:: other != start -> goto first
		:: other == start && total == 0 -> other = FIRST_OTHER
		:: else -> goto stops
		fi
	}
#ifndef ONCE
second:
	atomic {
		if
		:: moves[other] == seen[other] ->
			other = NEXT_OTHER(other);
			if
			:: other != FIRST_OTHER -> goto second
			:: else
			fi
		:: else -> goto stops
		fi
	}
#endif
#ifdef PUBLISH
	published[mine & 1] = all_for;
#endif
	atomic {
		empty(buffer[me]) ->
		/* others may have found it, too */
		if
		:: over == mine -> begins_next()
		:: else
		fi
	}
stops:
	atomic {
		other = 0;
		do
		:: other < N -> seen[other] = 0; other++
		:: else -> break
		od;
		other = 0;
		start = 0;
		total = 0;
		all_for = true
	}
}

inline begins_next() {
	ends();
	checks_votes(all_for);
	over++;
#ifdef VOTES
	truth = all_for;
#ifndef PUBLISH
	outcome = all_for
#endif
#endif
}

inline says_idle() {
	atomic { HAS_ROOM -> shows() }
#ifdef FINAL
	if
	:: !is_done -> is_done = true; scans()
	:: else
	fi
#else
	scans()
#endif
}

inline withdraws() {
#ifdef SLOW
	if
	:: atomic { budget > 0 && CAN_SEND -> send() }
	:: true
	fi;
#endif
	atomic {
		HAS_ROOM ->
		withdrawals++;
#ifdef REVERSE
		buffer[me]!MOVES, withdrawals, 0;
#endif
#ifndef STAYS
		buffer[me]!WORD, 0, 0;
#endif
#if !defined(UNMOVED) && !defined(REVERSE)
		buffer[me]!MOVES, withdrawals, 0
#endif
	}
}

inline departs() {
	is_done = false;
#ifdef VOTES
	all_true = truth;
	assert(OUTCOME == all_true);
	all_true = true
#endif
}

#include "messages.pml"

/* One step of what memory does by itself: the oldest store of @who becomes visible */
proctype memory(byte who) {
	mtype what;
	byte which = 0;
	short value = 0;

	do
	:: atomic {
		buffer[who]?what, which, value ->
		if
		:: what == BALANCE -> balance[who] = value
		:: what == WORD -> idle_at[who] = which
		:: what == MOVES -> moves[who] = which
		:: what == MESSAGE -> queue[which]!value
#ifdef VOTES
		:: what == VOTE ->
#ifdef STICKY
			value = value && (shown_vote[who] || voted_at[who] != which);
			voted_at[who] = which;
#endif
			shown_vote[who] = value
#endif
		fi;
		what = 0;
		which = 0;
		value = 0
	}
	od
}

init {
	byte rank = 0;

	atomic {
		do
		:: rank < N -> run memory(rank); run member(rank); rank++
		:: else -> break
		od
	}
}
