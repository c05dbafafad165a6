// SPDX-License-Identifier: GPL-2.0-or-later
/* mmap: what may be mapped, how, and what becomes of it. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "hbs_test.h"

#define PAGE 4096

HBS_FIXTURE(mapping)

/* Whether a child that does this access dies by a signal, and by which */
enum access { LOAD, STORE };

static int access_signal(enum access access, volatile void *at)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (access == LOAD)
			(void)*(volatile uint64_t *)at;
		else
			*(volatile uint64_t *)at = 0;
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

#define RW (PROT_READ | PROT_WRITE)

/* Where nothing else is mapped: a fault there finds no page table */
static volatile uint64_t *map_far(int fd, off_t offset, size_t size, int prot)
{
	static uintptr_t at = 0x600000000000;
	void *map;

	at += 1UL << 30;
	map = mmap((void *)at, size, prot, MAP_SHARED | MAP_FIXED_NOREPLACE, fd, offset);
	return map == MAP_FAILED ? NULL : map;
}

/* In a kernel with lockdep this tells that page tables are not made under locks */
TEST_F(mapping, far_from_all_else)
{
	volatile uint64_t *lanes, *page, *memory;
	struct group group;
	struct port port;

	ASSERT_EQ(port_alloc_only(self->card, &port), 0);
	ASSERT_EQ(group_create(self->card, 1, &group), 0);
	lanes = map_far(self->card, port.offset, port.size, RW);
	page = map_far(group.fd, 0, group.size, PROT_READ);
	ASSERT_NE(lanes, NULL);
	ASSERT_NE(page, NULL);
	EXPECT_EQ(lanes[HBS_LANE_ARRIVAL / 8], 0);
	EXPECT_EQ(word_error(*page), 0);
	if (!port.memory_size)
		return;
	memory = map_far(self->card, port.memory_offset, port.memory_size, RW);
	ASSERT_NE(memory, NULL);
	EXPECT_EQ(*memory, 0);
	munmap((void *)memory, port.memory_size);
}

TEST_F(mapping, port)
{
	struct port port;

	ASSERT_EQ(port_alloc_only(self->card, &port), 0);
	EXPECT_EQ(port.size, self->info.port_map_size);
	EXPECT_EQ(port.offset % PAGE, 0);
	ASSERT_EQ(map_as(self->card, port.offset, port.size, RW, MAP_SHARED), 0);
	/* and once more, and only to write to */
	ASSERT_EQ(map_as(self->card, port.offset, port.size, RW, MAP_SHARED), 0);
	ASSERT_EQ(map_as(self->card, port.offset, port.size, PROT_WRITE, MAP_SHARED), 0);
}

TEST_F(mapping, port_flags)
{
	struct port port;

	ASSERT_EQ(port_alloc_only(self->card, &port), 0);
	EXPECT_EQ(map_as(self->card, port.offset, port.size, RW, MAP_PRIVATE), -EINVAL);
	EXPECT_EQ(map_as(self->card, port.offset, port.size, PROT_READ, MAP_PRIVATE), -EINVAL);
	EXPECT_EQ(map_as(self->card, port.offset, port.size, RW | PROT_EXEC, MAP_SHARED), -EACCES);
	EXPECT_EQ(map_as(self->card, port.offset, port.size, PROT_EXEC, MAP_SHARED), -EACCES);
	EXPECT_EQ(port_free(&port), 0);
}

TEST_F(mapping, port_offset_and_size)
{
	struct port port;

	ASSERT_EQ(port_alloc_only(self->card, &port), 0);
	EXPECT_EQ(map_as(self->card, port.offset + PAGE, port.size, RW, MAP_SHARED), -EINVAL);
	EXPECT_EQ(map_as(self->card, port.offset + PAGE, port.size - PAGE, RW, MAP_SHARED),
		  -EINVAL);
	EXPECT_EQ(map_as(self->card, port.offset, port.size + PAGE, RW, MAP_SHARED), -EINVAL);
	EXPECT_EQ(map_as(self->card, port.offset, 2 * port.size, RW, MAP_SHARED), -EINVAL);
	EXPECT_EQ(map_as(self->card, port.offset, port.size - PAGE, RW, MAP_SHARED), -EINVAL);
	if (port.size > PAGE)
		EXPECT_EQ(map_as(self->card, port.offset, PAGE, RW, MAP_SHARED), -EINVAL);
	EXPECT_EQ(port_free(&port), 0);
}

/* Ports that are not this open file's: nobody's, another one's, beyond the last */
TEST_F(mapping, foreign_port)
{
	struct port port, stride, foreign;
	int other = card_open();

	ASSERT_GE(other, 0);
	ASSERT_EQ(port_alloc_only(self->card, &port), 0);
	ASSERT_EQ(port_alloc_only(self->card, &stride), 0);
	ASSERT_EQ(port_alloc_only(other, &foreign), 0);
	EXPECT_EQ(map_as(self->card, foreign.offset, port.size, RW, MAP_SHARED), -EINVAL);
	EXPECT_EQ(map_as(other, port.offset, port.size, RW, MAP_SHARED), -EINVAL);
	/* Every offset but the port's own */
	for (unsigned int i = 0; i < self->info.ports + 4; i++) {
		off_t offset = (off_t)i * port.size;

		if (offset != foreign.offset && offset != foreign.memory_offset &&
		    offset != foreign.waits_offset)
			ASSERT_LT(map_as(other, offset, port.size, RW, MAP_SHARED), 0);
	}
	for (int bit = 36; bit < 63; bit++)
		ASSERT_LT(map_as(other, 1LL << bit, port.size, RW, MAP_SHARED), 0);
	ASSERT_EQ(port_free(&stride), 0);
	EXPECT_EQ(map_as(self->card, stride.offset, port.size, RW, MAP_SHARED), -EINVAL);
}

TEST_F(mapping, group)
{
	struct group group;

	ASSERT_EQ(group_create(self->card, 1, &group), 0);
	EXPECT_EQ(group.size, self->info.group_map_size);
	ASSERT_EQ(map_as(group.fd, 0, group.size, PROT_READ, MAP_SHARED), 0);
	EXPECT_EQ(map_as(group.fd, 0, group.size, PROT_READ, MAP_PRIVATE), -EINVAL);
	EXPECT_EQ(map_as(group.fd, 0, group.size, RW, MAP_SHARED), -EACCES);
	EXPECT_EQ(map_as(group.fd, 0, group.size, PROT_WRITE, MAP_SHARED), -EACCES);
	EXPECT_EQ(map_as(group.fd, 0, group.size, RW, MAP_PRIVATE), -EACCES);
	EXPECT_EQ(map_as(group.fd, 0, group.size, PROT_READ | PROT_EXEC, MAP_SHARED), -EACCES);
	EXPECT_EQ(map_as(group.fd, PAGE, group.size, PROT_READ, MAP_SHARED), -EINVAL);
	EXPECT_EQ(map_as(group.fd, 0, group.size + PAGE, PROT_READ, MAP_SHARED), -EINVAL);
	EXPECT_EQ(map_as(group.fd, 0, 16 * group.size, PROT_READ, MAP_SHARED), -EINVAL);
}

/* A mapping cannot become what it could not have been */
TEST_F(mapping, mprotect)
{
	struct one one;

	ASSERT_EQ(one_member(self->card, 1, &one), 0);
	EXPECT_EQ(mprotect(one.group.map, one.group.size, RW), -1);
	EXPECT_EQ(errno, EACCES);
	EXPECT_EQ(mprotect(one.group.map, one.group.size, PROT_WRITE), -1);
	EXPECT_EQ(mprotect(one.group.map, one.group.size, PROT_READ | PROT_EXEC), -1);
	EXPECT_EQ(errno, EACCES);
	EXPECT_EQ(mprotect(one.port.map, one.port.size, RW | PROT_EXEC), -1);
	EXPECT_EQ(errno, EACCES);
	EXPECT_EQ(access_signal(STORE, one.group.map), SIGSEGV);
	EXPECT_EQ(barrier(&one.member), 0);
	/* Less than it was is allowed, and it can be had back */
	EXPECT_EQ(mprotect(one.port.map, one.port.size, PROT_NONE), 0);
	EXPECT_EQ(mprotect(one.port.map, one.port.size, RW), 0);
	EXPECT_EQ(barrier(&one.member), 0);
}

/* Nor through the back door of another process's memory */
TEST_F(mapping, write_from_outside)
{
	struct one one;
	uint64_t word = ~0ULL;
	struct iovec local = { &word, 8 }, remote;

	ASSERT_EQ(one_member(self->card, 1, &one), 0);
	remote = (struct iovec){ one.group.map, 8 };
	EXPECT_EQ(process_vm_writev(getpid(), &local, 1, &remote, 1, 0), -1);
	EXPECT_EQ(*one.member.record, one.member.word);
	EXPECT_EQ(barrier(&one.member), 0);
}

/* Beyond the mapping there is nothing of the card */
TEST_F(mapping, access_beyond)
{
	struct one one;
	char *hole;

	ASSERT_EQ(port_alloc_only(self->card, &one.port), 0);
	ASSERT_EQ(group_create(self->card, 1, &one.group), 0);
	/* Reserve a hole, so that the mappings have no neighbours */
	hole = mmap(NULL, 4 * one.port.size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(hole, MAP_FAILED);
	ASSERT_NE(
		mmap(hole, one.port.size, RW, MAP_SHARED | MAP_FIXED, self->card, one.port.offset),
		MAP_FAILED);
	EXPECT_EQ(access_signal(LOAD, hole + one.port.size), SIGSEGV);
	EXPECT_EQ(access_signal(STORE, hole + one.port.size), SIGSEGV);
	ASSERT_NE(mmap(hole + 2 * one.port.size, one.group.size, PROT_READ, MAP_SHARED | MAP_FIXED,
		       one.group.fd, 0),
		  MAP_FAILED);
	EXPECT_EQ(access_signal(LOAD, hole + 2 * one.port.size + one.group.size), SIGSEGV);
}

TEST_F(mapping, mremap_grow)
{
	struct one one;

	ASSERT_EQ(one_member(self->card, 1, &one), 0);
	EXPECT_EQ(mremap(one.port.map, one.port.size, 2 * one.port.size, MREMAP_MAYMOVE),
		  MAP_FAILED);
	EXPECT_EQ(errno, EFAULT);
	EXPECT_EQ(mremap(one.group.map, one.group.size, 2 * one.group.size, MREMAP_MAYMOVE),
		  MAP_FAILED);
	EXPECT_EQ(errno, EFAULT);
	EXPECT_EQ(barrier(&one.member), 0);
}

/* A mapping may move; its member does not die of that */
TEST_F(mapping, mremap_move)
{
	struct one one;
	char *target, *lane;

	ASSERT_EQ(one_member(self->card, 1, &one), 0);
	EXPECT_EQ(barrier(&one.member), 0);
	target = mmap(NULL, one.port.size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(target, MAP_FAILED);
	lane = (char *)one.member.arrival - (uintptr_t)one.port.map;
	ASSERT_EQ(mremap(one.port.map, one.port.size, one.port.size, MREMAP_MAYMOVE | MREMAP_FIXED,
			 target),
		  target);
	one.port.map = target;
	one.member.arrival = (volatile uint64_t *)(target + (uintptr_t)lane);
	EXPECT_EQ(barrier(&one.member), 0);
	EXPECT_EQ(barrier(&one.member), 0);
	EXPECT_EQ(leave(&one.member), 0);
	EXPECT_EQ(port_free(&one.port), 0);
}

/* Part of a port cannot go: half a port would be neither alive nor dead */
TEST_F(mapping, munmap_in_part)
{
	struct one one;

	ASSERT_EQ(one_member(self->card, 1, &one), 0);
	if (one.port.size > PAGE) {
		EXPECT_EQ(munmap(one.port.map, PAGE), -1);
		EXPECT_EQ(errno, EINVAL);
		EXPECT_EQ(munmap((char *)one.port.map + one.port.size - PAGE, PAGE), -1);
		EXPECT_EQ(errno, EINVAL);
		EXPECT_EQ(mprotect(one.port.map, PAGE, PROT_NONE), -1);
	}
	EXPECT_EQ(barrier(&one.member), 0);
}

/* What was read before the first fault, and after memory was asked back */
TEST_F(mapping, madvise)
{
	struct one one;

	ASSERT_EQ(one_member(self->card, 1, &one), 0);
	EXPECT_EQ(barrier(&one.member), 0);
	madvise(one.port.map, one.port.size, MADV_DONTNEED);
	madvise(one.group.map, one.group.size, MADV_DONTNEED);
	EXPECT_EQ(barrier(&one.member), 0);
	/* A fork child must not get the port by a change of mind */
	EXPECT_EQ(madvise(one.port.map, one.port.size, MADV_DOFORK), -1);
	EXPECT_EQ(access_signal(STORE, one.member.arrival), SIGSEGV);
}

/* The group's mapping has been read-only for the child, too */
TEST_F(mapping, unaligned_and_wide_access)
{
	struct one one;
	volatile char *lane;

	ASSERT_EQ(one_member(self->card, 1, &one), 0);
	lane = (volatile char *)one.member.arrival;
	/* Not one of them arrives or kills */
	*(volatile uint32_t *)(lane + 6) = 1;
	*(volatile uint64_t *)(lane + 60) = 1;
	(void)*(volatile uint32_t *)(lane + 62);
	(void)*(volatile uint8_t *)(lane + HBS_LANE_DEPARTURE);
	EXPECT_EQ(*one.member.departure, one.member.word);
	EXPECT_EQ(barrier(&one.member), 0);
}

TEST_HARNESS_MAIN
