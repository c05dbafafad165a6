// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The host unplugs the card and plugs in another while a monitor listens to the events of the
 * netlink family, and others dump all that there is. HBS_TEST_ROUNDS says how often.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "afterlife.h"
#include "host.h"
#include "talk.h"

#define DUMPERS 2

struct dumper {
	struct talk talk;
	volatile bool stop;
	unsigned long dumps;
	int ret;
	pthread_t thread;
};

static void *dumper_run(void *arg)
{
	static const int cmds[] = { HBS_NL_CMD_CARD_GET,  HBS_NL_CMD_PORT_GET,
				    HBS_NL_CMD_GROUP_GET, HBS_NL_CMD_MEMBER_GET,
				    HBS_NL_CMD_USER_GET,  HBS_NL_CMD_LIMITS_GET };
	struct dumper *dumper = arg;

	while (!dumper->stop && !dumper->ret) {
		dumper->ret =
			talk_dump(&dumper->talk, cmds[dumper->dumps % 6], NULL, 0, NULL, NULL);
		dumper->dumps++;
		/* The machine has to do with the card as well */
		sleep_ms(5);
	}
	return NULL;
}

FIXTURE(pci_monitor)
{
	long rounds;
	struct talk listener;
	struct dumper dumper[DUMPERS];
	struct got got;
};

FIXTURE_SETUP(pci_monitor)
{
	self->rounds = env_long("HBS_TEST_ROUNDS", 2);
	ASSERT_EQ(card_wait(30), 0);
	ASSERT_EQ(talk_open(&self->listener), 0);
	ASSERT_EQ(talk_listen(&self->listener), 0);
	for (int i = 0; i < DUMPERS; i++) {
		struct dumper *dumper = &self->dumper[i];

		memset(dumper, 0, sizeof(*dumper));
		ASSERT_EQ(talk_open(&dumper->talk), 0);
		ASSERT_EQ(pthread_create(&dumper->thread, NULL, dumper_run, dumper), 0);
	}
}

FIXTURE_TEARDOWN(pci_monitor)
{
	for (int i = 0; i < DUMPERS; i++) {
		self->dumper[i].stop = true;
		EXPECT_EQ(pthread_join(self->dumper[i].thread, NULL), 0);
		EXPECT_EQ(self->dumper[i].ret, 0);
		EXPECT_GT(self->dumper[i].dumps, 0);
	}
}

/* The next event; an orderly removal may wait for the slot's attention time */
static int next(FIXTURE_DATA(pci_monitor) *self)
{
	int ret;

	memset(&self->got, 0, sizeof(self->got));
	ret = talk_event(&self->listener, 30000, talk_keep, &self->got);
	return ret ? ret : self->got.cmd;
}

TEST_F_TIMEOUT(pci_monitor, storm_of_plugs, 300)
{
	for (long round = 0; round < self->rounds; round++) {
		struct usage before;
		struct one one;
		int card;

		usage_note(&before);
		card = card_open();
		ASSERT_GE(card, 0);
		ASSERT_EQ(one_member(card, 2, &one), 0);
		ASSERT_EQ(host_do("unplug"), 0);
		ASSERT_EQ(next(self), HBS_NL_CMD_CARD_DEL_NTF);
		EXPECT_EQ(talk_number(self->got.tb[HBS_A_CARD_STATE], NONE), HBS_CARD_STATE_GONE);
		ASSERT_EQ(host_do("plug"), 0);
		ASSERT_EQ(next(self), HBS_NL_CMD_CARD_ADD_NTF);
		EXPECT_EQ(talk_number(self->got.tb[HBS_A_CARD_STATE], NONE),
			  HBS_CARD_STATE_WORKING);
		EXPECT_EQ(wait_spin(&one.member), -ENODEV);
		ASSERT_EQ(group_close(&one.group), 0);
		ASSERT_EQ(port_unmap(&one.port), 0);
		ASSERT_EQ(close(card), 0);
		EXPECT_EQ(card_works(), 0);
		/* What that did is no event; then nothing else has happened */
		EXPECT_EQ(talk_event(&self->listener, 100, talk_keep, &self->got), -ETIMEDOUT)
		{
			TH_LOG("event %d", self->got.cmd);
		}
		EXPECT_EQ(usage_compare(&before), 0);
	}
}

TEST_HARNESS_MAIN
