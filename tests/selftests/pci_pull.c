// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The card stops answering while threads wait on it, because it is pulled out or
 * broken; the kernel hears of it later, or never. The host gives another card
 * afterwards.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "afterlife.h"
#include "host.h"

FIXTURE(pci_pull)
{
	struct usage before;
	char pci[32];
	int card;
	struct crowd crowd;
	struct port spare; /* mapped, no member */
};

FIXTURE_SETUP(pci_pull)
{
	ASSERT_EQ(card_wait(10), 0);
	usage_note(&self->before);
	ASSERT_EQ(card_pci_name(0, self->pci, sizeof(self->pci)), 0);
	self->card = card_open();
	ASSERT_GE(self->card, 0);
	ASSERT_EQ(crowd_create(self->card, 1, &self->crowd), 0);
	ASSERT_EQ(port_alloc(self->card, &self->spare), 0);
}

FIXTURE_TEARDOWN(pci_pull)
{
	release_all();
	EXPECT_EQ(usage_compare(&self->before), 0);
}

/* The host takes the card away, and gives another one */
static void replace(struct __test_metadata *_metadata)
{
	ASSERT_EQ(host_do("unplug"), 0);
	for (int i = 0; i < 300 && card_name(0); i++)
		sleep_ms(100);
	ASSERT_EQ(card_name(0), NULL);
	ASSERT_EQ(host_do("plug"), 0);
	EXPECT_EQ(card_works(), 0);
}

/* The driver has not heard of it: each call that needs the card fails, and no result is made up */
static void calls_fail(struct __test_metadata *_metadata, FIXTURE_DATA(pci_pull) *self)
{
	int fd = self->crowd.group.fd;
	struct hbs_group_counters counters;
	struct hbs_group_info state;
	struct hbs_info info;
	struct member member;
	struct group group;
	long value;

	EXPECT_EQ(card_info(self->card, &info), 0);
	EXPECT_EQ(group_create(self->card, 1, &group), -ENODEV);
	EXPECT_EQ(join(&self->crowd.group, &self->spare, &member), -ENODEV);
	EXPECT_EQ(group_counters(fd, &counters), -ENODEV);
	EXPECT_EQ(group_missing(fd, NULL, 0, NULL), -ENODEV);
	EXPECT_EQ(group_reset(fd), -ENODEV);
	EXPECT_LT(card_attribute("violations", &value), 0);
	EXPECT_EQ(group_info(fd, &state), 0);
	EXPECT_EQ(state.joined, WAIT_KINDS);
	EXPECT_EQ(state.word, self->crowd.member[0].word);
	EXPECT_EQ(*self->crowd.member[0].departure, UINT64_MAX);
	for (int i = 0; i < WAIT_KINDS; i++)
		EXPECT_FALSE(released(&self->crowd.member[i]));
}

TEST_F_TIMEOUT(pci_pull, while_waiting, 60)
{
	struct group other;
	struct member member;
	struct port port;

	ASSERT_EQ(port_alloc(self->card, &port), 0);
	ASSERT_EQ(group_create(self->card, 1, &other), 0);
	ASSERT_EQ(join(&other, &port, &member), 0);
	ASSERT_EQ(crowd_wait(&self->crowd), 0);
	ASSERT_EQ(host_do("fault pulled"), 0);
	calls_fail(_metadata, self);
	/* Calls that need only memory still give results */
	EXPECT_EQ(group_destroy(other.fd), 0);
	EXPECT_EQ(wait_sleep(&member), -EIDRM);
	EXPECT_EQ(leave(&member), 0);
	EXPECT_EQ(group_close(&other), 0);
	EXPECT_EQ(port_free(&port), 0);
	replace(_metadata);
	EXPECT_EQ(crowd_check(&self->crowd, -ENODEV), 0);
	EXPECT_EQ(possessions_dead(self->card, &self->crowd, &self->spare, -ENODEV), 0);
}

TEST_F_TIMEOUT(pci_pull, while_running, 60)
{
	static struct runners runners;

	ASSERT_EQ(runners_start(self->card, 1, &runners), 0);
	ASSERT_EQ(runners_progress(&runners, 20), 0);
	ASSERT_EQ(host_do("fault pulled"), 0);
	replace(_metadata);
	EXPECT_EQ(runners_end(&runners, -ENODEV), 0);
}

TEST_F_TIMEOUT(pci_pull, unbind, 60)
{
	ASSERT_EQ(crowd_wait(&self->crowd), 0);
	ASSERT_EQ(host_do("fault pulled"), 0);
	ASSERT_EQ(card_unbind(self->pci), 0);
	EXPECT_EQ(crowd_check(&self->crowd, -ENODEV), 0);
	EXPECT_EQ(possessions_dead(self->card, &self->crowd, &self->spare, -ENODEV), 0);
	EXPECT_EQ(card_bind(self->pci), -ENODEV);
	replace(_metadata);
}

/*
 * A card that does not say that it has stopped may still write: the kernel keeps the
 * memory that the card was given, though nobody uses it any more, until it fences
 * the card.
 */
TEST_F_TIMEOUT(pci_pull, memory_is_kept, 60)
{
	const struct hbs_group_create polling = { .arrival = HBS_ARRIVAL_POLL };
	long before, full, kept;
	struct member member;
	struct group group;
	struct port port;

	ASSERT_EQ(card_attribute("pages", &before), 0);
	ASSERT_EQ(group_create_with(self->card, 1, &polling, &group), 0);
	ASSERT_EQ(port_alloc_for(&group, self->card, &port), 0);
	ASSERT_EQ(join(&group, &port, &member), 0);
	ASSERT_EQ(card_attribute("pages", &full), 0);
	ASSERT_EQ(host_do("fault silent"), 0);
	EXPECT_EQ(leave(&member), 0);
	EXPECT_EQ(group_close(&group), 0);
	EXPECT_EQ(port_free(&port), 0);
	ASSERT_EQ(card_attribute("pages", &kept), 0);
	/* Half of it was to stand in, which the card knows nothing of */
	EXPECT_EQ(kept - before, (full - before) / 2);
	/* Nothing is added to that */
	for (int i = 0; i < 3; i++) {
		EXPECT_EQ(group_create(self->card, 1, &group), -ENODEV);
		ASSERT_EQ(port_alloc_only(self->card, &port), 0);
		EXPECT_EQ(port_map_memory(&port), -ENODEV);
		EXPECT_EQ(port_free(&port), 0);
	}
	ASSERT_EQ(card_attribute("pages", &kept), 0);
	EXPECT_EQ(kept - before, (full - before) / 2);
	/* A reset fences the card, even if the card does not work again */
	EXPECT_EQ(card_pci_write(self->pci, "reset", "1"), 0);
	release_all();
	EXPECT_EQ(card_attribute("pages", &kept), 0);
	EXPECT_EQ(kept, 0);
	replace(_metadata);
}

/* The registers are dead for good: recovery fails, and so does what waits for it */
TEST_F_TIMEOUT(pci_pull, fatal_error, 60)
{
	ASSERT_EQ(crowd_wait(&self->crowd), 0);
	ASSERT_EQ(host_do("fault silent"), 0);
	ASSERT_EQ(host_inject(self->pci, "fatal"), 0);
	/* It was a reset when they were told */
	EXPECT_EQ(crowd_check(&self->crowd, -ECONNRESET), 0);
	EXPECT_EQ(card_open(), -ENODEV);
	replace(_metadata);
}

TEST_F_TIMEOUT(pci_pull, function_reset, 60)
{
	struct hbs_info info;

	ASSERT_EQ(crowd_wait(&self->crowd), 0);
	ASSERT_EQ(host_do("fault silent"), 0);
	EXPECT_EQ(card_pci_write(self->pci, "reset", "1"), 0);
	EXPECT_EQ(crowd_check(&self->crowd, -ECONNRESET), 0);
	EXPECT_EQ(card_open(), -ENODEV);
	EXPECT_EQ(card_info(self->card, &info), -ENODEV);
	replace(_metadata);
}

TEST_HARNESS_MAIN
