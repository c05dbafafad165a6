// SPDX-License-Identifier: GPL-2.0-or-later
/* Joining and leaving, early, late and in the middle; destroying; signals */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "threads.h"

static void sleep_ms(long ms)
{
	nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000 }, NULL);
}

static void seats_run_out(void **state)
{
	struct hbs *hbs = open_backend();
	struct hbs_group *group = create_group(hbs, 2);
	struct hbs_member *a, *b, *c = NULL;

	(void)state;
	assert_int_equal(hbs_join(group, &a), 0);
	assert_int_equal(hbs_join(group, &b), 0);
	assert_int_equal(hbs_join(group, &c), -ENOSPC);
	assert_null(c);
	assert_int_equal(hbs_leave(a), 0);
	assert_int_equal(hbs_join(group, &c), 0);
	assert_int_equal(hbs_join(group, &a), -ENOSPC);
	assert_int_equal(hbs_leave(b), 0);
	assert_int_equal(hbs_leave(c), 0);
	close_all(hbs, group);
}

/* The first barrier waits for all seats, also for one that was given up */
static void start_needs_all(void **state)
{
	struct hbs *hbs = open_backend();
	struct hbs_group *group = create_group(hbs, 3);
	struct hbs_member *a, *b, *c;

	(void)state;
	assert_int_equal(hbs_join(group, &a), 0);
	assert_int_equal(hbs_join(group, &b), 0);
	assert_int_equal(hbs_arrive(a), 0);
	assert_int_equal(hbs_arrive(b), 0);
	assert_int_equal(hbs_test(a), 0);
	assert_int_equal(hbs_leave(b), 0);
	assert_int_equal(hbs_test(a), 0);
	assert_int_equal(hbs_join(group, &b), 0);
	assert_int_equal(hbs_join(group, &c), 0);
	assert_int_equal(hbs_arrive(b), 0);
	assert_int_equal(hbs_test(a), 0);
	assert_int_equal(hbs_barwait(c), 0);
	assert_int_equal(hbs_wait(a), 0);
	assert_int_equal(hbs_wait(b), 0);
	assert_int_equal(hbs_leave(a), 0);
	assert_int_equal(hbs_leave(b), 0);
	assert_int_equal(hbs_leave(c), 0);
	close_all(hbs, group);
}

/* Started groups: a leaver completes the epoch that only it held up */
static void leave_completes(void **state)
{
	struct hbs *hbs = open_backend();
	struct hbs_group *group = create_group(hbs, 3);
	struct hbs_member *a, *b, *c;

	(void)state;
	assert_int_equal(hbs_join(group, &a), 0);
	assert_int_equal(hbs_join(group, &b), 0);
	assert_int_equal(hbs_join(group, &c), 0);
	assert_int_equal(hbs_arrive(a), 0);
	assert_int_equal(hbs_arrive(b), 0);
	assert_int_equal(hbs_leave(c), 0);
	assert_int_equal(hbs_test(a), 1);
	assert_int_equal(hbs_test(b), 1);
	/* a member that has arrived takes its arrival along */
	assert_int_equal(hbs_arrive(a), 0);
	assert_int_equal(hbs_leave(a), 0);
	assert_int_equal(hbs_arrive(b), 0);
	assert_int_equal(hbs_wait(b), 0);
	assert_int_equal(hbs_leave(b), 0);
	close_all(hbs, group);
}

/* A late join counts from the epoch in progress, and holds it up */
static void late_join(void **state)
{
	struct hbs *hbs = open_backend();
	struct hbs_group *group = create_group(hbs, 2);
	struct hbs_member *a, *b;

	(void)state;
	assert_int_equal(hbs_join(group, &a), 0);
	assert_int_equal(hbs_join(group, &b), 0);
	assert_int_equal(hbs_leave(b), 0);
	for (int i = 0; i < 5; i++)
		assert_int_equal(hbs_barwait(a), 0);
	assert_int_equal(hbs_join(group, &b), 0);
	assert_int_equal(hbs_arrive(a), 0);
	assert_int_equal(hbs_test(a), 0);
	assert_int_equal(hbs_barwait(b), 0);
	assert_int_equal(hbs_test(a), 1);
	/* everybody leaves, somebody comes again */
	assert_int_equal(hbs_leave(a), 0);
	assert_int_equal(hbs_leave(b), 0);
	assert_int_equal(hbs_join(group, &b), 0);
	assert_int_equal(hbs_barwait(b), 0);
	assert_int_equal(hbs_leave(b), 0);
	close_all(hbs, group);
}

struct crowd {
	struct hbs_group *group;
	unsigned int rounds;
	_Atomic uint64_t barriers;
};

/* Threads come and go for different numbers of barriers */
static int come_and_go(void *shared, unsigned int index)
{
	struct crowd *crowd = shared;
	struct hbs_member *member;

	for (unsigned int round = 0; round < crowd->rounds; round++) {
		unsigned int stay = (round * 7 + index * 3) % 5;
		int ret;

		CHECK(!hbs_join(crowd->group, &member));
		/* all must have come once, or the group would never start */
		if (!round)
			CHECK(!hbs_barwait(member));
		for (unsigned int i = 0; i < stay; i++) {
			ret = hbs_barwait(member);
			CHECK(!ret);
			atomic_fetch_add(&crowd->barriers, 1);
		}
		if (round % 2)
			CHECK(!hbs_arrive(member));
		CHECK(!hbs_leave(member));
	}
	return 0;
}

static void crowd_comes_and_goes(void **state)
{
	struct hbs *hbs = open_backend();
	struct crowd crowd = { .group = create_group(hbs, 6), .rounds = scaled(1000) };
	struct hbs_group_stats stats;

	(void)state;
	assert_int_equal(run_threads(6, come_and_go, &crowd), 0);
	assert_int_equal(hbs_group_stats(crowd.group, &stats), 0);
	assert_true(stats.barriers > 0);
	assert_true(stats.arrivals >= crowd.barriers);
	close_all(hbs, crowd.group);
}

struct doomed {
	struct hbs_group *group;
	atomic_uint joined;
};

static int wait_for_destroy(void *shared, unsigned int index)
{
	struct doomed *doomed = shared;
	struct hbs_group *group = doomed->group;
	struct hbs_member *member;

	CHECK(!hbs_join(group, &member));
	atomic_fetch_add(&doomed->joined, 1);
	if (index) {
		CHECK(hbs_barwait(member) == -EIDRM);
		CHECK(hbs_barwait(member) == -EIDRM);
		CHECK(hbs_arrive(member) == -EIDRM);
		CHECK(hbs_test(member) == -EIDRM);
		CHECK(hbs_wait(member) == -EIDRM);
	} else {
		while (atomic_load(&doomed->joined) < 4)
			sleep_ms(1);
		sleep_ms(30);
		CHECK(!hbs_group_destroy(group));
		CHECK(!hbs_group_destroy(group));
	}
	CHECK(!hbs_leave(member));
	return 0;
}

static void destroy(void **state)
{
	struct hbs *hbs = open_backend();
	struct doomed doomed = { .group = create_group(hbs, 5) };
	struct hbs_member *member = NULL;

	(void)state;
	assert_int_equal(run_threads(4, wait_for_destroy, &doomed), 0);
	assert_int_equal(hbs_join(doomed.group, &member), -EIDRM);
	assert_null(member);
	close_all(hbs, doomed.group);
}

/* A barrier that was over before the group broke is over for all of them */
static void destroy_after_completion(void **state)
{
	struct hbs *hbs = open_backend();
	struct hbs_group *group = create_group(hbs, 2);
	struct hbs_member *a, *b;

	(void)state;
	assert_int_equal(hbs_join(group, &a), 0);
	assert_int_equal(hbs_join(group, &b), 0);
	assert_int_equal(hbs_arrive(a), 0);
	assert_int_equal(hbs_barwait(b), 0);
	assert_int_equal(hbs_group_destroy(group), 0);
	assert_int_equal(hbs_wait(a), 0);
	assert_int_equal(hbs_barwait(a), -EIDRM);
	assert_int_equal(hbs_barwait(b), -EIDRM);
	assert_int_equal(hbs_leave(a), 0);
	assert_int_equal(hbs_leave(b), 0);
	close_all(hbs, group);
}

struct disturbed {
	struct hbs_group *group;
	_Atomic(int) signals;
	pthread_t sleeper;
	atomic_bool started;
};

static struct disturbed disturbed;

static void count_signal(int number)
{
	(void)number;
	atomic_fetch_add(&disturbed.signals, 1);
}

static int sleep_or_disturb(void *shared, unsigned int index)
{
	struct hbs_member *member;

	(void)shared;
	CHECK(!hbs_join(disturbed.group, &member));
	if (index) {
		disturbed.sleeper = pthread_self();
		atomic_store(&disturbed.started, 1);
		CHECK(!hbs_barwait(member));
	} else {
		while (!atomic_load(&disturbed.started))
			sleep_ms(1);
		for (int i = 0; i < 10; i++) {
			sleep_ms(3);
			CHECK(!pthread_kill(disturbed.sleeper, SIGUSR1));
		}
		sleep_ms(10);
		CHECK(!hbs_barwait(member));
	}
	CHECK(!hbs_leave(member));
	return 0;
}

/* A handler without SA_RESTART runs, and the wait goes on */
/* Nothing that members do later completes the barrier of a broken group */
static void stays_broken(void **state)
{
	struct hbs *hbs = open_backend();
	struct hbs_group *group = create_group(hbs, 3);
	struct hbs_member *a, *b, *c;

	(void)state;
	assert_int_equal(hbs_join(group, &a), 0);
	assert_int_equal(hbs_join(group, &b), 0);
	assert_int_equal(hbs_join(group, &c), 0);
	assert_int_equal(hbs_arrive(a), 0);
	assert_int_equal(hbs_arrive(b), 0);
	assert_int_equal(hbs_group_destroy(group), 0);
	/* in a group that is not broken, this would complete it */
	assert_int_equal(hbs_leave(c), 0);
	assert_int_equal(hbs_test(a), -EIDRM);
	assert_int_equal(hbs_leave(a), 0);
	assert_int_equal(hbs_wait(b), -EIDRM);
	assert_int_equal(hbs_barwait(b), -EIDRM);
	assert_int_equal(hbs_join(group, &c), -EIDRM);
	assert_int_equal(hbs_leave(b), 0);
	assert_int_equal(hbs_join(group, &c), -EIDRM);
	close_all(hbs, group);
}

static void signals(void **state)
{
	struct hbs *hbs = open_backend();
	struct hbs_group_stats stats;

	(void)state;
	sigaction(SIGUSR1, &(struct sigaction){ .sa_handler = count_signal }, NULL);
	disturbed.group = create_group(hbs, 2);
	assert_int_equal(run_threads(2, sleep_or_disturb, NULL), 0);
	assert_true(disturbed.signals > 0);
	assert_int_equal(hbs_group_stats(disturbed.group, &stats), 0);
	assert_int_equal(stats.barriers, 1);
	close_all(hbs, disturbed.group);
}

static int wait_or_cancel(void *shared, unsigned int index)
{
	struct hbs_member *member;
	int old;

	(void)shared;
	CHECK(!hbs_join(disturbed.group, &member));
	if (index) {
		disturbed.sleeper = pthread_self();
		atomic_store(&disturbed.started, 1);
		CHECK(!hbs_barwait(member));
		/* the request is still there, and would end the thread at the next point */
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
		CHECK(old == PTHREAD_CANCEL_ENABLE);
	} else {
		while (!atomic_load(&disturbed.started))
			sleep_ms(1);
		sleep_ms(5);
		CHECK(!pthread_cancel(disturbed.sleeper));
		sleep_ms(5);
		CHECK(!hbs_barwait(member));
	}
	CHECK(!hbs_leave(member));
	return 0;
}

/* No wait is a cancellation point: a cancelled one would not have departed */
static void cancellation(void **state)
{
	struct hbs *hbs = open_backend();

	(void)state;
	atomic_store(&disturbed.started, 0);
	disturbed.group = create_group(hbs, 2);
	assert_int_equal(run_threads(2, wait_or_cancel, NULL), 0);
	close_all(hbs, disturbed.group);
}

static int readable(int fd, int timeout)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

	return poll(&poll_fd, 1, timeout) == 1 && poll_fd.revents & POLLIN;
}

static void poll_descriptor(void **state)
{
	struct hbs *hbs = open_backend();
	struct hbs_group *group = create_group(hbs, 2);
	struct hbs_member *a, *b;

	(void)state;
	assert_int_equal(hbs_join(group, &a), 0);
	assert_int_equal(hbs_join(group, &b), 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(hbs_arrive(a), 0);
		assert_false(readable(hbs_member_fd(a), 0));
		assert_int_equal(hbs_barwait(b), 0);
		assert_true(readable(hbs_member_fd(a), 5000));
		assert_int_equal(hbs_test(a), 1);
	}
	assert_int_equal(hbs_arrive(a), 0);
	assert_int_equal(hbs_group_destroy(group), 0);
	assert_true(readable(hbs_member_fd(a), 5000));
	assert_int_equal(hbs_test(a), -EIDRM);
	assert_int_equal(hbs_leave(a), 0);
	assert_int_equal(hbs_leave(b), 0);
	close_all(hbs, group);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(seats_run_out),
		cmocka_unit_test(start_needs_all),
		cmocka_unit_test(leave_completes),
		cmocka_unit_test(late_join),
		cmocka_unit_test(crowd_comes_and_goes),
		cmocka_unit_test(destroy),
		cmocka_unit_test(destroy_after_completion),
		cmocka_unit_test(stays_broken),
		cmocka_unit_test(signals),
		cmocka_unit_test(cancellation),
		cmocka_unit_test(poll_descriptor),
	};

	return cmocka_run_group_tests_name("membership", tests, NULL, NULL);
}
