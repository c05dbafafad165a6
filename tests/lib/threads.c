// SPDX-License-Identifier: GPL-2.0-or-later
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "threads.h"

#define MOST_THREADS 128

struct start {
	thread_work *work;
	void *shared;
	unsigned int index;
	int line;
};

static void *run_one(void *argument)
{
	struct start *start = argument;

	start->line = start->work(start->shared, start->index);
	return NULL;
}

int run_threads(unsigned int count, thread_work *work, void *shared)
{
	struct start starts[MOST_THREADS];
	pthread_t threads[MOST_THREADS];
	int line = 0;

	assert_true(count <= MOST_THREADS);
	for (unsigned int i = 0; i < count; i++) {
		starts[i] = (struct start){ work, shared, i, 0 };
		assert_int_equal(pthread_create(&threads[i], NULL, run_one, &starts[i]), 0);
	}
	for (unsigned int i = 0; i < count; i++) {
		assert_int_equal(pthread_join(threads[i], NULL), 0);
		if (starts[i].line)
			line = starts[i].line;
	}
	return line;
}

enum hbs_backend backend_under_test(void)
{
	const char *name = getenv("HBS_TEST_BACKEND");

	return name && !strcmp(name, "card") ? HBS_BACKEND_CARD : HBS_BACKEND_SOFTWARE;
}

struct hbs *open_backend(void)
{
	struct hbs_attr attr = { .backend = backend_under_test() };
	struct hbs *hbs = NULL;

	assert_int_equal(hbs_open(&hbs, &attr), 0);
	return hbs;
}

struct hbs_group *create_group(struct hbs *hbs, uint32_t members)
{
	struct hbs_group *group = NULL;

	assert_int_equal(
		hbs_group_create(hbs, &(struct hbs_group_attr){ .members = members }, &group), 0);
	return group;
}

void close_all(struct hbs *hbs, struct hbs_group *group)
{
	assert_int_equal(hbs_group_close(group), 0);
	assert_int_equal(hbs_close(hbs), 0);
}

uint64_t count_sleeps(struct hbs_group *group)
{
	struct hbs_group_stats stats;

	assert_int_equal(hbs_group_stats(group, &stats), 0);
	return stats.sleeps;
}

void *barwait_in_thread(void *member)
{
	return (void *)(intptr_t)hbs_barwait(member);
}

int be_late_in_turn(void *shared, unsigned int index)
{
	struct lateness *lateness = shared;
	struct hbs_member *me;
	bool well = true;

	CHECK(!hbs_join(lateness->group, &me));
	for (unsigned int i = 0; i < lateness->barriers && well; i++) {
		if (i % lateness->members == index)
			usleep(2000);
		atomic_fetch_add(&lateness->arrived, 1);
		well = !hbs_barwait(me) &&
		       atomic_load(&lateness->arrived) >= (i + 1) * lateness->members;
	}
	/* then the others do not wait for it */
	CHECK(!hbs_leave(me));
	CHECK(well);
	return 0;
}

unsigned int scaled(unsigned int count)
{
	/* a card is an emulated one, in an emulated machine */
	if (backend_under_test() == HBS_BACKEND_CARD)
		return count / 20;
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
	return count / 10;
#else
	return count;
#endif
}
