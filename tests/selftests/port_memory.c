// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The memory of a port: who can map it and how, what is in it, when it comes and
 * goes, and that wrong content harms nobody but its owner.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "hbs_test.h"

#define PAGE 4096
#define RW   (PROT_READ | PROT_WRITE)

static const struct hbs_group_create polled = {
	.arrival = HBS_ARRIVAL_POLL,
	.departure = HBS_DEPARTURE_PORT,
};

HBS_FIXTURE(port_memory)

TEST_F(port_memory, map)
{
	struct port port;
	size_t size;

	ASSERT_EQ(port_alloc_only(self->card, &port), 0);
	size = port.memory_size;
	EXPECT_EQ(size, port.size);
	EXPECT_NE(port.memory_offset, port.offset);
	EXPECT_EQ(map_as(self->card, port.memory_offset, size, RW, MAP_PRIVATE), -EINVAL);
	EXPECT_EQ(map_as(self->card, port.memory_offset, size, RW | PROT_EXEC, MAP_SHARED),
		  -EACCES);
	EXPECT_EQ(map_as(self->card, port.memory_offset, size + PAGE, RW, MAP_SHARED), -EINVAL);
	EXPECT_EQ(map_as(self->card, port.memory_offset + PAGE, size, RW, MAP_SHARED), -EINVAL);
	EXPECT_EQ(map_as(self->card, port.memory_offset - PAGE, size, RW, MAP_SHARED), -EINVAL);
	EXPECT_EQ(pages_held(), self->before.value[4]);
	ASSERT_EQ(port_map_memory(&port), 0);
	ASSERT_EQ(map_as(self->card, port.memory_offset, size, PROT_READ, MAP_SHARED), 0);
	for (size_t i = 0; i < size; i++)
		ASSERT_EQ(((char *)port.memory)[i], 0);
	memset(port.memory, 0xff, size);
	EXPECT_EQ(mprotect(port.memory, size, RW | PROT_EXEC), -1);
	if (size > PAGE) {
		EXPECT_EQ(munmap(port.memory, PAGE), -1);
	}
	EXPECT_EQ(mremap(port.memory, size, 2 * size, MREMAP_MAYMOVE), MAP_FAILED);
}

/* It belongs to the open file that has the port, and to no child */
TEST_F(port_memory, foreign)
{
	struct port port, foreign;
	int other = card_open();
	int status;
	pid_t pid;

	ASSERT_GE(other, 0);
	ASSERT_EQ(port_alloc_only(self->card, &port), 0);
	ASSERT_EQ(port_alloc_only(other, &foreign), 0);
	ASSERT_EQ(port_map_memory(&port), 0);
	EXPECT_EQ(map_as(other, port.memory_offset, port.memory_size, RW, MAP_SHARED), -EINVAL);
	EXPECT_EQ(map_as(self->card, foreign.memory_offset, port.memory_size, RW, MAP_SHARED),
		  -EINVAL);
	for (unsigned int i = 0; i < self->info.ports + 4; i++) {
		off_t offset = port.memory_offset + ((off_t)i << 20);

		if (offset != foreign.memory_offset)
			ASSERT_EQ(map_as(other, offset, port.memory_size, RW, MAP_SHARED), -EINVAL);
	}
	pid = fork();
	if (!pid) {
		*(volatile char *)port.memory = 1;
		_exit(0);
	}
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
}

/* It comes when it is first wanted, and goes with the port; both copies count */
TEST_F(port_memory, comes_and_goes)
{
	long before = pages_held(), both;
	struct member member;
	struct group group;
	struct port port;

	ASSERT_EQ(port_alloc_only(self->card, &port), 0);
	both = 2 * port.memory_size / PAGE;
	EXPECT_EQ(pages_held(), before);
	ASSERT_EQ(port_map_memory(&port), 0);
	EXPECT_EQ(pages_held(), before + both);
	/* A mapping is no sign of life, but the port cannot be freed meanwhile */
	EXPECT_EQ(hbs_ioctl(self->card, HBS_PORT_FREE,
			    &(struct hbs_port_free){ .size = sizeof(struct hbs_port_free),
						     .port = port.number }),
		  -EBUSY);
	ASSERT_EQ(port_unmap_memory(&port), 0);
	EXPECT_EQ(pages_held(), before + both);
	ASSERT_EQ(port_map_memory(&port), 0);
	EXPECT_EQ(pages_held(), before + both);
	ASSERT_EQ(port_free(&port), 0);
	EXPECT_EQ(pages_held(), before);

	/* Made by a join that needs it; a port without such a join has none */
	ASSERT_EQ(port_alloc_only(self->card, &port), 0);
	ASSERT_EQ(group_create(self->card, 1, &group), 0);
	before = pages_held();
	ASSERT_EQ(join(&group, &port, &member), 0);
	EXPECT_EQ(pages_held(), before);
	ASSERT_EQ(group_create_with(self->card, 1, &polled, &group), 0);
	before = pages_held();
	ASSERT_EQ(join(&group, &port, &member), 0);
	EXPECT_EQ(pages_held(), before + both);
	/* A member lives on when its memory is not mapped any more */
	ASSERT_EQ(port_map_memory(&port), 0);
	ASSERT_EQ(port_unmap_memory(&port), 0);
	ASSERT_EQ(leave(&member), 0);
	ASSERT_EQ(close(self->card), 0);
	self->card = -1;
	EXPECT_EQ(pages_held(), before);
}

/* A port that goes takes its memory away from the card: the next owner has its own */
TEST_F(port_memory, next_owner)
{
	struct member member;
	struct group group;
	struct port port;

	ASSERT_EQ(group_create_with(self->card, 1, &polled, &group), 0);
	for (int i = 0; i < 20; i++) {
		ASSERT_EQ(port_alloc_for(&group, self->card, &port), 0);
		for (size_t byte = 0; byte < port.memory_size; byte++)
			ASSERT_EQ(((char *)port.memory)[byte], 0);
		ASSERT_EQ(join(&group, &port, &member), 0);
		EXPECT_EQ(*member.record, member.word);
		for (int epoch = 0; epoch < 3; epoch++)
			ASSERT_EQ(barrier(&member), 0);
		ASSERT_EQ(leave(&member), 0);
		ASSERT_EQ(port_free(&port), 0);
	}
}

/* What the line says from a membership that ended does not arrive in the next one */
TEST_F(port_memory, stale_line)
{
	struct member member[2];
	struct port port[2];
	struct group group;

	ASSERT_EQ(group_create_with(self->card, 2, &polled, &group), 0);
	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(port_alloc_for(&group, self->card, &port[i]), 0);
		ASSERT_EQ(join(&group, &port[i], &member[i]), 0);
	}
	for (int i = 0; i < 5; i++) {
		struct hbs_group_missing state;

		/* The card takes it back with the membership, but memory has it */
		arrive(&member[0]);
		sleep_ms(1);
		ASSERT_EQ(leave(&member[0]), 0);
		ASSERT_EQ(join(&group, &port[0], &member[0]), 0);
		arrive(&member[1]);
		/* The card polls when it gets to it, but finds one arrival and no more */
		while (group_missing(group.fd, NULL, 0, &state) != 1)
			ASSERT_FALSE(released(&member[1]));
		sleep_ms(5);
		ASSERT_FALSE(released(&member[1]));
		ASSERT_EQ(group_missing(group.fd, NULL, 0, &state), 1);
		ASSERT_EQ(barrier(&member[0]), 0);
		ASSERT_EQ(wait_spin(&member[1]), 0);
	}
}

/* Words that would be arrivals in other groups and epochs, and broken ones */
static void scribble(struct port *port, uint64_t word, unsigned int seed)
{
	for (size_t i = 0; i < port->memory_size / 8; i++) {
		uint64_t value;

		switch (rand_r(&seed) % 4) {
		case 0:
			value = ~0ULL;
			break;
		case 1:
			value = word + (rand_r(&seed) % 5 - 2) * HBS_WORD_EPOCH_ONE;
			break;
		case 2:
			value = word | HBS_WORD_BROKEN | HBS_REASON_DIED << HBS_WORD_REASON_SHIFT;
			break;
		default:
			value = rand_r(&seed);
			break;
		}
		((volatile uint64_t *)port->memory)[i] = value;
	}
}

/* What a member's own record has shown, the kernel knows, though the card writes its record last */
TEST_F(port_memory, info_is_not_behind)
{
	struct hbs_group_info info;
	struct member member;
	struct group group;
	struct port port;

	ASSERT_EQ(group_create_with(self->card, 1, &polled, &group), 0);
	ASSERT_EQ(port_alloc_for(&group, self->card, &port), 0);
	ASSERT_EQ(join(&group, &port, &member), 0);
	for (int round = 0; round < 100; round++) {
		arrive(&member);
		/* an emulated CPU that pauses waits for the card to have written all */
		while (!released(&member))
			;
		ASSERT_EQ(group_info(group.fd, &info), 0);
		ASSERT_EQ(info.word, *member.record);
		ASSERT_EQ(wait_spin(&member), 0);
	}
}

/*
 * A member that writes nonsense may arrive by it, as by any store; nobody is
 * released without the others, and the group and its other members see what the
 * card wrote.
 */
TEST_F(port_memory, nonsense)
{
	struct member good[3], bad;
	struct hbs_group_info info;
	struct port port[3], own;
	struct group group[2];
	unsigned int seed = 1;

	for (int g = 0; g < 2; g++)
		ASSERT_EQ(group_create_with(self->card, 2, &polled, &group[g]), 0);
	ASSERT_EQ(port_alloc_for(&group[0], self->card, &own), 0);
	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(port_alloc_for(&group[0], self->card, &port[i]), 0);
		/* One port in the group of the scribbler, two in the other group */
		ASSERT_EQ(join(&group[!!i], &port[i], &good[i]), 0);
	}
	ASSERT_EQ(join(&group[0], &own, &bad), 0);
	for (int round = 0; round < 100; round++) {
		scribble(&own, good[0].word, seed++);
		ASSERT_FALSE(released(&good[0]));
		ASSERT_FALSE(released(&good[1]));
		arrive(&good[1]);
		ASSERT_FALSE(released(&good[2]));
		ASSERT_EQ(barrier(&good[2]), 0);
		ASSERT_EQ(wait_spin(&good[1]), 0);
		arrive(&good[0]);
		bad.word = good[0].word;
		arrive(&bad);
		ASSERT_EQ(wait_spin(&good[0]), 0);
		ASSERT_EQ(group_info(group[0].fd, &info), 0);
		ASSERT_EQ(info.word, good[0].word);
	}
	scribble(&own, good[0].word, seed);
	ASSERT_EQ(group_reset(group[0].fd), 0);
	ASSERT_EQ(word_error(*good[0].record), -ECONNRESET);
	ASSERT_EQ(join(&group[0], &port[0], &good[0]), 0);
	ASSERT_EQ(join(&group[0], &own, &bad), 0);
	arrive(&good[0]);
	sleep_ms(2);
	ASSERT_FALSE(released(&good[0]));
	ASSERT_EQ(barrier(&bad), 0);
	ASSERT_EQ(wait_spin(&good[0]), 0);
}

TEST_HARNESS_MAIN
