// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The places of the library where a store has to be visible before a later load: there is a
 * test of each, which fails within its tries if the fence is taken away. The error shows while
 * a store is still in a store buffer, which takes some ns. So the thread that stores first
 * fills its store buffer, with stores to lines that another CPU has changed and flushed.
 * Stores become visible in the order of the program, so that the store in question is late by
 * some hundred ns.
 *
 * It takes two CPUs for which the two threads need not wait: on a busy machine, fewer tries
 * are of use. tests/fences takes each fence away and sees that its test fails; it sets
 * HBS_TEST_FIRST, with which these threads go before all others, and have more time.
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/membarrier.h>

#include "deadline.h"
#include "software/software.h"
#include "ticks.h"
#include "threads.h"

#define COLD	    56	       /* lines; a store buffer has as many places, or a few more */
#define BREAKS	    3000       /* tries of a broken group */
#define SLEEPS	    250000     /* tries of a sleep; the first one that is not woken ends the test */
#define LOST_NS	    1000000000 /* after so long, it was not woken */
#define TIME_NS	    1000000000ULL /* of a test */
#define BREAK_DELAY 1000	  /* loops */
#define SHORT	    700
#define LONG	    20000 /* loops too: it has time to fall asleep */

/* MEMBARRIER_CMD_GET_REGISTRATIONS of Linux 6.3 */
#define GET_REGISTRATIONS (1 << 9)

static struct {
	_Alignas(64) volatile uint64_t word;
} cold[COLD];

static void fill_store_buffer(uint64_t with)
{
	for (unsigned int i = 0; i < COLD; i++)
		cold[i].word = with;
}

/* The other thread does this first: a store to these lines takes its time */
static void make_cold(uint64_t with)
{
	fill_store_buffer(with);
#ifdef __x86_64__
	for (unsigned int i = 0; i < COLD; i++)
		__builtin_ia32_clflush((const void *)(uintptr_t)&cold[i]);
#endif
}

static void idle(long loops)
{
	for (volatile long i = 0; i < loops; i++)
		;
}

/*
 * The library makes all CPUs pass a fence by membarrier(), or cannot: REFUSED, the kernel
 * refuses it, as in a program that goes into a sandbox late; DEAF, from the start; SHARED, the
 * group is one of several processes. The calls are counted, which shows that the library does
 * not rely on time where it need not.
 */
enum fence { CALLED, REFUSED, DEAF, SHARED };

static enum fence fence;
static unsigned int membarriers;

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

long __wrap_syscall(long number, ...)
{
	long to[6];
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		to[i] = va_arg(list, long);
	va_end(list);
	if (number == SYS_membarrier && to[0] == MEMBARRIER_CMD_PRIVATE_EXPEDITED) {
		if (fence == REFUSED) {
			errno = EPERM;
			return -1;
		}
		membarriers++;
		/* it does not reach a member of another process */
		if (fence == SHARED)
			return 0;
	}
	return __real_syscall(number, to[0], to[1], to[2], to[3], to[4], to[5]);
}

/* Return: another handle of a SHARED group, or NULL */
static struct hbs_group *set_fence(struct hbs *hbs, struct hbs_group *group)
{
	struct hbs_group *other = NULL;

	atomic_store(&soft_page(soft_of(group))->deaf, fence == DEAF);
	if (fence == SHARED)
		assert_int_equal(hbs_group_import(hbs, hbs_group_fd(group), &other), 0);
	return other;
}

/* Two threads in step: each waits for the other's number, which both count up; OVER ends it */
#define OVER UINT_MAX

struct step {
	_Alignas(64) atomic_uint ready;
	_Alignas(64) atomic_uint go;
	_Alignas(64) atomic_uint done;
};

static void wait_for(atomic_uint *at, unsigned int number)
{
	for (unsigned int i = 1; atomic_load(at) < number; i++)
		if (!(i % 10000))
			sched_yield();
}

/* The CPUs with which the test was started */
static cpu_set_t all_cpus;

static bool has_two_cpus(void)
{
	assert_int_equal(sched_getaffinity(0, sizeof(all_cpus), &all_cpus), 0);
	return CPU_COUNT(&all_cpus) >= 2;
}

static bool goes_first(void)
{
	return getenv("HBS_TEST_FIRST");
}

/* The two have to run at the same time, to within some ns: each has a CPU of its own */
static void take_cpu(int which)
{
	const struct sched_param param = { .sched_priority = 1 };
	cpu_set_t set;
	int cpu;

	for (cpu = 0; !CPU_ISSET(cpu, &all_cpus) || which--; cpu++)
		;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
	if (goes_first())
		pthread_setschedparam(pthread_self(), SCHED_RR, &param);
}

static void give_cpu_back(void)
{
	const struct sched_param param = { 0 };

	pthread_setschedparam(pthread_self(), SCHED_OTHER, &param);
	pthread_setaffinity_np(pthread_self(), sizeof(all_cpus), &all_cpus);
}

static bool has_time(uint64_t start)
{
	return hbsi_clock_ns() - start < (goes_first() ? 4 * TIME_NS : TIME_NS);
}

/* What the thread will load is in its cache, so that no load takes as long as the stores do */
static void warm_up(const struct hbs_member *member)
{
	const volatile char *group = member->group->page, *self = (const volatile char *)member;

	for (uint32_t i = 0; i < member->group->map_size; i += SOFT_LINE)
		(void)group[i];
	for (size_t i = 0; i < sizeof(*member); i += SOFT_LINE / 2)
		(void)self[i];
	hbs_test((struct hbs_member *)(uintptr_t)member);
}

/* One member arrives last while the group breaks: all or none get 0 */
struct breaking {
	struct step step;
	struct hbs_member *last;
	int ret;
	bool over;
};

static void *arrive_last(void *argument)
{
	struct breaking *breaking = argument;

	take_cpu(1);
	for (unsigned int try = 1;; try++) {
		wait_for(&breaking->step.ready, try);
		if (breaking->over)
			return NULL;
		warm_up(breaking->last);
		atomic_store(&breaking->step.done, 2 * try - 1);
		wait_for(&breaking->step.go, try);
		fill_store_buffer(try);
		breaking->ret = hbs_barwait(breaking->last);
		atomic_store(&breaking->step.done, 2 * try);
	}
}

/* Does what hbs_group_destroy() does, but starts some loops after the last member */
static int break_it(struct breaking *breaking, struct hbs *hbs, unsigned int try)
{
	struct hbs_group_attr attr = { .members = 2, .algorithm = HBS_ALGORITHM_PAIRWISE };
	struct hbs_member *first;
	struct hbs_group *group, *other;
	int ret, cancel;

	assert_int_equal(hbs_group_create(hbs, &attr, &group), 0);
	other = set_fence(hbs, group);
	assert_int_equal(hbs_join(group, &breaking->last), 0);
	assert_int_equal(hbs_join(group, &first), 0);
	/* not by hbs_arrive(): for two, nobody needs its help any more */
	assert_int_equal(hbsi_arrive(first, 0), 0);
	cancel = hbsi_soft_lock(soft_of(group));
	atomic_store(&breaking->step.ready, try);
	wait_for(&breaking->step.done, 2 * try - 1);
	make_cold(try);
	atomic_store(&breaking->step.go, try);
	idle(try * 17 % BREAK_DELAY);
	hbsi_soft_recount(soft_of(group), HBS_REASON_DESTROYED);
	hbsi_soft_unlock(soft_of(group), cancel);
	wait_for(&breaking->step.done, 2 * try);
	ret = hbs_wait(first);
	assert_int_equal(hbs_leave(first), 0);
	assert_int_equal(hbs_leave(breaking->last), 0);
	if (other)
		assert_int_equal(hbs_group_close(other), 0);
	assert_int_equal(hbs_group_close(group), 0);
	return ret;
}

static void break_often(enum fence with)
{
	struct breaking breaking = { .ret = 0 };
	uint64_t start = hbsi_clock_ns();
	unsigned int passed = 0, try;
	struct hbs *hbs;
	pthread_t thread;
	int ret = 0;

	if (!has_two_cpus())
		skip();
	fence = with;
	membarriers = 0;
	assert_int_equal(hbs_open(&hbs, &(struct hbs_attr){ .backend = HBS_BACKEND_SOFTWARE }), 0);
	take_cpu(0);
	assert_int_equal(pthread_create(&thread, NULL, arrive_last, &breaking), 0);
	for (try = 1; try <= BREAKS && has_time(start); try++) {
		ret = break_it(&breaking, hbs, try);
		if (ret != breaking.ret)
			break;
		passed += !ret;
	}
	breaking.over = true;
	atomic_store(&breaking.step.ready, OVER);
	assert_int_equal(pthread_join(thread, NULL), 0);
	give_cpu_back();
	print_message("# %u of %u barriers were over before the group broke\n", passed, try - 1);
	if (ret != breaking.ret)
		fail_msg("try %u: of one barrier, the last has %d and the first %d", try,
			 breaking.ret, ret);
	if (fence == CALLED)
		assert_in_range(membarriers, try - 1, UINT_MAX);
	assert_int_equal(hbs_close(hbs), 0);
}

static void break_and_last_arrival(void **state)
{
	(void)state;
	break_often(CALLED);
}

static void break_and_last_arrival_refused(void **state)
{
	(void)state;
	break_often(REFUSED);
}

static void break_and_last_arrival_deaf(void **state)
{
	(void)state;
	break_often(DEAF);
}

static void break_and_last_arrival_shared(void **state)
{
	(void)state;
	break_often(SHARED);
}

/* membarrier() reaches this process: no try shows it, for the call itself takes too long */
static void membarrier_is_registered(void **state)
{
	struct hbs_group_attr attr = { .members = 2, .algorithm = HBS_ALGORITHM_PAIRWISE };
	struct hbs_group *group;
	struct hbs *hbs;
	long registered;

	(void)state;
	assert_int_equal(hbs_open(&hbs, &(struct hbs_attr){ .backend = HBS_BACKEND_SOFTWARE }), 0);
	assert_int_equal(hbs_group_create(hbs, &attr, &group), 0);
	registered = syscall(SYS_membarrier, GET_REGISTRATIONS, 0, 0);
	close_all(hbs, group);
	if (registered < 0)
		skip();
	assert_true(registered & MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
}

/* One thread sleeps while the other arrives */
struct sleeping {
	struct step step;
	struct hbs_member *waker;
	long delay;
	uint64_t woke_ns; /* when it has arrived, and woken the other */
	int failed;
	bool over;
};

static void *arrive_in_turn(void *argument)
{
	struct sleeping *sleeping = argument;

	take_cpu(1);
	for (unsigned int try = 1;; try++) {
		wait_for(&sleeping->step.ready, try);
		if (sleeping->over)
			return NULL;
		/* its look there takes no longer than the stores that are not visible yet */
		(void)atomic_load(&sleeping->waker->page->sleepers);
		warm_up(sleeping->waker);
		atomic_store(&sleeping->step.done, 2 * try - 1);
		wait_for(&sleeping->step.go, try);
		idle(sleeping->delay);
		fill_store_buffer(try);
		sleeping->failed |= hbs_barwait(sleeping->waker);
		sleeping->woke_ns = hbsi_clock_ns();
		atomic_store(&sleeping->step.done, 2 * try);
	}
}

/* The first one sleeps, and is woken; it looks again only after a time that nobody takes */
static void sleep_often(enum fence with)
{
	struct hbs_attr open = { .backend = HBS_BACKEND_SOFTWARE, .wait_policy = HBS_WAIT_PASSIVE };
	struct hbs_group_attr attr = { .members = 2, .algorithm = HBS_ALGORITHM_PAIRWISE };
	struct sleeping sleeping = { .delay = 0 };
	uint64_t start = hbsi_clock_ns();
	struct hbs_group *group, *other;
	struct hbs_member *sleeper;
	pthread_t thread;
	struct hbs *hbs;
	unsigned int try;
	uint64_t rung = 0;
	bool lost = false;

	if (!has_two_cpus())
		skip();
	fence = with;
	membarriers = 0;
	assert_int_equal(hbs_open(&hbs, &open), 0);
	take_cpu(0);
	assert_int_equal(hbs_group_create(hbs, &attr, &group), 0);
	assert_int_equal(hbs_join(group, &sleeper), 0);
	assert_int_equal(hbs_join(group, &sleeping.waker), 0);
	other = set_fence(hbs, group);
	assert_int_equal(pthread_create(&thread, NULL, arrive_in_turn, &sleeping), 0);
	for (try = 1; try <= SLEEPS && !lost && has_time(start); try++) {
		uint64_t slept;

		sleeping.delay = try % 16 ? try % SHORT : try * 97 % LONG;
		rung = atomic_load(&sleeper->page->bell);
		atomic_store(&sleeping.step.ready, try);
		wait_for(&sleeping.step.done, 2 * try - 1);
		make_cold(try);
		atomic_store(&sleeping.step.go, try);
		/* not by hbs_arrive(): for two, nobody needs its help any more */
		assert_int_equal(hbsi_arrive(sleeper, 0), 0);
		slept = hbsi_clock_ns();
		while (hbs_wait_for(sleeper, LOST_NS))
			;
		slept = hbsi_clock_ns() - slept;
		wait_for(&sleeping.step.done, 2 * try);
		lost = slept >= LOST_NS && hbsi_clock_ns() - sleeping.woke_ns >= LOST_NS / 2;
	}
	sleeping.over = true;
	atomic_store(&sleeping.step.ready, OVER);
	assert_int_equal(pthread_join(thread, NULL), 0);
	give_cpu_back();
	assert_int_equal(sleeping.failed, 0);
	if (lost)
		fail_msg("try %u: %s", try - 1,
			 atomic_load(&sleeper->page->bell) == rung
				 ? "nobody has woken the sleeper"
				 : "the kernel has not woken the sleeper, though the bell rang");
	print_message("# %lu of %u waits slept\n", (unsigned long)count_sleeps(group), try - 1);
	if (fence == CALLED)
		assert_in_range(membarriers, count_sleeps(group), UINT_MAX);
	assert_int_equal(hbs_leave(sleeper), 0);
	assert_int_equal(hbs_leave(sleeping.waker), 0);
	if (other)
		assert_int_equal(hbs_group_close(other), 0);
	close_all(hbs, group);
}

static void sleep_and_plain_arrival(void **state)
{
	(void)state;
	sleep_often(CALLED);
}

static void sleep_and_plain_arrival_refused(void **state)
{
	(void)state;
	sleep_often(REFUSED);
}

static void sleep_and_plain_arrival_deaf(void **state)
{
	(void)state;
	sleep_often(DEAF);
}

static void sleep_and_plain_arrival_shared(void **state)
{
	(void)state;
	sleep_often(SHARED);
}

static _Thread_local unsigned int fills;

/* The gate of a completion function opens by a store; after it comes the look at the sleepers */
struct passing {
	struct step step;
	_Alignas(64) atomic_uint inside;
	struct completion *gate;
	long delay;
	uint64_t open_ns;
	unsigned int try;
	bool over;
};

static void complete(void *argument)
{
	struct passing *passing = argument;

	atomic_store(&passing->inside, passing->try);
	idle(passing->delay);
	fills = passing->try;
}

/*
 * The gate opens when cancellation has been allowed again after the function, which is a fence
 * with some C libraries: so the store buffer is filled after that
 */
int __real_pthread_setcancelstate(int state, int *old);
int __wrap_pthread_setcancelstate(int state, int *old);

int __wrap_pthread_setcancelstate(int state, int *old)
{
	int ret = __real_pthread_setcancelstate(state, old);

	if (fills) {
		fill_store_buffer(fills);
		fills = 0;
	}
	return ret;
}

static void *open_the_gate(void *argument)
{
	struct passing *passing = argument;

	take_cpu(1);
	for (unsigned int try = 1;; try++) {
		wait_for(&passing->step.go, try);
		if (passing->over)
			return NULL;
		hbsi_completion_done(passing->gate, try * HBS_WORD_EPOCH_ONE);
		passing->open_ns = hbsi_clock_ns();
		atomic_store(&passing->step.done, try);
	}
}

static void sleep_and_gate(void **state)
{
	struct passing passing = { .delay = 0 };
	uint64_t start = hbsi_clock_ns();
	pthread_t thread;
	unsigned int try;
	bool lost = false;

	(void)state;
	if (!has_two_cpus())
		skip();
	passing.gate = hbsi_completion_new(NULL, complete, &passing);
	assert_non_null(passing.gate);
	take_cpu(0);
	assert_int_equal(pthread_create(&thread, NULL, open_the_gate, &passing), 0);
	for (try = 1; try <= SLEEPS && !lost && has_time(start); try++) {
		uint64_t slept;

		passing.try = try;
		passing.delay = try % SHORT;
		make_cold(try);
		atomic_store(&passing.step.go, try);
		wait_for(&passing.inside, try);
		slept = hbsi_clock_ns();
		while (!hbsi_completion_done(passing.gate, try * HBS_WORD_EPOCH_ONE))
			hbsi_completion_sleep(passing.gate, deadline_after(LOST_NS));
		slept = hbsi_clock_ns() - slept;
		wait_for(&passing.step.done, try);
		lost = slept >= LOST_NS && hbsi_clock_ns() - passing.open_ns >= LOST_NS / 2;
	}
	passing.over = true;
	atomic_store(&passing.step.go, OVER);
	assert_int_equal(pthread_join(thread, NULL), 0);
	give_cpu_back();
	hbsi_completion_free(passing.gate);
	if (lost)
		fail_msg("try %u: nobody has woken the sleeper", try - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(membarrier_is_registered),
		cmocka_unit_test(break_and_last_arrival),
		cmocka_unit_test(break_and_last_arrival_refused),
		cmocka_unit_test(break_and_last_arrival_deaf),
		cmocka_unit_test(break_and_last_arrival_shared),
		cmocka_unit_test(sleep_and_plain_arrival),
		cmocka_unit_test(sleep_and_plain_arrival_refused),
		cmocka_unit_test(sleep_and_plain_arrival_deaf),
		cmocka_unit_test(sleep_and_plain_arrival_shared),
		cmocka_unit_test(sleep_and_gate),
	};

	return cmocka_run_group_tests_name("fences", tests, NULL, NULL);
}
