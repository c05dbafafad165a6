/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A refutable group in software, without a count that all share. Each member has a line of its own
 * that only it writes. There it counts the messages that it has sent, each before it queues the
 * message. When it is idle it shows there, in one word, its epoch, its vote, and how many messages
 * it has freed. It does not change that word when it withdraws, nor when it frees messages.
 *
 * A member that is idle then records itself in a combining tree: it adds 1 to a node, and if that
 * makes the node full, goes on to the node above. If it withdraws, it takes 1 from the same node, and
 * goes on if the node was full. Nodes are never reset, and are full at each multiple of the number
 * of those below. Here node 0 has members 0 and 1, and each other node the one below it and a member.
 *
 * The member that makes the root full collects twice. First it reads what each member shows. If all
 * were idle in this epoch, it adds up what they have freed. Then it reads what each has sent. If
 * both sums are the same, the epoch is over. It writes that into a word on which all wait.
 *
 * Why that is so: take a moment between the collects. No more than the second sum had been sent by
 * then, and no less than the first had been freed. Both are the same, so nothing was on its way, and
 * no member had shown a new count after it was read. A member that was idle when it was read
 * and works at that moment has withdrawn, for a message that counts as sent and not as freed, but
 * there is none. So the tree only says when to look, and what it says may be late or early. It
 * must not be silent for ever: after the last withdraw only additions are left, and the last of
 * these makes the root full.
 *
 * Memory is that of x86: stores are in their writer's store buffer first, in order; what changes a
 * node is atomic, and a fence. So a member needs no fence of its own. HASTY: a member may collect
 * although it has made no root full.
 *
 * Errors to plant, besides those of messages.pml: ONCE, one collect reads all; REVERSE, what was
 * sent is read first; EPOCH, it does not matter in which epoch a member was idle; LATE, a message
 * is queued before it counts; FREED, a member shows at once what it frees; QUEUED, a message counts
 * as freed as soon as it is queued; TAKEN, it does when it is taken; STICKY, a vote that was
 * withdrawn still counts; EARLY, a member records itself before it shows that it is idle; STAYS, a
 * member is recorded once in each epoch, and stays so; PLAIN, additions to a node are not atomic;
 * NOFENCE, no change of a node is a fence; TARGET, a node is full at that number only which belongs
 * to the member's epoch, though another may be in the next epoch before this one has recorded
 * itself.
 */
#define BUFFER 4

mtype = { SENT, MESSAGE, IDLE, OVER };
chan buffer[N] = [BUFFER] of { mtype, byte, byte, bool };

/* each member's line, as memory has it */
byte sent[N];
byte idle_at[N]; /* the epoch at which it was idle last, from 1 */
byte freed[N];
#ifdef VOTES
bool shown_vote[N];
#endif

byte node[N - 1];
byte over; /* how many epochs */

#define ROOT (N - 2)
#ifdef TARGET
#define IS_FULL(number) ((number) == 2 * (mine + 1))
#else
#define IS_FULL(number) ((number) % 2 == 0)
#endif
#define IS_OVER (over > mine || has_told)
#define CAN_SEND (len(buffer[me]) + 2 <= BUFFER)
#define LOCALS                                                                   \
	byte counts_sent = 0, counts_freed = 0, at = 0, rank = 0, value = 0;     \
	bool has_told = false, is_full = false, all_idle = true, all_for = true; \
	bool all_true = true, is_recorded = false;                               \
	short total = 0;

inline sends() {
#ifdef QUEUED
	buffer[me]!MESSAGE, to, mine, false
#else
	counts_sent++;
#ifdef LATE
	buffer[me]!MESSAGE, to, mine, false;
	buffer[me]!SENT, 0, counts_sent, false
#else
	buffer[me]!SENT, 0, counts_sent, false;
	buffer[me]!MESSAGE, to, mine, false
#endif
#endif
}

inline takes() {
#ifdef TAKEN
	counts_freed++
#else
	skip
#endif
}

inline frees() {
#if !defined(TAKEN) && !defined(QUEUED)
	counts_freed++
#else
	skip
#endif
#ifdef FREED
	;
	buffer[me]!IDLE, idle_at[me], counts_freed, false
#endif
}

inline shows() {
	atomic {
		nfull(buffer[me]) ->
		idle[me] = true;
#ifdef VOTES
		if
		:: vote[me] = true
		:: vote[me] = false
		fi;
		buffer[me]!IDLE, mine + 1, counts_freed, vote[me]
#else
		buffer[me]!IDLE, mine + 1, counts_freed, true
#endif
	}
}

inline reads_shown() {
	all_idle = all_idle && idle_at[rank] == mine + 1;
#ifdef VOTES
	all_for = all_for && shown_vote[rank];
#endif
	total = total + freed[rank]
}

#ifdef EPOCH
#define ALL_IDLE true
#else
#define ALL_IDLE all_idle
#endif

inline collects() {
#ifdef REVERSE
	do
	:: atomic { rank < N -> total = total - sent[rank]; rank++ }
	:: else -> break
	od;
	rank = 0;
#endif
	do
	:: atomic {
		rank < N ->
		reads_shown();
#ifdef ONCE
		total = total - sent[rank];
#endif
		rank++
	}
	:: else -> break
	od;
	rank = 0;
#if !defined(ONCE) && !defined(REVERSE)
	do
	:: atomic { rank < N && ALL_IDLE -> total = total - sent[rank]; rank++ }
	:: else -> break
	od;
	rank = 0;
#endif
	atomic {
		if
		:: ALL_IDLE && total == 0 ->
			/* others may have found it, too */
			if
			:: epoch == mine -> ends(); checks_votes(all_for)
			:: else
			fi;
			has_told = true;
			buffer[me]!OVER, 0, mine + 1, false
		:: else
		fi;
		all_idle = true;
		all_for = true;
		total = 0
	}
}

#ifdef NOFENCE
#define FENCE true
#else
#define FENCE empty(buffer[me])
#endif

inline adds() {
#ifdef PLAIN
	atomic { FENCE -> value = node[at] };
	atomic { node[at] = value + 1; is_full = IS_FULL(node[at]); value = 0 }
#else
	atomic {
		FENCE ->
		node[at]++;
		is_full = IS_FULL(node[at])
	}
#endif
}

inline records() {
	at = (me > 0 -> me - 1 : 0);
	do
	:: adds();
		if
		:: is_full && at < ROOT -> at++
		:: is_full && at == ROOT -> collects(); break
		:: !is_full -> break
#ifdef HASTY
		:: !is_full -> collects(); break
#endif
		fi
	od;
	atomic { at = 0; is_full = false }
}

inline says_idle() {
#if defined(EARLY)
	records();
	shows()
#elif defined(STAYS)
	shows();
	if
	:: !is_recorded -> is_recorded = true; records()
	:: else
	fi
#else
	shows();
	records()
#endif
}

inline withdraws() {
#ifdef STAYS
	skip
#else
	at = (me > 0 -> me - 1 : 0);
	do
	:: atomic { FENCE -> is_full = IS_FULL(node[at]); node[at]-- }
		if
		:: is_full && at < ROOT -> at++
		:: else -> break
		fi
	od;
	atomic { at = 0; is_full = false }
#endif
}

inline departs() {
	has_told = false;
	is_recorded = false
}

#include "messages.pml"

/* One step of what memory does by itself: the oldest store of @who becomes visible */
proctype memory(byte who) {
	mtype what;
	byte which = 0, value = 0;
	bool votes = false;

	do
	:: atomic {
		buffer[who]?what, which, value, votes ->
		if
		:: what == SENT -> sent[who] = value
		:: what == MESSAGE -> queue[which]!value
		:: what == OVER -> assert(value >= over); over = value
		:: what == IDLE ->
#if defined(VOTES) && defined(STICKY)
			votes = votes && (shown_vote[who] || idle_at[who] != which);
#endif
#ifdef VOTES
			shown_vote[who] = votes;
#endif
			idle_at[who] = which;
			freed[who] = value
		fi;
		what = 0;
		which = 0;
		value = 0;
		votes = false
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
