// SPDX-License-Identifier: GPL-2.0-or-later
/* libhbs when something is wrong: limits, misuse, and a card that goes. */
#define _GNU_SOURCE
#include <errno.h>
#include <hbs.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "hbs_test.h"

FIXTURE(lib_errors)
{
	struct usage before;
	struct hbs *hbs;
	struct hbs_group *group; /* of two */
	struct hbs_member *me, *other;
};

FIXTURE_SETUP(lib_errors)
{
	struct hbs_attr attr = { .backend = HBS_BACKEND_CARD };
	struct hbs_group_attr group = { .members = 2 };

	usage_note(&self->before);
	ASSERT_EQ(hbs_open(&self->hbs, &attr), 0);
	ASSERT_EQ(hbs_group_create(self->hbs, &group, &self->group), 0);
	ASSERT_EQ(hbs_join(self->group, &self->me), 0);
	ASSERT_EQ(hbs_join(self->group, &self->other), 0);
}

FIXTURE_TEARDOWN(lib_errors)
{
	EXPECT_EQ(hbs_leave(self->me), 0);
	if (self->other)
		EXPECT_EQ(hbs_leave(self->other), 0);
	EXPECT_EQ(hbs_group_close(self->group), 0);
	EXPECT_EQ(hbs_close(self->hbs), 0);
	EXPECT_EQ(usage_compare(&self->before), 0);
}

TEST_F(lib_errors, open)
{
	struct hbs_attr attr = { .backend = HBS_BACKEND_CARD, .device = "/dev/hbs99" };
	struct hbs *hbs;

	EXPECT_EQ(hbs_open(&hbs, &attr), -ENOENT);
	attr.device = "/dev/null";
	EXPECT_LT(hbs_open(&hbs, &attr), 0);
	attr = (struct hbs_attr){ .backend = 3 };
	EXPECT_EQ(hbs_open(&hbs, &attr), -EINVAL);
	attr = (struct hbs_attr){ .reserved[4] = 1 };
	EXPECT_EQ(hbs_open(&hbs, &attr), -EINVAL);
	/* Whichever there is: here a card */
	ASSERT_EQ(hbs_open(&hbs, NULL), 0);
	EXPECT_EQ(hbs_backend(hbs), HBS_BACKEND_CARD);
	EXPECT_EQ(strncmp(hbs_backend_name(hbs), "/dev/hbs", 8), 0);
	EXPECT_EQ(hbs_close(hbs), 0);
}

TEST_F(lib_errors, misuse)
{
	struct hbs_member *third;

	EXPECT_EQ(hbs_test(self->me), -EINVAL);
	EXPECT_EQ(hbs_wait(self->me), -EINVAL);
	EXPECT_EQ(hbs_arrive(self->me), 0);
	EXPECT_EQ(hbs_arrive(self->me), -EALREADY);
	EXPECT_EQ(hbs_barwait(self->me), -EALREADY);
	EXPECT_EQ(hbs_test(self->me), 0);
	EXPECT_EQ(hbs_join(self->group, &third), -ENOSPC);
	EXPECT_EQ(hbs_group_close(self->group), -EBUSY);
	EXPECT_EQ(hbs_close(self->hbs), -EBUSY);
	EXPECT_EQ(hbs_barwait(self->other), 0);
	EXPECT_EQ(hbs_test(self->me), 1);
}

TEST_F(lib_errors, group_limits)
{
	struct hbs_group_attr attr = { 0 };
	struct hbs_group *group[129];
	unsigned int n = 0;
	int ret;

	EXPECT_EQ(hbs_group_create(self->hbs, &attr, &group[0]), -EINVAL);
	attr.members = 1025;
	EXPECT_EQ(hbs_group_create(self->hbs, &attr, &group[0]), -EINVAL);
	attr = (struct hbs_group_attr){ .members = 1, .type = HBS_REFUTABLE + 1 };
	EXPECT_EQ(hbs_group_create(self->hbs, &attr, &group[0]), -EINVAL);
	attr = (struct hbs_group_attr){ .members = 1, .reserved[0] = 1 };
	EXPECT_EQ(hbs_group_create(self->hbs, &attr, &group[0]), -EINVAL);
	attr = (struct hbs_group_attr){ .members = 1 };
	while (!(ret = hbs_group_create(self->hbs, &attr, &group[n])) && n < 128)
		n++;
	EXPECT_EQ(ret, -ENOSPC);
	while (n--)
		EXPECT_EQ(hbs_group_close(group[n]), 0);
}

TEST_F(lib_errors, import)
{
	struct hbs_group *group;

	EXPECT_EQ(hbs_group_import(self->hbs, -1, &group), -EBADF);
	EXPECT_EQ(hbs_group_import(self->hbs, 0, &group), -EINVAL);
	ASSERT_EQ(hbs_group_import(self->hbs, hbs_group_fd(self->group), &group), 0);
	EXPECT_EQ(hbs_group_close(group), 0);
}

static void *wait_in(void *arg)
{
	return (void *)(long)hbs_barwait(arg);
}

/* @act happens while one member waits; it gets @error, and so does every call after */
static void while_waiting(struct __test_metadata *_metadata, FIXTURE_DATA(lib_errors) *self,
			  void (*act)(FIXTURE_DATA(lib_errors) *self), int error)
{
	struct hbs_group_stats stats;
	pthread_t thread;
	void *result;
	int ret;

	ASSERT_EQ(pthread_create(&thread, NULL, wait_in, self->me), 0);
	/* Beyond its spin time */
	usleep(50000);
	act(self);
	ASSERT_EQ(pthread_join(thread, &result), 0);
	EXPECT_EQ((long)result, error);
	EXPECT_EQ(hbs_barwait(self->me), error);
	EXPECT_EQ(hbs_arrive(self->me), error);
	if (self->other)
		EXPECT_EQ(hbs_barwait(self->other), error);
	ret = hbs_group_stats(self->group, &stats);
	EXPECT_EQ(ret, error == -ENODEV || error == -ECONNRESET ? error : 0);
}

static void act_destroy(FIXTURE_DATA(lib_errors) *self)
{
	if (hbs_group_destroy(self->group))
		abort();
}

TEST_F(lib_errors, destroyed)
{
	while_waiting(_metadata, self, act_destroy, -EIDRM);
	EXPECT_EQ(hbs_group_destroy(self->group), 0);
}

static pid_t child;

static void act_kill(FIXTURE_DATA(lib_errors) *self)
{
	(void)self;
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

TEST_F(lib_errors, member_killed)
{
	struct hbs_attr attr = { .backend = HBS_BACKEND_CARD };
	struct hbs_group *group;
	struct hbs_member *member;
	struct hbs *hbs;
	int ready[2];
	char byte;

	/* The free seat is for a child */
	ASSERT_EQ(hbs_leave(self->other), 0);
	self->other = NULL;
	ASSERT_EQ(pipe(ready), 0);
	child = fork();
	if (!child) {
		if (hbs_open(&hbs, &attr) ||
		    hbs_group_import(hbs, hbs_group_fd(self->group), &group) ||
		    hbs_join(group, &member) || write(ready[1], "", 1) != 1)
			_exit(1);
		pause();
	}
	ASSERT_EQ(read(ready[0], &byte, 1), 1);
	while_waiting(_metadata, self, act_kill, -EOWNERDEAD);
}

static char pci[32];

static void act_unbind(FIXTURE_DATA(lib_errors) *self)
{
	(void)self;
	if (card_unbind(pci))
		abort();
}

TEST_F(lib_errors, unbound)
{
	ASSERT_EQ(card_pci_name(0, pci, sizeof(pci)), 0);
	while_waiting(_metadata, self, act_unbind, -ENODEV);
	ASSERT_EQ(card_bind(pci), 0);
	ASSERT_EQ(card_wait(10), 0);
}

static void act_reset(FIXTURE_DATA(lib_errors) *self)
{
	(void)self;
	if (card_pci_write(pci, "reset", "1"))
		abort();
}

TEST_F(lib_errors, reset)
{
	ASSERT_EQ(card_pci_name(0, pci, sizeof(pci)), 0);
	while_waiting(_metadata, self, act_reset, -ECONNRESET);
}

TEST_HARNESS_MAIN
