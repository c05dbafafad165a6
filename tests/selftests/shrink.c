// SPDX-License-Identifier: GPL-2.0-or-later
/* Groups that shrink: a member that dies has left, and the others go on. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "hbs_test.h"

static const struct hbs_group_create shrinks = { .policy = HBS_POLICY_SHRINK };

/* Four members that wait in four ways, and a free seat for one that dies */
FIXTURE(shrink)
{
	struct usage before;
	int card;
	struct crowd crowd;
	int ready[2]; /* a pipe: the child has done its part */
	pid_t child;
};

FIXTURE_SETUP(shrink)
{
	usage_note(&self->before);
	self->card = card_open();
	ASSERT_GE(self->card, 0);
	ASSERT_EQ(crowd_create_with(self->card, 1, &shrinks, &self->crowd), 0);
	ASSERT_EQ(pipe(self->ready), 0);
}

FIXTURE_TEARDOWN(shrink)
{
	if (self->child > 0) {
		kill(self->child, SIGKILL);
		waitpid(self->child, NULL, 0);
	}
	release_all();
	EXPECT_EQ(usage_compare(&self->before), 0);
}

static void ready(FIXTURE_DATA(shrink) *self)
{
	if (write(self->ready[1], "", 1) != 1)
		_exit(1);
}

static bool child_ready(FIXTURE_DATA(shrink) *self)
{
	char byte;

	return read(self->ready[0], &byte, 1) == 1;
}

static void end_child(FIXTURE_DATA(shrink) *self)
{
	kill(self->child, SIGKILL);
	waitpid(self->child, NULL, 0);
	self->child = 0;
}

/* How the fifth member dies */
typedef void (*last_act)(FIXTURE_DATA(shrink) *self, struct one *one);

static void start_child(FIXTURE_DATA(shrink) *self, int group, last_act act)
{
	self->child = fork();
	if (!self->child) {
		static struct one one;
		int card = card_open();

		close(self->card);
		if (card < 0 || group_adopt(group, &one.group) || port_alloc(card, &one.port) ||
		    join(&one.group, &one.port, &one.member))
			_exit(2);
		act(self, &one);
		_exit(0);
	}
}

static void wait_for_go(FIXTURE_DATA(shrink) *self)
{
	sigset_t set;
	int signal;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	ready(self);
	sigwait(&set, &signal);
}

/* The rest go on, three times */
static void goes_on(struct __test_metadata *_metadata, FIXTURE_DATA(shrink) *self)
{
	struct hbs_group_info info;

	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < WAIT_KINDS; i++)
			arrive(&self->crowd.member[i]);
		for (int i = 0; i < WAIT_KINDS; i++)
			ASSERT_EQ(wait_spin(&self->crowd.member[i]), 0);
	}
	ASSERT_EQ(group_info(self->crowd.group.fd, &info), 0);
	EXPECT_EQ(info.joined, WAIT_KINDS);
	EXPECT_EQ(info.members, WAIT_KINDS + 1);
	EXPECT_EQ(info.policy, HBS_POLICY_SHRINK);
	EXPECT_EQ(word_error(info.word), 0);
}

/* Another member can take the seat of the dead one */
static void seat_is_free(struct __test_metadata *_metadata, FIXTURE_DATA(shrink) *self)
{
	struct port port;
	struct member member;

	ASSERT_EQ(port_alloc(self->card, &port), 0);
	ASSERT_EQ(join(&self->crowd.group, &port, &member), 0);
	ASSERT_EQ(crowd_wait(&self->crowd), 0);
	for (int i = 0; i < WAIT_KINDS; i++)
		EXPECT_FALSE(released(&self->crowd.member[i]));
	EXPECT_EQ(barrier(&member), 0);
	EXPECT_EQ(crowd_check(&self->crowd, 0), 0);
	EXPECT_EQ(leave(&member), 0);
}

#define START_AND_WAIT(act)                                              \
	do {                                                             \
		start_child(self, self->crowd.group.fd, act);            \
		ASSERT_GT(self->child, 0);                               \
		ASSERT_TRUE(child_ready(self));                          \
		ASSERT_EQ(crowd_wait(&self->crowd), 0);                  \
		for (int _i = 0; _i < WAIT_KINDS; _i++)                  \
			ASSERT_FALSE(released(&self->crowd.member[_i])); \
	} while (0)

static void act_pause(FIXTURE_DATA(shrink) *self, struct one *one)
{
	(void)one;
	ready(self);
	pause();
}

TEST_F(shrink, kill9)
{
	START_AND_WAIT(act_pause);
	end_child(self);
	EXPECT_EQ(crowd_check(&self->crowd, 0), 0);
	goes_on(_metadata, self);
	seat_is_free(_metadata, self);
}

static void act_sleep(FIXTURE_DATA(shrink) *self, struct one *one)
{
	struct group two;
	struct member in_two;

	/* Asleep in a group of its own, whose other seat nobody takes */
	if (group_create_with(one->port.card, 2, &shrinks, &two) || join(&two, &one->port, &in_two))
		_exit(3);
	ready(self);
	wait_sleep(&in_two);
}

TEST_F(shrink, kill9_of_a_sleeping_member)
{
	START_AND_WAIT(act_sleep);
	end_child(self);
	EXPECT_EQ(crowd_check(&self->crowd, 0), 0);
	goes_on(_metadata, self);
}

static void act_spin(FIXTURE_DATA(shrink) *self, struct one *one)
{
	(void)one;
	ready(self);
	for (;;)
		sched_yield();
}

TEST_F(shrink, kill9_of_a_running_member)
{
	START_AND_WAIT(act_spin);
	end_child(self);
	EXPECT_EQ(crowd_check(&self->crowd, 0), 0);
	goes_on(_metadata, self);
}

static void act_exec(FIXTURE_DATA(shrink) *self, struct one *one)
{
	(void)one;
	wait_for_go(self);
	execlp("sleep", "sleep", "60", NULL);
	_exit(4);
}

TEST_F(shrink, exec)
{
	START_AND_WAIT(act_exec);
	ASSERT_EQ(kill(self->child, SIGUSR1), 0);
	EXPECT_EQ(crowd_check(&self->crowd, 0), 0);
	EXPECT_EQ(waitpid(self->child, NULL, WNOHANG), 0);
	goes_on(_metadata, self);
}

static void act_unmap(FIXTURE_DATA(shrink) *self, struct one *one)
{
	wait_for_go(self);
	port_unmap(&one->port);
	pause();
}

TEST_F(shrink, munmap_of_the_port)
{
	START_AND_WAIT(act_unmap);
	ASSERT_EQ(kill(self->child, SIGUSR1), 0);
	EXPECT_EQ(crowd_check(&self->crowd, 0), 0);
	goes_on(_metadata, self);
	seat_is_free(_metadata, self);
}

/* Without a mapping the open file is the member's life */
TEST_F(shrink, close_of_the_card)
{
	struct port port;
	struct member member;
	int card = card_open();

	ASSERT_GE(card, 0);
	ASSERT_EQ(port_alloc_only(card, &port), 0);
	ASSERT_EQ(join(&self->crowd.group, &port, &member), 0);
	ASSERT_EQ(crowd_wait(&self->crowd), 0);
	ASSERT_EQ(close(card), 0);
	EXPECT_EQ(crowd_check(&self->crowd, 0), 0);
	goes_on(_metadata, self);
}

/* A member that had arrived dies: nothing is missing, nothing is counted twice */
static void act_arrive(FIXTURE_DATA(shrink) *self, struct one *one)
{
	arrive(&one->member);
	/* A load, so that the store has got there */
	if (*one->member.departure != one->member.word)
		_exit(3);
	ready(self);
	pause();
}

TEST_F(shrink, kill9_after_arrival)
{
	struct hbs_group_counters counters;

	start_child(self, self->crowd.group.fd, act_arrive);
	ASSERT_TRUE(child_ready(self));
	end_child(self);
	for (int i = 0; i < WAIT_KINDS; i++)
		ASSERT_FALSE(released(&self->crowd.member[i]));
	goes_on(_metadata, self);
	ASSERT_EQ(group_counters(self->crowd.group.fd, &counters), 0);
	EXPECT_EQ(counters.completions, 3);
	EXPECT_EQ(counters.arrivals, 3 * WAIT_KINDS + 1);
}

/* Before the start the seat is free again, and the group waits for somebody in it */
TEST_F(shrink, before_the_start)
{
	struct hbs_group_missing state;
	struct hbs_group_info info;
	struct one one;
	struct port port;
	struct member member;
	struct waiter waiter;

	ASSERT_EQ(group_create_with(self->card, 2, &shrinks, &one.group), 0);
	for (int round = 0; round < 3; round++) {
		start_child(self, one.group.fd, act_pause);
		ASSERT_TRUE(child_ready(self));
		ASSERT_EQ(group_missing(one.group.fd, NULL, 0, &state), 1);
		EXPECT_EQ(state.vacant, 1);
		end_child(self);
		ASSERT_EQ(group_missing(one.group.fd, NULL, 0, &state), 0);
		EXPECT_EQ(state.vacant, 2);
		ASSERT_EQ(group_info(one.group.fd, &info), 0);
		EXPECT_EQ(info.joined, 0);
		EXPECT_EQ(word_error(info.word), 0);
	}
	ASSERT_EQ(port_alloc(self->card, &one.port), 0);
	ASSERT_EQ(join(&one.group, &one.port, &one.member), 0);
	arrive(&one.member);
	ASSERT_EQ(waiter_start(&waiter, &one.member, WAIT_IOCTL), 0);
	ASSERT_EQ(port_alloc(self->card, &port), 0);
	ASSERT_EQ(join(&one.group, &port, &member), 0);
	EXPECT_EQ(barrier(&member), 0);
	ASSERT_EQ(waiter_join(&waiter), 0);
	EXPECT_EQ(waiter.result, 0);
}

/* The last one dies: the group is there for whoever comes next */
TEST_F(shrink, last_one)
{
	struct hbs_group_info info;
	struct one one;

	ASSERT_EQ(group_create_with(self->card, 1, &shrinks, &one.group), 0);
	for (int round = 0; round < 5; round++) {
		start_child(self, one.group.fd, round % 2 ? act_pause : act_arrive);
		/* act_arrive completes the epoch, for it is alone */
		if (round % 2) {
			ASSERT_TRUE(child_ready(self));
			end_child(self);
		} else {
			int status;

			ASSERT_EQ(waitpid(self->child, &status, 0), self->child);
			self->child = 0;
			ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 3);
		}
		ASSERT_EQ(group_info(one.group.fd, &info), 0);
		EXPECT_EQ(info.joined, 0);
		EXPECT_EQ(word_error(info.word), 0);
	}
	ASSERT_EQ(port_alloc(self->card, &one.port), 0);
	ASSERT_EQ(join(&one.group, &one.port, &one.member), 0);
	for (int i = 0; i < 10; i++)
		EXPECT_EQ(barrier(&one.member), 0);
}

/* Only groups that shrink do: the dead was in one of each kind */
static struct group other_group;

static void act_join_other(FIXTURE_DATA(shrink) *self, struct one *one)
{
	struct member member;

	if (join(&other_group, &one->port, &member))
		_exit(3);
	ready(self);
	pause();
}

TEST_F(shrink, in_groups_of_both_kinds)
{
	struct port port;
	struct member member;
	struct waiter waiter;

	ASSERT_EQ(group_create(self->card, 2, &other_group), 0);
	ASSERT_EQ(port_alloc(self->card, &port), 0);
	ASSERT_EQ(join(&other_group, &port, &member), 0);
	arrive(&member);
	START_AND_WAIT(act_join_other);
	ASSERT_EQ(waiter_start(&waiter, &member, WAIT_IOCTL), 0);
	end_child(self);
	EXPECT_EQ(crowd_check(&self->crowd, 0), 0);
	ASSERT_EQ(waiter_join(&waiter), 0);
	EXPECT_EQ(waiter.result, -EOWNERDEAD);
	goes_on(_metadata, self);
}

/* A group that is broken stays so when it shrinks */
TEST_F(shrink, broken_before)
{
	START_AND_WAIT(act_pause);
	ASSERT_EQ(group_destroy(self->crowd.group.fd), 0);
	EXPECT_EQ(crowd_check(&self->crowd, -EIDRM), 0);
	end_child(self);
	EXPECT_EQ(word_error(*self->crowd.member[0].record), -EIDRM);
}

/* The absent one dies after the timer has told of it: it is not missing any more */
TEST_F(shrink, and_timeout)
{
	struct hbs_group_create with = {
		.policy = HBS_POLICY_SHRINK | HBS_POLICY_NOTIFY,
		.timeout_ns = 20000000,
	};
	struct hbs_group_missing state;
	struct hbs_missing missing;
	struct one one;

	ASSERT_EQ(group_create_with(self->card, 2, &with, &one.group), 0);
	ASSERT_EQ(port_alloc(self->card, &one.port), 0);
	ASSERT_EQ(join(&one.group, &one.port, &one.member), 0);
	start_child(self, one.group.fd, act_pause);
	ASSERT_TRUE(child_ready(self));
	arrive(&one.member);
	while (!group_timeouts(one.group.fd))
		sleep_ms(1);
	ASSERT_EQ(group_missing(one.group.fd, &missing, 1, &state), 1);
	EXPECT_EQ(state.expired, 1);
	EXPECT_EQ(missing.pid, self->child);
	end_child(self);
	EXPECT_EQ(wait_spin(&one.member), 0);
	ASSERT_EQ(group_missing(one.group.fd, &missing, 1, &state), 1);
	EXPECT_EQ(state.expired, 0);
	EXPECT_EQ(missing.pid, getpid());
}

/* Members in many processes die one after the other while all run, and two survive */
static void child_run(int group, int epochs)
{
	struct one one;
	int card = card_open();

	if (card < 0 || group_adopt(group, &one.group) || port_alloc(card, &one.port) ||
	    join(&one.group, &one.port, &one.member))
		_exit(2);
	for (int i = 0; i < epochs; i++)
		if (i % 2 ? barrier_sleep(&one.member) : barrier(&one.member))
			_exit(3);
	kill(getpid(), SIGKILL);
}

TEST_F(shrink, one_after_the_other)
{
	enum { CHILDREN = 12, STEP = 5 };
	struct one one[2];
	struct group group;
	pid_t child[CHILDREN];
	int status;

	ASSERT_EQ(group_create_with(self->card, CHILDREN + 2, &shrinks, &group), 0);
	for (int i = 0; i < CHILDREN; i++) {
		child[i] = fork();
		if (!child[i])
			child_run(group.fd, STEP * (i / 2 + 1));
	}
	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(port_alloc(self->card, &one[i].port), 0);
		ASSERT_EQ(join(&group, &one[i].port, &one[i].member), 0);
	}
	for (int epoch = 0; epoch < STEP * CHILDREN; epoch++) {
		arrive(&one[0].member);
		ASSERT_EQ(epoch % 3 ? barrier(&one[1].member) : barrier_sleep(&one[1].member), 0);
		ASSERT_EQ(wait_sleep(&one[0].member), 0);
	}
	for (int i = 0; i < CHILDREN; i++) {
		ASSERT_EQ(waitpid(child[i], &status, 0), child[i]);
		EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	}
	TH_LOG("epochs %d", STEP * CHILDREN);
}

TEST_HARNESS_MAIN
