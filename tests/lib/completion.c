// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Completion functions, and members that arrive and drop. This file has what the
 * conformance tests cannot see: who waits at the gate, and what becomes of barriers
 * from which nobody departs.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "threads.h"

#define MS 1000000ULL

static void sleep_ms(long ms)
{
	nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000 }, NULL);
}

struct calls {
	uint64_t count; /* not atomic: the barrier orders it */
	atomic_uint inside;
	atomic_bool overlap, hold, in_it;
};

static void called(void *argument)
{
	struct calls *calls = argument;

	if (atomic_fetch_add(&calls->inside, 1))
		atomic_store(&calls->overlap, 1);
	atomic_store(&calls->in_it, 1);
	while (atomic_load(&calls->hold))
		sleep_ms(1);
	calls->count++;
	atomic_fetch_sub(&calls->inside, 1);
}

static struct hbs_group *group_that_calls(struct hbs *hbs, struct calls *calls, uint32_t members)
{
	struct hbs_group_attr attr = { .members = members,
				       .completion = called,
				       .completion_arg = calls };
	struct hbs_group *group = NULL;

	assert_int_equal(hbs_group_create(hbs, &attr, &group), 0);
	return group;
}

static void attributes(void **state)
{
	struct hbs *hbs = open_backend();
	struct calls calls = { 0 };
	struct hbs_group *group = NULL;
	struct hbs_group_attr attr = {
		.members = 1, .completion = called, .completion_arg = &calls, .reduce = HBS_SUM
	};

	(void)state;
	assert_int_equal(hbs_group_create(hbs, &attr, &group), -EINVAL);
	attr = (struct hbs_group_attr){ .members = 1, .completion_arg = &calls };
	assert_int_equal(hbs_group_create(hbs, &attr, &group), -EINVAL);
	assert_null(group);
	group = group_that_calls(hbs, &calls, 1);
	assert_int_equal(hbs_group_fd(group), -EOPNOTSUPP);
	close_all(hbs, group);
}

struct scene {
	struct calls calls;
	struct hbs_group *group;
	struct hbs_member *members[2];
};

static int hold_or_look(void *shared, unsigned int index)
{
	struct scene *scene = shared;
	struct hbs_member *mine = scene->members[index];

	CHECK(!hbs_arrive(mine));
	if (!index) {
		/* held in the function by the other */
		CHECK(!hbs_wait(mine));
		CHECK(scene->calls.count == 1);
		return 0;
	}
	while (!atomic_load(&scene->calls.in_it))
		sleep_ms(1);
	for (int i = 0; i < 5; i++) {
		CHECK(!hbs_test(mine));
		CHECK(hbs_wait_for(mine, 0) == -ETIMEDOUT);
		CHECK(hbs_wait_for(mine, 5 * MS) == -ETIMEDOUT);
		CHECK(hbs_arrive(mine) == -EALREADY);
	}
	atomic_store(&scene->calls.hold, 0);
	CHECK(!hbs_wait(mine));
	CHECK(scene->calls.count == 1);
	return 0;
}

/* While one member is in the function, the other does not depart, nor wait for ever */
static void at_the_gate(void **state)
{
	struct hbs *hbs = open_backend();
	struct scene scene = { .calls = { .hold = 1 } };

	(void)state;
	scene.group = group_that_calls(hbs, &scene.calls, 2);
	for (int i = 0; i < 2; i++)
		assert_int_equal(hbs_join(scene.group, &scene.members[i]), 0);
	assert_int_equal(run_threads(2, hold_or_look, &scene), 0);
	assert_false(scene.calls.overlap);
	for (int i = 0; i < 2; i++)
		assert_int_equal(hbs_leave(scene.members[i]), 0);
	close_all(hbs, scene.group);
}

static void cancellable(void *argument)
{
	int old;

	/* a cancellation point, which would end the thread here */
	pthread_testcancel();
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
	*(int *)argument += old == PTHREAD_CANCEL_DISABLE;
	pthread_setcancelstate(old, &old);
}

static int cancel_itself(void *shared, unsigned int index)
{
	struct hbs_group *group = shared;
	struct hbs_member *member;
	int old;

	(void)index;
	CHECK(!hbs_join(group, &member));
	CHECK(!pthread_cancel(pthread_self()));
	CHECK(!hbs_barwait(member));
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
	CHECK(old == PTHREAD_CANCEL_ENABLE);
	CHECK(!hbs_leave(member));
	return 0;
}

static void not_cancelled_inside(void **state)
{
	struct hbs *hbs = open_backend();
	struct hbs_group *group = NULL;
	int done = 0;
	struct hbs_group_attr attr = { .members = 1,
				       .completion = cancellable,
				       .completion_arg = &done };

	(void)state;
	assert_int_equal(hbs_group_create(hbs, &attr, &group), 0);
	assert_int_equal(run_threads(1, cancel_itself, group), 0);
	assert_int_equal(done, 1);
	close_all(hbs, group);
}

/* Barriers that all leave instead of departing are completed too */
static void nobody_departs(void **state)
{
	struct hbs *hbs = open_backend();
	struct calls calls = { 0 };
	struct hbs_group *group = group_that_calls(hbs, &calls, 2);
	struct hbs_member *a, *b;

	(void)state;
	assert_int_equal(hbs_join(group, &a), 0);
	assert_int_equal(hbs_join(group, &b), 0);
	assert_int_equal(hbs_arrive_and_drop(a), 0);
	assert_int_equal(calls.count, 0);
	assert_int_equal(hbs_arrive_and_drop(b), 0);
	assert_int_equal(calls.count, 1);
	assert_int_equal(hbs_join(group, &a), 0);
	assert_int_equal(hbs_arrive(a), 0);
	assert_int_equal(hbs_leave(a), 0);
	assert_int_equal(calls.count, 2);
	/* none for one that nobody arrives at */
	assert_int_equal(hbs_join(group, &a), 0);
	assert_int_equal(hbs_leave(a), 0);
	assert_int_equal(calls.count, 2);
	close_all(hbs, group);
}

static int come_and_go(void *shared, unsigned int index)
{
	struct scene *scene = shared;

	for (unsigned int round = 0; round < scaled(1000); round++) {
		struct hbs_member *member;

		CHECK(!hbs_join(scene->group, &member));
		/* all must have come once, or the group would never start */
		if (!round)
			CHECK(!hbs_barwait(member));
		for (unsigned int i = 0; i < (round + index) % 3; i++)
			CHECK(!hbs_barwait(member));
		if (round % 2)
			CHECK(!hbs_arrive_and_drop(member));
		else
			CHECK(!hbs_leave(member));
	}
	return 0;
}

/* Members that drop, leave and come again: one call a barrier, never two at once */
static void once_a_barrier(void **state)
{
	struct hbs *hbs = open_backend();
	struct scene scene = { .calls = { 0 } };
	struct hbs_group_stats stats;

	(void)state;
	scene.group = group_that_calls(hbs, &scene.calls, 4);
	assert_int_equal(run_threads(4, come_and_go, &scene), 0);
	assert_false(scene.calls.overlap);
	assert_int_equal(hbs_group_stats(scene.group, &stats), 0);
	assert_true(stats.barriers > 0);
	assert_int_equal(scene.calls.count, stats.barriers);
	close_all(hbs, scene.group);
}

static void drops(void **state)
{
	struct hbs *hbs = open_backend();
	struct hbs_group *group = create_group(hbs, 2);
	struct hbs_group_stats stats;
	struct hbs_member *a, *b;

	(void)state;
	/* before all have come, the seat gets vacant again */
	assert_int_equal(hbs_join(group, &a), 0);
	assert_int_equal(hbs_arrive_and_drop(a), 0);
	assert_int_equal(hbs_join(group, &a), 0);
	assert_int_equal(hbs_join(group, &b), 0);
	assert_int_equal(hbs_arrive(b), 0);
	assert_int_equal(hbs_test(b), 0);
	assert_int_equal(hbs_arrive_and_drop(a), 0);
	assert_int_equal(hbs_wait(b), 0);
	assert_int_equal(hbs_barwait(b), 0);
	/* arrived already: it only leaves */
	assert_int_equal(hbs_join(group, &a), 0);
	assert_int_equal(hbs_arrive(a), 0);
	assert_int_equal(hbs_arrive_and_drop(a), -EALREADY);
	assert_int_equal(hbs_barwait(b), 0);
	assert_int_equal(hbs_group_stats(group, &stats), 0);
	assert_int_equal(stats.barriers, 3);
	assert_int_equal(hbs_join(group, &a), 0);
	assert_int_equal(hbs_group_destroy(group), 0);
	assert_int_equal(hbs_arrive_and_drop(a), -EIDRM);
	assert_int_equal(hbs_leave(b), 0);
	close_all(hbs, group);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(attributes),		cmocka_unit_test(at_the_gate),
		cmocka_unit_test(not_cancelled_inside), cmocka_unit_test(nobody_departs),
		cmocka_unit_test(once_a_barrier),	cmocka_unit_test(drops),
	};

	return cmocka_run_group_tests_name("completion", tests, NULL, NULL);
}
