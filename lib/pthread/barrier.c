// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * pthread_barrier_* by a central counter with anonymous arrivals: one word that counts,
 * completes, and is waited for (survey, "central counter"). A private barrier's word is in
 * a cell that the library keeps, a process-shared one's in the pthread_barrier_t.
 *
 * The check binds a private barrier to its address and to a secret of the process. So the
 * library finds out that memory was never initialised, or was copied or destroyed, before
 * it follows anything in it. A process-shared one can be mapped anywhere: its check binds
 * only the number of members.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "../checker.h"
#include "../fork_lock.h"
#include "../futex.h"
#include "../internal.h"
#include "../monitor.h"
#include "../say.h"
#include "../ticks.h"
#include "drop_in.h"
#include "tokens.h"

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define EXPORT	    __attribute__((visibility("default")))

#define ONE	    ((uint64_t)1 << 32)
#define SLEEPER	    ((uint64_t)1 << 63)
#define MEMBERS_MAX INT32_MAX
#define YIELDS	    4
#define STAT_YIELDS 100

/* A private barrier has the cell, a process-shared one all the rest */
struct barrier {
	_Atomic uint64_t word;
	_Atomic uint32_t left; /* threads that ever left: destroy waits for epoch * members */
	uint32_t members;
	union {
		struct cell *cell;
		spin_learnt learnt;
	};
	uint64_t check; /* 0 once destroyed */
};

_Static_assert(sizeof(struct barrier) <= sizeof(pthread_barrier_t), "it has no room");

static pthread_once_t once = PTHREAD_ONCE_INIT;
static uint64_t secret;
static struct spin_policy policy;
static int refusal;	    /* of hbs_open() */
static bool groups;	    /* private barriers are groups of the library */
static bool more_than_wait; /* they are groups, or counted, or a checker is told */

/* A child has to look at this first, and finds 0 there */
enum { NOT_ADOPTED, ADOPTED, ADOPTED_AND_PLAIN };
static _Atomic int32_t *adopted; /* plain: a thread has nothing to do but wait */

/* A set but empty variable counts as not set */
static bool is_set(const char *name, const char *but)
{
	const char *value = secure_getenv(name);

	return value && *value && strcmp(value, but);
}

/* Barriers in place are central counters in software: groups do everything else */
static bool wants_groups(const struct hbs *hbs)
{
	return hbs_backend(hbs) == HBS_BACKEND_CARD || is_set("HBS_ALGORITHM", "central");
}

/* Where the kernel has no memory that is empty in a child */
static void in_child(void)
{
	atomic_store(adopted, NOT_ADOPTED);
}

static void set_up(void)
{
	/* do not take a card that nobody has asked for */
	bool any = is_set("HBS_BACKEND", "software") || is_set("HBS_DEVICE", "");
	const struct hbs_attr attr = { .backend = any ? HBS_BACKEND_ANY : HBS_BACKEND_SOFTWARE };
	struct hbs *hbs;

	if (getrandom(&secret, sizeof(secret), GRND_NONBLOCK) != sizeof(secret))
		secret = hbsi_clock_ns() ^ (uintptr_t)&secret;
	hbsi_stats_open();
	adopted = hbsi_fork_word();
	pthread_atfork(NULL, NULL, in_child);
	refusal = hbs_open(&hbs, &attr);
	if (refusal) {
		hbsi_say("libhbs-pthread: no barrier can be made: %s", hbs_strerror(refusal));
		return;
	}
	policy = hbs->spin;
	groups = wants_groups(hbs);
	if (groups)
		hbsi_tokens_open(hbs);
	else
		hbs_close(hbs);
	more_than_wait = groups || hbsi_stats_on || hbsi_checked;
}

static void set_up_once(void)
{
	set_up();
	checker_release(&once);
}

static inline uint64_t private_check(const struct barrier *barrier)
{
	uint64_t value = (uintptr_t)barrier ^ secret;

	value = (value ^ (uintptr_t)barrier->cell) * 0x9e3779b97f4a7c15u;
	return (value ^ (value >> 29) ^ barrier->members) | 1;
}

/* Odd, as a check of a private one is: where others have a cell, it has what threads store to */
static inline bool is_private(const struct barrier *barrier)
{
	return likely(barrier->check & 1) && barrier->check == private_check(barrier);
}

/* even, so never the check of a private barrier */
static inline uint64_t shared_check(const struct barrier *barrier)
{
	return (barrier->members ^ 0x6862732d70746872u) * 0xd1342543de82ef95u << 1;
}

static inline bool is_over(uint64_t word, uint32_t epoch)
{
	return (uint32_t)word != epoch;
}

static inline uint32_t arrived(uint64_t word)
{
	return (uint32_t)((word & ~SLEEPER) >> 32);
}

/*
 * What a thread's next arrival may find: the word by which it departed. A right guess saves
 * a load, which would fetch the line for reading before the arrival fetches it for writing;
 * a wrong guess fetches it for writing too. In a chain of barriers, the last to arrive is
 * often the first at the next one, and a thread that departs by such an arrival expects it.
 */
static _Thread_local __attribute__((tls_model("initial-exec"))) uint64_t guess;

static inline bool departs(_Atomic uint64_t *word, uint32_t epoch)
{
	uint64_t seen = atomic_load_explicit(word, memory_order_acquire);

	if (!is_over(seen, epoch))
		return false;
	guess = seen;
	return true;
}

/* Set the bit that one sleeps, and sleep, unless the barrier is over */
static void sleep_once(_Atomic uint64_t *word, uint32_t epoch, int flags)
{
	uint64_t seen = atomic_load_explicit(word, memory_order_acquire);

	while (!is_over(seen, epoch)) {
		if ((seen & SLEEPER) || atomic_compare_exchange_weak(word, &seen, seen | SLEEPER)) {
			futex_wait(word, epoch, DEADLINE_NEVER, flags);
			return;
		}
	}
}

struct waiter {
	_Atomic uint64_t *word;
	uint32_t epoch;
};

static inline int look(void *arg)
{
	const struct waiter *waiter = arg;

	return departs(waiter->word, waiter->epoch) ? 0 : HBSI_PENDING;
}

static inline int watch(void *arg, uint64_t time)
{
	const struct waiter *waiter = arg;
	uint64_t start = ticks_now();

	do {
		hbsi_monitor_arm(waiter->word);
		if (departs(waiter->word, waiter->epoch))
			return 0;
		hbsi_monitor_wait(policy.watch_after);
	} while (ticks_now() - start < time);
	return HBSI_PENDING;
}

static __attribute__((noinline)) void wait_for_epoch(_Atomic uint64_t *word, uint32_t epoch,
						     uint32_t members, uint32_t missing,
						     spin_learnt *learnt, int flags)
{
	struct waiter waiter = { .word = word, .epoch = epoch };
	struct spin spin;

	for (;;) {
		hbsi_spin_begin(&spin, &policy, learnt, members, epoch);
		hbsi_spin_look_first(&spin, missing);
		if (!spin_stay(&spin, look, watch, &waiter))
			return;
		if (!policy.never_sleeps)
			break;
		hbsi_spin_let_others_run();
	}
	do
		sleep_once(word, epoch, flags);
	while (!departs(word, epoch));
	hbsi_spin_slept(&spin);
}

/* Returns the word before the arrival */
static inline uint64_t arrive(_Atomic uint64_t *word, uint32_t members)
{
	uint64_t seen = guess;
	uint64_t next;

	do {
		if (arrived(seen) + 1 >= members)
			next = (uint32_t)((uint32_t)seen + 1);
		else
			next = seen + ONE;
	} while (!atomic_compare_exchange_weak_explicit(word, &seen, next, memory_order_acq_rel,
							memory_order_acquire));
	guess = next;
	return seen;
}

static inline int wait_on(_Atomic uint64_t *word, uint32_t members, spin_learnt *learnt, int flags)
{
	uint64_t seen = arrive(word, members);
	uint32_t missing = members - arrived(seen) - 1;

	if (missing) {
		wait_for_epoch(word, (uint32_t)seen, members, missing, learnt, flags);
		return 0;
	}
	if (unlikely(seen & SLEEPER))
		futex_wake_all(word, flags);
	return PTHREAD_BARRIER_SERIAL_THREAD;
}

/* When the first arrived, in ns modulo 2^48, and above that the low bits of its epoch, and 1 more */
#define STAT_TIME (UINT64_MAX >> 16)

static uint64_t stat_of(uint64_t now, uint32_t epoch)
{
	return (uint64_t)(epoch + 1) << 48 | (now & STAT_TIME);
}

/*
 * The time from the first arrival to the last, which is @now; UINT64_MAX if it is not known. The
 * first may have stopped before it told its time, and if a barrier has more threads than members,
 * the next epochs may be over by then, and may have told theirs in this place.
 */
static uint64_t imbalance(_Atomic uint64_t *first, uint64_t now, uint32_t epoch)
{
	for (int i = 0; i < STAT_YIELDS; i++) {
		uint64_t told = atomic_load_explicit(first, memory_order_relaxed);
		uint64_t time = (now - told) & STAT_TIME;

		if (!((told ^ stat_of(0, epoch)) & ~STAT_TIME))
			return time <= STAT_TIME / 2 ? time : 0;
		sched_yield();
	}
	return UINT64_MAX;
}

/* With statistics: the first thread leaves its time where the last one finds it */
static int wait_counted(struct cell *cell, uint32_t members)
{
	uint64_t now = hbsi_clock_ns();
	uint64_t seen = arrive(&cell->word, members);
	uint32_t missing = members - arrived(seen) - 1;
	uint32_t epoch = (uint32_t)seen;
	_Atomic uint64_t *first = &cell->first[epoch % STAT_SLOTS];

	if (!arrived(seen))
		atomic_store_explicit(first, stat_of(now, epoch), memory_order_relaxed);
	if (missing) {
		wait_for_epoch(&cell->word, epoch, members, missing, &cell->learnt,
			       FUTEX_PRIVATE_FLAG);
		return 0;
	}
	if (seen & SLEEPER)
		futex_wake_all(&cell->word, FUTEX_PRIVATE_FLAG);
	hbsi_stats_count(members, imbalance(first, now, epoch));
	return PTHREAD_BARRIER_SERIAL_THREAD;
}

static inline void adopt(void)
{
	if (likely(atomic_load_explicit(adopted, memory_order_acquire) != NOT_ADOPTED))
		return;
	hbsi_cells_adopt();
	hbsi_tokens_adopt();
	atomic_store(adopted, more_than_wait ? ADOPTED : ADOPTED_AND_PLAIN);
}

static int wait_in_cell(struct cell *cell, uint32_t members)
{
	adopt();
	if (groups)
		return hbsi_tokens_wait(&cell->tokens);
	if (hbsi_stats_on)
		return wait_counted(cell, members);
	return wait_on(&cell->word, members, &cell->learnt, FUTEX_PRIVATE_FLAG);
}

static __attribute__((noinline)) int wait_otherwise(struct cell *cell, uint32_t members)
{
	int ret;

	checker_release(cell);
	ret = wait_in_cell(cell, members);
	checker_acquire(cell);
	return ret;
}

/* Keep everybody from using the cell; false if a thread waits, by the cell or its tokens */
static bool end_use(struct cell *cell)
{
	adopt();
	if (atomic_load(&cell->tokens))
		return hbsi_tokens_end(&cell->tokens);
	return !arrived(atomic_load(&cell->word));
}

static int init_private(struct barrier *barrier, struct cell *cell, uint32_t members)
{
	struct tokens *tokens = NULL;
	int ret;

	if (!cell)
		cell = hbsi_cell_take();
	if (!cell)
		return ENOMEM;
	ret = groups ? hbsi_tokens_new(members, &tokens) : 0;
	if (ret) {
		barrier->check = 0;
		hbsi_cell_give(cell);
		return ret == -ENOMEM ? ENOMEM : EAGAIN;
	}
	atomic_store(&cell->tokens, tokens);
	atomic_store(&cell->learnt, 0);
	barrier->cell = cell;
	barrier->members = members;
	barrier->check = private_check(barrier);
	return 0;
}

/*
 * Take the cell of a private barrier that was in this memory, for another use. If threads wait
 * in the cell, the program has given the memory away without ending the barrier, and they will
 * wait for ever: they keep the cell.
 */
static struct cell *old_cell(const struct barrier *barrier)
{
	if (!is_private(barrier) || !end_use(barrier->cell))
		return NULL;
	return barrier->cell;
}

static __attribute__((noinline)) int wait_shared(struct barrier *barrier)
{
	uint32_t members = barrier->members;
	int ret;

	if (barrier->check != shared_check(barrier))
		return EINVAL;
	/* a barrier that another program made */
	checker_once(&once, set_up_once);
	checker_release(barrier);
	ret = wait_on(&barrier->word, members, &barrier->learnt, 0);
	checker_acquire(barrier);
	/* this is the last access to the barrier, which may be gone after it */
	checker_release(&barrier->left);
	atomic_fetch_add_explicit(&barrier->left, 1, memory_order_release);
	if (unlikely(hbsi_stats_on) && ret)
		hbsi_stats_count(members, UINT64_MAX);
	return ret;
}

EXPORT int pthread_barrier_wait(pthread_barrier_t *memory)
{
	struct barrier *barrier = (struct barrier *)memory;

	if (unlikely(!is_private(barrier)))
		return wait_shared(barrier);
	if (unlikely(atomic_load_explicit(adopted, memory_order_relaxed) != ADOPTED_AND_PLAIN))
		return wait_otherwise(barrier->cell, barrier->members);
	return wait_on(&barrier->cell->word, barrier->members, &barrier->cell->learnt,
		       FUTEX_PRIVATE_FLAG);
}

EXPORT int pthread_barrier_init(pthread_barrier_t *restrict memory,
				const pthread_barrierattr_t *restrict attr, unsigned int count)
{
	struct barrier *barrier = (struct barrier *)memory;
	int shared = PTHREAD_PROCESS_PRIVATE;
	struct cell *cell;

	checker_once(&once, set_up_once);
	if (!count || count > MEMBERS_MAX)
		return EINVAL;
	if (attr && pthread_barrierattr_getpshared(attr, &shared))
		return EINVAL;
	if (refusal)
		return EAGAIN;
	/*
	 * the memory may hold anything, as where the threads of a process-shared barrier have
	 * died
	 */
	checker_defined(barrier, sizeof(*barrier));
	cell = old_cell(barrier);
	if (shared == PTHREAD_PROCESS_SHARED) {
		if (cell)
			hbsi_cell_give(cell);
		checker_ignore(barrier, sizeof(*barrier));
		atomic_store(&barrier->word, 0);
		atomic_store(&barrier->left, 0);
		atomic_store(&barrier->learnt, 0);
		barrier->members = count;
		barrier->check = shared_check(barrier);
		return 0;
	}
	return init_private(barrier, cell, count);
}

static int destroy_shared(struct barrier *barrier)
{
	const struct timespec pause = { .tv_nsec = 50000 };
	uint64_t word;

	if (barrier->check != shared_check(barrier))
		return EINVAL;
	word = atomic_load(&barrier->word);
	if (arrived(word))
		return EBUSY;
	for (int i = 0; atomic_load_explicit(&barrier->left, memory_order_acquire) !=
			(uint32_t)word * barrier->members;
	     i++)
		if (i < YIELDS)
			sched_yield();
		else
			nanosleep(&pause, NULL);
	checker_acquire(&barrier->left);
	checker_heed(barrier, sizeof(*barrier));
	barrier->check = 0;
	return 0;
}

EXPORT int pthread_barrier_destroy(pthread_barrier_t *memory)
{
	struct barrier *barrier = (struct barrier *)memory;

	if (!is_private(barrier))
		return destroy_shared(barrier);
	if (!end_use(barrier->cell))
		return EBUSY;
	barrier->check = 0;
	hbsi_cell_give(barrier->cell);
	return 0;
}
