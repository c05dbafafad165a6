// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a program's calls do. They take descriptors, mappings, ports and epoch words from
 * slots that both threads of a worker share. So most calls get something that exists, or
 * did until a moment ago; some get what no sane caller passes. No mapping or pointer lets
 * the kernel write to the fuzzer itself.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"
#include "hbs_test.h"

#define FDS	   8
#define MAPS	   8
#define PORTS	   4
#define WORDS	   4
#define CHILDREN   2
#define PAGE	   4096UL
#define ARENA	   0x200000000000UL /* where mappings are made */
#define ARENA_STEP 0x1000000UL
#define TICK_NS	   8000000L /* no call sleeps longer: a signal ends it */
#define CARD_NS	   1500000000UL
#define EVIL_AT	   0x210000000000UL
#define LOWEST_FD  16 /* descriptors from here on are the programs' */

struct map {
	size_t size;
	size_t lane, departure; /* offsets in it */
};

/* What a worker's two threads work on */
static struct {
	int fd[FDS];
	struct map map[MAPS];
	uint32_t port[PORTS];
	uint64_t offset[PORTS];
	uint64_t memory[PORTS];
	size_t memory_size[PORTS];
	uint64_t waits[PORTS];
	size_t waits_size[PORTS];
	size_t map_size;
	uint64_t word[WORDS];
	pid_t child[CHILDREN];
	/* What was made last, if a slot is empty */
	unsigned int last_card, last_group, last_port;
} world;

static struct shared *shared;
static unsigned int worker;

/* For each thread: what it is doing, and where to go on if memory is not there */
static _Thread_local struct watch *watch;
static _Thread_local sigjmp_buf fault;
static _Thread_local volatile sig_atomic_t guarded;
static _Thread_local timer_t timer;
/* A structure: a page, with nothing behind it */
static _Thread_local uint8_t *page;

static void *at(unsigned int slot)
{
	return (void *)(ARENA + slot % MAPS * ARENA_STEP);
}

static int fd_of(unsigned int slot)
{
	return world.fd[slot % FDS];
}

/* Slots 0 and 1 are for cards, mostly, and the others for groups */
static int card_of(unsigned int slot)
{
	return fd_of(fd_of(slot & 1) < 0 ? world.last_card : slot & 1);
}

static int group_of(unsigned int slot)
{
	slot = 2 + slot % (FDS - 2);
	return fd_of(fd_of(slot) < 0 ? world.last_group : slot);
}

/* A slot of a port; there is always something to map */
static unsigned int port_of(unsigned int slot)
{
	slot %= PORTS;
	return world.offset[slot] || !slot ? slot : world.last_port;
}

static void fd_put(unsigned int slot, int fd)
{
	int *place = &world.fd[slot % FDS];

	if (fd < 0)
		return;
	if (*place >= LOWEST_FD)
		close(*place);
	/* Away from the descriptors that the fuzzer itself has open */
	*place = fcntl(fd, F_DUPFD_CLOEXEC, LOWEST_FD);
	close(fd);
}

static void enter(enum op op)
{
	atomic_store(&watch->op, op);
	atomic_fetch_add(&watch->serial, 1);
}

static void leave_call(void)
{
	atomic_fetch_add(&watch->serial, 1);
}

/* The structures of the ioctls */

struct ioctl {
	unsigned long request;
	uint32_t size;
};

static const struct ioctl ioctls[] = {
	{ HBS_INFO, sizeof(struct hbs_info) },
	{ HBS_PORT_ALLOC, sizeof(struct hbs_port_alloc) },
	{ HBS_PORT_FREE, sizeof(struct hbs_port_free) },
	{ HBS_GROUP_CREATE, sizeof(struct hbs_group_create) },
	{ HBS_GROUP_INFO, sizeof(struct hbs_group_info) },
	{ HBS_GROUP_JOIN, sizeof(struct hbs_group_join) },
	{ HBS_GROUP_LEAVE, sizeof(struct hbs_group_leave) },
	{ HBS_GROUP_WAIT, sizeof(struct hbs_group_wait) },
	{ HBS_GROUP_REOPEN, sizeof(struct hbs_group_reopen) },
	{ HBS_GROUP_DESTROY, sizeof(struct hbs_group_destroy) },
	{ HBS_GROUP_COUNTERS, sizeof(struct hbs_group_counters) },
	{ HBS_GROUP_MISSING, sizeof(struct hbs_group_missing) },
	{ HBS_GROUP_RESET, sizeof(struct hbs_group_reset) },
	/* the calls that make things, again, so that they are chosen more often */
	{ HBS_PORT_ALLOC, sizeof(struct hbs_port_alloc) },
	{ HBS_GROUP_CREATE, sizeof(struct hbs_group_create) },
	{ HBS_GROUP_JOIN, sizeof(struct hbs_group_join) },
	{ HBS_GROUP_JOIN, sizeof(struct hbs_group_join) },
	{ HBS_GROUP_WAIT, sizeof(struct hbs_group_wait) },
	/* newer than the corpus, whose programs name the calls above by their places */
	{ HBS_GROUP_WAKE, sizeof(struct hbs_group_wake) },
};

#define IOCTLS (sizeof(ioctls) / sizeof(*ioctls))

static uint64_t deadline(uint32_t x)
{
	const uint64_t choices[] = {
		0, 1, monotonic_ns() + 1000000, monotonic_ns() + 4000000, INT64_MAX, UINT64_MAX,
	};

	return choices[x % 6];
}

static uint64_t timeout(uint64_t y)
{
	static const uint64_t choices[] = {
		0, 0, 1000, 100000, 1000000, 1000000000, 1, UINT64_MAX
	};

	return choices[y % 8];
}

static uint64_t word_of(const struct call *call)
{
	return call->x >> 8 & 1 ? world.word[call->x >> 4 & (WORDS - 1)] : call->y;
}

/* Where a list of absentees goes: never into the fuzzer, however long it is */
static uintptr_t list_at(const struct call *call)
{
	switch (call->x & 7) {
	case 0:
		return (uintptr_t)at(call->x >> 5);
	case 1:
		return EVIL_AT;
	case 2:
		return 0xffff888000000000UL;
	case 3:
		return 0;
	default:
		/* The end of the page */
		return (uintptr_t)page + PAGE - 16 * (call->x >> 5 & 31);
	}
}

/* Fields that are right, as far as the fuzzer can know */
static void fill(const struct call *call, unsigned long request)
{
	uint32_t port = world.port[port_of(call->x)];
	bool plain = call->y >> 63;

	switch (request) {
	case HBS_PORT_FREE:
		*(struct hbs_port_free *)page = (struct hbs_port_free){ .port = port };
		break;
	case HBS_GROUP_CREATE:
		*(struct hbs_group_create *)page =
			(struct hbs_group_create){ .members = 1 + call->x % 3 };
		if (plain)
			break;
		((struct hbs_group_create *)page)->reduce = call->y & 15;
		((struct hbs_group_create *)page)->policy = call->y >> 4 & 7;
		((struct hbs_group_create *)page)->timeout_ns = timeout(call->y >> 8);
		((struct hbs_group_create *)page)->completion = call->y >> 12 & 1;
		((struct hbs_group_create *)page)->arrival = call->y >> 13 & 1;
		((struct hbs_group_create *)page)->departure = call->y >> 14 & 3;
		((struct hbs_group_create *)page)->type = call->y >> 16 & 1;
		break;
	case HBS_GROUP_JOIN:
		*(struct hbs_group_join *)page = (struct hbs_group_join){
			.card_fd = card_of(call->x >> 8 & 1), .port = port, .tag = call->y
		};
		break;
	case HBS_GROUP_LEAVE:
		*(struct hbs_group_leave *)page =
			(struct hbs_group_leave){ .flags = call->x >> 10 & 1,
						  .card_fd = card_of(call->x >> 8 & 1),
						  .port = port };
		break;
	case HBS_GROUP_WAIT:
		*(struct hbs_group_wait *)page =
			(struct hbs_group_wait){ .word = word_of(call),
						 .deadline_ns = deadline(call->x) };
		break;
	case HBS_GROUP_REOPEN:
		*(struct hbs_group_reopen *)page =
			(struct hbs_group_reopen){ .word = word_of(call) };
		if (call->x >> 9 & 1)
			break;
		((struct hbs_group_reopen *)page)->flags = HBS_REOPEN_MEMBER;
		((struct hbs_group_reopen *)page)->card_fd = card_of(call->x >> 10 & 1);
		((struct hbs_group_reopen *)page)->port = port;
		break;
	case HBS_GROUP_WAKE:
		*(struct hbs_group_wake *)page = (struct hbs_group_wake){ .port = port };
		break;
	case HBS_GROUP_MISSING:
		*(struct hbs_group_missing *)page = (struct hbs_group_missing){
			.list = list_at(call),
			.room = call->x >> 4 & 1 ? 8 : call->y,
		};
		break;
	}
}

/* One of many ways to pass it wrongly; returns the address to pass */
static void *twist(const struct call *call, uint32_t size)
{
	uint32_t *first = (uint32_t *)page;
	uint8_t *end = page + PAGE;

	switch (call->c % 16) {
	case 0:
		*first = 0;
		break;
	case 1:
		*first = size - 8;
		break;
	case 2:
		*first = size + 8;
		break;
	case 3:
		*first = size + 8;
		page[size + call->y % 8] = 1;
		break;
	case 4:
		*first = PAGE;
		break;
	case 5:
		*first = PAGE + 8;
		break;
	case 6:
		*first = UINT32_MAX;
		break;
	case 7:
		first[1] = 1U << (call->x & 31);
		break;
	case 8:
	case 9:
		page[4 + call->y % (size - 4)] = call->x >> 3;
		break;
	case 10:
		return NULL;
	case 11:
		return (void *)(0xffff888000000000UL + (call->y & 0xfffffff));
	case 12:
		/* The end of it is in no page */
		return memcpy(end - size / 2, page, size / 2);
	case 13:
		return (void *)EVIL_AT;
	case 14:
		return at(call->x);
	case 15:
		*first = 4 + call->y % (size - 4);
		break;
	}
	return page;
}

/* Later calls use the result */
static void harvest(const struct call *call, unsigned long request, int ret)
{
	const struct hbs_port_alloc *alloc = (void *)page;
	const struct hbs_group_join *join = (void *)page;
	unsigned int slot = call->a >> 4;

	if (request == HBS_GROUP_WAIT)
		world.word[call->x >> 4 & (WORDS - 1)] = ((struct hbs_group_wait *)page)->word;
	if (ret < 0)
		return;
	switch (request) {
	case HBS_PORT_ALLOC:
		slot %= PORTS;
		world.last_port = slot;
		world.port[slot] = alloc->port;
		world.offset[slot] = alloc->map_offset;
		world.memory[slot] = alloc->memory_offset;
		world.memory_size[slot] = alloc->memory_size;
		world.waits[slot] = alloc->waits_offset;
		world.waits_size[slot] = alloc->waits_size;
		world.map_size = alloc->map_size;
		break;
	case HBS_GROUP_CREATE:
		world.last_group = 2 + slot % (FDS - 2);
		fd_put(world.last_group, ((struct hbs_group_create *)page)->fd);
		break;
	case HBS_GROUP_REOPEN:
		fd_put(2 + slot % (FDS - 2), ((struct hbs_group_reopen *)page)->fd);
		break;
	case HBS_GROUP_INFO:
		world.word[slot % WORDS] = ((struct hbs_group_info *)page)->word;
		break;
	case HBS_GROUP_JOIN:
		world.word[slot % WORDS] = join->word;
		for (unsigned int i = 0; i < MAPS; i++) {
			world.map[i].lane = join->lane_offset;
			world.map[i].departure = join->record_offset;
		}
		break;
	}
}

static bool on_group(unsigned long request)
{
	return _IOC_NR(request) >= HBS_CMD_GROUP_INFO;
}

static int do_ioctl(const struct call *call)
{
	const struct ioctl *ioctl_op = &ioctls[call->b % IOCTLS];
	unsigned long request = ioctl_op->request;
	bool odd = call->c >= 208;
	void *arg = page;
	int fd, ret;

	memset(page, 0, PAGE);
	fill(call, request);
	*(uint32_t *)page = ioctl_op->size;
	if (odd)
		arg = twist(call, ioctl_op->size);
	if (odd && call->b >= 250)
		request = call->b & 1 ? _IO(HBS_IOCTL_TYPE, call->x & 0xff) : call->x;
	fd = on_group(request) ? group_of(call->a) : card_of(call->a);
	if (odd && call->b & 0x40)
		fd = fd_of(call->a);
	ret = ioctl(fd, request, arg) ? -errno : 0;
	if (arg == page && request == ioctl_op->request)
		harvest(call, request, ret);
	return ret;
}

/* Mappings */

static int do_mmap(const struct call *call)
{
	unsigned int slot = call->b % MAPS, port = port_of(call->x);
	struct map *map = &world.map[slot];
	int fd = card_of(call->a), flags = MAP_SHARED, prot = PROT_READ | PROT_WRITE;
	size_t size = world.map_size ? world.map_size : PAGE;
	off_t offset = world.offset[port];

	switch (call->c % 8) {
	case 0:
	case 1:
		break;
	case 2:
	case 3:
		fd = group_of(call->a);
		prot = PROT_READ;
		size = PAGE;
		offset = 0;
		break;
	case 4:
		size = world.memory_size[port] ? world.memory_size[port] : PAGE;
		offset = world.memory[port];
		break;
	case 5:
		size = world.waits_size[port] ? world.waits_size[port] : PAGE;
		offset = world.waits[port];
		break;
	default:
		fd = fd_of(call->a);
		prot = call->y >> 4 & 7;
		flags = call->y >> 7 & 1 ? MAP_SHARED : 1 + (call->y >> 8 & 1);
		flags |= call->y >> 9 & 1 ? MAP_POPULATE : 0;
		flags |= call->y >> 10 & 1 ? MAP_GROWSDOWN : 0;
		flags |= call->y >> 11 & 1 ? MAP_LOCKED : 0;
		size = call->y >> 12 & 1 ? size : call->x >> 8 & 0xffff;
		offset = call->y >> 13 & 1 ? offset : (off_t)(call->y >> 16 & ~(PAGE - 1));
		if (call->y >> 14 & 1)
			offset += PAGE;
		break;
	}
	if (mmap(at(slot), size, prot, flags | MAP_FIXED, fd, offset) == MAP_FAILED)
		return -errno;
	map->size = size;
	return 0;
}

static size_t part(const struct call *call, size_t size)
{
	return call->c & 1 ? size : call->y % (2 * PAGE + size);
}

static int do_memory(const struct call *call)
{
	unsigned int slot = call->a % MAPS;
	size_t size = world.map[slot].size ? world.map[slot].size : PAGE;
	char *from = (char *)at(slot) + (call->c & 0x80 ? PAGE : 0);

	switch (call->op) {
	case OP_MUNMAP:
		return munmap(from, part(call, size)) ? -errno : 0;
	case OP_MPROTECT:
		return mprotect(from, part(call, size), call->b & 7) ? -errno : 0;
	case OP_MADVISE:
		/* Bits from 100 on damage the machine's memory */
		return madvise(from, part(call, size), call->b % 100) ? -errno : 0;
	default:
		/* In place, or to another slot */
		if (mremap(from, part(call, size), part(call, size + (call->x & 1) * PAGE),
			   call->b & 1 ? MREMAP_MAYMOVE | MREMAP_FIXED | (call->b & 2 ? 4 : 0) : 0,
			   at(call->b >> 2)) == MAP_FAILED)
			return -errno;
		world.map[call->b & 1 ? (call->b >> 2) % MAPS : slot].size = size;
		return 0;
	}
}

static volatile uint8_t *target(const struct call *call)
{
	const struct map *map = &world.map[call->a % MAPS];
	size_t size = map->size ? map->size : PAGE, offset;

	switch (call->c & 7) {
	case 0:
	case 1:
		offset = map->lane + HBS_LANE_ARRIVAL;
		break;
	case 2:
		/* or OPERAND, or WITHDRAW */
		offset = map->lane + HBS_LANE_ARRIVAL + 8 * (call->x % 3);
		break;
	case 3:
		offset = map->lane + HBS_LANE_DEPARTURE;
		break;
	case 4:
		offset = map->departure;
		break;
	case 5:
		offset = (call->x % size) & ~7UL;
		break;
	default:
		offset = call->x % size;
		break;
	}
	return (volatile uint8_t *)at(call->a) + offset;
}

static int do_touch(const struct call *call)
{
	volatile uint8_t *address = target(call);
	unsigned int width = call->b & 0x80 ? call->b & 3 : 3;

	if (sigsetjmp(fault, 1))
		return -EFAULT;
	guarded = 1;
	if (call->op == OP_STORE) {
		if (width == 0)
			*address = call->y;
		else if (width == 1)
			*(volatile uint16_t *)address = call->y;
		else if (width == 2)
			*(volatile uint32_t *)address = call->y;
		else
			*(volatile uint64_t *)address = call->y;
	} else {
		if (width == 0)
			(void)*address;
		else if (width == 1)
			(void)*(volatile uint16_t *)address;
		else if (width == 2)
			(void)*(volatile uint32_t *)address;
		else
			world.word[call->b % WORDS] = *(volatile uint64_t *)address;
	}
	guarded = 0;
	return 0;
}

/* Descriptors */

static int do_poll(const struct call *call)
{
	struct pollfd pollfd[2] = {
		{ .fd = group_of(call->a), .events = call->b },
		{ .fd = fd_of(call->a + 1), .events = POLLIN | POLLPRI },
	};

	return poll(pollfd, 1 + (call->c & 1), call->c >> 1 & 3) < 0 ? -errno : 0;
}

static int do_epoll(const struct call *call)
{
	struct epoll_event event = { .events = call->x | EPOLLIN };
	int fd = epoll_create1(EPOLL_CLOEXEC), ret = 0;

	if (fd < 0)
		return -errno;
	if (epoll_ctl(fd, EPOLL_CTL_ADD, call->c & 0x10 ? fd_of(call->a) : group_of(call->a),
		      &event) ||
	    epoll_wait(fd, &event, 1, call->c & 3) < 0)
		ret = -errno;
	/* It lives on in a slot now and then, and with it the polling */
	if (call->c & 0x80)
		fd_put(call->b, fd);
	else
		close(fd);
	return ret;
}

static int do_transfer(const struct call *call)
{
	int fd = call->c & 0x20 ? fd_of(call->a) : group_of(call->a), flags;
	uint64_t *buffer = (uint64_t *)page;
	size_t size = call->c & 0x80 ? call->c & 31 : sizeof(*buffer);
	void *from = call->c & 0x40 ? at(call->x) : page;
	ssize_t n;

	flags = fcntl(fd, F_GETFL);
	fcntl(fd, F_SETFL, call->c & 1 ? flags | O_NONBLOCK : flags & ~O_NONBLOCK);
	*buffer = word_of(call);
	n = call->op == OP_READ ? read(fd, from, size) : write(fd, from, size);
	if (n == sizeof(*buffer) && call->op == OP_READ && from == page)
		world.word[call->b % WORDS] = *buffer;
	return n < 0 ? -errno : 0;
}

static int do_sysfs(const struct call *call)
{
	static const char *const names[] = {
		"ports",   "ports_used", "groups",	   "groups_used",    "features",
		"version", "violations", "timeout_min_ns", "timeout_max_ns",
	};
	/* In debugfs */
	static const char *const counts[] = {
		"files", "group_files", "pages", "waiters", "interrupts",
	};
	const size_t n = sizeof(names) / sizeof(*names);
	size_t i = call->a % (n + sizeof(counts) / sizeof(*counts));
	const char *name = i < n ? names[i] : counts[i - n];
	char path[160], text[32];
	int fd, ret = 0;

	snprintf(path, sizeof(path), "%s/%s", i < n ? shared->attributes : shared->counts, name);
	fd = open(path, (call->b & 1 ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (call->b & 1) {
		/* Limits that leave room, or nonsense, or out of range */
		snprintf(text, sizeof(text),
			 call->c & 1   ? "%lu"
			 : call->c & 2 ? "x%lu"
				       : "0",
			 call->c & 4	       ? call->y
			 : strstr(name, "min") ? 1000UL
					       : 3600000000000UL);
		ret = write(fd, text, strlen(text)) < 0 ? -errno : 0;
	} else if (read(fd, text, sizeof(text)) < 0) {
		ret = -errno;
	}
	close(fd);
	return ret;
}

/* Processes */

static void child_end(unsigned int slot)
{
	pid_t *pid = &world.child[slot % CHILDREN];

	if (*pid > 0) {
		kill(*pid, SIGKILL);
		waitpid(*pid, NULL, 0);
	}
	*pid = 0;
}

static int do_card(const struct call *call)
{
	/* All share the card: one worker does this, and not all the time */
	static uint64_t next;

	if (worker || monotonic_ns() < next)
		return -EPERM;
	next = monotonic_ns() + CARD_NS;
	if (call->op == OP_RESET)
		return card_pci_write(shared->pci, "reset", "1");
	card_unbind(shared->pci);
	return card_bind(shared->pci);
}

static void run_from(const struct program *program, unsigned int first, unsigned int last);

/* Returns the number of calls that the child takes over */
static unsigned int do_fork(const struct program *program, unsigned int index)
{
	const struct call *call = &program->call[index];
	unsigned int takes = call->b & 3, left = program->calls - index - 1;
	pid_t pid;

	takes = takes < left ? takes : left;
	child_end(call->a);
	pid = fork();
	if (!pid) {
		static struct watch nobodys;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		watch = &nobodys;
		timer_create(CLOCK_MONOTONIC, NULL, &timer);
		run_from(program, index + 1, index + 1 + takes);
		if (call->c & 1)
			_exit(0);
		for (;;)
			pause();
	}
	world.child[call->a % CHILDREN] = pid;
	return takes;
}

static int run_call(const struct call *call)
{
	switch (call->op) {
	case OP_OPEN:
		world.last_card = call->a & 1;
		fd_put(call->a & 1, open(shared->device, O_RDWR | O_CLOEXEC));
		return 0;
	case OP_CLOSE:
		if (fd_of(call->a) >= LOWEST_FD)
			close(fd_of(call->a));
		return 0;
	case OP_DUP:
		fd_put(call->b, dup(fd_of(call->a)));
		return 0;
	case OP_IOCTL:
		return do_ioctl(call);
	case OP_MMAP:
		return do_mmap(call);
	case OP_MUNMAP:
	case OP_MREMAP:
	case OP_MPROTECT:
	case OP_MADVISE:
		return do_memory(call);
	case OP_LOAD:
	case OP_STORE:
		return do_touch(call);
	case OP_POLL:
		return do_poll(call);
	case OP_EPOLL:
		return do_epoll(call);
	case OP_READ:
	case OP_WRITE:
		return do_transfer(call);
	case OP_KILL:
		child_end(call->a);
		return 0;
	case OP_SEND:
		return fd_of(call->a) < LOWEST_FD ? -EBADF
						  : send_fd(shared->socket[0], fd_of(call->a));
	case OP_RECEIVE:
		fd_put(call->b, receive_fd(shared->socket[1]));
		return 0;
	case OP_SYSFS:
		return do_sysfs(call);
	case OP_RESET:
	case OP_REBIND:
		return do_card(call);
	default:
		return 0;
	}
}

static void tick(bool on)
{
	struct itimerspec every = { { 0, on ? TICK_NS : 0 }, { 0, on ? TICK_NS : 0 } };

	timer_settime(timer, 0, &every, NULL);
}

static bool may_sleep(const struct call *call)
{
	switch (call->op) {
	case OP_IOCTL:
		return ioctls[call->b % IOCTLS].request == HBS_GROUP_WAIT || call->b >= 250;
	case OP_OPEN:
	case OP_READ:
	case OP_SEND:
	case OP_RECEIVE:
		return true;
	default:
		return false;
	}
}

static void run_watched(const struct call *call)
{
	bool ticks = may_sleep(call);
	uint64_t start = monotonic_ns();
	int ret;

	if (ticks)
		tick(true);
	enter(call->op);
	ret = run_call(call);
	leave_call();
	if (ticks)
		tick(false);
	atomic_fetch_add(&shared->ns_by_op[call->op], monotonic_ns() - start);
	atomic_fetch_add(&shared->calls, 1);
	atomic_fetch_add(&shared->by_op[call->op], 1);
	if (ret)
		atomic_fetch_add(&shared->refused, 1);
}

static void run_from(const struct program *program, unsigned int first, unsigned int last)
{
	for (unsigned int i = first; i < last; i++) {
		const struct call *call = &program->call[i];

		/* No processes of processes, and no threads of them */
		if (call->op != OP_FORK && call->op != OP_RACE)
			run_watched(call);
	}
}

/* The second thread */

static struct {
	sem_t start, done;
	const struct program *program;
	unsigned int first, last;
} race;

/* Signals that end a sleep, and those of accesses to memory that is not there */
static void on_tick(int number)
{
	(void)number;
}

static void on_fault(int number)
{
	if (!guarded)
		_exit(100 + number);
	guarded = 0;
	siglongjmp(fault, 1);
}

static int thread_start(unsigned int number)
{
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = SIGALRM,
	};
	void *map =
		mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED || mprotect((char *)map + PAGE, PAGE, PROT_NONE))
		return -errno;
	page = map;
	watch = &shared->watch[worker][number];
	atomic_store(&watch->serial, 0);
	atomic_store(&watch->tid, gettid());
	event._sigev_un._tid = gettid();
	if (timer_create(CLOCK_MONOTONIC, &event, &timer))
		return -errno;
	return coverage_thread(number);
}

static void sem_wait_always(sem_t *sem)
{
	while (sem_wait(sem))
		;
}

static void *racer(void *arg)
{
	(void)arg;
	if (thread_start(1))
		_exit(99);
	sem_post(&race.done);
	for (;;) {
		sem_wait_always(&race.start);
		run_from(race.program, race.first, race.last);
		sem_post(&race.done);
	}
	return NULL;
}

int calls_start(struct shared *all, unsigned int number)
{
	struct sigaction tick = { .sa_handler = on_tick };
	struct sigaction bad = { .sa_handler = on_fault, .sa_flags = SA_NODEFER };
	pthread_t thread;
	int ret;

	shared = all;
	worker = number;
	for (unsigned int i = 0; i < FDS; i++)
		world.fd[i] = -1;
	sigaction(SIGALRM, &tick, NULL);
	sigaction(SIGSEGV, &bad, NULL);
	sigaction(SIGBUS, &bad, NULL);
	if (mmap((void *)EVIL_AT, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		 0) == MAP_FAILED)
		return -errno;
	sem_init(&race.start, 0, 0);
	sem_init(&race.done, 0, 0);
	ret = thread_start(0);
	if (ret)
		return ret;
	ret = -pthread_create(&thread, NULL, racer, NULL);
	if (!ret)
		sem_wait_always(&race.done);
	return ret;
}

void calls_run(const struct program *program)
{
	bool racing = false;

	for (unsigned int i = 0; i < program->calls; i++) {
		const struct call *call = &program->call[i];
		unsigned int left = program->calls - i - 1;

		if (call->op == OP_FORK) {
			i += do_fork(program, i);
		} else if (call->op == OP_RACE) {
			unsigned int takes = 1 + call->a % 6;

			if (racing)
				sem_wait_always(&race.done);
			takes = takes < left ? takes : left;
			race.program = program;
			race.first = i + 1;
			race.last = i + 1 + takes;
			racing = true;
			sem_post(&race.start);
			i += takes;
		} else {
			run_watched(call);
		}
	}
	if (racing)
		sem_wait_always(&race.done);
	for (unsigned int i = 0; i < CHILDREN; i++)
		child_end(i);
	for (unsigned int i = 0; i < MAPS; i++)
		munmap(at(i), ARENA_STEP);
	close_range(LOWEST_FD, ~0U, 0);
	memset(&world, 0, sizeof(world));
	for (unsigned int i = 0; i < FDS; i++)
		world.fd[i] = -1;
}
