// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A member that arrives makes a system call only if somebody sleeps: a process that was
 * killed asleep does not count, once its death is known.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "software/software.h"
#include "pollers.h"
#include "threads.h"

#define TRIES	10000 /* of a ms */
#define SLOW_MS 200   /* until the thread that polls has looked, if all goes well */

struct set {
	struct hbs *hbs;
	struct hbs_group *group;
	struct hbs_member *me;
	pid_t sleeper;
};

static uint32_t sleepers(const struct set *set)
{
	return atomic_load(&soft_page(soft_of(set->group))->sleepers);
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

static void pause_for_ms(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

/* In the names of all seats */
static uint64_t sum_asleep(const struct set *set)
{
	struct software *software = soft_of(set->group);
	uint64_t sum = 0;

	for (uint32_t i = 0; i < soft_used(software); i++)
		sum += atomic_load(&soft_seat(software, i)->asleep);
	return sum;
}

/* It wakes from time to time to look for the dead: stop it when it does not */
static void stop_asleep(const struct set *set)
{
	for (int i = 0; i < TRIES; i++) {
		pause_for_ms();
		assert_int_equal(kill(set->sleeper, SIGSTOP), 0);
		assert_int_equal(waitpid(set->sleeper, NULL, WUNTRACED), set->sleeper);
		if (sleepers(set) == 1 && sum_asleep(set) == 1)
			return;
		assert_int_equal(kill(set->sleeper, SIGCONT), 0);
	}
	fail();
}

/* Two members, one of which is a process that sleeps; the test stops it so that it stays asleep */
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
	stop_asleep(&set);
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

/* While stopped it cannot find out; and then another has the seat from before the reset */
static void dies_after_a_reset(void **state)
{
	struct hbs_member *others[2];
	struct set set = set_up(0, false);

	(void)state;
	assert_int_equal(hbs_group_reset(set.group), 0);
	kill_it(&set);
	assert_int_equal(hbs_join(set.group, &others[0]), 0);
	assert_int_equal(hbs_join(set.group, &others[1]), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(hbs_leave(others[i]), 0);
	tear_down(&set);
}

static pid_t find_poller(void)
{
	pid_t found = 0;

	assert_int_equal(find_pollers(&found), 1);
	return found;
}

/* A process that keeps a thread of this one stopped until it is killed */
struct freezer {
	pid_t pid;
	bool works; /* not where processes may not trace each other */
};

static void __attribute__((noreturn)) be_the_freezer(pid_t thread, int start, int ready)
{
	char byte = 0;

	if (read(start, &byte, 1) != 1 || ptrace(PTRACE_SEIZE, thread, NULL, NULL) ||
	    ptrace(PTRACE_INTERRUPT, thread, NULL, NULL) ||
	    waitpid(thread, NULL, __WALL) != thread || write(ready, &byte, 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static struct freezer freeze(pid_t thread)
{
	struct freezer freezer = { 0 };
	int ready[2], start[2];
	char byte = 0;

	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(start), 0);
	freezer.pid = fork();
	assert_true(freezer.pid >= 0);
	if (!freezer.pid)
		be_the_freezer(thread, start[0], ready[1]);
	prctl(PR_SET_PTRACER, freezer.pid);
	close(ready[1]);
	assert_int_equal(write(start[1], &byte, 1), 1);
	freezer.works = read(ready[0], &byte, 1) == 1;
	close(ready[0]);
	close(start[0]);
	close(start[1]);
	return freezer;
}

/* Its death lets the thread go on */
static void thaw(const struct freezer *freezer)
{
	kill(freezer->pid, SIGKILL);
	assert_int_equal(waitpid(freezer->pid, NULL, 0), freezer->pid);
}

static void *barwait(void *member)
{
	return (void *)(intptr_t)hbs_barwait(member);
}

/* A member that polls, until its seat is to be another's */
struct mortal {
	struct set *set;
	struct hbs_member *me;
	bool leaves; /* or its thread ends, as a member */
	sem_t polls, ends;
};

static void *poll_and_end(void *arg)
{
	struct mortal *mortal = arg;

	if (hbs_join(mortal->set->group, &mortal->me) || hbs_barwait(mortal->me) ||
	    hbs_member_fd(mortal->me) < 0)
		return arg;
	while (!sleepers(mortal->set))
		pause_for_ms();
	/* that needs the lock which the thread that polls lets go of when it sleeps */
	if (hbs_member_fd(mortal->me) < 0)
		return arg;
	sem_post(&mortal->polls);
	sem_wait(&mortal->ends);
	return mortal->leaves && hbs_leave(mortal->me) ? arg : NULL;
}

/*
 * The thread that polls is slow to find that a member, in whose name it sleeps, is gone: the
 * next one to have the seat sleeps there too, and counts
 */
static void take_seat_again(bool leaves)
{
	struct hbs_group_attr attr = { .members = 2,
				       .policy = HBS_ON_THREAD_EXIT | HBS_ON_DEATH_SHRINK };
	struct set set = { .hbs = open_passive() };
	struct mortal mortal = { .set = &set, .leaves = leaves };
	struct hbs_member *next;
	struct freezer freezer;
	uint64_t before;
	pthread_t thread;
	void *failed;

	sem_init(&mortal.polls, 0, 0);
	sem_init(&mortal.ends, 0, 0);
	assert_int_equal(hbs_group_create(set.hbs, &attr, &set.group), 0);
	assert_int_equal(hbs_join(set.group, &set.me), 0);
	assert_int_equal(hbs_arrive(set.me), 0);
	assert_int_equal(pthread_create(&thread, NULL, poll_and_end, &mortal), 0);
	sem_wait(&mortal.polls);
	/* another one that polls, so that the thread stays; but its barrier is over */
	assert_true(hbs_member_fd(set.me) >= 0);
	assert_int_equal(hbs_test(set.me), 1);
	freezer = freeze(find_poller());
	sem_post(&mortal.ends);
	assert_int_equal(pthread_join(thread, &failed), 0);
	assert_null(failed);
	before = count_sleeps(set.group);
	assert_int_equal(hbs_join(set.group, &next), 0);
	assert_int_equal(pthread_create(&thread, NULL, barwait, next), 0);
	while (count_sleeps(set.group) == before)
		pause_for_ms();
	thaw(&freezer);
	for (int i = 0; i < SLOW_MS; i++) {
		assert_int_equal(sleepers(&set), 1);
		assert_int_equal(sum_asleep(&set), 1);
		pause_for_ms();
	}
	assert_int_equal(hbs_barwait(set.me), 0);
	assert_int_equal(pthread_join(thread, &failed), 0);
	assert_null(failed);
	assert_int_equal(hbs_leave(next), 0);
	if (!leaves)
		assert_int_equal(hbs_leave(mortal.me), 0);
	tear_down(&set);
	sem_destroy(&mortal.polls);
	sem_destroy(&mortal.ends);
	if (!freezer.works)
		skip();
}

static void seat_of_one_that_left(void **state)
{
	(void)state;
	take_seat_again(true);
}

static void seat_of_one_whose_thread_has_ended(void **state)
{
	(void)state;
	take_seat_again(false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(others_go_on),
		cmocka_unit_test(others_go_on_without_one_that_polls),
		cmocka_unit_test(group_breaks),
		cmocka_unit_test(group_is_reset),
		cmocka_unit_test(dies_after_a_reset),
		cmocka_unit_test(seat_of_one_that_left),
		cmocka_unit_test(seat_of_one_whose_thread_has_ended),
	};

	return cmocka_run_group_tests_name("sleepers", tests, NULL, NULL);
}
