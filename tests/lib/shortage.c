// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * When memory is short, each call either works or reports an error, and then its object is as
 * it was before: each allocation of the library fails in its turn.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "threads.h"

#define ALL_WORK -1

/* Allocations that work before one fails */
static int left = ALL_WORK;

static bool fails(void)
{
	return left >= 0 && left-- == 0;
}

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : __real_calloc(count, size);
}

/* The next descriptor that will be taken */
static int next_descriptor(void)
{
	int next = dup(0);

	close(next);
	return next;
}

/* Calls that fail for lack of memory, one allocation later each time, before one works */
#define SHORT_CALLS(call)                                  \
	({                                                 \
		int failures = 0, result;                  \
                                                           \
		for (;; failures++) {                      \
			left = failures;                   \
			result = (call);                   \
			if (left >= 0)                     \
				break;                     \
			assert_int_equal(result, -ENOMEM); \
		}                                          \
		left = ALL_WORK;                           \
		assert_true(result >= 0);                  \
		failures;                                  \
	})

static void complete(void *argument)
{
	(void)argument;
}

static const struct hbs_attr software = { .backend = HBS_BACKEND_SOFTWARE };

static void groups(void **state)
{
	struct hbs_group_attr attr = { .members = 2, .completion = complete };
	struct hbs_group *group, *other;
	struct hbs *hbs;
	int before = next_descriptor();

	(void)state;
	assert_int_equal(SHORT_CALLS(hbs_open(&hbs, &software)), 1);
	/* the process's first one makes the list of guards as well */
	assert_int_equal(SHORT_CALLS(hbs_group_create(hbs, &attr, &group)), 3);
	assert_int_equal(hbs_group_close(group), 0);
	attr.completion = NULL;
	assert_int_equal(SHORT_CALLS(hbs_group_create(hbs, &attr, &group)), 1);
	assert_int_equal(SHORT_CALLS(hbs_group_import(hbs, hbs_group_fd(group), &other)), 1);
	assert_int_equal(hbs_group_close(other), 0);
	close_all(hbs, group);
	assert_int_equal(next_descriptor(), before);
}

/* A thread that cannot join has not joined: that does not end a group that needs all its members */
static void joins(void **state)
{
	(void)state;
	for (uint32_t algorithm = 1; hbs_algorithm_name(algorithm); algorithm++) {
		struct hbs_group_attr attr = { .members = 2,
					       .algorithm = algorithm,
					       .policy = HBS_ON_THREAD_EXIT };
		struct hbs_group_stats stats;
		struct hbs_member *me[2];
		struct hbs_group *group;
		struct hbs *hbs;

		assert_int_equal(hbs_open(&hbs, &software), 0);
		assert_int_equal(hbs_group_create(hbs, &attr, &group), 0);
		for (int i = 0; i < 2; i++)
			assert_int_equal(SHORT_CALLS(hbs_join(group, &me[i])), 2);
		assert_int_equal(hbs_leave(me[1]), 0);
		assert_int_equal(hbs_leave(me[0]), 0);
		assert_int_equal(hbs_group_stats(group, &stats), 0);
		assert_int_equal(stats.barriers, 0);
		close_all(hbs, group);
	}
}

/* The library's thread, and what it keeps for a member that polls */
static void polls(void **state)
{
	int before = next_descriptor();
	struct hbs_member *me[2];
	struct hbs_group *group;
	struct hbs *hbs;

	(void)state;
	assert_int_equal(hbs_open(&hbs, &software), 0);
	group = create_group(hbs, 2);
	for (int i = 0; i < 2; i++)
		assert_int_equal(hbs_join(group, &me[i]), 0);
	assert_int_equal(SHORT_CALLS(hbs_member_fd(me[0])), 2);
	/* the thread is there */
	assert_int_equal(SHORT_CALLS(hbs_member_fd(me[1])), 1);
	assert_int_equal(SHORT_CALLS(hbs_member_fd(me[1])), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(hbs_leave(me[i]), 0);
	close_all(hbs, group);
	assert_int_equal(next_descriptor(), before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups),
		cmocka_unit_test(joins),
		cmocka_unit_test(polls),
	};

	return cmocka_run_group_tests_name("shortage", tests, NULL, NULL);
}
