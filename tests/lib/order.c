// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The promise of a barrier: nobody leaves before all have arrived, and all see
 * after it what was written before it. Plain variables carry the proof, so that the
 * thread sanitizer judges the memory order too.
 */
#include <errno.h>
#include <sched.h>

#include "threads.h"

#define MOST 64

struct meeting {
	struct hbs_group *group;
	unsigned int threads;
	unsigned int epochs;
	struct {
		_Alignas(64) uint64_t steps; /* not atomic: the barrier orders it */
	} at[MOST];
};

typedef int barrier(struct hbs_member *member);

/* Each member looks at all others' steps between the two barriers of an epoch */
static int step_and_look(struct meeting *meeting, unsigned int self, barrier *meet)
{
	struct hbs_member *member;

	CHECK(!hbs_join(meeting->group, &member));
	for (unsigned int epoch = 1; epoch <= meeting->epochs; epoch++) {
		meeting->at[self].steps = epoch;
		CHECK(!meet(member));
		for (unsigned int i = 0; i < meeting->threads; i++)
			CHECK(meeting->at[i].steps == epoch);
		CHECK(!meet(member));
	}
	CHECK(!hbs_leave(member));
	return 0;
}

static int meet_split(struct hbs_member *member)
{
	int ret = hbs_arrive(member);

	return ret ? ret : hbs_wait(member);
}

static int meet_polling(struct hbs_member *member)
{
	int ret = hbs_arrive(member);

	while (!ret) {
		ret = hbs_test(member);
		if (!ret)
			sched_yield();
	}
	return ret < 0 ? ret : 0;
}

static int use_barwait(void *shared, unsigned int index)
{
	return step_and_look(shared, index, hbs_barwait);
}

static int use_split(void *shared, unsigned int index)
{
	return step_and_look(shared, index, meet_split);
}

static int use_polling(void *shared, unsigned int index)
{
	return step_and_look(shared, index, meet_polling);
}

static void meet(unsigned int threads, unsigned int epochs, thread_work *work)
{
	struct hbs *hbs = open_backend();
	struct meeting meeting = {
		.group = create_group(hbs, threads),
		.threads = threads,
		.epochs = scaled(epochs),
	};
	struct hbs_group_stats stats;

	assert_int_equal(run_threads(threads, work, &meeting), 0);
	assert_int_equal(hbs_group_stats(meeting.group, &stats), 0);
	assert_int_equal(stats.barriers, 2 * meeting.epochs);
	assert_int_equal(stats.arrivals, 2ULL * meeting.epochs * threads);
	assert_int_equal(stats.dropped, 0);
	close_all(hbs, meeting.group);
}

static void one_thread(void **state)
{
	(void)state;
	meet(1, 100000, use_barwait);
}

static void two_threads(void **state)
{
	(void)state;
	meet(2, 20000, use_barwait);
}

static void four_threads(void **state)
{
	(void)state;
	meet(4, 2000, use_barwait);
}

static void many_threads(void **state)
{
	(void)state;
	meet(MOST, 500, use_barwait);
}

static void split_phase(void **state)
{
	(void)state;
	meet(3, 2000, use_split);
}

static void polling(void **state)
{
	(void)state;
	meet(3, 2000, use_polling);
}

struct overlap {
	struct hbs_group *groups[3]; /* thread i is in groups i and i + 1 */
	struct hbs_group *all;
	unsigned int epochs;
};

static int in_three_groups(void *shared, unsigned int index)
{
	struct overlap *overlap = shared;
	struct hbs_member *first, *second, *all;
	/* the same order of groups for all, or they would wait in a circle */
	unsigned int low = index < 2 ? index : 0, high = index < 2 ? index + 1 : 2;

	CHECK(!hbs_join(overlap->groups[low], &first));
	CHECK(!hbs_join(overlap->groups[high], &second));
	CHECK(!hbs_join(overlap->all, &all));
	for (unsigned int i = 0; i < overlap->epochs; i++) {
		CHECK(!hbs_barwait(first));
		CHECK(!hbs_barwait(second));
		CHECK(!hbs_barwait(all));
	}
	CHECK(!hbs_leave(second));
	CHECK(!hbs_leave(all));
	CHECK(!hbs_leave(first));
	return 0;
}

static void overlapping_groups(void **state)
{
	struct hbs *hbs = open_backend();
	struct overlap overlap = { .all = create_group(hbs, 3), .epochs = scaled(500) };

	(void)state;
	for (int i = 0; i < 3; i++)
		overlap.groups[i] = create_group(hbs, 2);
	assert_int_equal(run_threads(3, in_three_groups, &overlap), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(hbs_group_close(overlap.groups[i]), 0);
	close_all(hbs, overlap.all);
}

/* Split phase by one thread, in every wrong and right order */
static void states(void **state)
{
	struct hbs *hbs = open_backend();
	struct hbs_group *group = create_group(hbs, 2);
	struct hbs_member *a, *b;

	(void)state;
	assert_int_equal(hbs_join(group, &a), 0);
	assert_int_equal(hbs_join(group, &b), 0);
	assert_int_equal(hbs_test(a), -EINVAL);
	assert_int_equal(hbs_wait(a), -EINVAL);
	assert_int_equal(hbs_arrive(a), 0);
	assert_int_equal(hbs_arrive(a), -EALREADY);
	assert_int_equal(hbs_barwait(a), -EALREADY);
	assert_int_equal(hbs_test(a), 0);
	assert_int_equal(hbs_barwait(b), 0);
	/* b is an epoch ahead, and arrives again: that releases nobody */
	assert_int_equal(hbs_arrive(b), 0);
	assert_int_equal(hbs_test(b), 0);
	assert_int_equal(hbs_test(a), 1);
	assert_int_equal(hbs_test(a), -EINVAL);
	assert_int_equal(hbs_test(b), 0);
	assert_int_equal(hbs_arrive(a), 0);
	assert_int_equal(hbs_wait(b), 0);
	assert_int_equal(hbs_wait(a), 0);
	assert_int_equal(hbs_leave(a), 0);
	assert_int_equal(hbs_leave(b), 0);
	close_all(hbs, group);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(states),	cmocka_unit_test(one_thread),
		cmocka_unit_test(two_threads),	cmocka_unit_test(four_threads),
		cmocka_unit_test(many_threads), cmocka_unit_test(split_phase),
		cmocka_unit_test(polling),	cmocka_unit_test(overlapping_groups),
	};

	return cmocka_run_group_tests_name("order", tests, NULL, NULL);
}
