// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * HBS_GROUP_WAKE: a wake before a wait, during it, and amid a storm of wakes and completions;
 * whom it wakes, what takes its mark, with what the mark goes, and what is refused.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "harness.h"
#include "hbs_test.h"

#define MEMBERS 3
#define MS	1000000ULL
#define LONG	(10000 * MS)

/* Three members, each with an open file of its own */
FIXTURE(waking)
{
	struct usage before;
	int card;
	struct group group;
	struct port port[MEMBERS];
	struct member member[MEMBERS];
	int fd[MEMBERS];
};

FIXTURE_VARIANT(waking)
{
	uint32_t type;
	enum hbs_departure departure;
};

FIXTURE_VARIANT_ADD(waking, barrier){ .type = HBS_GROUP_BARRIER };
FIXTURE_VARIANT_ADD(waking, refutable){ .type = HBS_GROUP_REFUTABLE };
FIXTURE_VARIANT_ADD(waking, CSR){
	.type = HBS_GROUP_REFUTABLE,
	.departure = HBS_DEPARTURE_CSR,
};

static void join_all(struct __test_metadata *_metadata, FIXTURE_DATA(waking) *self)
{
	for (int i = 0; i < MEMBERS; i++) {
		ASSERT_EQ(join(&self->group, &self->port[i], &self->member[i]), 0);
		self->fd[i] = group_reopen_as(&self->member[i], self->member[i].word);
		ASSERT_GE(self->fd[i], 0);
	}
}

FIXTURE_SETUP(waking)
{
	struct hbs_group_create with = {
		.type = variant->type,
		.departure = variant->departure,
	};

	usage_note(&self->before);
	self->card = card_open();
	ASSERT_GE(self->card, 0);
	ASSERT_EQ(group_create_with(self->card, MEMBERS, &with, &self->group), 0);
	for (int i = 0; i < MEMBERS; i++)
		ASSERT_EQ(port_alloc_for(&self->group, self->card, &self->port[i]), 0);
	join_all(_metadata, self);
}

FIXTURE_TEARDOWN(waking)
{
	release_all();
	EXPECT_EQ(usage_compare(&self->before), 0);
}

static int wake(FIXTURE_DATA(waking) *self, int i)
{
	return group_wake(self->group.fd, self->port[i].number);
}

/* A wait until @deadline, 0 for never, which must not see the end of an epoch */
static int nap(FIXTURE_DATA(waking) *self, int i, uint64_t deadline)
{
	uint64_t word = self->member[i].word;
	int ret = group_wait_until(self->fd[i], &word, deadline);

	return ret || word == self->member[i].word ? ret : -EPROTO;
}

static bool has_mark(FIXTURE_DATA(waking) *self, int i)
{
	return nap(self, i, 1) == 0;
}

static short polled(int fd)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };

	return poll(&pollfd, 1, 0) < 0 ? -1 : pollfd.revents;
}

static void complete(struct __test_metadata *_metadata, FIXTURE_DATA(waking) *self)
{
	for (int i = 0; i < MEMBERS; i++)
		arrive(&self->member[i]);
	for (int i = 0; i < MEMBERS; i++)
		ASSERT_EQ(wait_spin(&self->member[i]), 0);
}

/* A thread that waits as a member until something wakes it */
struct sleeper {
	int fd;
	enum wait_kind kind;
	uint64_t word; /* in: seen; out: told */
	int result;
	_Atomic pid_t tid;
	atomic_bool done;
	pthread_t thread;
};

static void *sleeper_run(void *argument)
{
	struct sleeper *sleeper = argument;
	struct pollfd pollfd = { .fd = sleeper->fd, .events = POLLIN };
	ssize_t n;

	atomic_store(&sleeper->tid, gettid());
	switch (sleeper->kind) {
	case WAIT_IOCTL:
		sleeper->result = group_wait(sleeper->fd, &sleeper->word);
		break;
	case WAIT_READ:
		n = read(sleeper->fd, &sleeper->word, sizeof(sleeper->word));
		sleeper->result = n < 0 ? -errno : 0;
		break;
	default:
		n = poll(&pollfd, 1, -1);
		sleeper->result = n == 1 && pollfd.revents == POLLIN ? 0 : -EPROTO;
		break;
	}
	atomic_store(&sleeper->done, true);
	return NULL;
}

static void sleeper_start(struct __test_metadata *_metadata, struct sleeper *sleeper, int fd,
			  uint64_t word, enum wait_kind kind)
{
	*sleeper = (struct sleeper){ .fd = fd, .word = word, .kind = kind };
	ASSERT_EQ(pthread_create(&sleeper->thread, NULL, sleeper_run, sleeper), 0);
	while (!atomic_load(&sleeper->tid))
		sleep_ms(1);
	ASSERT_EQ(wait_asleep(atomic_load(&sleeper->tid)), 0);
}

static void sleeper_end(struct __test_metadata *_metadata, struct sleeper *sleeper, int result)
{
	for (int i = 0; i < 10000 && !atomic_load(&sleeper->done); i++)
		sleep_ms(1);
	ASSERT_TRUE(atomic_load(&sleeper->done));
	ASSERT_EQ(pthread_join(sleeper->thread, NULL), 0);
	EXPECT_EQ(sleeper->result, result);
}

/* How often a thread has gone to sleep; below 0 if that is not known */
static long sleeps_of(pid_t tid)
{
	char path[64], line[256];
	long count = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", (int)tid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "voluntary_ctxt_switches: %ld", &count) == 1)
			break;
	if (file)
		fclose(file);
	return count;
}

/* The next wait returns at once, and only that one, however often the member was woken */
TEST_F(waking, before)
{
	struct hbs_group_counters counters;

	EXPECT_FALSE(has_mark(self, 0));
	for (int times = 1; times <= 3; times++) {
		for (int i = 0; i < times; i++)
			ASSERT_EQ(wake(self, 0), 0);
		EXPECT_EQ(nap(self, 0, 0), 0);
		EXPECT_FALSE(has_mark(self, 0));
	}
	EXPECT_FALSE(has_mark(self, 1));
	EXPECT_FALSE(has_mark(self, 2));
	/* a wake is worth more than a deadline that has passed */
	ASSERT_EQ(wake(self, 1), 0);
	EXPECT_EQ(nap(self, 1, 1), 0);
	EXPECT_EQ(nap(self, 1, 1), -ETIMEDOUT);
	/* it sleeps, unless a busy machine takes so long to begin */
	EXPECT_EQ(nap(self, 1, monotonic_ns() + 500 * MS), -ETIMEDOUT);
	ASSERT_EQ(group_counters(self->group.fd, &counters), 0);
	EXPECT_EQ(counters.waits, 1);
	/* no epoch is over by that */
	EXPECT_EQ(counters.completions, 0);
	complete(_metadata, self);
}

/* It wakes who waits as that member, in each way, and disturbs nobody else */
TEST_F(waking, during)
{
	for (int kind = WAIT_IOCTL; kind < WAIT_KINDS; kind++) {
		struct sleeper woken, other, plain;
		long other_sleeps, plain_sleeps;

		sleeper_start(_metadata, &woken, self->fd[1], self->member[1].word, kind);
		sleeper_start(_metadata, &other, self->fd[2], self->member[2].word, kind);
		sleeper_start(_metadata, &plain, self->group.fd, self->member[0].word, WAIT_IOCTL);
		other_sleeps = sleeps_of(other.tid);
		plain_sleeps = sleeps_of(plain.tid);
		ASSERT_EQ(wake(self, 1), 0);
		sleeper_end(_metadata, &woken, 0);
		EXPECT_EQ(woken.word, self->member[1].word);
		/* poll takes no mark */
		EXPECT_EQ(has_mark(self, 1), kind == WAIT_POLL);
		EXPECT_EQ(wait_asleep(other.tid), 0);
		EXPECT_EQ(sleeps_of(other.tid), other_sleeps);
		EXPECT_EQ(sleeps_of(plain.tid), plain_sleeps);
		complete(_metadata, self);
		sleeper_end(_metadata, &other, 0);
		sleeper_end(_metadata, &plain, 0);
		if (kind != WAIT_POLL)
			EXPECT_EQ(other.word, self->member[2].word);
		for (int i = 0; i < MEMBERS; i++)
			ASSERT_EQ(write(self->fd[i], &self->member[i].word, 8), 8);
	}
}

/* The end of an epoch takes precedence, and takes the mark along */
TEST_F(waking, with_the_end)
{
	uint64_t word = self->member[0].word;

	ASSERT_EQ(wake(self, 0), 0);
	complete(_metadata, self);
	ASSERT_EQ(group_wait(self->fd[0], &word), 0);
	EXPECT_EQ(word, self->member[0].word);
	EXPECT_FALSE(has_mark(self, 0));
	ASSERT_EQ(wake(self, 0), 0);
	ASSERT_EQ(group_destroy(self->group.fd), 0);
	EXPECT_EQ(nap(self, 0, 0), -EIDRM);
	EXPECT_EQ(wake(self, 0), 0);
	EXPECT_EQ(nap(self, 0, 0), -EIDRM);
}

/* Any open file of the member takes the mark; those of others, or of nobody, do not */
TEST_F(waking, files)
{
	int second = group_reopen_as(&self->member[0], self->member[0].word);
	int nobodys = group_reopen(self->group.fd, self->member[0].word);
	uint64_t word = self->member[0].word;

	ASSERT_GE(second, 0);
	ASSERT_GE(nobodys, 0);
	ASSERT_EQ(wake(self, 0), 0);
	EXPECT_EQ(polled(self->fd[0]), POLLIN);
	EXPECT_EQ(polled(second), POLLIN);
	EXPECT_EQ(polled(nobodys), 0);
	EXPECT_EQ(polled(self->fd[1]), 0);
	EXPECT_EQ(group_wait_until(nobodys, &word, 1), -ETIMEDOUT);
	EXPECT_EQ(group_wait_until(second, &word, 1), 0);
	EXPECT_EQ(polled(self->fd[0]), 0);
	EXPECT_FALSE(has_mark(self, 0));
	/* it does not matter by which one they are woken */
	EXPECT_EQ(group_wake(self->fd[1], self->port[0].number), 0);
	EXPECT_EQ(group_wake(nobodys, self->port[2].number), 0);
	EXPECT_TRUE(has_mark(self, 0));
	EXPECT_FALSE(has_mark(self, 1));
	EXPECT_TRUE(has_mark(self, 2));
}

TEST_F(waking, read)
{
	uint64_t word = 0;

	ASSERT_EQ(fcntl(self->fd[0], F_SETFL, O_NONBLOCK), 0);
	for (int i = 0; i < 2; i++) {
		EXPECT_EQ(read(self->fd[0], &word, 8), -1);
		EXPECT_EQ(errno, EAGAIN);
		ASSERT_EQ(wake(self, 0), 0);
		ASSERT_EQ(read(self->fd[0], &word, 8), 8);
		EXPECT_EQ(word, self->member[0].word);
	}
	/* a file that has seen the future stays there */
	word = self->member[0].word + 5 * HBS_WORD_EPOCH_ONE;
	ASSERT_EQ(write(self->fd[0], &word, 8), 8);
	ASSERT_EQ(wake(self, 0), 0);
	ASSERT_EQ(read(self->fd[0], &word, 8), 8);
	EXPECT_EQ(word, self->member[0].word + 5 * HBS_WORD_EPOCH_ONE);
	EXPECT_EQ(polled(self->fd[0]), 0);
}

/* An event for each wake, edge-triggered, and for each epoch besides */
TEST_F(waking, epoll)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	int epoll = epoll_create1(EPOLL_CLOEXEC);
	uint64_t word;

	ASSERT_GE(epoll, 0);
	ASSERT_EQ(epoll_ctl(epoll, EPOLL_CTL_ADD, self->fd[0], &event), 0);
	EXPECT_EQ(epoll_wait(epoll, &event, 1, 0), 0);
	for (int i = 0; i < 5; i++) {
		ASSERT_EQ(wake(self, 1), 0);
		EXPECT_EQ(epoll_wait(epoll, &event, 1, 0), 0);
		ASSERT_EQ(wake(self, 0), 0);
		ASSERT_EQ(epoll_wait(epoll, &event, 1, 1000), 1);
		EXPECT_EQ(epoll_wait(epoll, &event, 1, 0), 0);
		ASSERT_EQ(read(self->fd[0], &word, 8), 8);
		EXPECT_EQ(word, self->member[0].word);
		complete(_metadata, self);
		ASSERT_EQ(epoll_wait(epoll, &event, 1, 1000), 1);
		ASSERT_EQ(read(self->fd[0], &word, 8), 8);
		EXPECT_EQ(word, self->member[0].word);
	}
}

static int reopen_with(int fd, uint32_t flags, int card_fd, uint32_t port)
{
	struct hbs_group_reopen arg = {
		.size = sizeof(arg), .flags = flags, .card_fd = card_fd, .port = port
	};

	return hbs_ioctl(fd, HBS_GROUP_REOPEN, &arg);
}

TEST_F(waking, refused)
{
	int group = self->group.fd, other = card_open();
	uint32_t port = self->port[0].number;
	struct port stranger;

	ASSERT_GE(other, 0);
	ASSERT_EQ(port_alloc(self->card, &stranger), 0);
	EXPECT_EQ(group_wake(group, stranger.number), -ENOENT);
	EXPECT_EQ(group_wake(group, 1U << 20), -ENOENT);
	EXPECT_EQ(group_wake(group, UINT32_MAX), -ENOENT);
	EXPECT_EQ(reopen_with(group, HBS_REOPEN_MEMBER, -1, port), -EBADF);
	EXPECT_EQ(reopen_with(group, HBS_REOPEN_MEMBER, group, port), -EBADF);
	/* who does not own the port cannot take its mark */
	EXPECT_EQ(reopen_with(group, HBS_REOPEN_MEMBER, other, port), -ENOENT);
	EXPECT_EQ(reopen_with(group, HBS_REOPEN_MEMBER, self->card, stranger.number), -ENOENT);
	EXPECT_EQ(reopen_with(group, HBS_REOPEN_MEMBER, self->card, UINT32_MAX), -ENOENT);
	EXPECT_EQ(reopen_with(group, 0, self->card, 0), -EINVAL);
	EXPECT_EQ(reopen_with(group, 0, 0, 1), -EINVAL);
	for (int i = 0; i < MEMBERS; i++)
		EXPECT_FALSE(has_mark(self, i));
}

/* The mark goes with the membership; who joins by the same port has none */
TEST_F(waking, leave)
{
	uint32_t port = self->port[0].number;
	int former = self->fd[0];

	ASSERT_EQ(wake(self, 0), 0);
	ASSERT_EQ(leave(&self->member[0]), 0);
	EXPECT_EQ(group_wake(self->group.fd, port), -ENOENT);
	EXPECT_EQ(polled(former), 0);
	ASSERT_EQ(join(&self->group, &self->port[0], &self->member[0]), 0);
	self->fd[0] = group_reopen_as(&self->member[0], self->member[0].word);
	ASSERT_GE(self->fd[0], 0);
	EXPECT_FALSE(has_mark(self, 0));
	/* who is woken now is the new member */
	ASSERT_EQ(wake(self, 0), 0);
	EXPECT_EQ(polled(former), 0);
	EXPECT_TRUE(has_mark(self, 0));
	/* the file of the former member still shows the end of the epoch */
	complete(_metadata, self);
	EXPECT_EQ(polled(former), POLLIN);
}

TEST_F(waking, death)
{
	struct sleeper sleeper;

	sleeper_start(_metadata, &sleeper, self->fd[1], self->member[1].word, WAIT_IOCTL);
	ASSERT_EQ(wake(self, 0), 0);
	ASSERT_EQ(leave_died(&self->member[0]), 0);
	EXPECT_EQ(wake(self, 0), -ENOENT);
	EXPECT_EQ(reopen_with(self->group.fd, HBS_REOPEN_MEMBER, self->card, self->port[0].number),
		  -ENOENT);
	sleeper_end(_metadata, &sleeper, -EOWNERDEAD);
	EXPECT_EQ(wake(self, 1), 0);
	EXPECT_EQ(nap(self, 1, 0), -EOWNERDEAD);
	EXPECT_EQ(polled(self->fd[1]), POLLIN | POLLERR);
}

TEST_F(waking, reset)
{
	struct sleeper sleeper;
	int former = self->fd[0];
	uint64_t word = self->member[0].word;

	sleeper_start(_metadata, &sleeper, self->fd[1], self->member[1].word, WAIT_IOCTL);
	ASSERT_EQ(wake(self, 0), 0);
	ASSERT_EQ(group_reset(self->group.fd), 0);
	sleeper_end(_metadata, &sleeper, -ECONNRESET);
	EXPECT_EQ(wake(self, 0), -ENOENT);
	join_all(_metadata, self);
	for (int i = 0; i < MEMBERS; i++)
		EXPECT_FALSE(has_mark(self, i));
	ASSERT_EQ(wake(self, 0), 0);
	EXPECT_EQ(group_wait(former, &word), -ECONNRESET);
	EXPECT_TRUE(has_mark(self, 0));
}

TEST_F(waking, removal)
{
	struct sleeper sleeper;
	char pci[32];

	ASSERT_EQ(card_pci_name(0, pci, sizeof(pci)), 0);
	sleeper_start(_metadata, &sleeper, self->fd[1], self->member[1].word, WAIT_IOCTL);
	ASSERT_EQ(wake(self, 0), 0);
	ASSERT_EQ(card_unbind(pci), 0);
	sleeper_end(_metadata, &sleeper, -ENODEV);
	EXPECT_EQ(wake(self, 0), -ENODEV);
	EXPECT_EQ(nap(self, 0, 0), -ENODEV);
	EXPECT_EQ(reopen_with(self->group.fd, HBS_REOPEN_MEMBER, self->card, self->port[0].number),
		  -ENODEV);
	ASSERT_EQ(card_bind(pci), 0);
	ASSERT_EQ(card_wait(10), 0);
}

/*
 * A storm: one thread sends, and wakes; members 1 and 2 arrive as often. Member 0 sleeps until
 * there is something for it, or the epoch is over. If a wake or an end is lost, it sleeps on.
 */
struct storm {
	FIXTURE_DATA(waking) *self;
	atomic_uint sent;
	unsigned int messages, epochs;
	atomic_int error;
};

static void *send_and_wake(void *argument)
{
	struct storm *storm = argument;
	unsigned int seed = 7;

	for (unsigned int i = 0; i < storm->messages && !atomic_load(&storm->error); i++) {
		int ret;

		atomic_fetch_add(&storm->sent, 1);
		ret = wake(storm->self, 0);
		if (ret)
			atomic_store(&storm->error, ret);
		for (int spin = rand_r(&seed) % 200; spin; spin--)
			__builtin_ia32_pause();
		if (rand_r(&seed) % 8 == 0)
			sleep_ms(1);
	}
	return NULL;
}

static void *go_on_arriving(void *argument)
{
	struct storm *storm = argument;

	for (unsigned int i = 0; i < storm->epochs && !atomic_load(&storm->error); i++) {
		int ret;

		arrive(&storm->self->member[1]);
		ret = barrier_sleep(&storm->self->member[2]);
		if (!ret)
			ret = wait_sleep(&storm->self->member[1]);
		if (ret)
			atomic_store(&storm->error, ret);
	}
	return NULL;
}

TEST_F(waking, storm)
{
	struct storm storm = { .self = self, .messages = 3000, .epochs = 500 };
	struct member *me = &self->member[0];
	unsigned int taken = 0, epochs = 0, naps = 0;
	pthread_t sender, others;

	ASSERT_EQ(pthread_create(&sender, NULL, send_and_wake, &storm), 0);
	ASSERT_EQ(pthread_create(&others, NULL, go_on_arriving, &storm), 0);
	arrive(me);
	while ((taken < storm.messages || epochs < storm.epochs) && !atomic_load(&storm.error)) {
		unsigned int sent = atomic_load(&storm.sent);
		uint64_t word = me->word;
		int ret;

		if (sent == taken) {
			ret = group_wait_until(self->fd[0], &word, monotonic_ns() + LONG);
			if (ret)
				atomic_store(&storm.error, ret);
			naps++;
		}
		taken = sent;
		if (epochs < storm.epochs && released(me)) {
			ASSERT_EQ(wait_spin(me), 0);
			if (++epochs < storm.epochs)
				arrive(me);
		}
	}
	ASSERT_EQ(pthread_join(sender, NULL), 0);
	ASSERT_EQ(pthread_join(others, NULL), 0);
	EXPECT_EQ(atomic_load(&storm.error), 0);
	EXPECT_EQ(taken, storm.messages);
	EXPECT_EQ(epochs, storm.epochs);
	EXPECT_GT(naps, 10);
	TH_LOG("%u messages and %u epochs in %u waits", taken, epochs, naps);
}

TEST_HARNESS_MAIN
