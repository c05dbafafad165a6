// SPDX-License-Identifier: GPL-2.0-or-later
/* How often a wait in software lets others run, which is counted in the place of sched_yield() */
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "threads.h"

#define TRIES	10000 /* of a ms */
#define MANY	20
#define MEMBERS 2
#define YIELDS	4 /* before it sleeps, says Documentation/library.rst */

static atomic_uint yields;

/* That the process may run on */
static uint32_t cpus(void)
{
	cpu_set_t set;

	assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
	return (uint32_t)CPU_COUNT(&set);
}

int __real_sched_yield(void);
int __wrap_sched_yield(void);

int __wrap_sched_yield(void)
{
	atomic_fetch_add(&yields, 1);
	return __real_sched_yield();
}

/* Yields of one member that waits for the others, until it sleeps or has yielded often */
static unsigned int count_yields(uint32_t wait_policy, uint32_t members)
{
	struct hbs_attr attr = { .backend = HBS_BACKEND_SOFTWARE, .wait_policy = wait_policy };
	struct hbs_member *me[members];
	struct hbs_group *group;
	void *result = NULL;
	unsigned int counted;
	pthread_t thread;
	struct hbs *hbs;

	assert_int_equal(hbs_open(&hbs, &attr), 0);
	group = create_group(hbs, members);
	for (uint32_t i = 0; i < members; i++)
		assert_int_equal(hbs_join(group, &me[i]), 0);
	atomic_store(&yields, 0);
	assert_int_equal(pthread_create(&thread, NULL, barwait_in_thread, me[0]), 0);
	for (int i = 0; i < TRIES && !count_sleeps(group) && atomic_load(&yields) < MANY; i++)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	counted = atomic_load(&yields);
	for (uint32_t i = 1; i < members; i++)
		assert_int_equal(hbs_arrive(me[i]), 0);
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_null(result);
	for (uint32_t i = 0; i < members; i++)
		assert_int_equal(hbs_leave(me[i]), 0);
	close_all(hbs, group);
	return counted;
}

static void never_asleep(void **state)
{
	(void)state;
	assert_true(count_yields(HBS_WAIT_ACTIVE, MEMBERS) >= MANY);
	assert_true(count_yields(HBS_WAIT_ACTIVE, cpus() + 1) >= MANY);
}

static void too_few_cpus(void **state)
{
	(void)state;
	assert_int_equal(count_yields(HBS_WAIT_DEFAULT, cpus() + 1), YIELDS);
}

/* It has spun for a ms: others do not wait for its CPU */
static void enough_cpus(void **state)
{
	(void)state;
	if (cpus() < MEMBERS)
		skip();
	assert_int_equal(count_yields(HBS_WAIT_DEFAULT, MEMBERS), 0);
	assert_int_equal(count_yields(HBS_WAIT_PASSIVE, MEMBERS), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(never_asleep),
		cmocka_unit_test(too_few_cpus),
		cmocka_unit_test(enough_cpus),
	};

	return cmocka_run_group_tests_name("yields", tests, NULL, NULL);
}
