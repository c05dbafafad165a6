// SPDX-License-Identifier: GPL-2.0-or-later
/* Sleeping: HBS_GROUP_WAIT, read, write, poll, reopened files, and signals. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "harness.h"
#include "hbs_test.h"

#define MANY 16
#define MS   1000000ULL

/* An address that nothing is mapped at; the compiler would not take NULL */
static void *volatile nowhere;

/* A group of two */
FIXTURE(waiting)
{
	struct usage before;
	int card;
	struct one one;
	struct port port;
	struct member other;
};

FIXTURE_SETUP(waiting)
{
	usage_note(&self->before);
	self->card = card_open();
	ASSERT_GE(self->card, 0);
	ASSERT_EQ(one_member(self->card, 2, &self->one), 0);
	ASSERT_EQ(port_alloc(self->card, &self->port), 0);
	ASSERT_EQ(join(&self->one.group, &self->port, &self->other), 0);
}

FIXTURE_TEARDOWN(waiting)
{
	release_all();
	EXPECT_EQ(usage_compare(&self->before), 0);
}

static short polled(int fd)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };

	return poll(&pollfd, 1, 0) < 0 ? -1 : pollfd.revents;
}

TEST_F(waiting, word_is_of_the_past)
{
	uint64_t first = self->other.word;
	struct hbs_group_counters counters;
	uint64_t word = first;

	arrive(&self->other);
	ASSERT_EQ(barrier(&self->one.member), 0);
	ASSERT_EQ(group_wait(self->one.group.fd, &word), 0);
	EXPECT_EQ(word, next_epoch(first));
	word = next_epoch(first) | HBS_WORD_BROKEN;
	ASSERT_EQ(group_wait(self->one.group.fd, &word), 0);
	EXPECT_EQ(word, next_epoch(first));
	ASSERT_EQ(group_counters(self->one.group.fd, &counters), 0);
	EXPECT_EQ(counters.waits, 0);
}

/*
 * A member whose own record has shown the next epoch may wait on that before the card has
 * written the group's record. What the group's record shows by then is no news.
 */
TEST_F(waiting, record_comes_last)
{
	int fd = group_reopen(self->one.group.fd, next_epoch(self->other.word));
	uint64_t word = next_epoch(self->other.word);

	ASSERT_GE(fd, 0);
	EXPECT_EQ(group_wait_until(fd, &word, 1), -ETIMEDOUT);
	EXPECT_EQ(group_wait_until(fd, &word, monotonic_ns() + 20 * MS), -ETIMEDOUT);
	EXPECT_EQ(word, next_epoch(self->other.word));
	EXPECT_EQ(polled(fd), 0);
	EXPECT_EQ(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
	EXPECT_EQ(read(fd, &word, 8), -1);
	EXPECT_EQ(errno, EAGAIN);
	for (int i = 0; i < 2; i++) {
		EXPECT_EQ(polled(fd), 0);
		arrive(&self->other);
		ASSERT_EQ(barrier(&self->one.member), 0);
		self->other.word = self->one.member.word;
	}
	EXPECT_EQ(polled(fd), POLLIN);
}

/*
 * An open file may say that it has seen what is yet to come. Who polls it sleeps, and is not
 * woken again and again by interrupts for an epoch that is not the present one.
 */
TEST_F(waiting, poll_of_the_future)
{
	uint64_t word = self->other.word + 1000 * HBS_WORD_EPOCH_ONE;
	struct hbs_group_counters before, after;
	int fd = group_reopen(self->one.group.fd, word);
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };
	double start = seconds();

	ASSERT_GE(fd, 0);
	ASSERT_EQ(group_counters(fd, &before), 0);
	EXPECT_EQ(poll(&pollfd, 1, 100), 0);
	ASSERT_EQ(group_counters(fd, &after), 0);
	EXPECT_LE(after.interrupts - before.interrupts, 1);
	TH_LOG("%llu interrupts in %.0f ms",
	       (unsigned long long)(after.interrupts - before.interrupts),
	       (seconds() - start) * 1e3);
}

/* Each kind of sleep, twice, and the kernel counts those that it counts */
TEST_F(waiting, sleeps_until_release)
{
	struct hbs_group_counters counters;
	unsigned int slept = 0;

	for (int kind = WAIT_IOCTL; kind < WAIT_KINDS; kind++) {
		for (int i = 0; i < 2; i++) {
			struct waiter waiter;

			arrive(&self->other);
			ASSERT_EQ(waiter_start(&waiter, &self->other, kind), 0);
			ASSERT_EQ(barrier(&self->one.member), 0);
			ASSERT_EQ(waiter_join(&waiter), 0);
			EXPECT_EQ(waiter.result, 0);
			if (kind == WAIT_POLL)
				EXPECT_EQ(waiter.revents, POLLIN);
			slept += kind != WAIT_POLL;
		}
	}
	ASSERT_EQ(group_counters(self->one.group.fd, &counters), 0);
	EXPECT_EQ(counters.waits, slept);
	EXPECT_EQ(counters.interrupts, 6);
}

/* Nobody asked: no interrupt */
TEST_F(waiting, no_interrupt_unasked)
{
	struct hbs_group_counters counters;

	for (int i = 0; i < 10; i++) {
		arrive(&self->other);
		ASSERT_EQ(barrier(&self->one.member), 0);
		ASSERT_EQ(wait_spin(&self->other), 0);
	}
	ASSERT_EQ(group_counters(self->one.group.fd, &counters), 0);
	EXPECT_EQ(counters.interrupts, 0);
	/* The first was written when the group was made */
	EXPECT_EQ(counters.record_writes, 10 + 1);
}

/* One completion wakes all sleepers */
TEST_F(waiting, many_sleepers)
{
	struct port port[MANY];
	struct member member[MANY];
	struct waiter waiter[MANY];
	struct group group;
	struct hbs_group_counters counters;

	ASSERT_EQ(group_create(self->card, MANY, &group), 0);
	for (int i = 0; i < MANY; i++) {
		ASSERT_EQ(port_alloc(self->card, &port[i]), 0);
		ASSERT_EQ(join(&group, &port[i], &member[i]), 0);
	}
	for (int i = 1; i < MANY; i++) {
		arrive(&member[i]);
		ASSERT_EQ(waiter_start(&waiter[i], &member[i], WAIT_IOCTL + i % 3), 0);
	}
	ASSERT_EQ(barrier(&member[0]), 0);
	for (int i = 1; i < MANY; i++) {
		ASSERT_EQ(waiter_join(&waiter[i]), 0);
		EXPECT_EQ(waiter[i].result, 0);
	}
	ASSERT_EQ(group_counters(group.fd, &counters), 0);
	EXPECT_EQ(counters.completions, 1);
}

TEST_F(waiting, read)
{
	uint64_t word[2] = { 0 };
	int fd = group_reopen(self->one.group.fd, self->other.word);

	ASSERT_GE(fd, 0);
	ASSERT_EQ(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
	EXPECT_EQ(read(fd, word, 8), -1);
	EXPECT_EQ(errno, EAGAIN);
	arrive(&self->other);
	ASSERT_EQ(barrier(&self->one.member), 0);
	/* A read that is too short, or to no memory, takes nothing */
	EXPECT_EQ(read(fd, word, 7), -1);
	EXPECT_EQ(errno, EINVAL);
	EXPECT_EQ(read(fd, nowhere, 8), -1);
	EXPECT_EQ(errno, EFAULT);
	EXPECT_EQ(polled(fd), POLLIN);
	EXPECT_EQ(read(fd, word, sizeof(word)), 8);
	EXPECT_EQ(word[0], self->one.member.word);
	EXPECT_EQ(word[1], 0);
	EXPECT_EQ(polled(fd), 0);
	EXPECT_EQ(read(fd, word, 8), -1);
	EXPECT_EQ(errno, EAGAIN);
}

TEST_F(waiting, write)
{
	uint64_t word = self->other.word - HBS_WORD_EPOCH_ONE;
	uint64_t twice[2] = { word, word };
	int fd = group_reopen(self->one.group.fd, self->other.word);

	ASSERT_GE(fd, 0);
	EXPECT_EQ(polled(fd), 0);
	EXPECT_EQ(write(fd, &word, 7), -1);
	EXPECT_EQ(errno, EINVAL);
	EXPECT_EQ(write(fd, twice, 16), -1);
	EXPECT_EQ(errno, EINVAL);
	EXPECT_EQ(write(fd, nowhere, 8), -1);
	EXPECT_EQ(errno, EFAULT);
	EXPECT_EQ(polled(fd), 0);
	EXPECT_EQ(write(fd, &word, 8), 8);
	EXPECT_EQ(polled(fd), POLLIN);
	EXPECT_EQ(read(fd, &word, 8), 8);
	EXPECT_EQ(word, self->other.word);
	EXPECT_EQ(polled(fd), 0);
}

/* What was seen belongs to the open file */
TEST_F(waiting, reopened_files_are_apart)
{
	uint64_t word;
	int a = group_reopen(self->one.group.fd, self->other.word);
	int b = group_reopen(a, self->other.word);
	int c = dup(b);

	ASSERT_GE(a, 0);
	ASSERT_GE(b, 0);
	ASSERT_GE(c, 0);
	arrive(&self->other);
	ASSERT_EQ(barrier(&self->one.member), 0);
	ASSERT_EQ(read(a, &word, 8), 8);
	EXPECT_EQ(polled(a), 0);
	EXPECT_EQ(polled(b), POLLIN);
	ASSERT_EQ(read(c, &word, 8), 8);
	EXPECT_EQ(polled(b), 0);
	/* A reopened file is the group as much as the first one */
	ASSERT_EQ(group_close(&self->one.group), 0);
	ASSERT_EQ(close(b), 0);
	ASSERT_EQ(close(c), 0);
	self->one.member.group = a;
	EXPECT_EQ(leave(&self->one.member), 0);
}

TEST_F(waiting, epoll)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET, .data.u32 = 7 };
	int fd = group_reopen(self->one.group.fd, self->other.word);
	int epoll = epoll_create1(EPOLL_CLOEXEC);

	ASSERT_GE(fd, 0);
	ASSERT_GE(epoll, 0);
	ASSERT_EQ(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event), 0);
	EXPECT_EQ(epoll_wait(epoll, &event, 1, 0), 0);
	arrive(&self->other);
	ASSERT_EQ(barrier(&self->one.member), 0);
	ASSERT_EQ(epoll_wait(epoll, &event, 1, 5000), 1);
	EXPECT_EQ(event.data.u32, 7);
	EXPECT_EQ(event.events, EPOLLIN);
}

TEST_F(waiting, broken)
{
	uint64_t word = self->other.word;
	int fd = group_reopen(self->one.group.fd, self->other.word);

	ASSERT_GE(fd, 0);
	ASSERT_EQ(group_destroy(self->one.group.fd), 0);
	EXPECT_EQ(polled(fd), POLLIN | POLLERR);
	EXPECT_EQ(group_wait(fd, &word), -EIDRM);
	EXPECT_EQ(word_error(word), -EIDRM);
	/* A read gives the word, for that says why; and it never sleeps again */
	for (int i = 0; i < 2; i++) {
		word = 0;
		ASSERT_EQ(read(fd, &word, 8), 8);
		EXPECT_EQ(word_error(word), -EIDRM);
		EXPECT_EQ(polled(fd), POLLIN | POLLERR);
	}
	/* also a thread that waits on the broken word itself, or on any other */
	EXPECT_EQ(group_wait(fd, &word), -EIDRM);
	word = 0x1234;
	EXPECT_EQ(group_wait(fd, &word), -EIDRM);
	fd = group_reopen(fd, word);
	ASSERT_GE(fd, 0);
	EXPECT_EQ(polled(fd), POLLIN | POLLERR);
}

static void on_signal(int signal)
{
	(void)signal;
}

static void with_signal(struct __test_metadata *_metadata, FIXTURE_DATA(waiting) *self,
			enum wait_kind kind, int flags, int result)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = flags };
	struct waiter waiter;

	ASSERT_EQ(sigaction(SIGUSR1, &action, NULL), 0);
	arrive(&self->other);
	ASSERT_EQ(waiter_start(&waiter, &self->other, kind), 0);
	ASSERT_EQ(pthread_kill(waiter.thread, SIGUSR1), 0);
	if (!result) {
		ASSERT_EQ(wait_asleep(waiter.tid), 0);
		ASSERT_EQ(barrier(&self->one.member), 0);
	}
	ASSERT_EQ(waiter_join(&waiter), 0);
	EXPECT_EQ(waiter.result, result);
}

TEST_F(waiting, signal_ends_ioctl)
{
	with_signal(_metadata, self, WAIT_IOCTL, 0, -EINTR);
	/* The arrival stands, and the wait can be taken up again */
	ASSERT_EQ(barrier(&self->one.member), 0);
	EXPECT_EQ(wait_sleep(&self->other), 0);
}

TEST_F(waiting, signal_ends_read)
{
	with_signal(_metadata, self, WAIT_READ, 0, -EINTR);
}

TEST_F(waiting, signal_restarts_ioctl)
{
	with_signal(_metadata, self, WAIT_IOCTL, SA_RESTART, 0);
}

TEST_F(waiting, signal_restarts_read)
{
	with_signal(_metadata, self, WAIT_READ, SA_RESTART, 0);
}

/* Others may close what somebody sleeps on: it sleeps on, and is released */
TEST_F(waiting, descriptor_closed_meanwhile)
{
	struct waiter waiter[3];
	int fd = dup(self->one.group.fd);

	ASSERT_GE(fd, 0);
	for (int i = 0; i < 3; i++) {
		arrive(&self->other);
		if (!i)
			self->other.group = fd;
		ASSERT_EQ(waiter_start(&waiter[i], &self->other, WAIT_IOCTL + i), 0);
		self->other.group = self->one.group.fd;
		ASSERT_EQ(close(i ? waiter[i].fd : fd), 0);
		waiter[i].fd = -1;
		ASSERT_EQ(barrier(&self->one.member), 0);
		ASSERT_EQ(waiter_join(&waiter[i]), 0);
		EXPECT_EQ(waiter[i].result, 0);
	}
}

/* No wake-up is lost: two threads that always sleep, each in its own way */
struct sleeper {
	struct member *member;
	enum wait_kind kind;
	int epochs;
	int fd;
	int result;
	pthread_t thread;
};

static void *sleeper_run(void *arg)
{
	struct sleeper *sleeper = arg;
	struct member *member = sleeper->member;
	struct pollfd pollfd = { .fd = sleeper->fd, .events = POLLIN };
	uint64_t word;

	for (int i = 0; i < sleeper->epochs; i++) {
		arrive(member);
		if (sleeper->kind == WAIT_IOCTL) {
			sleeper->result = wait_sleep(member);
			if (sleeper->result)
				break;
			continue;
		}
		if (sleeper->kind == WAIT_POLL && poll(&pollfd, 1, -1) != 1) {
			sleeper->result = -errno;
			break;
		}
		if (read(sleeper->fd, &word, sizeof(word)) != sizeof(word)) {
			sleeper->result = -errno;
			break;
		}
		member->word += HBS_WORD_EPOCH_ONE;
		if (word != member->word) {
			sleeper->result = -EPROTO;
			break;
		}
	}
	return NULL;
}

TEST_F(waiting, no_lost_wakeup)
{
	int epochs = accel_is("single") ? 500 : 300;

	for (int a = WAIT_IOCTL; a < WAIT_KINDS; a++) {
		for (int b = a; b < WAIT_KINDS; b++) {
			struct sleeper sleeper[2] = {
				{ .member = &self->one.member, .kind = a, .epochs = epochs },
				{ .member = &self->other, .kind = b, .epochs = epochs },
			};

			for (int i = 0; i < 2; i++) {
				sleeper[i].fd =
					group_reopen(self->one.group.fd, sleeper[i].member->word);
				ASSERT_GE(sleeper[i].fd, 0);
				ASSERT_EQ(pthread_create(&sleeper[i].thread, NULL, sleeper_run,
							 &sleeper[i]),
					  0);
			}
			for (int i = 0; i < 2; i++) {
				ASSERT_EQ(pthread_join(sleeper[i].thread, NULL), 0);
				EXPECT_EQ(sleeper[i].result, 0);
				close(sleeper[i].fd);
			}
		}
	}
	TH_LOG("epochs %d", 6 * epochs);
}

TEST_HARNESS_MAIN
