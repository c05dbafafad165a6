// SPDX-License-Identifier: GPL-2.0-or-later
/* libhbs as a program uses it, on the card and in software. */
#define _GNU_SOURCE
#include <errno.h>
#include <hbs.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "hbs_test.h"

#define MAX_THREADS 16

FIXTURE(lib)
{
	struct usage before;
	struct hbs *hbs;
};

FIXTURE_VARIANT(lib)
{
	enum hbs_backend backend;
	uint64_t spin_ns;
};

FIXTURE_VARIANT_ADD(lib, card){
	.backend = HBS_BACKEND_CARD,
};

FIXTURE_VARIANT_ADD(lib, card_always_asleep){
	.backend = HBS_BACKEND_CARD,
	.spin_ns = HBS_SPIN_NONE,
};

FIXTURE_VARIANT_ADD(lib, software){
	.backend = HBS_BACKEND_SOFTWARE,
};

FIXTURE_SETUP(lib)
{
	struct hbs_attr attr = { .backend = variant->backend, .spin_ns = variant->spin_ns };

	usage_note(&self->before);
	ASSERT_EQ(hbs_open(&self->hbs, &attr), 0);
	ASSERT_EQ(hbs_backend(self->hbs), variant->backend);
}

/* The library itself gives everything back: nothing is closed for it */
FIXTURE_TEARDOWN(lib)
{
	EXPECT_EQ(hbs_close(self->hbs), 0);
	EXPECT_EQ(usage_compare(&self->before), 0);
}

struct thread {
	struct hbs_group *group;
	unsigned int index, threads;
	unsigned long epochs;
	bool split; /* arrive and wait instead of barwait */
	int error;
	unsigned long early;
	pthread_t thread;
};

static struct {
	_Alignas(64) volatile unsigned long epochs;
} count[MAX_THREADS];

static int one_barrier(struct hbs_member *me, bool split)
{
	int ret;

	if (!split)
		return hbs_barwait(me);
	ret = hbs_arrive(me);
	if (!ret)
		ret = hbs_test(me);
	return ret ? (ret < 0 ? ret : 0) : hbs_wait(me);
}

static void *thread_run(void *arg)
{
	struct thread *thread = arg;
	struct hbs_member *me;

	thread->error = hbs_join(thread->group, &me);
	for (unsigned long epoch = 1; epoch <= thread->epochs && !thread->error; epoch++) {
		count[thread->index].epochs = epoch;
		thread->error = one_barrier(me, thread->split);
		for (unsigned int i = 0; i < thread->threads; i++)
			thread->early += count[i].epochs < epoch;
	}
	if (!thread->error)
		thread->error = hbs_leave(me);
	return NULL;
}

static void check(struct __test_metadata *_metadata, struct hbs *hbs, unsigned int threads,
		  unsigned long epochs, bool split)
{
	struct hbs_group_attr attr = { .members = threads };
	struct thread thread[MAX_THREADS];
	struct hbs_group_stats stats;
	struct hbs_group *group;

	ASSERT_EQ(hbs_group_create(hbs, &attr, &group), 0);
	for (unsigned int i = 0; i < threads; i++) {
		thread[i] = (struct thread){
			.group = group,
			.index = i,
			.threads = threads,
			.epochs = epochs,
			.split = split,
		};
		ASSERT_EQ(pthread_create(&thread[i].thread, NULL, thread_run, &thread[i]), 0);
	}
	for (unsigned int i = 0; i < threads; i++) {
		ASSERT_EQ(pthread_join(thread[i].thread, NULL), 0);
		EXPECT_EQ(thread[i].error, 0);
		EXPECT_EQ(thread[i].early, 0);
	}
	ASSERT_EQ(hbs_group_stats(group, &stats), 0);
	EXPECT_GE(stats.barriers, epochs);
	EXPECT_EQ(stats.arrivals, threads * epochs);
	EXPECT_EQ(stats.dropped, 0);
	EXPECT_EQ(stats.departure_reads, 0);
	EXPECT_EQ(hbs_group_close(group), 0);
	TH_LOG("epochs %lu threads %u", epochs, threads);
}

TEST_F(lib, two_threads)
{
	check(_metadata, self->hbs, 2, 500, false);
}

TEST_F(lib, four_threads)
{
	check(_metadata, self->hbs, 4, 200, false);
}

TEST_F(lib, more_threads_than_cpus)
{
	check(_metadata, self->hbs, MAX_THREADS, 20, false);
}

TEST_F(lib, split_phase)
{
	check(_metadata, self->hbs, 3, 200, true);
}

static void quit(int code)
{
	_exit(code);
}

/* A process that gets the group by a socket, and nothing else */
static void import_and_run(int socket, enum hbs_backend backend, int epochs)
{
	struct hbs_attr attr = { .backend = backend };
	struct hbs_group *group;
	struct hbs_member *me;
	struct hbs *hbs;
	int fd = receive_fd(socket);

	if (hbs_open(&hbs, &attr) || hbs_group_import(hbs, fd, &group) || close(fd))
		quit(1);
	if (hbs_join(group, &me))
		quit(2);
	for (int i = 0; i < epochs; i++)
		if (hbs_barwait(me))
			quit(3);
	quit(hbs_leave(me) || hbs_group_close(group) || hbs_close(hbs) ? 4 : 0);
}

TEST_F(lib, import)
{
	struct hbs_group_attr attr = { .members = 3 };
	struct hbs_group *group;
	struct hbs_member *me;
	int pair[2][2], status;
	pid_t pid[2];

	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair[i]), 0);
		pid[i] = fork();
		if (!pid[i])
			import_and_run(pair[i][1], variant->backend, 50);
	}
	ASSERT_EQ(hbs_group_create(self->hbs, &attr, &group), 0);
	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(send_fd(pair[i][0], hbs_group_fd(group)), 0);
		close(pair[i][0]);
		close(pair[i][1]);
	}
	ASSERT_EQ(hbs_join(group, &me), 0);
	for (int i = 0; i < 50; i++)
		ASSERT_EQ(hbs_barwait(me), 0);
	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(waitpid(pid[i], &status, 0), pid[i]);
		EXPECT_EQ(status, 0);
	}
	EXPECT_EQ(hbs_leave(me), 0);
	EXPECT_EQ(hbs_group_close(group), 0);
}

/* One thread in two groups, which does not need another port */
TEST_F(lib, two_groups)
{
	struct hbs_group_attr attr = { .members = 1 };
	struct hbs_group *group[2];
	struct hbs_member *me[2];

	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(hbs_group_create(self->hbs, &attr, &group[i]), 0);
		ASSERT_EQ(hbs_join(group[i], &me[i]), 0);
	}
	for (int i = 0; i < 100; i++)
		EXPECT_EQ(hbs_barwait(me[i % 3 ? 1 : 0]), 0);
	for (int i = 0; i < 2; i++) {
		EXPECT_EQ(hbs_leave(me[i]), 0);
		EXPECT_EQ(hbs_group_close(group[i]), 0);
	}
}

TEST_F(lib, member_fd)
{
	struct hbs_group_attr attr = { .members = 2 };
	struct hbs_group *group;
	struct hbs_member *me, *other;
	struct pollfd pollfd = { .events = POLLIN };

	ASSERT_EQ(hbs_group_create(self->hbs, &attr, &group), 0);
	ASSERT_EQ(hbs_join(group, &me), 0);
	ASSERT_EQ(hbs_join(group, &other), 0);
	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(hbs_arrive(me), 0);
		pollfd.fd = hbs_member_fd(me);
		ASSERT_GE(pollfd.fd, 0);
		EXPECT_EQ(poll(&pollfd, 1, 0), 0);
		EXPECT_EQ(hbs_test(me), 0);
		ASSERT_EQ(hbs_barwait(other), 0);
		EXPECT_EQ(poll(&pollfd, 1, 60000), 1);
		EXPECT_EQ(pollfd.revents, POLLIN);
		EXPECT_EQ(hbs_test(me), 1);
	}
	EXPECT_EQ(hbs_leave(me), 0);
	EXPECT_EQ(hbs_leave(other), 0);
	EXPECT_EQ(hbs_group_close(group), 0);
}

TEST_HARNESS_MAIN
