// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The host saves the machine while threads wait in each way and a timer runs, and
 * goes back to that; then it moves the machine into another QEMU. Nobody may notice.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "afterlife.h"
#include "host.h"

/* Long enough to run still when the machine is saved, even on a busy host */
#define TIMEOUT_NS 4000000000ULL

FIXTURE(snapshot)
{
	struct usage before;
	int card;
	struct crowd crowd;
	struct port last;
	/* Two in the middle of a barrier loop */
	struct runners runners;
	/* One thread waits for a member that never comes, until the timer expires */
	struct group late;
	struct port port;
	struct member member;
	struct waiter waiter;
	uint64_t start_ns;
};

FIXTURE_SETUP(snapshot)
{
	const struct hbs_group_create timed = { .timeout_ns = TIMEOUT_NS };

	ASSERT_EQ(host_do("prepare"), 0);
	usage_note(&self->before);
	self->card = card_open();
	ASSERT_GE(self->card, 0);
	ASSERT_EQ(crowd_create(self->card, 1, &self->crowd), 0);
	ASSERT_EQ(port_alloc(self->card, &self->last), 0);
	ASSERT_EQ(crowd_wait(&self->crowd), 0);
	ASSERT_EQ(runners_start(self->card, 1, &self->runners), 0);
	ASSERT_EQ(group_create_with(self->card, 2, &timed, &self->late), 0);
	ASSERT_EQ(port_alloc(self->card, &self->port), 0);
	ASSERT_EQ(join(&self->late, &self->port, &self->member), 0);
	self->start_ns = monotonic_ns();
	arrive(&self->member);
	ASSERT_EQ(waiter_start(&self->waiter, &self->member, WAIT_IOCTL), 0);
}

FIXTURE_TEARDOWN(snapshot)
{
	release_all();
	EXPECT_EQ(usage_compare(&self->before), 0);
}

/* All is as before the machine was saved, and goes on from there */
static void goes_on(struct __test_metadata *_metadata, FIXTURE_DATA(snapshot) *self,
		    const char *since)
{
	struct member last;
	uint64_t took_ns;

	TH_LOG("%s: %s of the timer was over", since, released(&self->member) ? "all" : "not all");
	ASSERT_EQ(runners_progress(&self->runners, 50), 0);
	for (int i = 0; i < WAIT_KINDS; i++)
		EXPECT_FALSE(released(&self->crowd.member[i]));
	ASSERT_EQ(join(&self->crowd.group, &self->last, &last), 0);
	EXPECT_EQ(barrier_sleep(&last), 0);
	EXPECT_EQ(crowd_check(&self->crowd, 0), 0);
	ASSERT_EQ(waiter_join(&self->waiter), 0);
	took_ns = monotonic_ns() - self->start_ns;
	EXPECT_EQ(self->waiter.result, -ETIMEDOUT);
	EXPECT_GE(took_ns, TIMEOUT_NS);
	EXPECT_EQ(group_timeouts(self->late.fd), 1);
	ASSERT_EQ(runners_progress(&self->runners, 50), 0);
	ASSERT_EQ(group_destroy(self->runners.group.fd), 0);
	EXPECT_EQ(runners_end(&self->runners, -EIDRM), 0);
	EXPECT_EQ(card_works(), 0);
}

TEST_F(snapshot, save_and_load)
{
	const char *answer = host_ask("save");

	goes_on(_metadata, self, answer);
	/* That does not return here, but above, with another answer */
	if (!strcmp(answer, "saved"))
		answer = host_ask("load");
	EXPECT_STREQ(answer, "loaded");
}

TEST_F(snapshot, migrate)
{
	const char *answer = host_ask("migrate");

	EXPECT_STREQ(answer, "migrated");
	goes_on(_metadata, self, answer);
}

TEST_HARNESS_MAIN
