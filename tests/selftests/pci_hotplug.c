// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The host unplugs the card while threads wait on it in each way, and plugs in
 * another. HBS_TEST_ROUNDS says how often.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness.h"
#include "afterlife.h"
#include "host.h"

FIXTURE(pci_hotplug)
{
	long rounds;
};

FIXTURE_SETUP(pci_hotplug)
{
	self->rounds = env_long("HBS_TEST_ROUNDS", 2);
}

FIXTURE_TEARDOWN(pci_hotplug)
{
}

TEST_F(pci_hotplug, unplug_while_waiting)
{
	for (long round = 0; round < self->rounds; round++) {
		struct usage before;
		struct crowd crowd;
		struct port spare;
		int card, end = 0;

		ASSERT_EQ(card_wait(30), 0);
		usage_note(&before);
		card = card_open();
		ASSERT_GE(card, 0);
		ASSERT_EQ(crowd_create(card, 1, &crowd), 0);
		ASSERT_EQ(port_alloc(card, &spare), 0);
		ASSERT_EQ(crowd_wait(&crowd), 0);
		ASSERT_EQ(host_do("unplug"), 0);
		/* Orderly removal may wait for the slot's attention time: several seconds */
		while (card_name(0) && end++ < 300)
			sleep_ms(100);
		EXPECT_EQ(crowd_check(&crowd, -ENODEV), 0);
		EXPECT_EQ(possessions_dead(card, &crowd, &spare, -ENODEV), 0);
		ASSERT_EQ(host_do("plug"), 0);
		/* The new card works while the old one is still held */
		EXPECT_EQ(card_works(), 0);
		EXPECT_EQ(possessions_dead(card, &crowd, &spare, -ENODEV), 0);
		release_all();
		EXPECT_EQ(usage_compare(&before), 0);
	}
}

TEST_HARNESS_MAIN
