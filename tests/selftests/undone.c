// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A call that cannot hand its result to userspace undoes what it did. Meanwhile other
 * threads use the same open file: they keep what they got, though it may have the same
 * number. userfaultfd delays the write of the result for as long as the test needs.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness.h"
#include "hbs_test.h"

#define PAGE 4096
/* Long enough for a call that waits for nothing */
#define A_WHILE_MS 300

/* A page that can be read, and keeps whoever writes to it waiting */
struct trap {
	void *page;
	int fd;
};

/* A call of another thread, the result of which is for the trap */
struct call {
	int fd;
	unsigned long request;
	void *arg;
	int ret;
	pthread_t thread;
};

FIXTURE(undone)
{
	struct usage before;
	int card;
	struct trap trap;
	struct call call;
	struct group group;
};

static int trap_set(struct trap *trap)
{
	struct uffdio_api api = { .api = UFFD_API, .features = UFFD_FEATURE_PAGEFAULT_FLAG_WP };
	struct uffdio_register range;

	trap->fd = syscall(SYS_userfaultfd, O_CLOEXEC);
	trap->page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (trap->fd < 0 || trap->page == MAP_FAILED)
		return -errno;
	if (ioctl(trap->fd, UFFDIO_API, &api))
		return -errno;
	*(volatile char *)trap->page = 0;
	range = (struct uffdio_register){
		.range = { (unsigned long)trap->page, PAGE },
		.mode = UFFDIO_REGISTER_MODE_WP,
	};
	return ioctl(trap->fd, UFFDIO_REGISTER, &range) ? -errno : 0;
}

/* From now on; the memory that the call reads is there */
static int trap_close(struct trap *trap)
{
	struct uffdio_writeprotect protect = {
		.range = { (unsigned long)trap->page, PAGE },
		.mode = UFFDIO_WRITEPROTECT_MODE_WP,
	};

	return ioctl(trap->fd, UFFDIO_WRITEPROTECT, &protect) ? -errno : 0;
}

/* Waits until somebody is in it */
static int trap_caught(struct trap *trap)
{
	struct pollfd pollfd = { .fd = trap->fd, .events = POLLIN };
	struct uffd_msg message;

	if (poll(&pollfd, 1, 60000) != 1)
		return -ETIMEDOUT;
	return read(trap->fd, &message, sizeof(message)) == sizeof(message) ? 0 : -EIO;
}

/* Lets the calls go on, which then find that they cannot write */
static int trap_refuse(struct trap *trap)
{
	struct uffdio_range range = { (unsigned long)trap->page, PAGE };

	if (mprotect(trap->page, PAGE, PROT_READ))
		return -errno;
	return ioctl(trap->fd, UFFDIO_WAKE, &range) ? -errno : 0;
}

static void *call_run(void *arg)
{
	struct call *call = arg;

	call->ret = hbs_ioctl(call->fd, call->request, call->arg);
	return NULL;
}

static int call_start(struct call *call, int fd, unsigned long request, void *arg)
{
	*call = (struct call){ .fd = fd, .request = request, .arg = arg };
	return -pthread_create(&call->thread, NULL, call_run, call);
}

FIXTURE_SETUP(undone)
{
	usage_note(&self->before);
	self->card = card_open();
	ASSERT_GE(self->card, 0);
	ASSERT_EQ(group_create(self->card, 2, &self->group), 0);
	ASSERT_EQ(trap_set(&self->trap), 0);
}

FIXTURE_TEARDOWN(undone)
{
	release_all();
	EXPECT_EQ(usage_compare(&self->before), 0);
}

/* A thread that wants the port of that number, and is quick enough to free it before */
struct rival {
	int card;
	uint32_t number;
	struct port port;
	int ret;
};

static void *rival_alloc(void *arg)
{
	struct rival *rival = arg;
	struct hbs_port_free free = { .size = sizeof(free), .port = rival->number };

	hbs_ioctl(rival->card, HBS_PORT_FREE, &free);
	/* Not mapped, for a mapping keeps a port from being freed */
	rival->ret = port_alloc_only(rival->card, &rival->port);
	return NULL;
}

TEST_F(undone, port_alloc)
{
	struct hbs_port_alloc *arg = self->trap.page;
	struct rival rival = { .card = self->card };
	struct port next;
	pthread_t thread;

	/* The number that is the next to be had */
	ASSERT_EQ(port_alloc_only(self->card, &next), 0);
	ASSERT_EQ(port_free(&next), 0);
	rival.number = next.number;

	*arg = (struct hbs_port_alloc){ .size = sizeof(*arg) };
	ASSERT_EQ(trap_close(&self->trap), 0);
	ASSERT_EQ(call_start(&self->call, self->card, HBS_PORT_ALLOC, arg), 0);
	ASSERT_EQ(trap_caught(&self->trap), 0);
	ASSERT_EQ(pthread_create(&thread, NULL, rival_alloc, &rival), 0);
	sleep_ms(A_WHILE_MS);
	ASSERT_EQ(trap_refuse(&self->trap), 0);
	ASSERT_EQ(pthread_join(self->call.thread, NULL), 0);
	EXPECT_EQ(self->call.ret, -EFAULT);
	ASSERT_EQ(pthread_join(thread, NULL), 0);
	ASSERT_EQ(rival.ret, 0);
	EXPECT_EQ(port_free(&rival.port), 0);
}

struct rejoiner {
	const struct group *group;
	const struct port *port;
	struct member member;
	int ret;
};

/* Ends whatever membership there is, and begins another */
static void *rejoin(void *arg)
{
	struct rejoiner *rejoiner = arg;
	struct member other = {
		.group = rejoiner->group->fd,
		.card = rejoiner->port->card,
		.port = rejoiner->port->number,
	};

	leave(&other);
	rejoiner->ret = join(rejoiner->group, rejoiner->port, &rejoiner->member);
	return NULL;
}

TEST_F(undone, group_join)
{
	struct hbs_group_join *arg = self->trap.page;
	struct rejoiner rejoiner = { .group = &self->group };
	struct hbs_group_info info;
	struct port port;
	pthread_t thread;

	ASSERT_EQ(port_alloc(self->card, &port), 0);
	rejoiner.port = &port;
	*arg = (struct hbs_group_join){
		.size = sizeof(*arg),
		.card_fd = self->card,
		.port = port.number,
	};
	ASSERT_EQ(trap_close(&self->trap), 0);
	ASSERT_EQ(call_start(&self->call, self->group.fd, HBS_GROUP_JOIN, arg), 0);
	ASSERT_EQ(trap_caught(&self->trap), 0);
	ASSERT_EQ(pthread_create(&thread, NULL, rejoin, &rejoiner), 0);
	sleep_ms(A_WHILE_MS);
	ASSERT_EQ(trap_refuse(&self->trap), 0);
	ASSERT_EQ(pthread_join(self->call.thread, NULL), 0);
	EXPECT_EQ(self->call.ret, -EFAULT);
	ASSERT_EQ(pthread_join(thread, NULL), 0);
	ASSERT_EQ(rejoiner.ret, 0);
	ASSERT_EQ(group_info(self->group.fd, &info), 0);
	EXPECT_EQ(info.joined, 1);
	EXPECT_EQ(leave(&rejoiner.member), 0);
}

TEST_HARNESS_MAIN
