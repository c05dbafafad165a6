// SPDX-License-Identifier: GPL-2.0-or-later
/* Arrivals that must not count: dropped, counted, and nobody is released. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness.h"
#include "hbs_test.h"

static volatile uint64_t *lane(const struct port *port, unsigned int group)
{
	return (volatile uint64_t *)((char *)port->map + group * HBS_LANE_SIZE);
}

/* A group of two whose first member has arrived and the second has not */
FIXTURE(violations)
{
	struct usage before;
	int card;
	struct hbs_info info;
	struct one one;
	struct port port;
	struct member member;
};

FIXTURE_SETUP(violations)
{
	usage_note(&self->before);
	self->card = card_open();
	ASSERT_GE(self->card, 0);
	ASSERT_EQ(card_info(self->card, &self->info), 0);
	ASSERT_EQ(one_member(self->card, 2, &self->one), 0);
	ASSERT_EQ(port_alloc(self->card, &self->port), 0);
	ASSERT_EQ(join(&self->one.group, &self->port, &self->member), 0);
	arrive(&self->one.member);
}

FIXTURE_TEARDOWN(violations)
{
	release_all();
	EXPECT_EQ(usage_compare(&self->before), 0);
}

/* Nobody was released; the group still works */
static void intact(struct __test_metadata *_metadata, struct one *one, struct member *other,
		   uint64_t non_member, uint64_t twice)
{
	struct hbs_group_counters counters;

	/* Reads the card, hence what was stored before has got there */
	ASSERT_EQ(group_counters(one->group.fd, &counters), 0);
	EXPECT_EQ(counters.completions, 0);
	EXPECT_EQ(counters.arrivals, 1);
	EXPECT_EQ(counters.non_member, non_member);
	EXPECT_EQ(counters.double_arrivals, twice);
	EXPECT_EQ(counters.refused, 0);
	EXPECT_FALSE(released(&one->member));
	EXPECT_FALSE(released(other));
	arrive(other);
	EXPECT_EQ(wait_spin(&one->member), 0);
	EXPECT_EQ(wait_spin(other), 0);
	ASSERT_EQ(group_counters(one->group.fd, &counters), 0);
	EXPECT_EQ(counters.completions, 1);
	EXPECT_EQ(counters.arrivals, 2);
}

TEST_F(violations, none)
{
	intact(_metadata, &self->one, &self->member, 0, 0);
}

TEST_F(violations, non_member)
{
	struct port stranger;

	ASSERT_EQ(port_alloc(self->card, &stranger), 0);
	for (int i = 0; i < 3; i++)
		*lane(&stranger, self->one.group.number) = 1;
	intact(_metadata, &self->one, &self->member, 3, 0);
}

/* A member of another group is no member of this one */
TEST_F(violations, member_of_another_group)
{
	struct one other;

	ASSERT_EQ(one_member(self->card, 1, &other), 0);
	*lane(&other.port, self->one.group.number) = 1;
	intact(_metadata, &self->one, &self->member, 1, 0);
	EXPECT_EQ(barrier(&other.member), 0);
}

TEST_F(violations, former_member)
{
	struct one former;

	ASSERT_EQ(one_member(self->card, 1, &former), 0);
	ASSERT_EQ(barrier(&former.member), 0);
	ASSERT_EQ(leave(&former.member), 0);
	*former.member.arrival = 1;
	ASSERT_EQ(join(&former.group, &former.port, &former.member), 0);
	EXPECT_FALSE(released(&former.member));
	EXPECT_EQ(barrier(&former.member), 0);
	intact(_metadata, &self->one, &self->member, 0, 0);
}

TEST_F(violations, twice)
{
	arrive(&self->one.member);
	arrive(&self->one.member);
	intact(_metadata, &self->one, &self->member, 0, 2);
}

/* A lane that the card does not have */
TEST_F(violations, lane_beyond)
{
	if (self->info.groups * HBS_LANE_SIZE >= self->info.port_map_size)
		SKIP(return, "the card has every lane of the page");
	for (unsigned int g = self->info.groups; g < self->info.port_map_size / HBS_LANE_SIZE;
	     g += 31)
		*lane(&self->one.port, g) = 1;
	intact(_metadata, &self->one, &self->member, 0, 0);
}

/* Stores that are no arrival: narrow, and elsewhere in the lane */
TEST_F(violations, not_an_arrival)
{
	volatile char *mine = (volatile char *)self->member.arrival;

	*(volatile uint8_t *)mine = 1;
	*(volatile uint16_t *)mine = 1;
	for (int offset = 8; offset < HBS_LANE_SIZE; offset += 8)
		*(volatile uint64_t *)(mine + offset) = 1;
	intact(_metadata, &self->one, &self->member, 0, 0);
}

TEST_F(violations, four_bytes_arrive)
{
	*(volatile uint32_t *)self->member.arrival = 1;
	EXPECT_EQ(wait_spin(&self->one.member), 0);
	EXPECT_EQ(wait_spin(&self->member), 0);
}

TEST_F(violations, operand_is_ignored)
{
	for (unsigned int i = 0; i < 64; i++) {
		*self->member.arrival = 1ULL << i;
		ASSERT_EQ(wait_spin(&self->member), 0);
		ASSERT_EQ(wait_spin(&self->one.member), 0);
		*self->one.member.arrival = ~0ULL << i;
	}
}

TEST_F(violations, broken)
{
	struct hbs_group_counters counters;

	ASSERT_EQ(group_destroy(self->one.group.fd), 0);
	EXPECT_EQ(wait_spin(&self->one.member), -EIDRM);
	arrive(&self->member);
	arrive(&self->one.member);
	ASSERT_EQ(group_counters(self->one.group.fd, &counters), 0);
	EXPECT_EQ(counters.completions, 0);
	EXPECT_EQ(counters.refused, 2);
	EXPECT_EQ(wait_spin(&self->member), -EIDRM);
}

/* The DEPARTURE line shows the word, by a read that the card counts */
TEST_F(violations, departure_line)
{
	struct hbs_group_counters counters;

	EXPECT_EQ(*self->member.departure, self->member.word);
	arrive(&self->member);
	EXPECT_EQ(*self->member.departure, self->member.word + HBS_WORD_EPOCH_ONE);
	EXPECT_EQ(*self->member.arrival, 0);
	ASSERT_EQ(group_counters(self->one.group.fd, &counters), 0);
	EXPECT_EQ(counters.departure_reads, 2);
}

/* A port that is no member sees nothing on the line of a group, and does not change its counters */
TEST_F(violations, foreign_reader)
{
	volatile uint64_t *line;
	struct hbs_group_counters counters;
	struct port stranger;
	long before, after;

	ASSERT_EQ(card_attribute("foreign_reads", &before), 0);
	ASSERT_EQ(port_alloc(self->card, &stranger), 0);
	line = lane(&stranger, self->one.group.number) + HBS_LANE_DEPARTURE / 8;
	arrive(&self->member);
	EXPECT_EQ(line[HBS_RECORD_WORD / 8], 0);
	EXPECT_EQ(line[HBS_RECORD_RESULT / 8], 0);
	ASSERT_EQ(group_counters(self->one.group.fd, &counters), 0);
	EXPECT_EQ(counters.departure_reads, 0);
	EXPECT_EQ(counters.non_member, 0);
	/* nor does a member that has left */
	EXPECT_EQ(*self->member.departure, self->member.word + HBS_WORD_EPOCH_ONE);
	ASSERT_EQ(leave(&self->member), 0);
	EXPECT_EQ(*self->member.departure, 0);
	ASSERT_EQ(group_counters(self->one.group.fd, &counters), 0);
	EXPECT_EQ(counters.departure_reads, 1);
	ASSERT_EQ(card_attribute("foreign_reads", &after), 0);
	EXPECT_EQ(after - before, 3);
}

/* Of a register in debugfs, which has each once; -1 if it has not */
static long long debug_register(const char *name)
{
	char path[100], found[40];
	unsigned long long value;
	long long result = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/kernel/debug/hbs/%s/registers", card_name(0));
	file = fopen(path, "re");
	if (!file)
		return -1;
	while (fscanf(file, "%39s 0x%llx\n", found, &value) == 2)
		if (!strcmp(found, name))
			result = result < 0 ? (long long)value : -1;
	if (!feof(file))
		result = -1;
	fclose(file);
	return result;
}

TEST_F(violations, registers)
{
	struct stat status;
	char path[100];
	long count;

	snprintf(path, sizeof(path), "/sys/kernel/debug/hbs/%s/registers", card_name(0));
	ASSERT_EQ(stat(path, &status), 0);
	EXPECT_EQ(status.st_mode, S_IFREG | 0400);
	EXPECT_EQ(debug_register("ID_MAGIC"), 0x31534248);
	EXPECT_EQ(debug_register("ID_PORTS"), self->info.ports);
	EXPECT_EQ(debug_register("ID_GROUPS"), self->info.groups);
	/* an arrival twice */
	arrive(&self->one.member);
	ASSERT_EQ(card_attribute("violations", &count), 0);
	EXPECT_GT(count, 0);
	EXPECT_EQ(debug_register("CNT_VIOLATIONS"), count);
	/* its group, port and kind */
	EXPECT_EQ(debug_register("CNT_VIOLATION_LAST"),
		  (long long)self->one.group.number << 32 | self->one.member.port << 16 | 2);
	EXPECT_EQ(debug_register("NONE"), -1);
}

TEST_HARNESS_MAIN
