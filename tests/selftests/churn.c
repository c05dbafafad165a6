// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Many threads do everything at once, in random order, on shared descriptors;
 * processes are killed in the midst of it, and the card is taken away and reset.
 * Nothing may be left behind, no error may be another than the contract's, and
 * nobody may hang.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "hbs_test.h"

#define THREADS 6
#define SLOTS	4

/* The threads share these: each of them may use, free or close any of it */
struct shared {
	int card;
	struct port port[SLOTS];
	int group[SLOTS];
	volatile bool stop;
	volatile int unexpected; /* an error that no call may give here */
	volatile unsigned long calls;
	pthread_t thread[THREADS];
};

static bool expected(int ret)
{
	switch (-ret) {
	case 0:
	case EBADF:	 /* closed by another thread */
	case ENOENT:	 /* freed by another thread */
	case EBUSY:	 /* mapped or joined by another thread */
	case EEXIST:	 /* joined by another thread */
	case EINVAL:	 /* mmap of a freed port */
	case ENOSPC:	 /* all seats, ports or groups are taken */
	case ENOTTY:	 /* the descriptor's number is something else by now */
	case EIDRM:	 /* destroyed by another thread */
	case EOWNERDEAD: /* unmapped by another thread */
	case ETIMEDOUT:	 /* a word that is still to come */
	case ENODEV:
	case ECONNRESET:
		return true;
	}
	return false;
}

static int map_briefly(struct shared *shared, const struct port *port)
{
	void *map = mmap(NULL, port->size, PROT_READ | PROT_WRITE, MAP_SHARED, shared->card,
			 port->offset);

	if (map == MAP_FAILED)
		return -errno;
	for (unsigned int lane = 0; lane < SLOTS; lane++)
		*(volatile uint64_t *)((char *)map + lane * HBS_LANE_SIZE) = 0;
	return munmap(map, port->size) ? -errno : 0;
}

static int look_at_record(int fd)
{
	struct group group;
	int ret = group_adopt(fd, &group);

	if (ret)
		return ret;
	(void)*(volatile uint64_t *)group.map;
	return munmap(group.map, group.size) ? -errno : 0;
}

/* One call of any kind; other threads never close the descriptors of groups */
static int any_call(struct shared *shared, unsigned int random)
{
	struct port *port = &shared->port[random >> 8 & (SLOTS - 1)];
	int *fd = &shared->group[random >> 10 & (SLOTS - 1)];
	struct member member = { .group = *fd, .card = shared->card, .port = port->number };
	struct group group = { .fd = *fd };
	struct port copy = *port;
	struct hbs_group_counters counters;
	struct hbs_info info;
	uint64_t word = random;
	int ret;

	copy.map = NULL;
	switch (random % 14) {
	case 0:
		return port_alloc_only(shared->card, port);
	case 1:
		return port_free(&copy);
	case 2:
	case 3:
		return map_briefly(shared, &copy);
	case 4:
	case 5:
	case 6:
		return join(&group, &copy, &member);
	case 7:
		return leave(&member);
	case 8:
		return look_at_record(*fd);
	case 9:
		return group_wait_until(*fd, &word, 1);
	case 10:
		return group_counters(*fd, &counters);
	case 11:
		ret = group_reopen(*fd, 0);
		return ret < 0 ? ret : close(ret);
	case 12:
		return random >> 12 & 7 ? card_info(shared->card, &info) : group_destroy(*fd);
	default:
		/* A new group in place of the old one, at the same number */
		ret = group_create(shared->card, 1 + (random >> 12 & 3), &group);
		if (ret)
			return ret;
		munmap(group.map, group.size);
		ret = dup3(group.fd, *fd, O_CLOEXEC) < 0 ? -errno : 0;
		close(group.fd);
		return ret == -EBUSY ? 0 : ret;
	}
}

static void *churn(void *arg)
{
	struct shared *shared = arg;
	unsigned int seed = (unsigned int)gettid();

	while (!shared->stop) {
		int ret = any_call(shared, rand_r(&seed) << 8 ^ rand_r(&seed));

		if (!expected(ret))
			shared->unexpected = ret;
		__atomic_add_fetch(&shared->calls, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static int churn_start(struct shared *shared)
{
	int ret;

	shared->card = card_open();
	if (shared->card < 0)
		return shared->card;
	for (int i = 0; i < SLOTS; i++) {
		struct group group;

		ret = group_create(shared->card, 1 + i, &group);
		if (!ret)
			ret = port_alloc_only(shared->card, &shared->port[i]);
		if (ret)
			return ret;
		shared->group[i] = group.fd;
	}
	for (int i = 0; i < THREADS; i++) {
		ret = -pthread_create(&shared->thread[i], NULL, churn, shared);
		if (ret)
			return ret;
	}
	return 0;
}

static int churn_stop(struct shared *shared)
{
	struct timespec end;

	shared->stop = true;
	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += 20;
	for (int i = 0; i < THREADS; i++)
		if (pthread_timedjoin_np(shared->thread[i], NULL, &end))
			return -ETIMEDOUT;
	return shared->unexpected;
}

FIXTURE(churn)
{
	struct usage before;
	char pci[32];
};

FIXTURE_SETUP(churn)
{
	usage_note(&self->before);
	ASSERT_EQ(card_pci_name(0, self->pci, sizeof(self->pci)), 0);
}

FIXTURE_TEARDOWN(churn)
{
	release_all();
	EXPECT_EQ(usage_compare(&self->before), 0);
}

TEST_F(churn, threads)
{
	static struct shared shared;

	ASSERT_EQ(churn_start(&shared), 0);
	sleep(3);
	EXPECT_EQ(churn_stop(&shared), 0);
	TH_LOG("%lu calls", shared.calls);
	EXPECT_GT(shared.calls, 100);
}

TEST_F(churn, killed_at_any_time)
{
	static struct shared shared;
	unsigned int seed = 1;

	for (int i = 0; i < 50; i++) {
		pid_t pid = fork();

		if (!pid) {
			if (!churn_start(&shared))
				pause();
			_exit(1);
		}
		usleep(10000 + rand_r(&seed) % 40000);
		ASSERT_EQ(kill(pid, SIGKILL), 0);
		ASSERT_EQ(waitpid(pid, NULL, 0), pid);
	}
}

TEST_F(churn, unbound_meanwhile)
{
	static struct shared shared;

	for (int i = 0; i < 15; i++) {
		shared = (struct shared){ 0 };
		ASSERT_EQ(card_wait(10), 0);
		ASSERT_EQ(churn_start(&shared), 0);
		usleep(50000);
		ASSERT_EQ(card_unbind(self->pci), 0);
		usleep(20000);
		ASSERT_EQ(card_bind(self->pci), 0);
		EXPECT_EQ(churn_stop(&shared), 0);
		release_all();
	}
}

TEST_F(churn, reset_meanwhile)
{
	static struct shared shared;

	for (int i = 0; i < 15; i++) {
		shared = (struct shared){ 0 };
		ASSERT_EQ(churn_start(&shared), 0);
		usleep(50000);
		ASSERT_EQ(card_pci_write(self->pci, "reset", "1"), 0);
		usleep(20000);
		EXPECT_EQ(churn_stop(&shared), 0);
		release_all();
	}
}

TEST_HARNESS_MAIN
