// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Polls that ask only after a wake-up: edge-triggered epoll, and multishot polls of
 * io_uring. Each epoch gives an event, as long as the test reads each.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness.h"
#include "hbs_test.h"

#define EPOCHS	20
#define WAIT_MS 60000

/* A group of two, whose epochs an open file that does not block watches */
FIXTURE(edges)
{
	struct usage before;
	int card;
	struct group group;
	struct port port[2];
	struct member member[2];
	int fd;
};

FIXTURE_VARIANT(edges)
{
	struct hbs_group_create with;
};

FIXTURE_VARIANT_ADD(edges, record){
	.with = { .departure = HBS_DEPARTURE_RECORD },
};

FIXTURE_VARIANT_ADD(edges, csr){
	.with = { .departure = HBS_DEPARTURE_CSR },
};

FIXTURE_SETUP(edges)
{
	usage_note(&self->before);
	self->card = card_open();
	ASSERT_GE(self->card, 0);
	ASSERT_EQ(group_create_with(self->card, 2, &variant->with, &self->group), 0);
	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(port_alloc(self->card, &self->port[i]), 0);
		ASSERT_EQ(join(&self->group, &self->port[i], &self->member[i]), 0);
	}
	self->fd = group_reopen(self->group.fd, self->member[0].word);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(fcntl(self->fd, F_SETFL, O_NONBLOCK), 0);
}

FIXTURE_TEARDOWN(edges)
{
	release_all();
	EXPECT_EQ(usage_compare(&self->before), 0);
}

static int complete_epoch(struct member *member)
{
	arrive(&member[1]);
	return barrier(&member[0]) ?: wait_spin(&member[1]);
}

/* What the open file reports: 0 and the word, or -errno */
static int take(int fd, uint64_t *word)
{
	return read(fd, word, sizeof(*word)) == sizeof(*word) ? 0 : -errno;
}

/* An epoll that watches the open file for edges */
static int epoll_of(int fd)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLPRI | EPOLLET };
	int epoll = epoll_create1(EPOLL_CLOEXEC);

	if (epoll >= 0 && epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event))
		return -errno;
	return epoll;
}

/* The events that it has, 0 if there are none in a time that is long enough */
static unsigned int edge(int epoll, int wait_ms)
{
	struct epoll_event event;

	return epoll_wait(epoll, &event, 1, wait_ms) == 1 ? event.events : 0;
}

/* One read for each event */
TEST_F(edges, epoll)
{
	int epoll = epoll_of(self->fd);
	uint64_t word;

	ASSERT_GE(epoll, 0);
	for (int i = 0; i < EPOCHS; i++) {
		ASSERT_EQ(edge(epoll, 0), 0);
		ASSERT_EQ(complete_epoch(self->member), 0);
		ASSERT_EQ(edge(epoll, WAIT_MS), EPOLLIN);
		ASSERT_EQ(take(self->fd, &word), 0);
		EXPECT_EQ(word, self->member[0].word);
	}
}

/* As epoll(7) has it: read until there is nothing left */
TEST_F(edges, epoll_until_eagain)
{
	int epoll = epoll_of(self->fd);
	uint64_t word;

	ASSERT_GE(epoll, 0);
	for (int i = 0; i < EPOCHS; i++) {
		ASSERT_EQ(complete_epoch(self->member), 0);
		ASSERT_EQ(edge(epoll, WAIT_MS), EPOLLIN);
		ASSERT_EQ(take(self->fd, &word), 0);
		EXPECT_EQ(word, self->member[0].word);
		ASSERT_EQ(take(self->fd, &word), -EAGAIN);
	}
}

/* Another thread's write sets what was seen, and the next edge is reported */
TEST_F(edges, epoll_after_write)
{
	int epoll = epoll_of(self->fd);
	uint64_t word;

	ASSERT_GE(epoll, 0);
	for (int i = 0; i < EPOCHS; i++) {
		word = self->member[0].word;
		ASSERT_EQ(write(self->fd, &word, sizeof(word)), sizeof(word));
		ASSERT_EQ(take(self->fd, &word), -EAGAIN);
		ASSERT_EQ(complete_epoch(self->member), 0);
		ASSERT_EQ(edge(epoll, WAIT_MS), EPOLLIN);
	}
}

/* An epoll that has told of an epoch, which was then read */
static int epoll_after_epoch(struct __test_metadata *_metadata, FIXTURE_DATA(edges) *self)
{
	int epoll = epoll_of(self->fd);
	uint64_t word;

	ASSERT_GE(epoll, 0);
	ASSERT_EQ(complete_epoch(self->member), 0);
	ASSERT_EQ(edge(epoll, WAIT_MS), EPOLLIN);
	ASSERT_EQ(take(self->fd, &word), 0);
	return epoll;
}

/* After a reset there are two things to tell, hence two edges */
TEST_F(edges, epoll_over_reset)
{
	int epoll = epoll_after_epoch(_metadata, self);
	uint64_t word;

	ASSERT_EQ(group_reset(self->group.fd), 0);
	ASSERT_EQ(edge(epoll, WAIT_MS), EPOLLIN | EPOLLERR);
	ASSERT_EQ(take(self->fd, &word), 0);
	EXPECT_EQ(word_error(word), -ECONNRESET);
	ASSERT_EQ(edge(epoll, WAIT_MS), EPOLLIN);
	ASSERT_EQ(take(self->fd, &word), 0);
	EXPECT_EQ(word_error(word), 0);
	ASSERT_EQ(take(self->fd, &word), -EAGAIN);

	for (int i = 0; i < 2; i++)
		ASSERT_EQ(join(&self->group, &self->port[i], &self->member[i]), 0);
	EXPECT_EQ(self->member[0].word, word);
	for (int i = 0; i < EPOCHS; i++) {
		ASSERT_EQ(complete_epoch(self->member), 0);
		ASSERT_EQ(edge(epoll, WAIT_MS), EPOLLIN);
		ASSERT_EQ(take(self->fd, &word), 0);
	}
}

/* A thread that has read that the group is broken does not get this again for ever */
TEST_F(edges, epoll_broken)
{
	int epoll = epoll_after_epoch(_metadata, self);
	uint64_t word;

	ASSERT_EQ(group_destroy(self->group.fd), 0);
	ASSERT_EQ(edge(epoll, WAIT_MS), EPOLLIN | EPOLLERR);
	ASSERT_EQ(take(self->fd, &word), 0);
	EXPECT_EQ(word_error(word), -EIDRM);
	/* The interrupt of the break may come late, as an edge of its own */
	if (edge(epoll, 100)) {
		ASSERT_EQ(take(self->fd, &word), 0);
		EXPECT_EQ(edge(epoll, 100), 0);
	}
}

/* The few lines of io_uring that a poll needs */
struct ring {
	int fd;
	struct io_uring_params params;
	char *rings;
	size_t size;
	struct io_uring_sqe *sqes;
};

static int ring_start(struct ring *ring)
{
	const struct io_uring_params *params = &ring->params;
	size_t sq, cq;

	memset(ring, 0, sizeof(*ring));
	ring->fd = syscall(SYS_io_uring_setup, 4, &ring->params);
	if (ring->fd < 0)
		return -errno;
	if (!(params->features & IORING_FEAT_SINGLE_MMAP))
		return -ENOSYS;
	sq = params->sq_off.array + params->sq_entries * sizeof(__u32);
	cq = params->cq_off.cqes + params->cq_entries * sizeof(struct io_uring_cqe);
	ring->size = sq > cq ? sq : cq;
	ring->rings = mmap(NULL, ring->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
			   ring->fd, IORING_OFF_SQ_RING);
	ring->sqes =
		mmap(NULL, params->sq_entries * sizeof(struct io_uring_sqe), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_POPULATE, ring->fd, IORING_OFF_SQES);
	return ring->rings == MAP_FAILED || (void *)ring->sqes == MAP_FAILED ? -errno : 0;
}

static __u32 *ring_word(struct ring *ring, __u32 offset)
{
	return (__u32 *)(ring->rings + offset);
}

/* Polls the file until further notice */
static int ring_poll(struct ring *ring, int fd)
{
	__u32 *tail = ring_word(ring, ring->params.sq_off.tail);

	ring->sqes[0] = (struct io_uring_sqe){
		.opcode = IORING_OP_POLL_ADD,
		.fd = fd,
		.poll32_events = POLLIN,
		.len = IORING_POLL_ADD_MULTI,
	};
	ring_word(ring, ring->params.sq_off.array)[0] = 0;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	return syscall(SYS_io_uring_enter, ring->fd, 1, 0, 0, NULL, 0) == 1 ? 0 : -errno;
}

/* The next completion; -ETIMEDOUT if none comes in a time that is long enough */
static int ring_take(struct ring *ring, struct io_uring_cqe *cqe)
{
	__u32 *head = ring_word(ring, ring->params.cq_off.head);
	__u32 *tail = ring_word(ring, ring->params.cq_off.tail);
	__u32 mask = *ring_word(ring, ring->params.cq_off.ring_mask);
	struct pollfd pollfd = { .fd = ring->fd, .events = POLLIN };

	if (poll(&pollfd, 1, WAIT_MS) != 1)
		return -ETIMEDOUT;
	if (*head == __atomic_load_n(tail, __ATOMIC_ACQUIRE))
		return -EAGAIN;
	*cqe = ((struct io_uring_cqe *)(ring->rings + ring->params.cq_off.cqes))[*head & mask];
	__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
	return 0;
}

TEST_F(edges, io_uring_multishot)
{
	struct io_uring_cqe cqe;
	struct ring ring;
	uint64_t word;

	ASSERT_EQ(ring_start(&ring), 0);
	ASSERT_EQ(ring_poll(&ring, self->fd), 0);
	for (int i = 0; i < EPOCHS; i++) {
		ASSERT_EQ(complete_epoch(self->member), 0);
		ASSERT_EQ(ring_take(&ring, &cqe), 0);
		EXPECT_EQ(cqe.res, POLLIN);
		/* It goes on */
		ASSERT_NE(cqe.flags & IORING_CQE_F_MORE, 0);
		ASSERT_EQ(take(self->fd, &word), 0);
		EXPECT_EQ(word, self->member[0].word);
	}
	/* It holds the file until nothing of it is left */
	munmap(ring.rings, ring.size);
	munmap(ring.sqes, ring.params.sq_entries * sizeof(struct io_uring_sqe));
	close(ring.fd);
}

TEST_HARNESS_MAIN
