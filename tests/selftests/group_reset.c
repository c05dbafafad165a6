// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * HBS_GROUP_RESET: all former members are told, in whatever way they wait and
 * however late they look; the group then starts anew.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "hbs_test.h"

#define RECORDS (4096 / HBS_RECORD_SIZE)

/* Four members that wait in four ways, and a member that does not arrive */
FIXTURE(group_reset)
{
	struct usage before;
	int card;
	struct crowd crowd;
	struct port port;
	struct member absent;
	int fd; /* the group */
};

FIXTURE_SETUP(group_reset)
{
	usage_note(&self->before);
	self->card = card_open();
	ASSERT_GE(self->card, 0);
	ASSERT_EQ(crowd_create(self->card, 1, &self->crowd), 0);
	ASSERT_EQ(port_alloc(self->card, &self->port), 0);
	ASSERT_EQ(join(&self->crowd.group, &self->port, &self->absent), 0);
	self->fd = self->crowd.group.fd;
}

FIXTURE_TEARDOWN(group_reset)
{
	release_all();
	EXPECT_EQ(usage_compare(&self->before), 0);
}

static short polled(int fd)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };

	return poll(&pollfd, 1, 0) < 0 ? -1 : pollfd.revents;
}

/* All that the group had are members again, and it works, asleep and spinning */
static void works(struct __test_metadata *_metadata, FIXTURE_DATA(group_reset) *self)
{
	struct hbs_group_missing state;
	struct hbs_group_info info;

	ASSERT_EQ(group_info(self->fd, &info), 0);
	EXPECT_EQ(info.joined, 0);
	EXPECT_EQ(info.members, WAIT_KINDS + 1);
	EXPECT_EQ(word_error(info.word), 0);
	for (int i = 0; i < WAIT_KINDS; i++) {
		ASSERT_EQ(group_missing(self->fd, NULL, 0, &state), i);
		EXPECT_EQ(state.vacant, WAIT_KINDS + 1 - i);
		ASSERT_EQ(join(&self->crowd.group, &self->crowd.port[i], &self->crowd.member[i]),
			  0);
		EXPECT_EQ(self->crowd.member[i].word, info.word);
		EXPECT_EQ(*self->crowd.member[i].record, info.word);
	}
	for (int round = 0; round < 3; round++) {
		ASSERT_EQ(crowd_wait(&self->crowd), 0);
		/* Not before all seats are taken */
		for (int i = 0; i < WAIT_KINDS; i++)
			ASSERT_FALSE(released(&self->crowd.member[i]));
		if (!round) {
			ASSERT_EQ(join(&self->crowd.group, &self->port, &self->absent), 0);
		}
		EXPECT_EQ(barrier(&self->absent), 0);
		EXPECT_EQ(crowd_check(&self->crowd, 0), 0);
	}
}

TEST_F(group_reset, while_all_wait)
{
	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(crowd_wait(&self->crowd), 0);
		ASSERT_EQ(group_reset(self->fd), 0);
		EXPECT_EQ(crowd_check(&self->crowd, -ECONNRESET), 0);
		EXPECT_EQ(wait_spin(&self->absent), -ECONNRESET);
		works(_metadata, self);
	}
}

/* By a process that has nothing but the descriptor */
TEST_F(group_reset, by_another_process)
{
	int status;
	pid_t pid;

	ASSERT_EQ(crowd_wait(&self->crowd), 0);
	pid = fork();
	if (!pid)
		_exit(group_reset(self->fd) ? 1 : 0);
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
	EXPECT_EQ(crowd_check(&self->crowd, -ECONNRESET), 0);
	works(_metadata, self);
}

/* Nobody is a member any more: their stores are dropped, and they cannot leave */
TEST_F(group_reset, former_members)
{
	struct hbs_group_counters counters;
	struct member former[WAIT_KINDS];
	struct hbs_group_info info;

	ASSERT_EQ(group_info(self->fd, &info), 0);
	ASSERT_EQ(group_reset(self->fd), 0);
	memcpy(former, self->crowd.member, sizeof(former));
	for (int i = 0; i < WAIT_KINDS; i++) {
		EXPECT_EQ(word_error(*former[i].record), -ECONNRESET);
		/* The epoch that it waits for did not end */
		EXPECT_EQ(*former[i].record & ~0xffffULL, info.word);
		arrive(&former[i]);
		EXPECT_EQ(leave(&former[i]), -ENOENT);
	}
	ASSERT_EQ(group_counters(self->fd, &counters), 0);
	EXPECT_EQ(counters.non_member, WAIT_KINDS);
	EXPECT_EQ(counters.arrivals, 0);
	EXPECT_EQ(counters.completions, 0);
	EXPECT_EQ(counters.waits, 0);
	/* Others take their seats; stores of the former members do not affect them */
	for (int i = 0; i <= WAIT_KINDS; i++) {
		struct port port;
		struct member member;

		ASSERT_EQ(port_alloc(self->card, &port), 0);
		ASSERT_EQ(join(&self->crowd.group, &port, &member), 0);
		EXPECT_EQ(member.record - former[0].record, HBS_RECORD_SIZE / 8);
		if (i < WAIT_KINDS)
			arrive(&member);
		arrive(&former[i % WAIT_KINDS]);
		ASSERT_FALSE(released(&member));
		if (i < WAIT_KINDS)
			continue;
		EXPECT_EQ(barrier(&member), 0);
	}
	/* A former member's end ends nothing */
	for (int i = 0; i < WAIT_KINDS; i++)
		ASSERT_EQ(port_unmap(&self->crowd.port[i]), 0);
	ASSERT_EQ(group_info(self->fd, &info), 0);
	EXPECT_EQ(word_error(info.word), 0);
	EXPECT_EQ(info.joined, WAIT_KINDS + 1);
	EXPECT_EQ(word_error(*former[0].record), -ECONNRESET);
}

/* A thread that waits on a word from before learns how that ended, however late */
TEST_F(group_reset, late_waits)
{
	uint64_t old = self->absent.word, word;

	/* The word is another one already: an epoch that ended as it should */
	for (int i = 0; i < WAIT_KINDS; i++)
		arrive(&self->crowd.member[i]);
	ASSERT_EQ(barrier(&self->absent), 0);
	for (int i = 0; i < WAIT_KINDS; i++)
		ASSERT_EQ(wait_spin(&self->crowd.member[i]), 0);
	for (int i = 0; i < 3; i++) {
		word = old;
		ASSERT_EQ(group_wait(self->fd, &word), 0);
		EXPECT_EQ(word, self->absent.word);
	}
	ASSERT_EQ(group_reset(self->fd), 0);
	/* On the card's own line, too, it does not look like the end of the epoch */
	EXPECT_NE(*self->absent.departure, self->absent.word + HBS_WORD_EPOCH_ONE);
	for (int round = 0; round < 3; round++) {
		word = self->absent.word;
		EXPECT_EQ(group_wait(self->fd, &word), -ECONNRESET);
		EXPECT_EQ(word, *self->absent.record);
		/* and on the word that says so */
		EXPECT_EQ(group_wait(self->fd, &word), -ECONNRESET);
		word = self->absent.word;
		EXPECT_EQ(group_wait_until(self->fd, &word, 1), -ECONNRESET);
		word = old;
		EXPECT_EQ(group_wait(self->fd, &word), -ECONNRESET);
		if (!round) {
			struct member absent = self->absent;

			works(_metadata, self);
			self->absent = absent;
		}
	}
}

/* poll and read: first how it ended, then what is now */
TEST_F(group_reset, poll_and_read)
{
	struct hbs_group_info info;
	uint64_t word, old = self->absent.word;
	int fd[3];

	for (int i = 0; i < 3; i++) {
		fd[i] = group_reopen(self->fd, old);
		ASSERT_GE(fd[i], 0);
		ASSERT_EQ(fcntl(fd[i], F_SETFL, O_NONBLOCK), 0);
	}
	/* one file has seen that it is broken, since it was opened before */
	ASSERT_EQ(group_destroy(self->fd), 0);
	ASSERT_EQ(read(fd[0], &word, 8), 8);
	EXPECT_EQ(word_error(word), -EIDRM);
	ASSERT_EQ(group_reset(self->fd), 0);
	ASSERT_EQ(group_info(self->fd, &info), 0);
	for (int i = 0; i < 3; i++) {
		EXPECT_EQ(polled(fd[i]), POLLIN | POLLERR);
		ASSERT_EQ(read(fd[i], &word, 8), 8);
		EXPECT_EQ(word_error(word), -EIDRM);
		EXPECT_EQ(word & ~0xffffULL, old);
		EXPECT_EQ(polled(fd[i]), POLLIN);
		ASSERT_EQ(read(fd[i], &word, 8), 8);
		EXPECT_EQ(word, info.word);
		EXPECT_EQ(polled(fd[i]), 0);
		EXPECT_EQ(read(fd[i], &word, 8), -1);
		EXPECT_EQ(errno, EAGAIN);
	}
	/* Two resets that nobody looked between are one */
	for (int i = 0; i < 2; i++)
		ASSERT_EQ(group_reset(self->fd), 0);
	EXPECT_EQ(polled(fd[0]), POLLIN | POLLERR);
	ASSERT_EQ(read(fd[0], &word, 8), 8);
	EXPECT_EQ(word_error(word), -ECONNRESET);
	ASSERT_EQ(read(fd[0], &word, 8), 8);
	EXPECT_EQ(word_error(word), 0);
	EXPECT_EQ(polled(fd[0]), 0);
	/* A group that breaks at once after it */
	ASSERT_EQ(group_reset(self->fd), 0);
	ASSERT_EQ(read(fd[0], &word, 8), 8);
	EXPECT_EQ(word_error(word), -ECONNRESET);
	ASSERT_EQ(group_destroy(self->fd), 0);
	EXPECT_EQ(polled(fd[0]), POLLIN | POLLERR);
	ASSERT_EQ(read(fd[0], &word, 8), 8);
	EXPECT_EQ(word_error(word), -EIDRM);
	/* A sleeping read of a file that waits for the first epoch after it */
	fd[0] = group_reopen(self->fd, word);
	ASSERT_GE(fd[0], 0);
	ASSERT_EQ(group_reset(self->fd), 0);
	ASSERT_EQ(group_info(self->fd, &info), 0);
	self->crowd.member[0].word = info.word;
	ASSERT_EQ(waiter_start(&self->crowd.waiter[0], &self->crowd.member[0], WAIT_READ), 0);
	ASSERT_EQ(group_destroy(self->fd), 0);
	ASSERT_EQ(waiter_join(&self->crowd.waiter[0]), 0);
	EXPECT_EQ(self->crowd.waiter[0].result, -EIDRM);
}

/* The reset mends a broken group, and its former members keep the first reason */
TEST_F(group_reset, of_broken_groups)
{
	struct hbs_group_create with = { .timeout_ns = 20000000 };
	struct one one;
	uint64_t word;

	ASSERT_EQ(crowd_wait(&self->crowd), 0);
	ASSERT_EQ(port_unmap(&self->port), 0);
	ASSERT_EQ(group_reset(self->fd), 0);
	EXPECT_EQ(crowd_check(&self->crowd, -EOWNERDEAD), 0);
	word = self->absent.word;
	EXPECT_EQ(group_wait(self->fd, &word), -EOWNERDEAD);
	ASSERT_EQ(port_map(&self->port), 0);
	works(_metadata, self);

	ASSERT_EQ(crowd_wait(&self->crowd), 0);
	ASSERT_EQ(group_destroy(self->fd), 0);
	ASSERT_EQ(group_reset(self->fd), 0);
	EXPECT_EQ(crowd_check(&self->crowd, -EIDRM), 0);
	works(_metadata, self);

	/* The timer that broke it runs again in the first epoch */
	ASSERT_EQ(group_create_with(self->card, 2, &with, &one.group), 0);
	ASSERT_EQ(port_alloc(self->card, &one.port), 0);
	for (int i = 1; i <= 3; i++) {
		struct hbs_group_missing state;

		ASSERT_EQ(join(&one.group, &one.port, &one.member), 0);
		ASSERT_EQ(group_missing(one.group.fd, NULL, 0, &state), 1);
		EXPECT_EQ(state.expired, 0);
		EXPECT_EQ(barrier(&one.member), -ETIMEDOUT);
		EXPECT_EQ(group_timeouts(one.group.fd), i);
		ASSERT_EQ(group_reset(one.group.fd), 0);
		EXPECT_EQ(word_error(*one.member.record), -ETIMEDOUT);
		word = one.member.word;
		EXPECT_EQ(group_wait(one.group.fd, &word), -ETIMEDOUT);
		EXPECT_EQ(group_timeouts(one.group.fd), i);
	}
}

/* The group keeps its kind */
TEST_F(group_reset, keeps_its_kind)
{
	struct hbs_group_create with = {
		.reduce = HBS_REDUCE_MAX,
		.policy = HBS_POLICY_SHRINK | HBS_POLICY_NOTIFY,
		.timeout_ns = 123456789,
	};
	struct hbs_group_info info;
	struct one one;
	struct port port;
	struct member member;

	ASSERT_EQ(group_create_with(self->card, 2, &with, &one.group), 0);
	ASSERT_EQ(port_alloc(self->card, &one.port), 0);
	ASSERT_EQ(port_alloc(self->card, &port), 0);
	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(join(&one.group, &one.port, &one.member), 0);
		ASSERT_EQ(join(&one.group, &port, &member), 0);
		for (int epoch = 0; epoch < 3; epoch++) {
			arrive_value(&one.member, 5 * i + epoch);
			arrive_value(&member, 7);
			ASSERT_EQ(wait_spin(&member), 0);
			ASSERT_EQ(wait_spin(&one.member), 0);
			EXPECT_EQ(result(&member), 5 * i + epoch > 7 ? 5 * i + epoch : 7);
		}
		/* An operand from before does not enter the result of an epoch after */
		arrive_value(&member, 1000);
		ASSERT_EQ(group_reset(one.group.fd), 0);
		ASSERT_EQ(group_info(one.group.fd, &info), 0);
		EXPECT_EQ(info.reduce, HBS_REDUCE_MAX);
		EXPECT_EQ(info.policy, HBS_POLICY_SHRINK | HBS_POLICY_NOTIFY);
		EXPECT_EQ(info.timeout_ns, 123456789);
		EXPECT_EQ(info.members, 2);
	}
	ASSERT_EQ(join(&one.group, &port, &member), 0);
	ASSERT_EQ(port_unmap(&port), 0);
	ASSERT_EQ(group_info(one.group.fd, &info), 0);
	EXPECT_EQ(word_error(info.word), 0);
}

/* A former member that looks again only when its record is used again sees so */
TEST_F(group_reset, record_used_again)
{
	struct member member = self->absent;
	const volatile uint64_t *first = self->absent.record;

	for (int i = 1; i <= 3 * RECORDS; i++) {
		uint64_t before = member.word;

		ASSERT_EQ(group_reset(self->fd), 0);
		ASSERT_EQ(word_error(*member.record), -ECONNRESET);
		ASSERT_EQ(join(&self->crowd.group, &self->port, &member), 0);
		ASSERT_EQ(member.record, first + i % RECORDS * HBS_RECORD_SIZE / 8);
		ASSERT_GT(member.word, before + HBS_WORD_EPOCH_ONE);
		if (i < RECORDS) {
			ASSERT_EQ(word_error(*first), -ECONNRESET);
		} else {
			ASSERT_GT(*first, self->absent.word + HBS_WORD_EPOCH_ONE);
		}
	}
}

/* Members that follow each reset, and one thread that resets in a row */
#define FOLLOWERS 3

struct follower {
	struct group *group;
	struct port port;
	struct member member;
	bool asleep;
	unsigned long epochs;
	unsigned long resets;
	int wrong;
	pthread_t thread;
};

static bool followers_stop;

/* How many threads have come to an epoch; more epochs than a test has */
#define EPOCHS 65536
static unsigned int came[EPOCHS];

static unsigned int *came_to(uint64_t word)
{
	return &came[(word >> HBS_WORD_EPOCH_SHIFT) % EPOCHS];
}

static int follower_rejoin(struct follower *follower)
{
	int ret;

	/* The reset that was told of may not be the last one */
	do
		ret = join(follower->group, &follower->port, &follower->member);
	while (ret == -ECONNRESET || ret == -EEXIST);
	return ret;
}

static void *follower_run(void *arg)
{
	struct follower *follower = arg;

	while (!__atomic_load_n(&followers_stop, __ATOMIC_ACQUIRE)) {
		unsigned int *here = came_to(follower->member.word);
		int ret;

		__atomic_add_fetch(here, 1, __ATOMIC_SEQ_CST);
		ret = follower->asleep ? barrier_sleep(&follower->member)
				       : barrier(&follower->member);
		/* Released, though not all have come: a reset was taken for the end */
		if (!ret && __atomic_load_n(here, __ATOMIC_SEQ_CST) < FOLLOWERS) {
			follower->wrong = -EILSEQ;
			break;
		}
		if (!ret) {
			__atomic_add_fetch(&follower->epochs, 1, __ATOMIC_RELAXED);
			continue;
		}
		/* -EPROTO: it looked when its record was used again */
		if (ret != -ECONNRESET && ret != -EPROTO && ret != -EIDRM) {
			follower->wrong = ret;
			break;
		}
		if (ret == -EIDRM)
			break;
		__atomic_add_fetch(&follower->resets, 1, __ATOMIC_RELAXED);
		ret = follower_rejoin(follower);
		if (ret == -EIDRM)
			break;
		if (ret) {
			follower->wrong = ret;
			break;
		}
	}
	return NULL;
}

static void follow(struct __test_metadata *_metadata, FIXTURE_DATA(group_reset) *self, int resets,
		   bool at_once)
{
	enum { N = FOLLOWERS };
	struct follower follower[N];
	struct group group;
	unsigned long epochs = 0;

	memset(came, 0, sizeof(came));
	followers_stop = false;
	ASSERT_EQ(group_create(self->card, N, &group), 0);
	for (int i = 0; i < N; i++) {
		follower[i] = (struct follower){ .group = &group, .asleep = i % 2 };
		ASSERT_EQ(port_alloc(self->card, &follower[i].port), 0);
		ASSERT_EQ(join(&group, &follower[i].port, &follower[i].member), 0);
	}
	for (int i = 0; i < N; i++)
		ASSERT_EQ(pthread_create(&follower[i].thread, NULL, follower_run, &follower[i]), 0);
	for (int i = 0; i < resets; i++) {
		unsigned long before = __atomic_load_n(&follower[i % N].epochs, __ATOMIC_RELAXED);
		double end = seconds() + 20;

		/* Each time some epochs must go by, unless it is about storms */
		while (!at_once && seconds() < end &&
		       __atomic_load_n(&follower[i % N].epochs, __ATOMIC_RELAXED) == before)
			usleep(200);
		ASSERT_LT(seconds(), end);
		ASSERT_EQ(group_reset(group.fd), 0);
		if (at_once)
			usleep(i * 7919 % 300);
	}
	if (!at_once)
		__atomic_store_n(&followers_stop, true, __ATOMIC_RELEASE);
	usleep(20000);
	ASSERT_EQ(group_destroy(group.fd), 0);
	for (int i = 0; i < N; i++) {
		struct timespec end;

		clock_gettime(CLOCK_REALTIME, &end);
		end.tv_sec += 20;
		ASSERT_EQ(pthread_timedjoin_np(follower[i].thread, NULL, &end), 0);
		EXPECT_EQ(follower[i].wrong, 0);
		EXPECT_GT(follower[i].resets, 0);
		epochs += follower[i].epochs;
	}
	TH_LOG("epochs %lu, resets %d", epochs / N, resets);
}

TEST_F(group_reset, in_a_row_with_followers)
{
	follow(_metadata, self, 200, false);
}

TEST_F(group_reset, storm_with_followers)
{
	follow(_metadata, self, 400, true);
}

/* Members leave, join and die while others reset and destroy the group */
struct worker {
	struct group *group;
	struct port port;
	int card;
	int kind;
	int wrong;
	unsigned long done;
	pthread_t thread;
};

static void *worker_run(void *arg)
{
	struct worker *worker = arg;
	struct member member;

	for (unsigned int i = 0; !__atomic_load_n(&followers_stop, __ATOMIC_ACQUIRE); i++) {
		struct hbs_missing missing[8];
		int ret = 0;

		switch (worker->kind) {
		case 0:
			ret = group_reset(worker->group->fd);
			break;
		case 1:
			ret = i % 8 ? group_missing(worker->group->fd, missing, 8, NULL)
				    : group_destroy(worker->group->fd);
			ret = ret > 0 ? 0 : ret;
			break;
		default:
			if (port_map(&worker->port)) {
				worker->wrong = 1;
				return NULL;
			}
			ret = join(worker->group, &worker->port, &member);
			if (!ret) {
				arrive(&member);
				/* leave, or die */
				if (i % 2)
					ret = leave(&member);
			}
			if (port_unmap(&worker->port))
				worker->wrong = 1;
			if (ret == -ENOENT || ret == -ECONNRESET || ret == -EIDRM ||
			    ret == -EOWNERDEAD)
				ret = 0;
			break;
		}
		if (ret)
			worker->wrong = ret;
		__atomic_fetch_add(&worker->done, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

TEST_F(group_reset, everything_at_once)
{
	enum { N = 6 };
	struct worker worker[N];
	struct group group;

	followers_stop = false;
	ASSERT_EQ(group_create(self->card, 5, &group), 0);
	for (int i = 0; i < N; i++) {
		worker[i] = (struct worker){ .group = &group, .card = self->card, .kind = i };
		ASSERT_EQ(port_alloc_only(self->card, &worker[i].port), 0);
		ASSERT_EQ(pthread_create(&worker[i].thread, NULL, worker_run, &worker[i]), 0);
	}
	sleep_ms(3000);
	/* However long a busy host takes; a worker that hangs ends the test */
	for (int i = 0; i < N; i++)
		while (__atomic_load_n(&worker[i].done, __ATOMIC_RELAXED) < 10)
			sleep_ms(20);
	__atomic_store_n(&followers_stop, true, __ATOMIC_RELEASE);
	for (int i = 0; i < N; i++) {
		ASSERT_EQ(pthread_join(worker[i].thread, NULL), 0);
		EXPECT_EQ(worker[i].wrong, 0);
	}
	/* The group still works after all that */
	ASSERT_EQ(group_reset(group.fd), 0);
	for (int i = 0; i < 5; i++)
		ASSERT_EQ(join(&group, i < 4 ? &self->crowd.port[i] : &self->port,
			       i < 4 ? &self->crowd.member[i] : &self->absent),
			  0);
	for (int i = 0; i < 4; i++)
		arrive(&self->crowd.member[i]);
	EXPECT_EQ(barrier(&self->absent), 0);
	for (int i = 0; i < 4; i++)
		EXPECT_EQ(wait_spin(&self->crowd.member[i]), 0);
}

/* Destroyed by one while its members leave it */
static void *leave_all(void *arg)
{
	struct member *member = arg;

	for (int i = 0; i < WAIT_KINDS; i++)
		if (leave(&member[i]))
			member[i].arrival = NULL;
	return NULL;
}

TEST_F(group_reset, destroy_while_members_leave)
{
	struct crowd *crowd = &self->crowd;

	for (int round = 0; round < 50; round++) {
		struct hbs_group_info info;
		pthread_t thread;

		ASSERT_EQ(pthread_create(&thread, NULL, leave_all, crowd->member), 0);
		if (round % 3)
			usleep(round * 10);
		ASSERT_EQ(group_destroy(self->fd), 0);
		ASSERT_EQ(pthread_join(thread, NULL), 0);
		for (int i = 0; i < WAIT_KINDS; i++)
			EXPECT_NE(crowd->member[i].arrival, NULL);
		EXPECT_EQ(word_error(*self->absent.record), -EIDRM);
		ASSERT_EQ(group_info(self->fd, &info), 0);
		EXPECT_EQ(info.joined, 1);
		ASSERT_EQ(group_reset(self->fd), 0);
		for (int i = 0; i < WAIT_KINDS; i++)
			ASSERT_EQ(join(&crowd->group, &crowd->port[i], &crowd->member[i]), 0);
		ASSERT_EQ(join(&crowd->group, &self->port, &self->absent), 0);
	}
}

/* A card that goes takes all records with it: former members never wait in vain */
static void with_card(struct __test_metadata *_metadata, FIXTURE_DATA(group_reset) *self,
		      bool reset)
{
	int error = reset ? -ECONNRESET : -ENODEV;
	struct member former = self->absent;
	char pci[32];

	ASSERT_EQ(card_pci_name(0, pci, sizeof(pci)), 0);
	for (int i = 0; i < 3; i++)
		ASSERT_EQ(group_reset(self->fd), 0);
	works(_metadata, self);
	ASSERT_EQ(crowd_wait(&self->crowd), 0);
	ASSERT_EQ(reset ? card_pci_write(pci, "reset", "1") : card_unbind(pci), 0);
	EXPECT_EQ(crowd_check(&self->crowd, error), 0);
	EXPECT_EQ(word_error(*former.record), -ECONNRESET);
	for (int i = 0; i < RECORDS; i++)
		EXPECT_NE(*((const uint64_t *)self->crowd.group.map + 8 * i) & HBS_WORD_BROKEN, 0);
	EXPECT_EQ(word_error(*self->absent.record), error);
	EXPECT_EQ(group_reset(self->fd), error);
	EXPECT_EQ(group_missing(self->fd, NULL, 0, NULL), error);
	if (!reset) {
		ASSERT_EQ(card_bind(pci), 0);
	}
	EXPECT_EQ(group_reset(self->fd), error);
}

TEST_F(group_reset, then_card_reset)
{
	with_card(_metadata, self, true);
}

TEST_F(group_reset, then_unbind)
{
	with_card(_metadata, self, false);
}

TEST_HARNESS_MAIN
