// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Who arrives makes a system call only if somebody sleeps: a process that was killed asleep
 * does not, once its death is known.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "software/software.h"
#include "threads.h"

#define TRIES 10000 /* of a ms */

struct set {
	struct hbs *hbs;
	struct hbs_group *group;
	struct hbs_member *me;
	pid_t sleeper;
};

static uint32_t sleepers(const struct set *set)
{
	return atomic_load(&set->group->software->page->sleepers);
}

static struct hbs *open_passive(void)
{
	struct hbs_attr attr = { .backend = HBS_BACKEND_SOFTWARE, .wait_policy = HBS_WAIT_PASSIVE };
	struct hbs *hbs = NULL;

	assert_int_equal(hbs_open(&hbs, &attr), 0);
	return hbs;
}

/* In a child */
static int sleep_in_it(int fd, bool by_poll)
{
	struct hbs_attr attr = { .backend = HBS_BACKEND_SOFTWARE, .wait_policy = HBS_WAIT_PASSIVE };
	struct hbs_member *me;
	struct hbs_group *group;
	struct hbs *hbs;

	CHECK(!hbs_open(&hbs, &attr));
	CHECK(!hbs_group_import(hbs, fd, &group));
	CHECK(!hbs_join(group, &me));
	if (by_poll) {
		struct pollfd pollfd = { .events = POLLIN };

		CHECK(!hbs_arrive(me));
		pollfd.fd = hbs_member_fd(me);
		poll(&pollfd, 1, -1);
		return __LINE__;
	}
	hbs_barwait(me);
	return __LINE__;
}

/* Two members, of which one is a process that sleeps */
static struct set set_up(uint32_t policy, bool by_poll)
{
	struct hbs_group_attr attr = { .members = 2, .policy = policy };
	struct set set = { .hbs = open_passive() };

	assert_int_equal(hbs_group_create(set.hbs, &attr, &set.group), 0);
	assert_int_equal(hbs_join(set.group, &set.me), 0);
	set.sleeper = fork();
	assert_true(set.sleeper >= 0);
	if (!set.sleeper)
		_exit(sleep_in_it(hbs_group_fd(set.group), by_poll) != 0);
	for (int i = 0; !sleepers(&set); i++) {
		assert_true(i < TRIES);
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
	return set;
}

static void kill_it(const struct set *set)
{
	assert_int_equal(kill(set->sleeper, SIGKILL), 0);
	assert_int_equal(waitpid(set->sleeper, NULL, 0), set->sleeper);
	assert_int_equal(sleepers(set), 1);
}

static void tear_down(const struct set *set)
{
	assert_int_equal(sleepers(set), 0);
	assert_int_equal(hbs_leave(set->me), 0);
	close_all(set->hbs, set->group);
}

static void others_go_on(void **state)
{
	struct set set = set_up(HBS_ON_DEATH_SHRINK, false);

	(void)state;
	kill_it(&set);
	/* it had arrived at this one, and is found to be dead at the next */
	assert_int_equal(hbs_barwait(set.me), 0);
	assert_int_equal(hbs_barwait(set.me), 0);
	tear_down(&set);
}

static void others_go_on_without_one_that_polls(void **state)
{
	struct set set = set_up(HBS_ON_DEATH_SHRINK, true);

	(void)state;
	kill_it(&set);
	assert_int_equal(hbs_barwait(set.me), 0);
	assert_int_equal(hbs_barwait(set.me), 0);
	tear_down(&set);
}

static void group_breaks(void **state)
{
	struct set set = set_up(0, false);

	(void)state;
	kill_it(&set);
	assert_int_equal(hbs_barwait(set.me), 0);
	assert_int_equal(hbs_barwait(set.me), -EOWNERDEAD);
	tear_down(&set);
}

static void group_is_reset(void **state)
{
	struct set set = set_up(0, false);

	(void)state;
	kill_it(&set);
	assert_int_equal(hbs_group_reset(set.group), 0);
	tear_down(&set);
}

/* The seat of before the reset is another's then */
static void dies_after_a_reset(void **state)
{
	struct hbs_member *others[2];
	struct set set = set_up(0, false);

	(void)state;
	/* stopped, so that it cannot find out */
	assert_int_equal(kill(set.sleeper, SIGSTOP), 0);
	assert_int_equal(waitpid(set.sleeper, NULL, WUNTRACED), set.sleeper);
	assert_int_equal(hbs_group_reset(set.group), 0);
	kill_it(&set);
	assert_int_equal(hbs_join(set.group, &others[0]), 0);
	assert_int_equal(hbs_join(set.group, &others[1]), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(hbs_leave(others[i]), 0);
	tear_down(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(others_go_on),
		cmocka_unit_test(others_go_on_without_one_that_polls),
		cmocka_unit_test(group_breaks),
		cmocka_unit_test(group_is_reset),
		cmocka_unit_test(dies_after_a_reset),
	};

	return cmocka_run_group_tests_name("sleepers", tests, NULL, NULL);
}
