/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the models of termination detection share: N members that send each other K messages in
 * all, in E epochs. A member works: it sends, takes and frees messages. Then it is idle, and
 * waits, until the epoch is over or it withdraws: it has a message to take, or one to free. It may
 * be idle while it holds a message that it has taken and not freed.
 *
 * A model defines what a member does then: says_idle(), withdraws(), sends(), takes() and frees();
 * when it CAN_SEND, and what tells it that its epoch IS_OVER. It calls ends() where it finds that an
 * epoch is over, whatever members know of that by then.
 *
 * A message carries its sender's epoch. A member that waits at an epoch and finds a message of that
 * epoch withdraws, for the epoch cannot end; one of the next epoch shows that this one has
 * ended, and stays where it is. So the members of an epoch that is over may send at once.
 *
 * The promises, each of which is an assertion: when an epoch ends, all its messages have been freed
 * (unfreed), and no member works (idle); a member takes no message of another epoch (stamp); and
 * the result of the votes is that of the last vote of each (result). The formula all_leave says
 * that each epoch ends and all leave it. It needs no fairness: nothing here can go on for ever.
 *
 * Errors to plant: STAMP, a member looks at no stamp; WHIM, a member that has no message to take
 * or free may withdraw, once. In a model that CAN_REFUSE a withdraw, because the epoch is over, WHIM
 * is no error: such a model makes idle false itself, in the step in which a member withdraws.
 */
chan queue[N] = [K] of { byte }; /* the stamps of the messages to each member */
byte budget = K;		 /* messages that nobody has sent yet */
byte done;

/* What nobody but the promises looks at: */
byte epoch;	   /* the one that has not ended */
byte unfreed[E];   /* messages of each epoch */
bool idle[N];	   /* in the member's own eyes */
#ifdef VOTES
bool vote[N];	   /* the last one of each */
#endif
#ifdef WHIM
bool had_whim;
#endif

inline ends() {
	assert(unfreed[epoch] == 0);
	rank = 0;
	do
	:: rank < N -> assert(idle[rank]); rank++
	:: else -> break
	od;
	rank = 0;
	epoch++
}

inline checks_votes(result) {
#ifdef VOTES
	do
	:: rank < N -> all_true = all_true && vote[rank]; rank++
	:: else -> break
	od;
	rank = 0;
	assert(result == all_true);
	all_true = true
#else
	skip
#endif
}

#ifdef STAMP
#define HAS_MESSAGE nempty(queue[me])
#else
#define HAS_MESSAGE queue[me]?[eval(mine)]
#endif

inline send() {
	budget--;
	if
	:: me != 0 -> to = 0
	:: me != 1 -> to = 1
#if N > 2
	:: me != 2 -> to = 2
#endif
#if N > 3
	:: me != 3 -> to = 3
#endif
	fi;
	unfreed[mine]++;
	sends();
	to = 0
}

inline take() {
	queue[me]?stamp;
	assert(stamp == mine);
	stamp = 0;
	holds = true;
	takes()
}

inline free() {
	holds = false;
	unfreed[mine]--;
	frees()
}

proctype member(byte me) {
	byte mine = 0; /* its epoch */
	byte to = 0, stamp = 0;
	bool holds = false;
#ifdef LOCALS
	LOCALS
#endif

	do
	:: mine < E ->
works:
		do
		:: atomic { budget > 0 && CAN_SEND -> send() }
		:: atomic { nempty(queue[me]) && !holds -> take() }
		:: atomic { holds -> free() }
		:: break
		od;
		says_idle();
waits:
		if
		:: atomic {
			IS_OVER ->
			idle[me] = false;
			mine++;
			departs()
		}
		:: atomic {
			HAS_MESSAGE || holds ->
			idle[me] = false
		}
			withdraws();
			atomic {
				if
				:: holds -> free()
				:: else -> take()
				fi
			}
			goto works
#ifdef WHIM
		:: atomic {
			!(IS_OVER) && !had_whim ->
			had_whim = true;
#ifndef CAN_REFUSE
			idle[me] = false
#endif
		}
			withdraws();
			if
			:: idle[me] -> goto waits
			:: else -> goto works
			fi
#endif
		fi
	:: else -> break
	od;
	done++
}

ltl all_leave { <> (done == N) }
