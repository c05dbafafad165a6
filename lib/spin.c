// SPDX-License-Identifier: LGPL-2.1-or-later
#define _GNU_SOURCE
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "deadline.h"
#include "internal.h"
#include "monitor.h"
#include "spin.h"
#include "waits.h"

/* For HBS_WAIT_ACTIVE, the time between two moments at which others may run */
#define ACTIVE_NS 1000000

/* How long a member under a real-time policy sleeps then: a yield lets only its equals run */
#define ACTIVE_NAP_NS 50000

/* A CPU that monitors a line takes up to about a microsecond to go on, a small part of this time */
#define WATCH_AFTER_NS 20000

/*
 * The word of what is learnt, from bit 0 on. A number of barriers is stored as its binary
 * logarithm. What happens once in so many barriers happens at the multiples of that number,
 * so that all members do it at the same barrier.
 */
#define AWAKE_BITS   10 /* how long a wait stays awake, in units */
#define PROBE_BITS   4	/* barriers between two probes */
#define YIELD_BITS   5	/* barriers between two at which members yield; 0: they yield at each */
#define ASLEEP_BITS  5	/* how long a wait that slept has taken, logarithm of units */
#define LOAN_BITS    7	/* the barrier at which a wait last got a loan, of 4096 each */
#define PROBE_SHIFT  AWAKE_BITS
#define YIELD_SHIFT  (PROBE_SHIFT + PROBE_BITS)
#define ASLEEP_SHIFT (YIELD_SHIFT + YIELD_BITS)
#define LOAN_SHIFT   (ASLEEP_SHIFT + ASLEEP_BITS)
#define YIELDS_FIRST (1u << (LOAN_SHIFT + LOAN_BITS)) /* without a pause before */

#define UNIT_NS 512

/*
 * To sleep and to be woken takes about as long as AWAKE_AT_FIRST where the CPU has nothing else
 * to do. Beyond AWAKE_MOST the CPU's time is worth more than what a sleep costs.
 */
#define AWAKE_AT_FIRST (50000 / UNIT_NS)
#define AWAKE_MOST     (500000 / UNIT_NS)

/* A wait probes if it would stay awake for less than PROBE_BELOW; for PROBE_MOST at the most */
#define PROBE_BELOW (4000 / UNIT_NS)
#define PROBE_MOST  (130000 / UNIT_NS)
#define PROBE_FIRST 4
#define PROBE_LAST  10

/* How long members pause before the first yield, and between yields while nobody else runs here */
#define PAUSE_NS 2000

/* About as long as a switch to another member takes, which it may save */
#define LOOK_FIRST_NS 1000

/* No member takes that long, unless it has so much to do that a sleep costs little beside it */
#define YIELD_HARM_NS 300000

/*
 * If waits have been short for many barriers and one is long, mostly another program has taken
 * the CPU of a member. That member will be back in some ms, and then goes on with the one that
 * waits, if that one is still awake: if it had slept, both might find themselves on one CPU. So
 * the waiting member may stay awake for as long as so many barriers take at the least, if nobody
 * else wants its CPU. A new group has a loan to begin with: its threads may just have been started,
 * each on a CPU of its own.
 */
#define LOAN_BARRIERS 12 /* logarithm of barriers for a unit of a loan */
#define LOAN_UNIT_NS  1000000
#define LOAN_MOST     8
#define LOAN_AT_FIRST 4

/*
 * A yield may take that long just once. So members yield again after a few barriers, and less and
 * less often if it takes so long again. In the end, with barriers of 3 us, such yields cost 2%
 * of the time.
 */
#define YIELD_FIRST    6
#define YIELD_SELDOMER 4
#define YIELD_LAST     16

/*
 * A yield is a system call that takes about four times as long as the shortest one; if
 * another thread runs meanwhile, it takes about twenty times as long.
 */
#define CROWDED_CALLS 8
#define TRIES	      16

static uint64_t ticks_of(const struct spin_policy *policy, uint64_t ns)
{
	return ns * policy->ticks_per_4096_ns / 4096;
}

static uint64_t units_of(const struct spin_policy *policy, uint64_t ticks)
{
	return ticks * (4096 / UNIT_NS) / policy->ticks_per_4096_ns;
}

static uint32_t field(uint32_t known, int shift, int bits)
{
	return known >> shift & ((1u << bits) - 1);
}

static uint32_t with(uint32_t known, int shift, int bits, uint32_t value)
{
	return (known & ~(((1u << bits) - 1) << shift)) | value << shift;
}

static uint32_t awake_of(uint32_t known)
{
	return field(known, 0, AWAKE_BITS);
}

static uint32_t probe_of(uint32_t known)
{
	return field(known, PROBE_SHIFT, PROBE_BITS);
}

static uint32_t yield_of(uint32_t known)
{
	return field(known, YIELD_SHIFT, YIELD_BITS);
}

/* The number of a barrier, in the form that is kept for a loan */
static uint32_t loan_at(uint32_t epoch)
{
	return epoch >> LOAN_BARRIERS & ((1u << LOAN_BITS) - 1);
}

static bool is_time(uint32_t epoch, uint32_t logarithm)
{
	return !(epoch & ((1u << logarithm) - 1));
}

static uint32_t logarithm_of(uint64_t number)
{
	return number ? 63 - (uint32_t)__builtin_clzll(number) : 0;
}

/* Ticks that the shortest system call takes */
static uint64_t least_call(void)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		uint64_t start = ticks_now();
		uint64_t time;

		syscall(SYS_getpid);
		time = ticks_now() - start;
		if (time < least)
			least = time;
	}
	return least;
}

void hbsi_spin_policy(struct spin_policy *policy, uint64_t spin_ns, uint32_t wait_policy,
		      uint32_t cpus)
{
	*policy = (struct spin_policy){
		.ticks_per_4096_ns = hbsi_ticks_from_ns(4096),
		.long_wait = hbsi_ticks_from_ns(1u << WAITS_SHIFT),
		.watch_after = UINT64_MAX,
		.cpus = cpus,
		.adapts = !spin_ns && wait_policy == HBS_WAIT_DEFAULT,
		.never_sleeps = !spin_ns && wait_policy == HBS_WAIT_ACTIVE,
	};
	policy->ns_per_4096_ticks = 4096 * 4096 / policy->ticks_per_4096_ns;
	if (policy->adapts)
		policy->crowded = CROWDED_CALLS * least_call();
	if (policy->never_sleeps)
		spin_ns = ACTIVE_NS;
	if (spin_ns && spin_ns != HBS_SPIN_NONE)
		policy->time = hbsi_ticks_from_ns(spin_ns);
	hbsi_monitor_find();
	if (hbsi_monitor != MONITOR_NONE && !policy->never_sleeps)
		policy->watch_after = hbsi_ticks_from_ns(WATCH_AFTER_NS);
}

/* What is known of a group in which nobody has waited before the barrier @epoch: never 0 */
static uint32_t unknown(const struct spin_policy *policy, uint32_t members, uint32_t epoch)
{
	uint32_t loan = loan_at(epoch) - LOAN_AT_FIRST;
	uint32_t known = with(AWAKE_AT_FIRST, PROBE_SHIFT, PROBE_BITS, PROBE_FIRST);

	known = with(known, LOAN_SHIFT, LOAN_BITS, loan & ((1u << LOAN_BITS) - 1));
	return members > policy->cpus ? known | YIELDS_FIRST : known;
}

static uint32_t known_of(const struct spin_policy *policy, spin_learnt *learnt, uint32_t members,
			 uint32_t epoch)
{
	uint32_t known = atomic_load_explicit(learnt, memory_order_relaxed);
	uint32_t nothing = 0;

	if (known)
		return known;
	known = unknown(policy, members, epoch);
	if (atomic_compare_exchange_strong_explicit(learnt, &nothing, known, memory_order_relaxed,
						    memory_order_relaxed))
		return known;
	return nothing;
}

/*
 * Members that outnumber the CPUs have to yield while they stay awake, or the others cannot run.
 * At barriers where they should not yield they sleep at once, and learn nothing from that.
 */
static void sleep_at_once(struct spin *spin)
{
	spin->limit = 0;
	spin->learnt = NULL;
}

void hbsi_spin_begin(struct spin *spin, const struct spin_policy *policy, spin_learnt *learnt,
		     uint32_t members, uint32_t epoch)
{
	uint32_t known, awake;

	*spin = (struct spin){
		.policy = policy,
		.limit = policy->time,
		.most = UINT64_MAX,
		.pause = UINT64_MAX,
		.settled = true,
		.outnumber = members > policy->cpus,
	};
	if (!policy->adapts)
		return;
	spin->learnt = learnt;
	known = known_of(policy, learnt, members, epoch);
	spin->known = known;
	spin->epoch = epoch;
	awake = awake_of(known);
	if (awake < PROBE_BELOW && is_time(epoch, probe_of(known))) {
		uint32_t twice = 2u << field(known, ASLEEP_SHIFT, ASLEEP_BITS);

		spin->probes = true;
		if (awake < twice)
			awake = twice < PROBE_MOST ? twice : PROBE_MOST;
	}
	spin->limit = ticks_of(policy, (uint64_t)awake * UNIT_NS);
	if (is_time(epoch, yield_of(known)))
		spin->pause = known & YIELDS_FIRST ? 0 : ticks_of(policy, PAUSE_NS);
	else if (spin->outnumber)
		sleep_at_once(spin);
	spin->settled = awake >= AWAKE_AT_FIRST && probe_of(known) == PROBE_FIRST &&
			!(known & YIELDS_FIRST);
}

void hbsi_spin_until(struct spin *spin, uint64_t deadline)
{
	if (!spin->limit || deadline == DEADLINE_NEVER)
		return;
	spin->most = hbsi_ticks_from_ns(deadline_left(deadline));
	if (spin->limit > spin->most)
		spin->limit = spin->most;
}

void hbsi_spin_look_first(struct spin *spin, uint32_t missing)
{
	if (spin->pause || !spin->outnumber || missing >= spin->policy->cpus)
		return;
	spin->pause = ticks_of(spin->policy, LOOK_FIRST_NS);
	spin->looks_first = true;
}

/* If others have learnt something meanwhile, that is as good */
static void learn(struct spin *spin, uint32_t known)
{
	uint32_t old = spin->known;

	if (known != old)
		atomic_compare_exchange_strong_explicit(spin->learnt, &old, known,
							memory_order_relaxed, memory_order_relaxed);
	spin->known = known;
}

void hbsi_spin_succeeded(struct spin *spin, uint64_t time, bool by_yield)
{
	uint32_t known = spin->known;
	uint32_t awake = awake_of(known);
	uint64_t units;

	if (!spin->learnt)
		return;
	units = 4 * units_of(spin->policy, time);
	/* a loan is for once */
	if (units > awake && !spin->borrows)
		awake = units < AWAKE_MOST ? (uint32_t)units : AWAKE_MOST;
	else if (awake < AWAKE_AT_FIRST)
		awake += awake / 8 + 1;
	known = with(known, 0, AWAKE_BITS, awake);
	known = with(known, PROBE_SHIFT, PROBE_BITS, PROBE_FIRST);
	if (!spin->looks_first)
		known &= ~YIELDS_FIRST;
	if (by_yield && spin->crowded)
		known |= YIELDS_FIRST;
	if (by_yield && yield_of(known))
		known = with(known, YIELD_SHIFT, YIELD_BITS, yield_of(known) - 1);
	learn(spin, known);
}

void hbsi_spin_slept(struct spin *spin)
{
	uint32_t known = spin->known;
	uint32_t awake = awake_of(known);
	uint32_t probe = probe_of(known);
	bool alone = spin->pause != UINT64_MAX && !spin->crowded;
	uint64_t units;

	if (!spin->learnt)
		return;
	units = units_of(spin->policy, ticks_now() - spin->start);
	/* only for once, since perhaps the others could go on only because this one slept */
	if (alone && probe == PROBE_FIRST && units > awake && 2 * units <= AWAKE_MOST)
		awake = (uint32_t)(2 * units);
	else
		awake /= 2;
	known = with(known, 0, AWAKE_BITS, awake);
	if (probe < PROBE_LAST)
		known = with(known, PROBE_SHIFT, PROBE_BITS, probe + 1);
	known = with(known, ASLEEP_SHIFT, ASLEEP_BITS, logarithm_of(units | 1) & 31);
	learn(spin, known);
}

bool hbsi_spin_borrow(struct spin *spin)
{
	uint32_t now = loan_at(spin->epoch);
	uint32_t known = spin->known;
	uint32_t units = (now - field(known, LOAN_SHIFT, LOAN_BITS)) & ((1u << LOAN_BITS) - 1);

	if (!spin->learnt || !units || spin->crowded || spin->pause == UINT64_MAX)
		return false;
	learn(spin, with(known, LOAN_SHIFT, LOAN_BITS, now));
	if (units > LOAN_MOST)
		units = LOAN_MOST;
	spin->borrows = true;
	spin->limit = ticks_of(spin->policy, units * (uint64_t)LOAN_UNIT_NS);
	if (spin->limit > spin->most)
		spin->limit = spin->most;
	return true;
}

static uint32_t yield_seldomer(uint32_t known)
{
	uint32_t yield = yield_of(known) + YIELD_SELDOMER;

	if (yield < YIELD_FIRST)
		yield = YIELD_FIRST;
	if (yield > YIELD_LAST)
		yield = YIELD_LAST;
	return with(known, YIELD_SHIFT, YIELD_BITS, yield);
}

/*
 * While a member was off its CPU for long, it did not wait for the others. Most likely they
 * were off theirs, if another program with as many threads runs here, and they come back at
 * the same time. A member that slept now might wake on the CPU of the one that wakes it, and
 * stay there. Returns how long it spins before it does sleep.
 */
static uint64_t stay_once_more(struct spin *spin)
{
	uint64_t more = ticks_of(spin->policy, AWAKE_AT_FIRST * UNIT_NS);

	spin->limit = ticks_now() - spin->start + more;
	if (spin->limit > spin->most)
		spin->limit = spin->most;
	return more;
}

uint64_t hbsi_spin_yield(struct spin *spin)
{
	uint64_t start = ticks_now();
	uint64_t time;

	sched_yield();
	time = ticks_now() - start;
	if (time > ticks_of(spin->policy, YIELD_HARM_NS)) {
		learn(spin, yield_seldomer(spin->known));
		spin->crowded = true;
		return stay_once_more(spin);
	}
	if (time > spin->policy->crowded) {
		if (spin->borrows)
			spin->limit = 0;
		spin->crowded = true;
		return 0;
	}
	return ticks_of(spin->policy, PAUSE_NS);
}

void hbsi_spin_let_others_run(void)
{
	const struct timespec nap = { .tv_nsec = ACTIVE_NAP_NS };
	int policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;

	if (policy == SCHED_OTHER || policy == SCHED_BATCH || policy == SCHED_IDLE)
		sched_yield();
	else
		nanosleep(&nap, NULL);
}
