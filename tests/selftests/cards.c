// SPDX-License-Identifier: GPL-2.0-or-later
/* Two cards: apart, and not to be mixed. Needs a guest with two. */
#include <errno.h>
#include <unistd.h>

#include "harness.h"
#include "hbs_test.h"

FIXTURE(cards)
{
	struct usage before;
	int card[2];
	struct one one[2];
};

FIXTURE_SETUP(cards)
{
	usage_note(&self->before);
	for (int i = 0; i < 2; i++) {
		self->card[i] = card_open_index(i);
		ASSERT_GE(self->card[i], 0);
		ASSERT_EQ(one_member(self->card[i], 2, &self->one[i]), 0);
	}
}

FIXTURE_TEARDOWN(cards)
{
	release_all();
	EXPECT_EQ(usage_compare(&self->before), 0);
}

TEST_F(cards, numbers)
{
	struct hbs_info info[2];
	struct hbs_group_info group;

	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(card_info(self->card[i], &info[i]), 0);
		ASSERT_EQ(group_info(self->one[i].group.fd, &group), 0);
		EXPECT_EQ(group.card, info[i].card);
	}
	EXPECT_NE(info[0].card, info[1].card);
}

TEST_F(cards, cannot_be_mixed)
{
	struct port port;
	struct member member;

	ASSERT_EQ(port_alloc(self->card[1], &port), 0);
	EXPECT_EQ(join(&self->one[0].group, &port, &member), -EXDEV);
	member = self->one[0].member;
	member.card = self->card[1];
	EXPECT_EQ(leave(&member), -EXDEV);
	EXPECT_EQ(join(&self->one[1].group, &port, &member), 0);
}

/* The same ports and groups by number; a barrier of one moves nothing on the other */
TEST_F(cards, are_apart)
{
	struct port port[2];
	struct member other[2];
	struct hbs_group_counters counters;

	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(port_alloc(self->card[i], &port[i]), 0);
		ASSERT_EQ(join(&self->one[i].group, &port[i], &other[i]), 0);
	}
	EXPECT_EQ(self->one[0].group.number, self->one[1].group.number);
	EXPECT_EQ(port[0].number, port[1].number);
	arrive(&self->one[0].member);
	arrive(&self->one[1].member);
	EXPECT_EQ(barrier(&other[0]), 0);
	EXPECT_EQ(wait_spin(&self->one[0].member), 0);
	EXPECT_EQ(*other[1].departure, other[1].word);
	EXPECT_FALSE(released(&other[1]));
	ASSERT_EQ(group_counters(self->one[1].group.fd, &counters), 0);
	EXPECT_EQ(counters.completions, 0);
	EXPECT_EQ(barrier(&other[1]), 0);
	EXPECT_EQ(wait_spin(&self->one[1].member), 0);
}

/* One card goes: the other does not notice */
TEST_F(cards, one_group_breaks)
{
	struct port port;
	struct member other;

	ASSERT_EQ(port_alloc(self->card[1], &port), 0);
	ASSERT_EQ(join(&self->one[1].group, &port, &other), 0);
	ASSERT_EQ(group_destroy(self->one[0].group.fd), 0);
	EXPECT_EQ(wait_spin(&self->one[0].member), -EIDRM);
	arrive(&other);
	EXPECT_EQ(barrier(&self->one[1].member), 0);
	EXPECT_EQ(wait_spin(&other), 0);
}

/* Unbinding one while somebody waits on the other */
TEST_F(cards, one_is_unbound)
{
	struct port port;
	struct member other;
	struct waiter waiter;
	char name[32], path[128];

	ASSERT_EQ(port_alloc(self->card[1], &port), 0);
	ASSERT_EQ(join(&self->one[1].group, &port, &other), 0);
	arrive(&other);
	ASSERT_EQ(waiter_start(&waiter, &other, WAIT_IOCTL), 0);
	ASSERT_EQ(card_pci_name(0, name, sizeof(name)), 0);
	ASSERT_EQ(card_unbind(name), 0);
	EXPECT_EQ(wait_spin(&self->one[0].member), -ENODEV);
	EXPECT_FALSE(released(&other));
	EXPECT_EQ(barrier(&self->one[1].member), 0);
	ASSERT_EQ(waiter_join(&waiter), 0);
	EXPECT_EQ(waiter.result, 0);
	release_all();
	ASSERT_EQ(card_bind(name), 0);
	snprintf(path, sizeof(path), "/sys/bus/pci/drivers/hbs/%s", name);
	EXPECT_EQ(access(path, F_OK), 0);
}

TEST_HARNESS_MAIN
