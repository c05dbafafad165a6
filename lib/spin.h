/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How long a member that waits keeps its CPU before it sleeps.
 *
 * A context has a policy. A fixed policy spins for a given time. The default one adapts: a word
 * for each group holds what earlier waits have shown, and a wait stays awake for as long as was
 * worth it lately. This is two-phase waiting (spin for about as long as blocking costs, then
 * block), where the library learns the length of the first phase:
 *
 *  - A wait that ends while its member is awake keeps that length, or raises it to four times its
 *    own. A wait that ends asleep halves it. So a member that is late again and again soon costs
 *    the others nothing.
 *  - A member that is awake lets others run from time to time, for the members that it waits
 *    for may have no other CPU. If this takes as long as the scheduler leaves a CPU to a program
 *    that only computes, such a program runs here, and the group does not do it again for many
 *    barriers.
 *  - Where members outnumber the CPUs, each barrier takes some switches from one to another, and
 *    each switch takes longer than the barrier itself. A member that others of its CPU may have to
 *    run for yields at once. But if so few are missing that they may all run now on other CPUs,
 *    it looks for about as long as a switch takes. So the last ones meet, and go on together.
 *  - A member that waits long for once, after thousands of short waits, stays awake for some ms,
 *    if nobody else wants its CPU: another program may have the CPU of the missing member for so
 *    long.
 *  - Members that all sleep at each barrier cannot see that they need not. So from time to time
 *    they all, at the same barrier, stay awake for twice as long as a sleep takes.
 *
 * The word is a hint: an update may be lost, and a wrong one makes waits slow, but not wrong.
 */
#ifndef HBS_SPIN_H
#define HBS_SPIN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "ticks.h"

/* Returned inside the library only: a barrier is not over */
#define HBSI_PENDING 1

/**
 * struct spin_policy - how members of a context wait
 * @time: how long a fixed policy spins, in ticks; 0: sleep at once
 * @watch_after: how long to spin by pause before the CPU monitors, in ticks; UINT64_MAX: it
 *   never monitors
 * @ticks_per_4096_ns: the speed of the clock
 * @ns_per_4096_ticks: the same, the other way round
 * @long_wait: a wait of so many ticks is long: see waits.h
 * @crowded: ticks that a yield takes if others run in it
 * @cpus: how many CPUs the opener may run on
 * @adapts: the policy is not a fixed one
 * @never_sleeps: HBS_WAIT_ACTIVE
 */
struct spin_policy {
	uint64_t time;
	uint64_t watch_after;
	uint64_t ticks_per_4096_ns;
	uint64_t ns_per_4096_ticks;
	uint64_t long_wait;
	uint64_t crowded;
	uint32_t cpus;
	bool adapts;
	bool never_sleeps;
};

/* What the waits of a group have shown; 0 if there were none */
typedef _Atomic uint32_t spin_learnt;

/**
 * struct spin - one wait
 * @policy: of the context
 * @learnt: of the group; NULL if the policy is a fixed one
 * @known: the value of @learnt when the wait began
 * @epoch: of the barrier
 * @start: when the member began to stay awake, in ticks
 * @limit: how long it stays awake, in ticks
 * @waited: how long it stayed awake, in ticks, once it does so no more
 * @most: how long it may stay awake before its deadline
 * @pause: how long it stays awake before it lets others run, in ticks; UINT64_MAX: it never
 *   does
 * @probes: it stays awake longer than is known to be of use
 * @borrows: it stays awake for once, for longer than it has been worth lately
 * @crowded: others ran on this CPU when the member let them
 * @settled: a wait that is over within @pause shows nothing new
 * @outnumber: the members outnumber the CPUs
 * @looks_first: it yields first, but for a moment in which it looks
 */
struct spin {
	const struct spin_policy *policy;
	spin_learnt *learnt;
	uint32_t known;
	uint32_t epoch;
	uint64_t start;
	uint64_t limit;
	uint64_t waited;
	uint64_t most;
	uint64_t pause;
	bool probes;
	bool borrows;
	bool crowded;
	bool settled;
	bool outnumber;
	bool looks_first;
};

/* The policy for @spin_ns, or if that is 0 for @wait_policy (enum hbs_wait_policy) */
void hbsi_spin_policy(struct spin_policy *policy, uint64_t spin_ns, uint32_t wait_policy,
		      uint32_t cpus);

/* A wait of one of @members at the barrier @epoch, whose low bits are the same for all of them */
void hbsi_spin_begin(struct spin *spin, const struct spin_policy *policy, spin_learnt *learnt,
		     uint32_t members, uint32_t epoch);

/* Stay awake until @deadline at the most; DEADLINE_NEVER changes nothing. */
void hbsi_spin_until(struct spin *spin, uint64_t deadline);

/*
 * After hbsi_spin_begin(): no more than @missing members have not arrived. If they may all run
 * now, each on a CPU of its own, look for a moment before others get this one.
 */
void hbsi_spin_look_first(struct spin *spin, uint32_t missing);

/* The wait has ended, @time ticks after its start, and its member was awake. */
void hbsi_spin_succeeded(struct spin *spin, uint64_t time, bool by_yield);

/* The wait has ended, and its member had slept. */
void hbsi_spin_slept(struct spin *spin);

/* Let others run. Returns how many ticks the member spins next; may end the stay. */
uint64_t hbsi_spin_yield(struct spin *spin);

/* Whether the member may stay awake beyond @limit for once; if so, raises @limit. */
bool hbsi_spin_borrow(struct spin *spin);

/* Let others run, for a member that never sleeps, between two stays. */
void hbsi_spin_let_others_run(void);

/* Ticks as ns */
static inline uint64_t spin_ns(const struct spin_policy *policy, uint64_t ticks)
{
	return ticks * policy->ns_per_4096_ticks / 4096;
}

/**
 * spin_stay() - the part of a wait in which its member is awake
 * @spin: the wait
 * @look: looks once, and returns the result, which is above 0 as long as the barrier is
 *   not over
 * @watch: looks for so many ticks, while the CPU monitors the memory
 * @arg: their argument
 *
 * Both are inlined: this loop decides how soon a member sees that a barrier is over.
 *
 * Return: what the last look has returned; HBSI_PENDING if there was none
 */
static inline __attribute__((always_inline)) int
spin_stay(struct spin *spin, int (*look)(void *), int (*watch)(void *, uint64_t), void *arg)
{
	const uint64_t start = ticks_now();
	uint64_t pause = spin->pause;
	uint64_t time = 0;
	int ret = HBSI_PENDING;

	spin->start = start;
	while (time < spin->limit) {
		if (pause > spin->limit)
			pause = spin->limit;
		while (time < pause) {
			bool watches = time >= spin->policy->watch_after;

			if (watches) {
				ret = watch(arg, pause - time);
			} else {
				ticks_pause();
				ret = look(arg);
			}
			if (ret <= 0) {
				spin->waited = watches ? ticks_now() - start : time;
				if (!spin->settled || time > spin->pause)
					hbsi_spin_succeeded(spin, time, false);
				return ret;
			}
			time = ticks_now() - start;
		}
		if (time >= spin->limit && !hbsi_spin_borrow(spin))
			break;
		pause = hbsi_spin_yield(spin);
		ret = look(arg);
		time = ticks_now() - start;
		pause += time;
		if (ret <= 0) {
			hbsi_spin_succeeded(spin, time, true);
			break;
		}
	}
	spin->waited = time;
	return ret;
}

#endif /* HBS_SPIN_H */
