// SPDX-License-Identifier: GPL-2.0-or-later
/* Joining and leaving, at the start, in the middle and twice. */
#include <errno.h>

#include "harness.h"
#include "hbs_test.h"

HBS_FIXTURE(membership)

/* The first epoch does not complete before all seats are taken */
TEST_F(membership, first_epoch_waits_for_all)
{
	struct hbs_group_info info;
	struct one one;
	struct port port;
	struct member late;

	ASSERT_EQ(one_member(self->card, 2, &one), 0);
	arrive(&one.member);
	ASSERT_EQ(group_info(one.group.fd, &info), 0);
	EXPECT_EQ(info.joined, 1);
	EXPECT_EQ(info.members, 2);
	EXPECT_FALSE(released(&one.member));
	ASSERT_EQ(port_alloc(self->card, &port), 0);
	ASSERT_EQ(join(&one.group, &port, &late), 0);
	EXPECT_EQ(late.word, one.member.word);
	EXPECT_FALSE(released(&one.member));
	EXPECT_EQ(barrier(&late), 0);
	EXPECT_EQ(wait_spin(&one.member), 0);
}

TEST_F(membership, leave_before_the_start_frees_the_seat)
{
	struct one one;
	struct port port;
	struct member other;

	ASSERT_EQ(one_member(self->card, 2, &one), 0);
	ASSERT_EQ(port_alloc(self->card, &port), 0);
	ASSERT_EQ(leave(&one.member), 0);
	ASSERT_EQ(join(&one.group, &port, &other), 0);
	arrive(&other);
	EXPECT_EQ(*other.departure, other.word);
	EXPECT_FALSE(released(&other));
	ASSERT_EQ(join(&one.group, &one.port, &one.member), 0);
	EXPECT_EQ(barrier(&one.member), 0);
	EXPECT_EQ(wait_spin(&other), 0);
}

/* The epoch in progress does not wait for a member that leaves */
TEST_F(membership, leave_releases_the_others)
{
	struct port port[3];
	struct member member[3];
	struct group group;
	struct waiter waiter[2];

	ASSERT_EQ(group_create(self->card, 3, &group), 0);
	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(port_alloc(self->card, &port[i]), 0);
		ASSERT_EQ(join(&group, &port[i], &member[i]), 0);
	}
	arrive(&member[0]);
	arrive(&member[1]);
	ASSERT_EQ(waiter_start(&waiter[0], &member[0], WAIT_SPIN), 0);
	ASSERT_EQ(waiter_start(&waiter[1], &member[1], WAIT_IOCTL), 0);
	ASSERT_EQ(leave(&member[2]), 0);
	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(waiter_join(&waiter[i]), 0);
		EXPECT_EQ(waiter[i].result, 0);
	}
	/* and none after it */
	arrive(&member[0]);
	EXPECT_EQ(barrier(&member[1]), 0);
	EXPECT_EQ(wait_spin(&member[0]), 0);
}

/* A member that leaves after its arrival takes the arrival along */
TEST_F(membership, leave_after_arrival)
{
	struct one one;
	struct port port;
	struct member other;

	ASSERT_EQ(one_member(self->card, 2, &one), 0);
	ASSERT_EQ(port_alloc(self->card, &port), 0);
	ASSERT_EQ(join(&one.group, &port, &other), 0);
	arrive(&one.member);
	ASSERT_EQ(leave(&one.member), 0);
	EXPECT_FALSE(released(&other));
	EXPECT_EQ(barrier(&other), 0);
}

TEST_F(membership, late_join)
{
	struct one one;
	struct port port;
	struct member other;

	ASSERT_EQ(one_member(self->card, 2, &one), 0);
	ASSERT_EQ(port_alloc(self->card, &port), 0);
	ASSERT_EQ(join(&one.group, &port, &other), 0);
	ASSERT_EQ(leave(&other), 0);
	for (int i = 0; i < 10; i++)
		ASSERT_EQ(barrier(&one.member), 0);
	ASSERT_EQ(join(&one.group, &port, &other), 0);
	EXPECT_EQ(other.word, one.member.word);
	arrive(&one.member);
	EXPECT_EQ(*one.member.departure, one.member.word);
	EXPECT_FALSE(released(&one.member));
	EXPECT_EQ(barrier(&other), 0);
	EXPECT_EQ(wait_spin(&one.member), 0);
}

/* The epoch also waits for a member that joins while an arrival is outstanding */
TEST_F(membership, join_in_the_middle)
{
	struct port port[3];
	struct member member[3];
	struct group group;

	ASSERT_EQ(group_create(self->card, 3, &group), 0);
	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(port_alloc(self->card, &port[i]), 0);
		ASSERT_EQ(join(&group, &port[i], &member[i]), 0);
	}
	ASSERT_EQ(leave(&member[2]), 0);
	arrive(&member[0]);
	ASSERT_EQ(join(&group, &port[2], &member[2]), 0);
	arrive(&member[1]);
	EXPECT_EQ(*member[1].departure, member[1].word);
	EXPECT_FALSE(released(&member[0]));
	arrive(&member[2]);
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(wait_spin(&member[i]), 0);
}

TEST_F(membership, no_seat)
{
	struct hbs_group_info info;
	struct one one;
	struct port port;
	struct member other;

	ASSERT_EQ(one_member(self->card, 1, &one), 0);
	ASSERT_EQ(port_alloc(self->card, &port), 0);
	EXPECT_EQ(join(&one.group, &port, &other), -ENOSPC);
	ASSERT_EQ(barrier(&one.member), 0);
	EXPECT_EQ(join(&one.group, &port, &other), -ENOSPC);
	ASSERT_EQ(group_info(one.group.fd, &info), 0);
	EXPECT_EQ(info.joined, 1);
	ASSERT_EQ(leave(&one.member), 0);
	EXPECT_EQ(join(&one.group, &port, &other), 0);
	EXPECT_EQ(join(&one.group, &one.port, &one.member), -ENOSPC);
	EXPECT_EQ(barrier(&other), 0);
}

TEST_F(membership, twice)
{
	struct one one;
	struct member again;

	ASSERT_EQ(one_member(self->card, 2, &one), 0);
	EXPECT_EQ(join(&one.group, &one.port, &again), -EEXIST);
	ASSERT_EQ(leave(&one.member), 0);
	EXPECT_EQ(leave(&one.member), -ENOENT);
}

TEST_F(membership, of_a_foreign_port)
{
	struct one one;
	struct port port;
	struct member other;
	int card = card_open();

	ASSERT_GE(card, 0);
	ASSERT_EQ(one_member(self->card, 2, &one), 0);
	ASSERT_EQ(port_alloc(card, &port), 0);
	/* The port of the second file, named through the first */
	port.card = self->card;
	EXPECT_EQ(join(&one.group, &port, &other), -ENOENT);
	port.number = self->info.ports;
	EXPECT_EQ(join(&one.group, &port, &other), -ENOENT);
	port.number = UINT32_MAX;
	EXPECT_EQ(join(&one.group, &port, &other), -ENOENT);
	port.card = one.group.fd;
	EXPECT_EQ(join(&one.group, &port, &other), -EBADF);
	port.card = 0;
	EXPECT_EQ(join(&one.group, &port, &other), -EBADF);
	port.card = -1;
	EXPECT_EQ(join(&one.group, &port, &other), -EBADF);
	port.card = 1000;
	EXPECT_EQ(join(&one.group, &port, &other), -EBADF);
	other = one.member;
	other.card = card;
	EXPECT_EQ(leave(&other), -ENOENT);
	other.card = -1;
	EXPECT_EQ(leave(&other), -EBADF);
	other.card = one.group.fd;
	EXPECT_EQ(leave(&other), -EBADF);
}

TEST_F(membership, broken_group)
{
	struct one one;
	struct port port;
	struct member other;

	ASSERT_EQ(one_member(self->card, 2, &one), 0);
	ASSERT_EQ(port_alloc(self->card, &port), 0);
	ASSERT_EQ(group_destroy(one.group.fd), 0);
	EXPECT_EQ(join(&one.group, &port, &other), -EIDRM);
	EXPECT_EQ(leave(&one.member), 0);
	EXPECT_EQ(leave(&one.member), -ENOENT);
	EXPECT_EQ(port_free(&one.port), 0);
}

/* A port that was never mapped can be a member too, but never arrives */
TEST_F(membership, unmapped_port)
{
	struct one one;
	struct port port;
	struct member other;

	ASSERT_EQ(one_member(self->card, 2, &one), 0);
	ASSERT_EQ(port_alloc_only(self->card, &port), 0);
	ASSERT_EQ(join(&one.group, &port, &other), 0);
	arrive(&one.member);
	EXPECT_EQ(*one.member.departure, one.member.word);
	ASSERT_EQ(leave(&other), 0);
	EXPECT_EQ(wait_spin(&one.member), 0);
}

TEST_HARNESS_MAIN
