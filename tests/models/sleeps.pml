/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A member falls asleep while another does what the first one waits for: hbsi_soft_sleep() and
 * hbsi_soft_lie_down() of lib/software/bell.c against soft_ring_sleepers(), and the gate of
 * lib/completion.c. The sleeper counts itself, by a swap; looks once more; and sleeps, unless the
 * word that it sleeps on has changed. The other member stores, looks at the count, and if
 * somebody sleeps, changes that word and wakes the sleeper. Memory is that of x86: a store is in
 * its writer's store buffer first, and a swap is a fence.
 *
 * By default the store is plain, as an arrival of a fixed algorithm is, and the sleeper makes all
 * others pass a fence. DEAF: the others do not, and the sleeper, which is still counted, looks
 * again once stores have had time to become visible. SWAP: the store is a swap, as the arrivals of full algorithms. GATE: it is
 * a store with a fence after it, and the word that the sleeper sleeps on.
 *
 * The promise: the sleeper wakes. The formula says this.
 *
 * Errors to plant: NOFENCE, the fence is not there: that of the sleeper, that of the swap,
 * or that after the store; LOOK, the sleeper does not look again once it is counted; COUNT,
 * it looks before it is counted; ONCE, who is DEAF does not look again.
 */
bool stored, visible; /* what the sleeper waits for */
byte sleepers, bell;
bool asleep;
byte done;

#define DRAIN visible = stored

proctype memory() {
	do
	:: d_step { stored && !visible -> DRAIN }
	:: done == 2 -> break
	od
}

proctype waker() {
	byte seen;

#ifdef SWAP
#ifdef NOFENCE
	stored = true;
#else
	d_step { stored = true; DRAIN }
#endif
#else
	stored = true;
#endif
#if defined(GATE) && !defined(NOFENCE)
	DRAIN;
#endif
	seen = sleepers;
	if
	:: seen ->
		/* each is a fence: a change of the word, and a system call */
		d_step { bell++; DRAIN };
		asleep = false
	:: else
	fi;
	done++
}

proctype sleeper() {
	byte before;
	bool is_over;

#ifdef COUNT
	is_over = visible;
#endif
	sleepers++;
#if !defined(SWAP) && !defined(GATE) && !defined(DEAF) && !defined(NOFENCE)
	/* membarrier() */
	DRAIN;
#endif
	before = bell;
#if !defined(LOOK) && !defined(COUNT)
	is_over = visible;
#endif
	if
	:: is_over
	:: else ->
#ifdef GATE
		/* the kernel compares the gate itself */
		d_step { asleep = !visible };
#else
		d_step { asleep = (bell == before) };
#endif
#if defined(DEAF) && !defined(ONCE)
		if
		:: !asleep
		:: visible == stored ->
			is_over = visible;
			d_step { asleep = !is_over && bell == before }
		fi;
#endif
		!asleep
	fi;
	sleepers--;
	done++
}

init {
	atomic { run memory(); run waker(); run sleeper() }
}

ltl all_leave { <> (done == 2) }
