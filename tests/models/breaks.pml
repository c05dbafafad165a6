/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A group with a fixed algorithm breaks while its members arrive: arrive_fixed() and
 * depart_fixed() of lib/software/barrier.c against recount_fixed() of recount.c. There are N
 * members and a breaker; each member notes its arrival in its seat and raises a flag, by plain
 * stores, and passes the barrier when it has seen all flags up and the state not frozen.
 *
 * Memory is that of x86: what a member stores is in its store buffer first, in order. With WEAK,
 * a store reaches each other CPU on its own, in the order of its writer's stores, so that one CPU
 * may see it long before another: weaker than arm64 and riscv, as on POWER. A fence of a CPU then
 * takes along what that CPU has seen. All see the breaker's swap of the state at once, except
 * with WEAK.
 *
 * membarrier() makes all CPUs pass a fence, in any order; or, with DRAIN, so much time goes by
 * that all earlier stores have become visible.
 *
 * The promise: no member passes a barrier that the seats say is broken.
 *
 * Errors to plant: NOFENCE, the breaker reads the seats at once; REORDER, a member looks at the
 * state before the flags.
 */
#define BREAKER N
#define CPUS (N + 1)

/* For each member: 1, its seat; 2, its flag as well */
byte issued[N];
byte reached[N * CPUS]; /* how much of that another CPU sees */
bool frozen[CPUS];	/* whether that CPU sees it */
byte stored[N];
byte verdict; /* under the lock: 1, it is over for all; 2, broken */
bool through[N];
byte done;

#define REACHED(member, cpu) reached[(member) * CPUS + (cpu)]

/* One step of what memory does by itself: a store of @who gets on, to @reader or to all */
proctype memory(byte who; byte reader) {
	byte cpu = 0;

	do
	:: d_step {
		REACHED(who, reader) < issued[who] ->
#ifdef WEAK
		REACHED(who, reader)++
#else
		do
		:: cpu < CPUS -> REACHED(who, cpu)++; cpu++
		:: else -> break
		od;
		cpu = 0
#endif
	}
#ifdef WEAK
	/* and the state of the breaker */
	:: d_step { frozen[BREAKER] && !frozen[reader] -> frozen[reader] = true }
#endif
	:: done > N -> break
	od
}

/* All see what @who has stored, and with WEAK also what it has seen */
inline fence(who) {
	d_step {
		i = 0;
		do
		:: i < N ->
#ifdef WEAK
			seen = (i == who -> issued[i] : REACHED(i, who));
#else
			seen = (i == who -> issued[i] : 0);
#endif
			j = 0;
			do
			:: j < CPUS ->
				if
				:: REACHED(i, j) < seen -> REACHED(i, j) = seen
				:: else
				fi;
				j++
			:: else -> break
			od;
			i++
		:: else -> break
		od;
		if
		:: frozen[who] ->
			j = 0;
			do
			:: j < CPUS -> frozen[j] = true; j++
			:: else -> break
			od
		:: else
		fi;
		i = 0; j = 0; seen = 0
	}
}

#define UP(other) (me == (other) || REACHED(other, me) == 2)
#if N == 2
#define ALL_UP (UP(0) && UP(1))
#else
#define ALL_UP (UP(0) && UP(1) && UP(2))
#endif

proctype member(byte me) {
	bool stop = false;

	/* a group that is broken is not arrived at */
	if
	:: verdict != 0 -> goto out
	:: true
	fi;
	issued[me] = 1;
	issued[me] = 2;
#ifdef REORDER
	stop = frozen[me];
#endif
	if
#ifdef REORDER
	:: ALL_UP
#else
	:: ALL_UP -> stop = frozen[me]
#endif
	/* it looks again and again, and may find the group broken first */
	:: frozen[me] && verdict != 0 -> stop = true
	fi;
	if
	:: !stop -> through[me] = true
	:: stop && verdict != 0 -> through[me] = (verdict == 1)
	fi;
out:
	done++
}

proctype breaker() {
	byte i = 0, j = 0, seen = 0, order = 0;
	bool all = true;

	/* its swap of the state */
#ifdef WEAK
	frozen[BREAKER] = true;
#else
	d_step {
		do
		:: i < CPUS -> frozen[i] = true; i++
		:: else -> break
		od;
		i = 0
	}
#endif
#if defined(NOFENCE)
#elif defined(DRAIN)
	/* asleep: the kernel has passed a fence, and all that is stored by now arrives */
	atomic {
		fence(BREAKER);
		do
		:: i < N -> stored[i] = issued[i]; i++
		:: else -> break
		od;
		i = 0
	}
	do
	:: i < N ->
		atomic { REACHED(i, BREAKER) >= stored[i] -> i++ }
	:: else -> break
	od;
	i = 0;
#else
	fence(BREAKER);
	/* by interrupts, in any order: order has a bit for each CPU */
	do
	:: order < (1 << N) - 1 ->
		atomic {
			if
			:: !(order & 1) -> order = order | 1; fence(0)
			:: !(order & 2) -> order = order | 2; fence(1)
#if N > 2
			:: !(order & 4) -> order = order | 4; fence(2)
#endif
			fi
		}
	:: else -> break
	od;
#endif
	do
	:: i < N -> all = all && REACHED(i, BREAKER) >= 1; i++
	:: else -> break
	od;
	verdict = (all -> 1 : 2);
	done++
}

init {
	byte rank = 0, cpu = 0;

	atomic {
		do
		:: rank < N ->
			run member(rank);
#ifdef WEAK
			cpu = 0;
			do
			:: cpu < CPUS ->
				if :: cpu != rank -> run memory(rank, cpu) :: else fi;
				cpu++
			:: else -> break
			od;
#else
			run memory(rank, BREAKER);
#endif
			rank++
		:: else -> break
		od;
		run breaker()
	}
	done == N + 1;
	rank = 0;
	do
	:: rank < N -> assert(!through[rank] || verdict == 1); rank++
	:: else -> break
	od;
	done++
}

ltl all_leave { <> (done == N + 2) }
