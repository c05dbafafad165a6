// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Members that are idle and asleep, or poll: what wakes them, that nothing else does, and what they
 * get when their group ends. How often they look for messages is counted, not timed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <hbs.h>
#include <hbs_messages.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "hbs_test.h"

#define LONG_MS	 60000
#define MESSAGES 500

/* A team of two, both of this thread until one is handed on */
FIXTURE(sleep)
{
	struct usage before;
	struct hbs *hbs;
	struct hbs_group *group;
	struct hbs_messages *messages;
	struct hbs_member *member[2];
	struct hbs_mailbox *mailbox[2];
};

FIXTURE_VARIANT(sleep)
{
	enum hbs_depart_by depart_by;
	bool imported; /* then a sleeper cannot make a fence for all that send */
};

FIXTURE_VARIANT_ADD(sleep, record){};
FIXTURE_VARIANT_ADD(sleep, record_and_shared){ .imported = true };
FIXTURE_VARIANT_ADD(sleep, CSR){ .depart_by = HBS_DEPART_BY_CSR };
FIXTURE_VARIANT_ADD(sleep, member_records){ .depart_by = HBS_DEPART_BY_MEMBER_RECORD };

static void take_place(struct __test_metadata *_metadata, FIXTURE_DATA(sleep) *self, unsigned int i)
{
	ASSERT_EQ(hbs_join_tagged(self->group, 100 + i, &self->member[i]), 0);
	ASSERT_EQ(hbs_mailbox_open(self->messages, i, &self->mailbox[i]), 0);
	ASSERT_EQ(hbs_mailbox_bind(self->mailbox[i], self->member[i]), 0);
}

static void leave_place(struct __test_metadata *_metadata, FIXTURE_DATA(sleep) *self,
			unsigned int i)
{
	if (!self->member[i])
		return;
	ASSERT_EQ(hbs_mailbox_close(self->mailbox[i]), 0);
	ASSERT_EQ(hbs_leave(self->member[i]), 0);
	self->member[i] = NULL;
}

static void make_group(struct __test_metadata *_metadata, FIXTURE_DATA(sleep) *self,
		       struct hbs_group_attr attr)
{
	attr.members = 2;
	attr.type = HBS_REFUTABLE;
	ASSERT_EQ(hbs_group_create(self->hbs, &attr, &self->group), 0);
}

FIXTURE_SETUP(sleep)
{
	struct hbs_attr attr = { .backend = HBS_BACKEND_CARD, .spin_ns = HBS_SPIN_NONE };
	/* nobody is the third, to whom messages go that stay in flight */
	struct hbs_messages_attr three = { .members = 3 };
	struct hbs_messages *other;

	usage_note(&self->before);
	ASSERT_EQ(hbs_open(&self->hbs, &attr), 0);
	make_group(_metadata, self, (struct hbs_group_attr){ .depart_by = variant->depart_by });
	ASSERT_EQ(hbs_messages_create(&three, &self->messages), 0);
	if (variant->imported) {
		ASSERT_EQ(hbs_messages_import(hbs_messages_fd(self->messages), &other), 0);
		ASSERT_EQ(hbs_messages_close(other), 0);
	}
	for (unsigned int i = 0; i < 2; i++)
		take_place(_metadata, self, i);
}

FIXTURE_TEARDOWN(sleep)
{
	for (unsigned int i = 0; i < 2; i++)
		leave_place(_metadata, self, i);
	EXPECT_EQ(hbs_messages_close(self->messages), 0);
	EXPECT_EQ(hbs_group_close(self->group), 0);
	EXPECT_EQ(hbs_close(self->hbs), 0);
	EXPECT_EQ(usage_compare(&self->before), 0);
}

/* The group of the setup has no such attribute */
static void other_group(struct __test_metadata *_metadata, FIXTURE_DATA(sleep) *self,
			struct hbs_group_attr attr)
{
	for (unsigned int i = 0; i < 2; i++)
		leave_place(_metadata, self, i);
	ASSERT_EQ(hbs_group_close(self->group), 0);
	make_group(_metadata, self, attr);
	for (unsigned int i = 0; i < 2; i++)
		take_place(_metadata, self, i);
}

/* A thread that is member 1 in one call of hbs_idle_value() */
struct peer {
	struct hbs_mailbox *mailbox;
	int vote;
	uint64_t value;
	_Atomic pid_t tid;
	int result;
	pthread_t thread;
};

static void *peer_run(void *argument)
{
	struct peer *peer = argument;

	atomic_store(&peer->tid, gettid());
	peer->result = hbs_idle_value(peer->mailbox, peer->vote, peer->value);
	return NULL;
}

static void peer_start(struct __test_metadata *_metadata, FIXTURE_DATA(sleep) *self,
		       struct peer *peer)
{
	peer->mailbox = self->mailbox[1];
	atomic_store(&peer->tid, 0);
	ASSERT_EQ(pthread_create(&peer->thread, NULL, peer_run, peer), 0);
	while (!atomic_load(&peer->tid))
		sleep_ms(1);
	ASSERT_EQ(wait_asleep(atomic_load(&peer->tid)), 0);
}

static void peer_end(struct __test_metadata *_metadata, struct peer *peer, int result)
{
	struct timespec end;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += LONG_MS / 1000;
	ASSERT_EQ(pthread_timedjoin_np(peer->thread, NULL, &end), 0);
	EXPECT_EQ(peer->result, result);
}

static void take_one(struct __test_metadata *_metadata, struct hbs_mailbox *mailbox)
{
	struct hbs_message message;

	ASSERT_EQ(hbs_message_recv(mailbox, &message), 0);
	ASSERT_EQ(hbs_message_free(mailbox, &message), 0);
}

static struct hbs_group_stats stats_of(struct hbs_group *group)
{
	struct hbs_group_stats stats = { 0 };

	hbs_group_stats(group, &stats);
	return stats;
}

static int send_somehow(struct hbs_mailbox *mailbox, int how)
{
	uint64_t set = 1 << 1;
	void *payload;

	if (how == 0)
		return hbs_message_send(mailbox, 1, "a", 1);
	if (how == 1)
		return hbs_message_multicast(mailbox, &set, "a", 1);
	return hbs_message_alloc(mailbox, 1, &payload) || hbs_message_post(mailbox, 1, 1);
}

/* One that looked each millisecond would have slept 300 times */
TEST_F(sleep, woken_by_a_message)
{
	for (int how = 0; how < 3; how++) {
		uint64_t before = stats_of(self->group).sleeps;
		struct peer peer = { 0 };

		peer_start(_metadata, self, &peer);
		sleep_ms(300);
		EXPECT_LE(stats_of(self->group).sleeps - before, 3);
		ASSERT_EQ(send_somehow(self->mailbox[0], how), 0);
		peer_end(_metadata, &peer, 0);
		EXPECT_LE(stats_of(self->group).sleeps - before, 4);
		take_one(_metadata, self->mailbox[1]);
	}
	EXPECT_EQ(stats_of(self->group).withdrawals, 3);
}

static void lie_about(struct __test_metadata *_metadata, struct hbs_messages *messages,
		      uint32_t member, uint32_t number)
{
	/* behind a page, the second word of each member's line */
	size_t asleep = 4096 + member * 64 + sizeof(uint32_t);
	char *map =
		mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, hbs_messages_fd(messages), 0);

	ASSERT_NE(map, MAP_FAILED);
	*(volatile uint32_t *)(map + asleep) = number;
	ASSERT_EQ(munmap(map, 8192), 0);
}

/* Another process may write anything there: who sends is not harmed, and wakes no stranger */
TEST_F(sleep, hostile_numbers)
{
	static const uint32_t numbers[] = { 1, 2, 3, 7, 1000, 1025, 1U << 31, UINT32_MAX };

	for (unsigned int i = 0; i < ARRAY_SIZE(numbers); i++) {
		lie_about(_metadata, self->messages, 1, numbers[i]);
		ASSERT_EQ(hbs_message_send(self->mailbox[0], 1, "a", 1), 0);
		take_one(_metadata, self->mailbox[1]);
	}
	/* a sleeper that was woken for nothing sleeps on */
	for (unsigned int i = 0; i < ARRAY_SIZE(numbers); i++) {
		struct peer peer = { 0 };

		peer_start(_metadata, self, &peer);
		lie_about(_metadata, self->messages, 0, numbers[i]);
		ASSERT_EQ(hbs_message_send(self->mailbox[0], 0, "a", 1), 0);
		ASSERT_EQ(wait_asleep(atomic_load(&peer.tid)), 0);
		ASSERT_EQ(hbs_message_send(self->mailbox[0], 1, "a", 1), 0);
		peer_end(_metadata, &peer, 0);
		take_one(_metadata, self->mailbox[0]);
		take_one(_metadata, self->mailbox[1]);
	}
}

static short polled(int fd, int timeout_ms)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };

	return poll(&pollfd, 1, timeout_ms) < 0 ? -1 : pollfd.revents;
}

TEST_F(sleep, descriptor)
{
	struct hbs_mailbox *me = self->mailbox[0], *other = self->mailbox[1];
	struct epoll_event event = { .events = EPOLLIN };
	int epoll = epoll_create1(EPOLL_CLOEXEC), fd;

	ASSERT_GE(epoll, 0);
	EXPECT_EQ(hbs_mailbox_fd(NULL), -EINVAL);
	/* it is not idle */
	EXPECT_EQ(hbs_mailbox_fd(me), -EINVAL);
	ASSERT_EQ(hbs_idle_try(me, 1), -EAGAIN);
	fd = hbs_mailbox_fd(me);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event), 0);
	for (int i = 0; i < 5; i++) {
		ASSERT_EQ(hbs_idle_try(me, 1), -EAGAIN);
		ASSERT_EQ(hbs_mailbox_fd(me), fd);
		EXPECT_EQ(polled(fd, 0), 0);
		EXPECT_EQ(epoll_wait(epoll, &event, 1, 0), 0);
		/* a message after the call */
		ASSERT_EQ(hbs_message_send(other, 0, "a", 1), 0);
		EXPECT_EQ(polled(fd, 0), POLLIN);
		EXPECT_EQ(epoll_wait(epoll, &event, 1, LONG_MS), 1);
		EXPECT_EQ(hbs_idle_try(me, 1), 0);
		EXPECT_EQ(hbs_mailbox_fd(me), -EINVAL);
		take_one(_metadata, me);
		/* before it, by a sender that saw no sleeper */
		ASSERT_EQ(hbs_idle_try(me, 1), -EAGAIN);
		ASSERT_EQ(hbs_message_send(other, 0, "a", 1), 0);
		ASSERT_EQ(hbs_mailbox_fd(me), fd);
		EXPECT_EQ(polled(fd, 0), POLLIN);
		EXPECT_EQ(hbs_idle_try(me, 1), 0);
		take_one(_metadata, me);
		/* the end of the epoch; what was there before it is forgotten */
		ASSERT_EQ(hbs_idle_try(me, 1), -EAGAIN);
		ASSERT_EQ(hbs_mailbox_fd(me), fd);
		EXPECT_EQ(polled(fd, 0), 0);
		EXPECT_EQ(hbs_idle(other, i % 2), 1 + i % 2);
		EXPECT_EQ(polled(fd, LONG_MS), POLLIN);
		EXPECT_EQ(hbs_idle_try(me, 1), 1 + i % 2);
	}
	ASSERT_EQ(hbs_idle_try(me, 1), -EAGAIN);
	ASSERT_EQ(hbs_mailbox_fd(me), fd);
	ASSERT_EQ(hbs_group_destroy(self->group), 0);
	EXPECT_EQ(polled(fd, LONG_MS), POLLIN | POLLERR);
	EXPECT_EQ(hbs_idle_try(me, 1), -EIDRM);
	close(epoll);
}

/* A member that is idle and sends or receives withdraws, if it must */
TEST_F(sleep, try)
{
	struct hbs_mailbox *me = self->mailbox[0], *other = self->mailbox[1];
	struct hbs_message message;
	void *payload;

	ASSERT_EQ(hbs_idle_try(me, 1), -EAGAIN);
	EXPECT_EQ(hbs_message_recv(me, &message), -EAGAIN);
	EXPECT_EQ(hbs_message_can_recv(me), 0);
	EXPECT_EQ(hbs_message_can_send(me, 1), 1);
	EXPECT_EQ(hbs_idle_try(me, 1), -EAGAIN);
	EXPECT_EQ(stats_of(self->group).withdrawals, 0);
	ASSERT_EQ(hbs_message_send(me, 1, "a", 1), 0);
	EXPECT_EQ(stats_of(self->group).withdrawals, 1);
	take_one(_metadata, other);
	/* a message is there, which it takes without another call */
	ASSERT_EQ(hbs_idle_try(me, 1), -EAGAIN);
	ASSERT_EQ(hbs_message_send(other, 0, "a", 1), 0);
	EXPECT_EQ(hbs_message_can_recv(me), 1);
	EXPECT_EQ(stats_of(self->group).withdrawals, 1);
	take_one(_metadata, me);
	EXPECT_EQ(stats_of(self->group).withdrawals, 2);
	/* a slot from before it was idle */
	ASSERT_EQ(hbs_message_alloc(me, 1, &payload), 0);
	ASSERT_EQ(hbs_idle_try(me, 1), -EAGAIN);
	ASSERT_EQ(hbs_message_post(me, 1, 1), 0);
	take_one(_metadata, other);
	/* the last vote counts */
	ASSERT_EQ(hbs_idle_try(me, 0), -EAGAIN);
	ASSERT_EQ(hbs_idle_try(me, 1), -EAGAIN);
	EXPECT_EQ(stats_of(self->group).withdrawals, 4);
	EXPECT_EQ(hbs_idle(other, 1), 2);
	/* the epoch is over, which the member has to learn before it sends in the next one */
	EXPECT_EQ(hbs_message_can_send(me, 1), 1);
	EXPECT_EQ(hbs_message_send(me, 1, "a", 1), -EBUSY);
	EXPECT_EQ(hbs_message_alloc(me, 1, &payload), -EBUSY);
	ASSERT_EQ(hbs_message_send(other, 0, "b", 1), 0);
	EXPECT_EQ(hbs_message_recv(me, &message), -EAGAIN);
	EXPECT_EQ(polled(hbs_mailbox_fd(me), 0), POLLIN);
	EXPECT_EQ(hbs_idle_try(me, 0), 2);
	take_one(_metadata, me);
	ASSERT_EQ(hbs_message_send(me, 1, "a", 1), 0);
	take_one(_metadata, other);
	/* what waits goes on with what was tried */
	ASSERT_EQ(hbs_idle_try(me, 0), -EAGAIN);
	EXPECT_EQ(hbs_idle(other, 1), 1);
	EXPECT_EQ(hbs_idle(me, 0), 1);
	EXPECT_EQ(hbs_idle_try(NULL, 0), -EINVAL);
	EXPECT_EQ(hbs_idle_try(me, 2), -EINVAL);
	EXPECT_EQ(hbs_idle_value(me, 0, 1), -EOPNOTSUPP);
	EXPECT_EQ(hbs_idle_value(me, -1, 0), -EINVAL);
	/* sending in a group that broke is no error, as before the member was idle */
	ASSERT_EQ(hbs_idle_try(me, 0), -EAGAIN);
	ASSERT_EQ(hbs_group_destroy(self->group), 0);
	EXPECT_EQ(hbs_message_send(me, 1, "a", 1), 0);
	EXPECT_EQ(hbs_idle_try(me, 0), -EIDRM);
}

TEST_F(sleep, values)
{
	struct hbs_group_attr sum = { .reduce = HBS_SUM, .depart_by = variant->depart_by };
	struct peer peer = { .vote = 1, .value = 7 };
	uint64_t result;

	other_group(_metadata, self, sum);
	for (uint64_t round = 1; round < 4; round++) {
		peer_start(_metadata, self, &peer);
		ASSERT_EQ(hbs_idle_value(self->mailbox[0], 1, round), 2);
		peer_end(_metadata, &peer, 2);
		for (int i = 0; i < 2; i++) {
			ASSERT_EQ(hbs_result(self->member[i], &result), 0);
			EXPECT_EQ(result, 7 + round);
		}
	}
	/* the last value counts, though the member was idle with another one */
	ASSERT_EQ(hbs_idle_try(self->mailbox[0], 0), -EAGAIN);
	ASSERT_EQ(hbs_message_send(self->mailbox[0], 0, "a", 1), 0);
	peer_start(_metadata, self, &peer);
	ASSERT_EQ(hbs_idle_try(self->mailbox[0], 1), 0);
	take_one(_metadata, self->mailbox[0]);
	ASSERT_EQ(hbs_idle_value(self->mailbox[0], 1, 5), 2);
	peer_end(_metadata, &peer, 2);
	ASSERT_EQ(hbs_result(self->member[0], &result), 0);
	EXPECT_EQ(result, 12);
}

/* The group ends while a member sleeps in hbs_idle() */
TEST_F(sleep, ends)
{
	struct hbs_absentee absentee;
	struct peer peer = { 0 };
	char pci[32];

	peer_start(_metadata, self, &peer);
	ASSERT_EQ(hbs_group_reset(self->group), 0);
	peer_end(_metadata, &peer, -ECONNRESET);
	EXPECT_EQ(hbs_idle(self->mailbox[1], 0), -ECONNRESET);

	/* a member that never is idle is named */
	other_group(_metadata, self,
		    (struct hbs_group_attr){ .timeout_ns = 100000000,
					     .depart_by = variant->depart_by });
	peer_start(_metadata, self, &peer);
	peer_end(_metadata, &peer, -ETIMEDOUT);
	ASSERT_EQ(hbs_group_missing(self->group, &absentee, 1), 1);
	EXPECT_EQ(absentee.tag, 100);
	EXPECT_EQ(hbs_idle(self->mailbox[0], 0), -ETIMEDOUT);

	other_group(_metadata, self, (struct hbs_group_attr){ .depart_by = variant->depart_by });
	ASSERT_EQ(card_pci_name(0, pci, sizeof(pci)), 0);
	peer_start(_metadata, self, &peer);
	ASSERT_EQ(card_unbind(pci), 0);
	peer_end(_metadata, &peer, -ENODEV);
	EXPECT_EQ(hbs_idle_try(self->mailbox[0], 0), -ENODEV);
	/* a sender that finds a sleeper is not harmed by that */
	lie_about(_metadata, self->messages, 1, 1);
	EXPECT_EQ(hbs_message_send(self->mailbox[0], 1, "a", 1), 0);
	ASSERT_EQ(card_bind(pci), 0);
	ASSERT_EQ(card_wait(10), 0);
}

/* A child is member 1 until it is killed, in hbs_idle() */
static void be_a_child(FIXTURE_DATA(sleep) *self)
{
	struct hbs_attr attr = { .backend = HBS_BACKEND_CARD, .spin_ns = HBS_SPIN_NONE };
	struct hbs_messages *messages;
	struct hbs_mailbox *mailbox;
	struct hbs_member *member;
	struct hbs_group *group;
	struct hbs_message message;
	struct hbs *hbs;

	alarm(120);
	if (hbs_open(&hbs, &attr) || hbs_group_import(hbs, hbs_group_fd(self->group), &group) ||
	    hbs_messages_import(hbs_messages_fd(self->messages), &messages) ||
	    hbs_join(group, &member) || hbs_mailbox_open(messages, 1, &mailbox) ||
	    hbs_mailbox_bind(mailbox, member))
		_exit(1);
	if (hbs_idle(mailbox, 0) || hbs_message_recv(mailbox, &message) ||
	    hbs_message_free(mailbox, &message) || hbs_message_send(mailbox, 2, "lost", 5))
		_exit(2);
	hbs_idle(mailbox, 0);
	_exit(3);
}

struct killer {
	struct hbs_messages *messages;
	pid_t child;
	int busy;
};

static void *kill_later(void *argument)
{
	struct killer *killer = argument;
	struct hbs_mailbox *mailbox;

	sleep_ms(300);
	killer->busy = hbs_mailbox_open(killer->messages, 1, &mailbox);
	kill(killer->child, SIGKILL);
	return NULL;
}

TEST_F(sleep, killed)
{
	struct killer killer = { .messages = self->messages };
	struct hbs_mailbox *heir;
	pthread_t thread;
	int status;

	leave_place(_metadata, self, 1);
	killer.child = fork();
	if (!killer.child)
		be_a_child(self);
	ASSERT_EQ(hbs_message_send(self->mailbox[0], 1, "a", 1), 0);
	ASSERT_EQ(pthread_create(&thread, NULL, kill_later, &killer), 0);
	EXPECT_EQ(hbs_idle(self->mailbox[0], 0), -EOWNERDEAD);
	ASSERT_EQ(pthread_join(thread, NULL), 0);
	EXPECT_EQ(killer.busy, -EBUSY);
	ASSERT_EQ(waitpid(killer.child, &status, 0), killer.child);
	EXPECT_TRUE(WIFSIGNALED(status));
	EXPECT_EQ(stats_of(self->group).in_flight, 1);
	ASSERT_EQ(hbs_mailbox_open(self->messages, 1, &heir), 0);
	ASSERT_EQ(hbs_mailbox_close(heir), 0);
}

/* An event loop on each side: a message goes there and back again and again */
struct loop {
	struct hbs_mailbox *mailbox;
	uint32_t to;
	unsigned int left;
	int result;
};

static void *loop_run(void *argument)
{
	struct loop *loop = argument;
	struct hbs_message message;
	int ret;

	for (;;) {
		ret = hbs_idle_try(loop->mailbox, 1);
		if (ret == -EAGAIN) {
			int fd = hbs_mailbox_fd(loop->mailbox);

			if (fd < 0 || !polled(fd, LONG_MS)) {
				ret = fd < 0 ? fd : -ETIMEDOUT;
				break;
			}
			continue;
		}
		if (ret || hbs_message_recv(loop->mailbox, &message))
			break;
		ret = hbs_message_free(loop->mailbox, &message);
		if (!ret && loop->left) {
			loop->left--;
			ret = hbs_message_send(loop->mailbox, loop->to, "a", 1);
		}
		if (ret)
			break;
	}
	loop->result = ret;
	return NULL;
}

TEST_F(sleep, event_loops)
{
	struct loop loops[2] = { { .mailbox = self->mailbox[0], .to = 1, .left = MESSAGES },
				 { .mailbox = self->mailbox[1], .to = 0, .left = MESSAGES } };
	pthread_t thread;

	ASSERT_EQ(hbs_message_send(self->mailbox[0], 1, "a", 1), 0);
	ASSERT_EQ(pthread_create(&thread, NULL, loop_run, &loops[1]), 0);
	loop_run(&loops[0]);
	ASSERT_EQ(pthread_join(thread, NULL), 0);
	for (int i = 0; i < 2; i++) {
		EXPECT_EQ(loops[i].result, 2);
		EXPECT_EQ(loops[i].left, 0);
	}
	EXPECT_EQ(stats_of(self->group).barriers, 1);
}

TEST_HARNESS_MAIN
