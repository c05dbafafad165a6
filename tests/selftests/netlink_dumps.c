// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Dumps of the netlink family while ports, groups and members come and go: each shows one
 * moment, or is marked as interrupted. And how long they take.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "hbs_test.h"
#include "talk.h"

#define MAX_PORTS  1024
#define MAX_GROUPS 128

static struct port port[MAX_PORTS];
static struct group group[MAX_GROUPS];
static struct member member[MAX_GROUPS][MAX_PORTS];
static struct talk talk;

HBS_FIXTURE(netlink_dumps)

/* Enough members for several datagrams, and not so many that a dump takes long */
#define PORTS 64

/* Ports and groups, all ports members of each: @rest of the card's ports stay free at least */
static int furnish(const struct hbs_info *info, int card, unsigned int groups, unsigned int rest,
		   unsigned int *ports)
{
	int ret = talk_open(&talk);

	*ports = (info->ports < PORTS ? info->ports : PORTS) - rest;
	for (unsigned int i = 0; i < *ports && !ret; i++)
		ret = port_alloc_only(card, &port[i]);
	for (unsigned int g = 0; g < groups && !ret; g++) {
		ret = group_create(card, info->ports, &group[g]);
		for (unsigned int i = 0; i < *ports && !ret; i++)
			ret = join(&group[g], &port[i], &member[g][i]);
	}
	return ret;
}

/* How many messages came, and one number of each added up */
struct sum {
	int attr;
	unsigned int messages;
	uint64_t total;
	unsigned int with_pid;
};

static void add(int cmd, struct nlattr **tb, void *arg)
{
	struct sum *sum = arg;

	(void)cmd;
	sum->messages++;
	sum->total += talk_number(tb[sum->attr], 0);
	sum->with_pid += tb[HBS_A_MEMBER_PID] != NULL;
}

/* The rest of a dump; returns how many datagrams it had, or -errno */
static int finish(struct sum *sum)
{
	int steps = 0, ret;

	do {
		ret = talk_step(&talk, add, sum);
		steps++;
	} while (!ret);
	return ret < 0 ? ret : steps;
}

static int do_nothing(int card)
{
	(void)card;
	return 0;
}

static int take_port(int card)
{
	return port_alloc_only(card, &port[MAX_PORTS - 1]);
}

static int free_port(int card)
{
	(void)card;
	return port_free(&port[MAX_PORTS - 1]);
}

static int make_group(int card)
{
	return group_create(card, 1, &group[MAX_GROUPS - 1]);
}

static int close_group(int card)
{
	(void)card;
	return group_close(&group[MAX_GROUPS - 1]);
}

static int leave_group(int card)
{
	(void)card;
	return leave(&member[0][0]);
}

static int join_group(int card)
{
	(void)card;
	return join(&group[0], &port[0], &member[0][0]);
}

static int die(int card)
{
	(void)card;
	return leave_died(&member[0][1]);
}

static int reset_group(int card)
{
	(void)card;
	return group_reset(group[0].fd);
}

static int unbind_card(int card)
{
	char pci[32];
	int ret = card_pci_name(0, pci, sizeof(pci));

	(void)card;
	if (!ret)
		ret = card_unbind(pci);
	return ret ? ret : card_bind(pci);
}

/* What happens amid a dump that takes several datagrams */
static const struct {
	const char *name;
	int (*what)(int card);
	bool interrupts;
} changes[] = {
	{ "nothing", do_nothing, false },
	{ "a port is taken", take_port, true },
	{ "a port is freed", free_port, true },
	{ "a group is made", make_group, true },
	{ "a group is closed", close_group, true },
	{ "a member leaves", leave_group, true },
	{ "a member joins", join_group, true },
	{ "nothing again", do_nothing, false },
	{ "a member dies", die, true },
	{ "a group is reset", reset_group, true },
	{ "the card goes and comes", unbind_card, true },
};
#define CHANGES ((int)(sizeof(changes) / sizeof(changes[0])))

TEST_F(netlink_dumps, tell_of_a_change)
{
	unsigned int ports;
	unsigned int groups = self->info.groups - 1 < 8 ? self->info.groups - 1 : 8;

	ASSERT_EQ(furnish(&self->info, self->card, groups, 2, &ports), 0);
	for (int i = 0; i < CHANGES; i++) {
		struct sum sum = { .attr = HBS_A_MEMBER_PORT };
		int steps;

		ASSERT_EQ(talk_dump_start(&talk, HBS_NL_CMD_MEMBER_GET, NULL, 0), 0);
		ASSERT_EQ(talk_step(&talk, add, &sum), 0);
		ASSERT_EQ(changes[i].what(self->card), 0)
		{
			TH_LOG("%s", changes[i].name);
		}
		steps = finish(&sum);
		ASSERT_GT(steps, 0);
		/* The first two datagrams were made before the change, and there are more */
		EXPECT_GT(steps, changes[i].what == unbind_card ? 0 : 2);
		EXPECT_EQ(talk.interrupted, changes[i].interrupts)
		{
			TH_LOG("%s", changes[i].name);
		}
		if (!i)
			EXPECT_EQ(sum.messages, groups * ports);
	}
}

/* What comes before a dump does not interrupt it, nor does one by another reader */
TEST_F(netlink_dumps, do_not_tell_of_more)
{
	struct sum sum = { .attr = HBS_A_MEMBER_PORT };
	struct talk other;
	unsigned int ports;

	ASSERT_EQ(furnish(&self->info, self->card, 4, 2, &ports), 0);
	ASSERT_EQ(talk_open(&other), 0);
	ASSERT_EQ(take_port(self->card), 0);
	ASSERT_EQ(talk_dump_start(&talk, HBS_NL_CMD_MEMBER_GET, NULL, 0), 0);
	ASSERT_EQ(talk_dump(&other, HBS_NL_CMD_PORT_GET, NULL, 0, NULL, NULL), 0);
	EXPECT_FALSE(other.interrupted);
	ASSERT_GT(finish(&sum), 0);
	EXPECT_FALSE(talk.interrupted);
	EXPECT_EQ(sum.messages, 4 * ports);
	EXPECT_EQ(sum.with_pid, sum.messages);
}

/* What a reader sees does not depend on who reads the later parts */
TEST_F(netlink_dumps, are_for_who_asked)
{
	struct sum sum = { .attr = HBS_A_MEMBER_PORT };
	unsigned int ports;
	int status;
	pid_t pid;

	ASSERT_EQ(furnish(&self->info, self->card, 8, 1, &ports), 0);
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid)
		_exit(syscall(SYS_setresuid, 1002, 1002, 1002) ||
		      talk_dump_start(&talk, HBS_NL_CMD_MEMBER_GET, NULL, 0));
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	ASSERT_EQ(status, 0);
	ASSERT_GT(finish(&sum), 2);
	EXPECT_EQ(sum.messages, 8 * ports);
	EXPECT_EQ(sum.with_pid, 0);
}

/*
 * A thread moves memberships about: there is always one token, or two while it moves, in the
 * groups from the second on. A dump that saw no or three tokens would have seen no moment.
 */
struct mover {
	int card;
	unsigned int groups;
	struct port port;
	volatile bool stop;
	volatile unsigned long moves;
	volatile unsigned int pause_ms;
	volatile int ret;
};

static void *move(void *arg)
{
	struct mover *mover = arg;
	struct member token[2];
	unsigned int at = 0;

	mover->ret = join(&group[at], &mover->port, &token[at & 1]);
	while (!mover->stop && !mover->ret) {
		unsigned int next = (unsigned int)random() % mover->groups;

		if (next == at)
			continue;
		mover->ret = join(&group[next], &mover->port, &token[0]);
		token[1] = token[0];
		token[1].group = group[at].fd;
		if (!mover->ret)
			mover->ret = leave(&token[1]);
		at = next;
		/* Without a pause it would leave no dump whole */
		if (++mover->moves % 32 == 0)
			sleep_ms(mover->pause_ms);
	}
	return NULL;
}

struct tokens {
	uint32_t port;
	unsigned int seen;
	unsigned int others;
};

static void count_tokens(int cmd, struct nlattr **tb, void *arg)
{
	struct tokens *tokens = arg;

	(void)cmd;
	if (talk_number(tb[HBS_A_MEMBER_PORT], NONE) == tokens->port)
		tokens->seen++;
	else
		tokens->others++;
}

TEST_F(netlink_dumps, are_consistent_or_say_so)
{
	double end = seconds() + 8;
	struct mover mover = { .card = self->card, .groups = 8 };
	unsigned int ports, whole = 0, interrupted = 0, torn = 0;
	pthread_t thread;

	ASSERT_EQ(furnish(&self->info, self->card, mover.groups, 1, &ports), 0);
	ASSERT_EQ(port_alloc_only(self->card, &mover.port), 0);
	srandom(1);
	ASSERT_EQ(pthread_create(&thread, NULL, move, &mover), 0);
	while (!mover.moves && !mover.ret)
		sleep_ms(1);
	while (seconds() < end || !whole || !interrupted) {
		struct tokens tokens = { .port = mover.port.number };
		double start = seconds();

		ASSERT_LT(seconds(), end + 60);
		ASSERT_EQ(talk_dump(&talk, HBS_NL_CMD_MEMBER_GET, NULL, 0, count_tokens, &tokens),
			  0);
		mover.pause_ms = (unsigned int)(2e3 * (seconds() - start)) + 1;
		torn += tokens.seen != 1 && tokens.seen != 2;
		if (talk.interrupted) {
			interrupted++;
		} else {
			whole++;
			EXPECT_EQ(tokens.others, mover.groups * ports);
			EXPECT_GE(tokens.seen, 1);
			EXPECT_LE(tokens.seen, 2);
		}
	}
	mover.stop = true;
	ASSERT_EQ(pthread_join(thread, NULL), 0);
	EXPECT_EQ(mover.ret, 0);
	printf("# %lu moves; %u dumps whole, %u interrupted, %u of these torn\n", mover.moves,
	       whole, interrupted, torn);
}

/* All ports of the card, and all groups */
TEST_F(netlink_dumps, of_all)
{
	static const struct {
		int cmd;
		int attr;
		const char *name;
	} dumps[] = {
		{ HBS_NL_CMD_PORT_GET, HBS_A_PORT_PORT, "ports" },
		{ HBS_NL_CMD_GROUP_GET, HBS_A_GROUP_GROUP, "groups" },
	};
	unsigned int total[] = { self->info.ports, self->info.groups };

	ASSERT_EQ(talk_open(&talk), 0);
	for (unsigned int i = 0; i < self->info.ports; i++)
		ASSERT_EQ(port_alloc_only(self->card, &port[i]), 0);
	for (unsigned int g = 0; g < self->info.groups; g++) {
		ASSERT_EQ(group_create(self->card, 8, &group[g]), 0);
		for (unsigned int i = 0; i < 8; i++)
			ASSERT_EQ(join(&group[g], &port[(8 * g + i) % self->info.ports],
				       &member[g][i]),
				  0);
	}
	for (int d = 0; d < 2; d++) {
		double best = 1e9;

		for (int round = 0; round < 20; round++) {
			struct sum sum = { .attr = dumps[d].attr };
			double start = seconds();

			ASSERT_EQ(talk_dump(&talk, dumps[d].cmd, NULL, 0, add, &sum), 0);
			if (seconds() - start < best)
				best = seconds() - start;
			EXPECT_EQ(sum.messages, total[d]);
			EXPECT_EQ(sum.total, (uint64_t)total[d] * (total[d] - 1) / 2);
			EXPECT_FALSE(talk.interrupted);
		}
		printf("# figure: a dump of %u %s: at best %.1f ms\n", total[d], dumps[d].name,
		       best * 1e3);
	}
}

TEST_HARNESS_MAIN
