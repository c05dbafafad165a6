// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A pulled card is reset: the kernel waits for it for a minute or two. Members hear
 * of it at once, and a process that opens the card does not wait that long.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "harness.h"
#include "afterlife.h"
#include "host.h"

static void *reset(void *pci)
{
	return (void *)(long)card_pci_write(pci, "reset", "1");
}

FIXTURE(pci_dead_reset){};

FIXTURE_SETUP(pci_dead_reset)
{
}

FIXTURE_TEARDOWN(pci_dead_reset)
{
}

TEST_F_TIMEOUT(pci_dead_reset, a_pulled_card, 190)
{
	struct crowd crowd;
	pthread_t thread;
	char pci[32];
	void *result;
	double start;
	int card;

	ASSERT_EQ(card_pci_name(0, pci, sizeof(pci)), 0);
	card = card_open();
	ASSERT_GE(card, 0);
	ASSERT_EQ(crowd_create(card, 1, &crowd), 0);
	ASSERT_EQ(crowd_wait(&crowd), 0);
	ASSERT_EQ(host_do("fault pulled"), 0);
	ASSERT_EQ(pthread_create(&thread, NULL, reset, pci), 0);
	EXPECT_EQ(crowd_check(&crowd, -ECONNRESET), 0);
	start = seconds();
	EXPECT_EQ(card_open(), -ENODEV);
	TH_LOG("open gave up after %.0f s", seconds() - start);
	ASSERT_EQ(pthread_join(thread, &result), 0);
	/* The kernel may be content with a reset of the bus */
	TH_LOG("the reset ended with %ld after %.0f s", (long)result, seconds() - start);
	EXPECT_EQ(card_open(), -ENODEV);
	release_all();
	ASSERT_EQ(card_unbind(pci), 0);
	EXPECT_EQ(card_bind(pci), -ENODEV);
}

TEST_HARNESS_MAIN
