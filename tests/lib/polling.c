// SPDX-License-Identifier: GPL-2.0-or-later
/* Descriptors of members in software, and the thread behind them */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "pollers.h"
#include "threads.h"

#define BARRIERS 3000
#define WAIT_MS	 60000

/* A thread that was joined still exists for some time */
static void expect_threads(unsigned int expected)
{
	for (int i = 0; find_pollers(NULL) != expected; i++) {
		assert_true(i < WAIT_MS);
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
}

static int is_readable(int fd, int timeout_ms)
{
	return poll(&(struct pollfd){ .fd = fd, .events = POLLIN }, 1, timeout_ms);
}

static struct hbs *open_software(void)
{
	struct hbs_attr attr = { .backend = HBS_BACKEND_SOFTWARE };
	struct hbs *hbs = NULL;

	assert_int_equal(hbs_open(&hbs, &attr), 0);
	return hbs;
}

/* There is one thread as long as a member polls, whatever the number of members */
static void one_thread(void **state)
{
	struct hbs *hbs = open_software();
	struct hbs_group *group = create_group(hbs, 3);
	struct hbs_member *m[3];

	(void)state;
	for (int i = 0; i < 3; i++)
		assert_int_equal(hbs_join(group, &m[i]), 0);
	expect_threads(0);
	for (int turn = 0; turn < 2; turn++) {
		assert_true(hbs_member_fd(m[0]) >= 0);
		assert_true(hbs_member_fd(m[1]) >= 0);
		expect_threads(1);
	}
	assert_int_equal(hbs_leave(m[0]), 0);
	expect_threads(1);
	assert_int_equal(hbs_leave(m[1]), 0);
	expect_threads(0);
	/* and again */
	assert_true(hbs_member_fd(m[2]) >= 0);
	expect_threads(1);
	assert_int_equal(hbs_leave(m[2]), 0);
	expect_threads(0);
	close_all(hbs, group);
}

/* All pass each barrier by poll; one is late in turn, or none is */
static int pass_by_poll(void *shared, unsigned int index)
{
	unsigned int barriers = scaled(BARRIERS);
	struct hbs_member *me;
	int ret;

	CHECK(!hbs_join(shared, &me));
	for (unsigned int i = 0; i < barriers; i++) {
		if (i % 64 == index)
			nanosleep(&(struct timespec){ .tv_nsec = 500000 }, NULL);
		CHECK(!hbs_arrive(me));
		do {
			CHECK(is_readable(hbs_member_fd(me), WAIT_MS) == 1);
			ret = hbs_test(me);
		} while (!ret);
		CHECK(ret == 1);
	}
	CHECK(!hbs_leave(me));
	return 0;
}

static void nothing_is_missed(void **state)
{
	static const uint32_t algorithms[] = { HBS_ALGORITHM_CENTRAL, HBS_ALGORITHM_COUNTING,
					       HBS_ALGORITHM_COMBINING, HBS_ALGORITHM_TICKET };

	(void)state;
	for (size_t i = 0; i < sizeof(algorithms) / sizeof(algorithms[0]); i++) {
		struct hbs_group_attr attr = { .members = 3, .algorithm = algorithms[i] };
		struct hbs *hbs = open_software();
		struct hbs_group *group;

		assert_int_equal(hbs_group_create(hbs, &attr, &group), 0);
		assert_int_equal(run_threads(3, pass_by_poll, group), 0);
		close_all(hbs, group);
	}
}

/* Others poll while members come, poll and go, and so the thread sleeps in many names */
static int come_and_go(void *shared, unsigned int index)
{
	unsigned int turns = scaled(BARRIERS) / 10;

	for (unsigned int i = 0; i < turns; i++) {
		struct hbs_member *me;

		CHECK(!hbs_join(shared, &me));
		CHECK(!hbs_arrive(me));
		while (!hbs_test(me))
			CHECK(is_readable(hbs_member_fd(me), WAIT_MS) == 1);
		if ((i + index) % 3)
			CHECK(!hbs_arrive(me));
		CHECK(hbs_member_fd(me) >= 0);
		CHECK(!hbs_leave(me));
	}
	return 0;
}

static void members_come_and_go(void **state)
{
	struct hbs *hbs = open_software();
	struct hbs_group *group = create_group(hbs, 3);
	struct hbs_member *first[3];

	(void)state;
	/* the first barrier needs all */
	for (int i = 0; i < 3; i++)
		assert_int_equal(hbs_join(group, &first[i]), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(hbs_arrive(first[i]), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(hbs_leave(first[i]), 0);
	assert_int_equal(run_threads(3, come_and_go, group), 0);
	close_all(hbs, group);
}

static void *join_and_end(void *member)
{
	struct hbs_member **me = member;

	return (void *)(intptr_t)(hbs_arrive(*me) || hbs_member_fd(*me) < 0);
}

struct dying {
	struct hbs_group *group;
	struct hbs_member *me;
};

static void *die(void *arg)
{
	struct dying *dying = arg;

	if (hbs_join(dying->group, &dying->me))
		return dying;
	return join_and_end(&dying->me);
}

/* The descriptor tells the owner of the handle that the member's thread has ended */
static void thread_has_ended(void **state)
{
	struct hbs *hbs = open_software();
	struct hbs_group_attr attr = { .members = 2, .policy = HBS_ON_THREAD_EXIT };
	struct hbs_member *other;
	struct dying dying;
	pthread_t thread;
	void *failed;

	(void)state;
	assert_int_equal(hbs_group_create(hbs, &attr, &dying.group), 0);
	assert_int_equal(hbs_join(dying.group, &other), 0);
	assert_int_equal(hbs_arrive(other), 0);
	assert_int_equal(is_readable(hbs_member_fd(other), 0), 0);
	/* that barrier is over; it dies in the next one, if at all */
	assert_int_equal(pthread_create(&thread, NULL, die, &dying), 0);
	assert_int_equal(pthread_join(thread, &failed), 0);
	assert_null(failed);
	assert_int_equal(is_readable(hbs_member_fd(other), WAIT_MS), 1);
	assert_int_equal(hbs_test(other), 1);
	assert_int_equal(hbs_arrive(other), -EOWNERDEAD);
	assert_int_equal(is_readable(hbs_member_fd(dying.me), WAIT_MS), 1);
	assert_int_equal(hbs_test(dying.me), -EOWNERDEAD);
	assert_int_equal(hbs_leave(dying.me), 0);
	assert_int_equal(hbs_leave(other), 0);
	close_all(hbs, dying.group);
}

/* Nor does a child wait for the thread, which it has not */
static void child_has_no_part(void **state)
{
	struct hbs *hbs = open_software();
	struct hbs_group *group = create_group(hbs, 2);
	struct hbs_member *m[2];
	int status, fd;
	pid_t pid;

	(void)state;
	for (int i = 0; i < 2; i++)
		assert_int_equal(hbs_join(group, &m[i]), 0);
	assert_int_equal(hbs_arrive(m[0]), 0);
	fd = hbs_member_fd(m[0]);
	pid = fork();
	if (!pid)
		_exit(hbs_member_fd(m[0]) != -ECHILD || hbs_leave(m[0]) || hbs_leave(m[1]) ||
		      hbs_group_close(group) || hbs_close(hbs));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(is_readable(fd, 0), 0);
	assert_int_equal(hbs_barwait(m[1]), 0);
	assert_int_equal(is_readable(fd, WAIT_MS), 1);
	assert_int_equal(hbs_test(m[0]), 1);
	for (int i = 0; i < 2; i++)
		assert_int_equal(hbs_leave(m[i]), 0);
	close_all(hbs, group);
}

/*
 * Nobody waits, but a member that polls sees that time is over, even if it has not arrived
 * itself
 */
static void time_is_over(void **state)
{
	static const uint32_t algorithms[] = { HBS_ALGORITHM_CENTRAL, HBS_ALGORITHM_COUNTING,
					       HBS_ALGORITHM_COMBINING };

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(algorithms) / sizeof(algorithms[0]); i++) {
		struct hbs_group_attr attr = { .members = 3,
					       .timeout_ns = 100000000,
					       .algorithm = algorithms[i / 2] };
		struct hbs *hbs = open_software();
		struct hbs_member *m[3];
		struct hbs_group *group;
		int fd;

		assert_int_equal(hbs_group_create(hbs, &attr, &group), 0);
		for (int k = 0; k < 3; k++)
			assert_int_equal(hbs_join(group, &m[k]), 0);
		if (i % 2)
			assert_int_equal(hbs_arrive(m[0]), 0);
		fd = hbs_member_fd(m[0]);
		/* long enough for the thread to sleep */
		assert_int_equal(is_readable(fd, 20), 0);
		if (i % 2 == 0)
			assert_int_equal(hbs_arrive(m[1]), 0);
		assert_int_equal(is_readable(fd, WAIT_MS), 1);
		assert_int_equal(hbs_test(m[0]), -ETIMEDOUT);
		for (int k = 0; k < 3; k++)
			assert_int_equal(hbs_leave(m[k]), 0);
		close_all(hbs, group);
	}
}

static void no_descriptor_left(void **state)
{
	struct hbs *hbs = open_software();
	struct hbs_group *group = create_group(hbs, 1);
	struct rlimit before, none;
	struct hbs_member *me;

	(void)state;
	assert_int_equal(hbs_join(group, &me), 0);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){ .rlim_cur = 3, .rlim_max = before.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	assert_int_equal(hbs_member_fd(me), -EMFILE);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	expect_threads(0);
	assert_true(hbs_member_fd(me) >= 0);
	assert_int_equal(hbs_leave(me), 0);
	close_all(hbs, group);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_thread),	       cmocka_unit_test(nothing_is_missed),
		cmocka_unit_test(members_come_and_go), cmocka_unit_test(thread_has_ended),
		cmocka_unit_test(child_has_no_part),   cmocka_unit_test(time_is_over),
		cmocka_unit_test(no_descriptor_left),
	};

	return cmocka_run_group_tests_name("polling", tests, NULL, NULL);
}
