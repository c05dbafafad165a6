// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The guest's side of tests/hotplug: threads wait in each way while the host
 * unplugs the card. It says "hbs-hotplug: ready" when the host may unplug it, and
 * "hbs-hotplug: plug" when the host may plug it in again, HBS_TEST_ROUNDS times.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "hbs_test.h"

static void say(const char *what)
{
	printf("\nhbs-hotplug: %s\n", what);
	fflush(stdout);
}

FIXTURE(hotplug)
{
	long rounds;
};

FIXTURE_SETUP(hotplug)
{
	self->rounds = env_long("HBS_TEST_ROUNDS", 2);
}

FIXTURE_TEARDOWN(hotplug)
{
}

TEST_F_TIMEOUT(hotplug, unplug_while_waiting, 120)
{
	for (long round = 0; round < self->rounds; round++) {
		struct usage before;
		struct crowd crowd;
		struct one one;
		struct hbs_info info;
		int card, end = 0;

		ASSERT_EQ(card_wait(30), 0);
		usage_note(&before);
		card = card_open();
		ASSERT_GE(card, 0);
		ASSERT_EQ(crowd_create(card, 1, &crowd), 0);
		ASSERT_EQ(crowd_wait(&crowd), 0);
		say("ready");
		/* Orderly removal waits for the slot's attention time: several seconds */
		while (card_name(0) && end++ < 300)
			usleep(100000);
		EXPECT_EQ(crowd_check(&crowd, -ENODEV), 0);
		EXPECT_EQ(card_info(card, &info), -ENODEV);
		for (int i = 0; i < WAIT_KINDS; i++) {
			arrive(&crowd.member[i]);
			EXPECT_EQ(word_error(*crowd.member[i].record), -ENODEV);
		}
		say("plug");
		ASSERT_EQ(card_wait(30), 0);
		/* The new card works while the old one is still held */
		card = card_open();
		ASSERT_GE(card, 0);
		ASSERT_EQ(one_member(card, 1, &one), 0);
		for (int i = 0; i < 10; i++)
			EXPECT_EQ(barrier(&one.member), 0);
		arrive(&one.member);
		EXPECT_EQ(wait_sleep(&one.member), 0);
		release_all();
		EXPECT_EQ(usage_compare(&before), 0);
	}
	TH_LOG("unplugged %ld times", self->rounds);
}

TEST_HARNESS_MAIN
