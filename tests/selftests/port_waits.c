// SPDX-License-Identifier: GPL-2.0-or-later
/* The waits of a port: who can map them and how, and when their memory comes and goes. */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "hbs_test.h"

#define PAGE 4096
#define RW   (PROT_READ | PROT_WRITE)

HBS_FIXTURE(port_waits)

TEST_F(port_waits, map)
{
	struct port port;
	size_t size;
	off_t at;

	ASSERT_EQ(port_alloc_only(self->card, &port), 0);
	size = port.waits_size;
	at = port.waits_offset;
	EXPECT_EQ(size % PAGE, 0);
	EXPECT_GE(size, self->info.groups * HBS_WAITS_SIZE);
	EXPECT_LT(size, self->info.groups * HBS_WAITS_SIZE + PAGE);
	EXPECT_NE(at, port.offset);
	EXPECT_NE(at, port.memory_offset);
	EXPECT_EQ(map_as(self->card, at, size, RW, MAP_PRIVATE), -EINVAL);
	EXPECT_EQ(map_as(self->card, at, size, RW | PROT_EXEC, MAP_SHARED), -EACCES);
	EXPECT_EQ(map_as(self->card, at, size + PAGE, RW, MAP_SHARED), -EINVAL);
	if (size > PAGE)
		EXPECT_EQ(map_as(self->card, at, size - PAGE, RW, MAP_SHARED), -EINVAL);
	EXPECT_EQ(map_as(self->card, at + PAGE, size, RW, MAP_SHARED), -EINVAL);
	EXPECT_EQ(map_as(self->card, at - PAGE, size, RW, MAP_SHARED), -EINVAL);
	ASSERT_EQ(port_map_waits(&port), 0);
	EXPECT_EQ(pages_held(), self->before.value[4]);
	ASSERT_EQ(map_as(self->card, at, size, PROT_READ, MAP_SHARED), 0);
	for (size_t i = 0; i < size; i++)
		ASSERT_EQ(((char *)port.waits)[i], 0);
	memset(port.waits, 0xff, size);
	EXPECT_EQ(mprotect(port.waits, size, RW | PROT_EXEC), -1);
	if (size > PAGE)
		EXPECT_EQ(munmap(port.waits, PAGE), -1);
	EXPECT_EQ(mremap(port.waits, size, 2 * size, MREMAP_MAYMOVE), MAP_FAILED);
}

/* They belong to the open file that has the port, and to no child */
TEST_F(port_waits, foreign)
{
	struct port port, foreign;
	int other = card_open();
	int status;
	pid_t pid;

	ASSERT_GE(other, 0);
	ASSERT_EQ(port_alloc_only(self->card, &port), 0);
	ASSERT_EQ(port_alloc_only(other, &foreign), 0);
	ASSERT_EQ(port_map_waits(&port), 0);
	EXPECT_EQ(map_as(other, port.waits_offset, port.waits_size, RW, MAP_SHARED), -EINVAL);
	EXPECT_EQ(map_as(self->card, foreign.waits_offset, port.waits_size, RW, MAP_SHARED),
		  -EINVAL);
	ASSERT_EQ(port_map_waits(&foreign), 0);
	port.waits->waited_ns = 1;
	EXPECT_EQ(foreign.waits->waited_ns, 0);
	pid = fork();
	if (!pid) {
		port.waits->waited_ns = 2;
		_exit(0);
	}
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
	EXPECT_EQ(port.waits->waited_ns, 1);
	ASSERT_EQ(close(other), 0);
	/* the mapping holds the file */
	foreign.waits->waited_ns = 3;
	EXPECT_EQ(foreign.waits->waited_ns, 3);
	ASSERT_EQ(port_unmap_waits(&foreign), 0);
}

/* The memory comes with the first access, and goes with the port; the next owner has another */
TEST_F(port_waits, comes_and_goes)
{
	long before = pages_held();
	struct port port;

	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(port_alloc_only(self->card, &port), 0);
		EXPECT_EQ(pages_held(), before);
		ASSERT_EQ(port_map_waits(&port), 0);
		EXPECT_EQ(pages_held(), before);
		EXPECT_EQ(port.waits->waited_ns, 0);
		EXPECT_EQ(pages_held(), before + (long)port.waits_size / PAGE);
		port.waits->waited_ns = 1;
		EXPECT_EQ(hbs_ioctl(self->card, HBS_PORT_FREE,
				    &(struct hbs_port_free){ .size = sizeof(struct hbs_port_free),
							     .port = port.number }),
			  -EBUSY);
		ASSERT_EQ(port_unmap_waits(&port), 0);
		ASSERT_EQ(port_map_waits(&port), 0);
		EXPECT_EQ(port.waits->waited_ns, 1);
		EXPECT_EQ(pages_held(), before + (long)port.waits_size / PAGE);
		ASSERT_EQ(port_free(&port), 0);
		EXPECT_EQ(pages_held(), before);
	}
	/* or with the open file */
	ASSERT_EQ(port_alloc_only(self->card, &port), 0);
	ASSERT_EQ(port_map_waits(&port), 0);
	port.waits->waited_ns = 1;
	ASSERT_EQ(port_unmap_waits(&port), 0);
	ASSERT_EQ(close(self->card), 0);
	self->card = -1;
	EXPECT_EQ(pages_held(), before);
}

/* A mapping of them is no sign of life, and its end no death */
TEST_F(port_waits, no_sign_of_life)
{
	struct one one;

	ASSERT_EQ(one_member(self->card, 1, &one), 0);
	ASSERT_EQ(port_map_waits(&one.port), 0);
	ASSERT_EQ(port_unmap_waits(&one.port), 0);
	ASSERT_EQ(barrier(&one.member), 0);
	ASSERT_EQ(port_map_waits(&one.port), 0);
	ASSERT_EQ(port_unmap(&one.port), 0);
	EXPECT_EQ(word_error(*one.member.record), -EOWNERDEAD);
}

/* Whatever is in them, barriers go on */
TEST_F(port_waits, nonsense)
{
	struct one one;

	ASSERT_EQ(one_member(self->card, 1, &one), 0);
	ASSERT_EQ(port_map_waits(&one.port), 0);
	memset(one.port.waits, 0xff, one.port.waits_size);
	for (int i = 0; i < 10; i++)
		ASSERT_EQ(barrier(&one.member), 0);
	for (size_t i = 0; i < one.port.waits_size; i++)
		ASSERT_EQ(((unsigned char *)one.port.waits)[i], 0xff);
}

TEST_HARNESS_MAIN
