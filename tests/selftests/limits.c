// SPDX-License-Identifier: GPL-2.0-or-later
/* Every limit at N and at N + 1. */
#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

#include "harness.h"
#include "hbs_test.h"

#define MAX_PORTS  1024
#define MAX_GROUPS 128

static struct port port[MAX_PORTS + 1];
static struct group group[MAX_GROUPS + 1];
static struct member member[MAX_PORTS];

HBS_FIXTURE(limits)

TEST_F(limits, ports)
{
	struct hbs_info info;
	uint64_t seen[MAX_PORTS / 64] = { 0 };
	int other = card_open();

	ASSERT_GE(other, 0);
	for (unsigned int i = 0; i < self->info.ports; i++) {
		ASSERT_EQ(port_alloc_only(i % 2 ? other : self->card, &port[i]), 0);
		ASSERT_LT(port[i].number, self->info.ports);
		/* each once */
		ASSERT_FALSE(seen[port[i].number / 64] >> port[i].number % 64 & 1);
		seen[port[i].number / 64] |= 1ULL << port[i].number % 64;
	}
	ASSERT_EQ(card_info(self->card, &info), 0);
	EXPECT_EQ(info.ports_free, 0);
	EXPECT_EQ(port_alloc_only(self->card, &port[MAX_PORTS]), -ENOSPC);
	EXPECT_EQ(port_alloc_only(other, &port[MAX_PORTS]), -ENOSPC);
	ASSERT_EQ(port_free(&port[5]), 0);
	EXPECT_EQ(port_alloc_only(self->card, &port[MAX_PORTS]), 0);
	EXPECT_EQ(port[MAX_PORTS].number, port[5].number);
	EXPECT_EQ(port_alloc_only(self->card, &port[MAX_PORTS]), -ENOSPC);
	/* A closed file gives all of its own back */
	ASSERT_EQ(close(other), 0);
	ASSERT_EQ(card_info(self->card, &info), 0);
	EXPECT_EQ(info.ports_free, info.ports / 2 - 1);
}

TEST_F(limits, groups)
{
	struct hbs_info info;
	unsigned int n = self->info.groups;

	for (unsigned int i = 0; i < n; i++)
		ASSERT_EQ(group_create(self->card, 1, &group[i]), 0);
	ASSERT_EQ(card_info(self->card, &info), 0);
	EXPECT_EQ(info.groups_free, 0);
	EXPECT_EQ(group_create(self->card, 1, &group[n]), -ENOSPC);
	ASSERT_EQ(group_close(&group[n / 2]), 0);
	EXPECT_EQ(group_create(self->card, 1, &group[n]), 0);
	EXPECT_EQ(group[n].number, group[n / 2].number);
	EXPECT_EQ(group_create(self->card, 1, &group[n / 2]), -ENOSPC);
}

/* A group lives until its descriptor is closed, destroyed or not */
TEST_F(limits, destroyed_group_holds_its_slot)
{
	struct hbs_info before, after;

	ASSERT_EQ(card_info(self->card, &before), 0);
	ASSERT_EQ(group_create(self->card, 1, &group[0]), 0);
	ASSERT_EQ(group_destroy(group[0].fd), 0);
	ASSERT_EQ(group_destroy(group[0].fd), 0);
	ASSERT_EQ(group_close(&group[0]), 0);
	ASSERT_EQ(card_info(self->card, &after), 0);
	EXPECT_EQ(after.groups_free, before.groups_free);
}

TEST_F(limits, members_asked_for)
{
	unsigned int n = self->info.ports;

	EXPECT_EQ(group_create(self->card, 0, &group[0]), -EINVAL);
	EXPECT_EQ(group_create(self->card, n + 1, &group[0]), -EINVAL);
	EXPECT_EQ(group_create(self->card, UINT32_MAX, &group[0]), -EINVAL);
	EXPECT_EQ(group_create(self->card, 1, &group[0]), 0);
	EXPECT_EQ(group_create(self->card, n, &group[1]), 0);
}

/* Every port of the card in one group */
TEST_F(limits, seats)
{
	unsigned int n = self->info.ports;

	ASSERT_EQ(group_create(self->card, n, &group[0]), 0);
	for (unsigned int i = 0; i < n; i++) {
		ASSERT_EQ(port_alloc(self->card, &port[i]), 0);
		ASSERT_EQ(join(&group[0], &port[i], &member[i]), 0);
	}
	for (int epoch = 0; epoch < 3; epoch++) {
		for (unsigned int i = 0; i < n; i++) {
			ASSERT_FALSE(released(&member[0]));
			arrive(&member[i]);
		}
		for (unsigned int i = 0; i < n; i++)
			ASSERT_EQ(wait_spin(&member[i]), 0);
	}
	for (unsigned int i = 0; i < n; i++)
		ASSERT_EQ(leave(&member[i]), 0);
}

TEST_F(limits, seats_and_one_more)
{
	ASSERT_EQ(group_create(self->card, 3, &group[0]), 0);
	for (unsigned int i = 0; i < 4; i++)
		ASSERT_EQ(port_alloc(self->card, &port[i]), 0);
	for (unsigned int i = 0; i < 3; i++)
		ASSERT_EQ(join(&group[0], &port[i], &member[i]), 0);
	EXPECT_EQ(join(&group[0], &port[3], &member[3]), -ENOSPC);
}

TEST_F(limits, port_free)
{
	struct one one;

	ASSERT_EQ(port_alloc_only(self->card, &port[0]), 0);
	ASSERT_EQ(port_free(&port[0]), 0);
	EXPECT_EQ(port_free(&port[0]), -ENOENT);
	port[0].number = self->info.ports;
	EXPECT_EQ(port_free(&port[0]), -ENOENT);
	port[0].number = UINT32_MAX;
	EXPECT_EQ(port_free(&port[0]), -ENOENT);

	ASSERT_EQ(one_member(self->card, 1, &one), 0);
	/* mapped and member, only mapped, only member */
	port[0] = one.port;
	port[0].map = NULL;
	EXPECT_EQ(port_free(&port[0]), -EBUSY);
	ASSERT_EQ(leave(&one.member), 0);
	EXPECT_EQ(port_free(&port[0]), -EBUSY);
	EXPECT_EQ(port_free(&one.port), 0);
	ASSERT_EQ(port_alloc_only(self->card, &port[1]), 0);
	ASSERT_EQ(join(&one.group, &port[1], &member[0]), 0);
	EXPECT_EQ(port_free(&port[1]), -EBUSY);
	ASSERT_EQ(leave(&member[0]), 0);
	EXPECT_EQ(port_free(&port[1]), 0);
}

/* No descriptor left: nothing is made */
TEST_F(limits, descriptors)
{
	struct rlimit limit, old;
	struct usage usage;
	struct one one;

	ASSERT_EQ(one_member(self->card, 1, &one), 0);
	usage_note(&usage);
	ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &old), 0);
	limit = old;
	limit.rlim_cur = one.group.fd + 1;
	ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
	EXPECT_EQ(group_create(self->card, 1, &group[0]), -EMFILE);
	EXPECT_EQ(group_reopen(one.group.fd, 0), -EMFILE);
	ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &old), 0);
	EXPECT_EQ(usage_compare(&usage), 0);
}

TEST_HARNESS_MAIN
