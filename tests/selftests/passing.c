// SPDX-License-Identifier: GPL-2.0-or-later
/* Threads of several processes in one group: by fork and by descriptor passing. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "harness.h"
#include "hbs_test.h"

#define PROCESSES 4
#define EPOCHS	  (accel_is("single") ? 300 : 60)

/* Shared by all, so that ordering can be checked across processes */
static volatile unsigned long *count;

/* A process with a card file and a port of its own; returns its exit status */
static int take_part(int group_fd, unsigned int index)
{
	struct group group;
	struct port port;
	struct member member;
	int card = card_open();

	if (card < 0 || port_alloc(card, &port))
		return 1;
	if (group_adopt(group_fd, &group) || join(&group, &port, &member))
		return 2;
	for (unsigned long epoch = 1; epoch <= EPOCHS; epoch++) {
		count[index] = epoch;
		if (epoch % 16 ? barrier(&member) : barrier_sleep(&member))
			return 3;
		for (unsigned int i = 0; i < PROCESSES; i++)
			if (count[i] < epoch)
				return 4;
	}
	return leave(&member) ? 5 : 0;
}

FIXTURE(passing)
{
	struct usage before;
	int card;
};

FIXTURE_SETUP(passing)
{
	usage_note(&self->before);
	self->card = card_open();
	ASSERT_GE(self->card, 0);
	count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(count, MAP_FAILED);
}

FIXTURE_TEARDOWN(passing)
{
	release_all();
	EXPECT_EQ(usage_compare(&self->before), 0);
}

static void all_pass(struct __test_metadata *_metadata, const pid_t *pid)
{
	int status;

	for (unsigned int i = 0; i < PROCESSES; i++) {
		ASSERT_EQ(waitpid(pid[i], &status, 0), pid[i]);
		EXPECT_EQ(status, 0);
	}
}

TEST_F(passing, by_fork)
{
	struct group group;
	pid_t pid[PROCESSES];

	ASSERT_EQ(group_create(self->card, PROCESSES, &group), 0);
	for (unsigned int i = 0; i < PROCESSES; i++) {
		pid[i] = fork();
		if (!pid[i])
			_exit(take_part(group.fd, i));
	}
	all_pass(_metadata, pid);
}

/* None of them has the group's descriptor from its parent */
TEST_F(passing, by_socket)
{
	int pair[PROCESSES][2];
	struct group group;
	pid_t pid[PROCESSES];

	for (unsigned int i = 0; i < PROCESSES; i++) {
		ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair[i]), 0);
		pid[i] = fork();
		if (!pid[i]) {
			close(self->card);
			_exit(take_part(receive_fd(pair[i][1]), i));
		}
	}
	ASSERT_EQ(group_create(self->card, PROCESSES, &group), 0);
	for (unsigned int i = 0; i < PROCESSES; i++)
		ASSERT_EQ(send_fd(pair[i][0], group.fd), 0);
	/* Processes that have the group keep it alive: the creator lets go at once */
	ASSERT_EQ(group_close(&group), 0);
	all_pass(_metadata, pid);
}

/* A descriptor on its way in a socket keeps the group alive, and dies with it */
TEST_F(passing, in_flight)
{
	struct group group;
	int pair[2];

	ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	ASSERT_EQ(group_create(self->card, 2, &group), 0);
	ASSERT_EQ(send_fd(pair[0], group.fd), 0);
	ASSERT_EQ(group_close(&group), 0);
	ASSERT_EQ(group_adopt(receive_fd(pair[1]), &group), 0);
	ASSERT_EQ(send_fd(pair[0], group.fd), 0);
}

TEST_F(passing, close_on_exec)
{
	struct group group;
	int again;

	ASSERT_EQ(group_create(self->card, 1, &group), 0);
	again = group_reopen(group.fd, 0);
	ASSERT_GE(again, 0);
	EXPECT_EQ(fcntl(group.fd, F_GETFD), FD_CLOEXEC);
	EXPECT_EQ(fcntl(again, F_GETFD), FD_CLOEXEC);
}

TEST_HARNESS_MAIN
