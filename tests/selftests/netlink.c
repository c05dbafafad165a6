// SPDX-License-Identifier: GPL-2.0-or-later
/* What the netlink family tells and does, for root. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "harness.h"
#include "hbs_test.h"
#include "talk.h"

#define MANY 8

HBS_FIXTURE(netlink)

static struct talk talk;
static struct got got;
static struct port port[MANY];
static struct group group[MANY];
static struct member member[MANY];

#define OPEN()	      ASSERT_EQ(talk_open(&talk), 0)
#define NUMBER(attr)  talk_number(got.tb[attr], NONE)
#define GET(cmd, ...) talk_get(&talk, HBS_NL_CMD_##cmd, &got, __VA_ARGS__)

static uint32_t card_number(void)
{
	return (uint32_t)strtoul(card_name(0) + 3, NULL, 10);
}

#define CARD U32(HBS_A_CARD_CARD, card_number())

/* A number in sysfs, which may be hexadecimal */
static long attribute(const char *name)
{
	long value;

	return card_attribute(name, &value) ? -1 : value;
}

static int join_tagged(const struct group *to, const struct port *from, uint64_t tag,
		       struct member *as)
{
	struct hbs_group_join arg = {
		.size = sizeof(arg),
		.card_fd = from->card,
		.port = from->number,
		.tag = tag,
	};
	int ret = hbs_ioctl(to->fd, HBS_GROUP_JOIN, &arg);

	*as = (struct member){
		.group = to->fd,
		.card = from->card,
		.port = from->number,
		.arrival = (volatile uint64_t *)((char *)from->map + arg.lane_offset),
		.record = (volatile uint64_t *)((char *)to->map + arg.record_offset),
		.word = arg.word,
	};
	return ret;
}

/* How many blocks of the register map a card has, and which */
static void count_blocks(int cmd, struct nlattr **tb, void *arg)
{
	(void)cmd;
	if (tb[HBS_A_CARD_BLOCK])
		++*(int *)arg;
}

TEST_F(netlink, card)
{
	char pci[32];
	int blocks = 0;
	struct attr card = CARD;

	OPEN();
	ASSERT_EQ(port_alloc(self->card, &port[0]), 0);
	ASSERT_EQ(group_create(self->card, 1, &group[0]), 0);
	ASSERT_EQ(GET(CARD_GET, CARD), 0);
	EXPECT_EQ(got.messages, 1);
	EXPECT_EQ(got.cmd, HBS_NL_CMD_CARD_GET);
	EXPECT_EQ(NUMBER(HBS_A_CARD_CARD), self->info.card);
	ASSERT_NE(got.tb[HBS_A_CARD_NAME], NULL);
	EXPECT_STREQ(nla_get_string(got.tb[HBS_A_CARD_NAME]), card_name(0));
	ASSERT_EQ(card_pci_name(0, pci, sizeof(pci)), 0);
	ASSERT_NE(got.tb[HBS_A_CARD_PCI_ADDRESS], NULL);
	EXPECT_STREQ(nla_get_string(got.tb[HBS_A_CARD_PCI_ADDRESS]), pci);
	EXPECT_EQ(NUMBER(HBS_A_CARD_STATE), HBS_CARD_STATE_WORKING);
	EXPECT_EQ(NUMBER(HBS_A_CARD_VERSION), self->info.version);
	EXPECT_EQ(NUMBER(HBS_A_CARD_FEATURES), self->info.features);
	EXPECT_EQ(NUMBER(HBS_A_CARD_GROUP_TYPES), self->info.group_types);
	EXPECT_EQ(NUMBER(HBS_A_CARD_PORTS), self->info.ports);
	EXPECT_EQ(NUMBER(HBS_A_CARD_GROUPS), self->info.groups);
	EXPECT_EQ(NUMBER(HBS_A_CARD_PORTS_USED), attribute("ports_used"));
	EXPECT_EQ(NUMBER(HBS_A_CARD_GROUPS_USED), attribute("groups_used"));
	EXPECT_EQ(attribute("ports_used"), 1);
	EXPECT_GE(NUMBER(HBS_A_CARD_VECTORS), 1);
	EXPECT_LE(NUMBER(HBS_A_CARD_VECTORS), 2);
	EXPECT_NE(NUMBER(HBS_A_CARD_RESETS), NONE);

	/* The latest block is that of the ports' memory, of version 2 at least */
	EXPECT_GE(talk_nested(got.tb[HBS_A_CARD_BLOCK], HBS_A_BLOCK_TYPE, NONE), HBS_BLOCK_GRP);
	EXPECT_GE(talk_nested(got.tb[HBS_A_CARD_BLOCK], HBS_A_BLOCK_VERSION, 0), 2);
	ASSERT_EQ(talk_ask(&talk, HBS_NL_CMD_CARD_GET, 0, &card, 1, count_blocks, &blocks), 0);
	EXPECT_EQ(blocks, 1);

	EXPECT_EQ(talk_nested(got.tb[HBS_A_CARD_LIMITS], HBS_A_LIMITS_PORTS_PER_USER, NONE),
		  attribute("ports_per_user"));
	EXPECT_EQ(talk_nested(got.tb[HBS_A_CARD_COUNTERS], HBS_A_CARD_COUNTERS_VIOLATIONS, NONE),
		  attribute("violations"));
	EXPECT_EQ(talk_nested(got.tb[HBS_A_CARD_COUNTERS], HBS_A_CARD_COUNTERS_FOREIGN_READS, NONE),
		  attribute("foreign_reads"));
	EXPECT_NE(talk_nested(got.tb[HBS_A_CARD_COUNTERS], HBS_A_CARD_COUNTERS_INTERRUPTS, NONE),
		  NONE);
	EXPECT_EQ(talk_nested(got.tb[HBS_A_CARD_COUNTERS], HBS_A_CARD_COUNTERS_WAITERS, NONE), 0);
}

TEST_F(netlink, cards)
{
	unsigned int cards = 0;
	struct attr card = CARD;

	while (card_name(cards))
		cards++;
	OPEN();
	memset(&got, 0, sizeof(got));
	ASSERT_EQ(talk_dump(&talk, HBS_NL_CMD_CARD_GET, NULL, 0, talk_keep, &got), 0);
	EXPECT_EQ(got.messages, cards);
	EXPECT_NE(NUMBER(HBS_A_CARD_CARD), NONE);
	memset(&got, 0, sizeof(got));
	ASSERT_EQ(talk_dump(&talk, HBS_NL_CMD_CARD_GET, &card, 1, talk_keep, &got), 0);
	EXPECT_EQ(got.messages, 1);
	EXPECT_EQ(NUMBER(HBS_A_CARD_CARD), self->info.card);
}

TEST_F(netlink, port)
{
	char name[16];

	OPEN();
	ASSERT_EQ(port_alloc_only(self->card, &port[0]), 0);
	ASSERT_EQ(prctl(PR_GET_NAME, name), 0);
	ASSERT_EQ(GET(PORT_GET, CARD, U32(HBS_A_PORT_PORT, port[0].number)), 0);
	EXPECT_EQ(got.messages, 1);
	EXPECT_EQ(NUMBER(HBS_A_PORT_CARD), self->info.card);
	EXPECT_EQ(NUMBER(HBS_A_PORT_PORT), port[0].number);
	EXPECT_EQ(NUMBER(HBS_A_PORT_PID), getpid());
	EXPECT_EQ(NUMBER(HBS_A_PORT_TID), gettid());
	ASSERT_NE(got.tb[HBS_A_PORT_COMM], NULL);
	EXPECT_STREQ(nla_get_string(got.tb[HBS_A_PORT_COMM]), name);
	EXPECT_LT(NUMBER(HBS_A_PORT_CPU), cpus());
	EXPECT_EQ(NUMBER(HBS_A_PORT_UID), 0);
	EXPECT_EQ(NUMBER(HBS_A_PORT_MAPPINGS), 0);
	EXPECT_EQ(NUMBER(HBS_A_PORT_MEMORY), 0);
	EXPECT_EQ(got.tb[HBS_A_PORT_MEMBERSHIP], NULL);

	ASSERT_EQ(port_map(&port[0]), 0);
	if (port_map_memory(&port[0]))
		port[0].memory_size = 0;
	ASSERT_EQ(group_create(self->card, 1, &group[0]), 0);
	ASSERT_EQ(join_tagged(&group[0], &port[0], 0x123456789abcdef, &member[0]), 0);
	ASSERT_EQ(GET(PORT_GET, CARD, U32(HBS_A_PORT_PORT, port[0].number)), 0);
	EXPECT_EQ(NUMBER(HBS_A_PORT_MAPPINGS), 1);
	EXPECT_EQ(NUMBER(HBS_A_PORT_MEMORY), port[0].memory_size);
	EXPECT_EQ(talk_nested(got.tb[HBS_A_PORT_MEMBERSHIP], HBS_A_MEMBERSHIP_GROUP, NONE),
		  group[0].number);
	EXPECT_EQ(talk_nested(got.tb[HBS_A_PORT_MEMBERSHIP], HBS_A_MEMBERSHIP_TAG, NONE),
		  0x123456789abcdef);
	ASSERT_EQ(leave(&member[0]), 0);
	ASSERT_EQ(port_free(&port[0]), 0);
	EXPECT_EQ(GET(PORT_GET, CARD, U32(HBS_A_PORT_PORT, port[0].number)), -ENOENT);
	EXPECT_EQ(talk.bad, HBS_A_PORT_PORT);
}

struct named {
	int card;
	struct port port;
	int tid;
	int ret;
};

static void *take_as_namesake(void *arg)
{
	struct named *named = arg;

	prctl(PR_SET_NAME, "namesake");
	named->tid = gettid();
	named->ret = port_alloc(named->card, &named->port);
	return NULL;
}

/* A thread that has ended: its number stays, and the process has the name */
TEST_F(netlink, port_of_a_dead_thread)
{
	struct named named = { .card = self->card };
	pthread_t thread;

	OPEN();
	ASSERT_EQ(pthread_create(&thread, NULL, take_as_namesake, &named), 0);
	ASSERT_EQ(pthread_join(thread, NULL), 0);
	ASSERT_EQ(named.ret, 0);
	ASSERT_EQ(prctl(PR_SET_NAME, "process"), 0);
	/* It may be there for a moment more */
	for (int i = 0; i < 1000; i++) {
		ASSERT_EQ(GET(PORT_GET, CARD, U32(HBS_A_PORT_PORT, named.port.number)), 0);
		if (got.tb[HBS_A_PORT_COMM] &&
		    !strcmp(nla_get_string(got.tb[HBS_A_PORT_COMM]), "process"))
			break;
		sleep_ms(1);
	}
	EXPECT_STREQ(nla_get_string(got.tb[HBS_A_PORT_COMM]), "process");
	EXPECT_EQ(NUMBER(HBS_A_PORT_PID), getpid());
	EXPECT_EQ(NUMBER(HBS_A_PORT_TID), named.tid);
}

/* Which ports a dump shows, as bits */
static void note_port(int cmd, struct nlattr **tb, void *arg)
{
	(void)cmd;
	if (tb[HBS_A_PORT_PORT] && nla_get_u32(tb[HBS_A_PORT_PORT]) < 64)
		*(uint64_t *)arg += 1ULL << nla_get_u32(tb[HBS_A_PORT_PORT]);
}

TEST_F(netlink, ports)
{
	uint64_t expected = 0, seen = 0;

	OPEN();
	for (int i = 0; i < MANY; i++) {
		ASSERT_EQ(port_alloc_only(self->card, &port[i]), 0);
		expected |= 1ULL << port[i].number;
	}
	ASSERT_EQ(port_free(&port[3]), 0);
	expected &= ~(1ULL << port[3].number);
	ASSERT_EQ(talk_dump(&talk, HBS_NL_CMD_PORT_GET, NULL, 0, note_port, &seen), 0);
	EXPECT_EQ(seen, expected);
	EXPECT_FALSE(talk.interrupted);
}

#define GROUP(i) CARD, U32(HBS_A_GROUP_GROUP, group[i].number)

TEST_F(netlink, group)
{
	struct hbs_group_counters counters;
	bool timers = self->info.features & HBS_FEATURE_TIMEOUT;
	struct hbs_group_create with = {
		.policy = timers ? HBS_POLICY_NOTIFY : 0,
		.timeout_ns = timers ? 1000000000 : 0,
		.reduce = self->info.features & HBS_FEATURE_REDUCE ? HBS_REDUCE_SMAX : 0,
	};

	OPEN();
	ASSERT_EQ(group_create_with(self->card, 3, &with, &group[0]), 0);
	for (int i = 0; i < 3; i++)
		ASSERT_EQ(port_alloc(self->card, &port[i]), 0);
	ASSERT_EQ(join_tagged(&group[0], &port[0], 100, &member[0]), 0);
	ASSERT_EQ(GET(GROUP_GET, GROUP(0)), 0);
	EXPECT_EQ(NUMBER(HBS_A_GROUP_CARD), self->info.card);
	EXPECT_EQ(NUMBER(HBS_A_GROUP_GROUP), group[0].number);
	EXPECT_EQ(NUMBER(HBS_A_GROUP_TYPE), HBS_GROUP_BARRIER);
	EXPECT_EQ(NUMBER(HBS_A_GROUP_STATE), HBS_GROUP_STATE_GATHERING);
	EXPECT_EQ(NUMBER(HBS_A_GROUP_REASON), HBS_REASON_NONE);
	EXPECT_EQ(NUMBER(HBS_A_GROUP_SEATS), 3);
	EXPECT_EQ(NUMBER(HBS_A_GROUP_JOINED), 1);
	EXPECT_EQ(NUMBER(HBS_A_GROUP_UID), 0);
	EXPECT_EQ(NUMBER(HBS_A_GROUP_REDUCE), with.reduce);
	EXPECT_EQ(NUMBER(HBS_A_GROUP_POLICY), with.policy);
	EXPECT_EQ(NUMBER(HBS_A_GROUP_COMPLETION), HBS_COMPLETION_MASK);
	EXPECT_EQ(NUMBER(HBS_A_GROUP_ARRIVAL), HBS_ARRIVAL_STORE);
	EXPECT_EQ(NUMBER(HBS_A_GROUP_DEPARTURE), HBS_DEPARTURE_RECORD);
	EXPECT_EQ(NUMBER(HBS_A_GROUP_TIMEOUT_NS), with.timeout_ns);
	EXPECT_EQ(NUMBER(HBS_A_GROUP_TIMEOUTS), 0);
	if (timers) {
		EXPECT_EQ(NUMBER(HBS_A_GROUP_VACANT), 2);
		EXPECT_EQ(NUMBER(HBS_A_GROUP_MISSING), 1);
		EXPECT_EQ(got.tb[HBS_A_GROUP_EXPIRED], NULL);
	}
	EXPECT_EQ(got.tb[HBS_A_GROUP_IN_FLIGHT], NULL);

	ASSERT_EQ(join_tagged(&group[0], &port[1], 101, &member[1]), 0);
	ASSERT_EQ(join_tagged(&group[0], &port[2], 102, &member[2]), 0);
	for (int i = 0; i < 3; i++)
		arrive(&member[i]);
	for (int i = 0; i < 3; i++)
		ASSERT_EQ(wait_spin(&member[i]), 0);
	arrive(&member[1]);
	ASSERT_EQ(GET(GROUP_GET, GROUP(0)), 0);
	EXPECT_EQ(NUMBER(HBS_A_GROUP_STATE), HBS_GROUP_STATE_RUNNING);
	EXPECT_EQ(NUMBER(HBS_A_GROUP_JOINED), 3);
	if (timers) {
		EXPECT_EQ(NUMBER(HBS_A_GROUP_EPOCH), member[0].word >> HBS_WORD_EPOCH_SHIFT);
		EXPECT_EQ(NUMBER(HBS_A_GROUP_VACANT), 0);
		EXPECT_EQ(NUMBER(HBS_A_GROUP_MISSING), 2);
	}
	ASSERT_EQ(group_counters(group[0].fd, &counters), 0);
	EXPECT_EQ(counters.completions, 1);
	EXPECT_EQ(counters.arrivals, 4);
#define COUNTER(name, NAME)                                                                     \
	EXPECT_EQ(talk_nested(got.tb[HBS_A_GROUP_COUNTERS], HBS_A_GROUP_COUNTERS_##NAME, NONE), \
		  counters.name)
	COUNTER(completions, COMPLETIONS);
	COUNTER(arrivals, ARRIVALS);
	COUNTER(departure_reads, DEPARTURE_READS);
	COUNTER(record_writes, RECORD_WRITES);
	COUNTER(non_member, NON_MEMBER);
	COUNTER(double_arrivals, DOUBLE_ARRIVALS);
	COUNTER(refused, REFUSED);
	COUNTER(interrupts, INTERRUPTS);
	COUNTER(waits, WAITS);
	COUNTER(line_reads, LINE_READS);
	COUNTER(withdrawals, WITHDRAWALS);
	COUNTER(unarrived, UNARRIVED);
	COUNTER(readbacks, READBACKS);

	if (timers) {
		double end = seconds() + 10;

		/* the timer of this epoch */
		do {
			sleep_ms(100);
			ASSERT_EQ(GET(GROUP_GET, GROUP(0)), 0);
		} while (!got.tb[HBS_A_GROUP_EXPIRED] && seconds() < end);
		EXPECT_NE(got.tb[HBS_A_GROUP_EXPIRED], NULL);
		EXPECT_EQ(NUMBER(HBS_A_GROUP_TIMEOUTS), 1);
	}
	ASSERT_EQ(group_destroy(group[0].fd), 0);
	ASSERT_EQ(GET(GROUP_GET, GROUP(0)), 0);
	EXPECT_EQ(NUMBER(HBS_A_GROUP_STATE), HBS_GROUP_STATE_BROKEN);
	EXPECT_EQ(NUMBER(HBS_A_GROUP_REASON), HBS_REASON_DESTROYED);
	ASSERT_EQ(group_close(&group[0]), 0);
	EXPECT_EQ(GET(GROUP_GET, GROUP(0)), -ENOENT);
	EXPECT_EQ(talk.bad, HBS_A_GROUP_GROUP);
}

/* Since when somebody sleeps, whichever way: the first one counts, and a new epoch begins anew */
TEST_F(netlink, sleepers)
{
	bool timers = self->info.features & HBS_FEATURE_TIMEOUT;
	struct pollfd pollfd = { .events = POLLIN };

	OPEN();
	ASSERT_EQ(group_create(self->card, 3, &group[0]), 0);
	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(port_alloc(self->card, &port[i]), 0);
		ASSERT_EQ(join_tagged(&group[0], &port[i], 0, &member[i]), 0);
	}
	for (int kind = WAIT_IOCTL; kind < WAIT_KINDS; kind++) {
		struct waiter waiter[2];
		uint64_t first;

		for (int i = 0; i < 2; i++)
			arrive(&member[i]);
		ASSERT_EQ(GET(GROUP_GET, GROUP(0)), 0);
		EXPECT_EQ(got.tb[HBS_A_GROUP_WAITING_NS], NULL);
		ASSERT_EQ(waiter_start(&waiter[0], &member[0], kind), 0);
		sleep_ms(50);
		ASSERT_EQ(GET(GROUP_GET, GROUP(0)), 0);
		if (timers) {
			first = NUMBER(HBS_A_GROUP_WAITING_NS);
			EXPECT_GE(first, 50000000);
			EXPECT_LE(first, 60000000000);
		}
		ASSERT_EQ(waiter_start(&waiter[1], &member[1], kind), 0);
		ASSERT_EQ(GET(GROUP_GET, GROUP(0)), 0);
		EXPECT_EQ(!got.tb[HBS_A_GROUP_WAITING_NS], !timers);
		if (timers)
			EXPECT_GE(NUMBER(HBS_A_GROUP_WAITING_NS), first);
		ASSERT_EQ(barrier(&member[2]), 0);
		for (int i = 0; i < 2; i++)
			ASSERT_EQ(waiter_join(&waiter[i]), 0);
	}
	/* nobody waits in a group that is broken */
	for (int i = 0; i < 2; i++)
		arrive(&member[i]);
	pollfd.fd = group_reopen(group[0].fd, member[0].word);
	ASSERT_GE(pollfd.fd, 0);
	EXPECT_EQ(poll(&pollfd, 1, 20), 0);
	ASSERT_EQ(GET(GROUP_GET, GROUP(0)), 0);
	EXPECT_EQ(!got.tb[HBS_A_GROUP_WAITING_NS], !timers);
	ASSERT_EQ(close(pollfd.fd), 0);
	ASSERT_EQ(group_destroy(group[0].fd), 0);
	ASSERT_EQ(GET(GROUP_GET, GROUP(0)), 0);
	EXPECT_EQ(got.tb[HBS_A_GROUP_WAITING_NS], NULL);
}

/* Whoever sleeps for an epoch that is over, or yet to come, does not wait for the present one */
TEST_F(netlink, sleepers_of_other_epochs)
{
	uint64_t words[2];
	struct pollfd pollfd = { .events = POLLIN };

	OPEN();
	ASSERT_EQ(group_create(self->card, 1, &group[0]), 0);
	ASSERT_EQ(port_alloc(self->card, &port[0]), 0);
	ASSERT_EQ(join_tagged(&group[0], &port[0], 0, &member[0]), 0);
	words[0] = member[0].word;
	ASSERT_EQ(barrier(&member[0]), 0);
	words[1] = member[0].word + HBS_WORD_EPOCH_ONE;
	for (int i = 0; i < 2; i++) {
		pollfd.fd = group_reopen(group[0].fd, words[i]);
		ASSERT_GE(pollfd.fd, 0);
		EXPECT_EQ(poll(&pollfd, 1, 20), !i);
		ASSERT_EQ(close(pollfd.fd), 0);
		ASSERT_EQ(GET(GROUP_GET, GROUP(0)), 0);
		EXPECT_EQ(got.tb[HBS_A_GROUP_WAITING_NS], NULL);
	}
	pollfd.fd = group_reopen(group[0].fd, member[0].word);
	ASSERT_GE(pollfd.fd, 0);
	EXPECT_EQ(poll(&pollfd, 1, 20), 0);
	ASSERT_EQ(GET(GROUP_GET, GROUP(0)), 0);
	EXPECT_EQ(!got.tb[HBS_A_GROUP_WAITING_NS], !(self->info.features & HBS_FEATURE_TIMEOUT));
	ASSERT_EQ(close(pollfd.fd), 0);
}

TEST_F(netlink, refutable_group)
{
	struct hbs_group_create with = { .type = HBS_GROUP_REFUTABLE };

	if (!(self->info.features & HBS_FEATURE_REFUTABLE))
		SKIP(return, "a card without refutable groups");
	OPEN();
	ASSERT_EQ(group_create_with(self->card, 2, &with, &group[0]), 0);
	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(port_alloc(self->card, &port[i]), 0);
		ASSERT_EQ(join_tagged(&group[0], &port[i], 0, &member[i]), 0);
	}
	/* five sent, none freed */
	arrive_value(&member[0], 5);
	ASSERT_EQ(GET(GROUP_GET, GROUP(0)), 0);
	EXPECT_EQ(NUMBER(HBS_A_GROUP_TYPE), HBS_GROUP_REFUTABLE);
	EXPECT_EQ(NUMBER(HBS_A_GROUP_IN_FLIGHT), 5);
	EXPECT_EQ(NUMBER(HBS_A_GROUP_MISSING), 1);
	/* and two freed more than sent, by one who then has the others of them */
	arrive_value(&member[1], (HBS_IDLE_DELTA & (uint64_t)-7) | HBS_IDLE_FREED);
	ASSERT_EQ(GET(GROUP_GET, GROUP(0)), 0);
	EXPECT_EQ((int64_t)NUMBER(HBS_A_GROUP_IN_FLIGHT), -2);
}

TEST_F(netlink, groups)
{
	uint64_t expected = 0, seen = 0;

	OPEN();
	for (int i = 0; i < MANY; i++) {
		ASSERT_EQ(group_create(self->card, 1 + i, &group[i]), 0);
		expected |= 1ULL << group[i].number;
	}
	/* Both have their number in the second attribute */
	ASSERT_EQ((int)HBS_A_GROUP_GROUP, (int)HBS_A_PORT_PORT);
	ASSERT_EQ(talk_dump(&talk, HBS_NL_CMD_GROUP_GET, NULL, 0, note_port, &seen), 0);
	EXPECT_EQ(seen, expected);
}

#define MEMBER(i) \
	CARD, U32(HBS_A_MEMBER_GROUP, group[0].number), U32(HBS_A_MEMBER_PORT, port[i].number)

TEST_F(netlink, member)
{
	bool timers = self->info.features & HBS_FEATURE_TIMEOUT;

	OPEN();
	ASSERT_EQ(group_create(self->card, 3, &group[0]), 0);
	for (int i = 0; i < 4; i++)
		ASSERT_EQ(port_alloc(self->card, &port[i]), 0);
	for (int i = 0; i < 3; i++)
		ASSERT_EQ(join_tagged(&group[0], &port[i], 100 + i, &member[i]), 0);
	arrive(&member[1]);
	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(GET(MEMBER_GET, MEMBER(i)), 0);
		EXPECT_EQ(NUMBER(HBS_A_MEMBER_CARD), self->info.card);
		EXPECT_EQ(NUMBER(HBS_A_MEMBER_GROUP), group[0].number);
		EXPECT_EQ(NUMBER(HBS_A_MEMBER_PORT), port[i].number);
		EXPECT_EQ(NUMBER(HBS_A_MEMBER_TAG), 100 + i);
		EXPECT_EQ(NUMBER(HBS_A_MEMBER_PID), getpid());
		EXPECT_EQ(NUMBER(HBS_A_MEMBER_TID), gettid());
		EXPECT_NE(got.tb[HBS_A_MEMBER_COMM], NULL);
		EXPECT_LT(NUMBER(HBS_A_MEMBER_CPU), cpus());
		EXPECT_EQ(got.tb[HBS_A_MEMBER_DEAD], NULL);
		if (timers)
			EXPECT_EQ(NUMBER(HBS_A_MEMBER_MISSING), i != 1);
	}
	EXPECT_EQ(GET(MEMBER_GET, MEMBER(3)), -ENOENT);
	EXPECT_EQ(talk.bad, HBS_A_MEMBER_PORT);

	/* The dead one stays until the reset, though its port is free */
	ASSERT_EQ(leave_died(&member[2]), 0);
	ASSERT_EQ(port_free(&port[2]), 0);
	ASSERT_EQ(GET(MEMBER_GET, MEMBER(2)), 0);
	EXPECT_NE(got.tb[HBS_A_MEMBER_DEAD], NULL);
	EXPECT_EQ(NUMBER(HBS_A_MEMBER_TAG), 102);
	if (timers)
		EXPECT_EQ(NUMBER(HBS_A_MEMBER_MISSING), 1);
	ASSERT_EQ(GET(MEMBER_GET, MEMBER(0)), 0);
	EXPECT_EQ(got.tb[HBS_A_MEMBER_DEAD], NULL);
	if (timers)
		EXPECT_EQ(NUMBER(HBS_A_MEMBER_MISSING), 0);
}

struct roll {
	int count;
	uint64_t tags;
};

static void note_member(int cmd, struct nlattr **tb, void *arg)
{
	struct roll *roll = arg;

	(void)cmd;
	roll->count++;
	roll->tags += talk_number(tb[HBS_A_MEMBER_TAG], 0);
}

/* How many waits of a member were of that length */
struct steps {
	uint64_t from_ns;
	uint64_t count;
};

/* An answer has the last one of attributes that come several times: there must be one only */
static int get_waits(struct talk *with, struct attr card, int i, struct steps *steps)
{
	int ret = talk_get(with, HBS_NL_CMD_MEMBER_GET, &got, card,
			   U32(HBS_A_MEMBER_GROUP, group[0].number),
			   U32(HBS_A_MEMBER_PORT, port[i].number));

	steps->from_ns = talk_nested(got.tb[HBS_A_MEMBER_WAIT], HBS_A_WAIT_FROM_NS, NONE);
	steps->count = talk_nested(got.tb[HBS_A_MEMBER_WAIT], HBS_A_WAIT_COUNT, NONE);
	return ret;
}

/* What a program notes of its waits */
TEST_F(netlink, waits)
{
	struct steps steps;
	struct hbs_waits *waits;

	OPEN();
	ASSERT_EQ(group_create(self->card, 2, &group[0]), 0);
	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(port_alloc(self->card, &port[i]), 0);
		ASSERT_EQ(join_tagged(&group[0], &port[i], 0, &member[i]), 0);
	}
	for (int i = 0; i < 5; i++) {
		arrive(&member[0]);
		ASSERT_EQ(barrier(&member[1]), 0);
		ASSERT_EQ(wait_spin(&member[0]), 0);
	}
	arrive(&member[0]);
	ASSERT_EQ(get_waits(&talk, CARD, 0, &steps), 0);
	/* without the one that it waits for */
	EXPECT_EQ(NUMBER(HBS_A_MEMBER_EPOCHS), 5);
	EXPECT_EQ(got.tb[HBS_A_MEMBER_WAITED_NS], NULL);
	EXPECT_EQ(got.tb[HBS_A_MEMBER_SLEPT], NULL);
	EXPECT_EQ(steps.count, NONE);

	ASSERT_EQ(port_map_waits(&port[0]), 0);
	waits = &port[0].waits[group[0].number];
	waits->joined = member[0].word - 5 * HBS_WORD_EPOCH_ONE;
	waits->waited_ns = 123456789012345;
	waits->slept = 3;
	waits->counts[7] = 4;
	ASSERT_EQ(get_waits(&talk, CARD, 0, &steps), 0);
	EXPECT_EQ(NUMBER(HBS_A_MEMBER_WAITED_NS), 123456789012345);
	EXPECT_EQ(NUMBER(HBS_A_MEMBER_SLEPT), 3);
	EXPECT_EQ(steps.from_ns, 1 << (HBS_WAITS_SHIFT + 7));
	EXPECT_EQ(steps.count, 4);
	/* a scale that cannot be is one that can */
	waits->scale = 34;
	ASSERT_EQ(get_waits(&talk, CARD, 0, &steps), 0);
	EXPECT_EQ(NUMBER(HBS_A_MEMBER_SLEPT), 3 << 2);
	EXPECT_EQ(steps.count, 4 << 2);
	/* of another group, and of another port, nothing */
	ASSERT_EQ(port_map_waits(&port[1]), 0);
	ASSERT_EQ(get_waits(&talk, CARD, 1, &steps), 0);
	EXPECT_EQ(NUMBER(HBS_A_MEMBER_WAITED_NS), 0);
	EXPECT_EQ(steps.count, NONE);
	/* nonsense has a bound: it fits into a message */
	memset(port[0].waits, 0xff, port[0].waits_size);
	waits->joined = member[0].word - 5 * HBS_WORD_EPOCH_ONE;
	ASSERT_EQ(get_waits(&talk, CARD, 0, &steps), 0);
	EXPECT_EQ(NUMBER(HBS_A_MEMBER_WAITED_NS), UINT64_MAX);
	EXPECT_EQ(steps.from_ns, 1ULL << (HBS_WAITS_SHIFT + HBS_WAITS_BUCKETS - 1));
	EXPECT_EQ(steps.count, (uint64_t)UINT32_MAX << 31);

	/* the next member on the same port has none of that */
	ASSERT_EQ(leave(&member[0]), 0);
	ASSERT_EQ(join_tagged(&group[0], &port[0], 0, &member[0]), 0);
	ASSERT_EQ(get_waits(&talk, CARD, 0, &steps), 0);
	EXPECT_EQ(NUMBER(HBS_A_MEMBER_EPOCHS), 0);
	EXPECT_EQ(NUMBER(HBS_A_MEMBER_WAITED_NS), 0);
	EXPECT_EQ(NUMBER(HBS_A_MEMBER_SLEPT), 0);
	EXPECT_EQ(steps.count, NONE);
	/* nor one that is dead, whose port may be another's */
	ASSERT_EQ(leave_died(&member[0]), 0);
	ASSERT_EQ(get_waits(&talk, CARD, 0, &steps), 0);
	EXPECT_EQ(got.tb[HBS_A_MEMBER_EPOCHS], NULL);
	EXPECT_EQ(got.tb[HBS_A_MEMBER_WAITED_NS], NULL);
}

TEST_F(netlink, members)
{
	struct roll roll = { 0 };
	struct attr only[] = { CARD, U32(HBS_A_MEMBER_GROUP, 0) };

	OPEN();
	for (int i = 0; i < 4; i++)
		ASSERT_EQ(port_alloc(self->card, &port[i]), 0);
	for (int g = 0; g < 3; g++) {
		ASSERT_EQ(group_create(self->card, 4, &group[g]), 0);
		for (int i = 0; i < 4; i++)
			ASSERT_EQ(join_tagged(&group[g], &port[i], 1 << (4 * g + i), &member[0]),
				  0);
	}
	ASSERT_EQ(talk_dump(&talk, HBS_NL_CMD_MEMBER_GET, NULL, 0, note_member, &roll), 0);
	EXPECT_EQ(roll.count, 12);
	EXPECT_EQ(roll.tags, 0xfff);
	roll = (struct roll){ 0 };
	only[1].value = group[1].number;
	ASSERT_EQ(talk_dump(&talk, HBS_NL_CMD_MEMBER_GET, only, 2, note_member, &roll), 0);
	EXPECT_EQ(roll.count, 4);
	EXPECT_EQ(roll.tags, 0xf0);
	/* without the card: of each */
	roll = (struct roll){ 0 };
	ASSERT_EQ(talk_dump(&talk, HBS_NL_CMD_MEMBER_GET, &only[1], 1, note_member, &roll), 0);
	EXPECT_EQ(roll.count, 4);
}

TEST_F(netlink, user)
{
	OPEN();
	memset(&got, 0, sizeof(got));
	ASSERT_EQ(talk_dump(&talk, HBS_NL_CMD_USER_GET, NULL, 0, talk_keep, &got), 0);
	EXPECT_EQ(got.messages, 0);
	for (int i = 0; i < 5; i++)
		ASSERT_EQ(port_alloc_only(self->card, &port[i]), 0);
	for (int i = 0; i < 3; i++)
		ASSERT_EQ(group_create(self->card, 1, &group[i]), 0);
	for (int dump = 0; dump < 2; dump++) {
		memset(&got, 0, sizeof(got));
		ASSERT_EQ(dump ? talk_dump(&talk, HBS_NL_CMD_USER_GET, NULL, 0, talk_keep, &got)
			       : GET(USER_GET, CARD, U32(HBS_A_USER_UID, 0)),
			  0);
		EXPECT_EQ(got.messages, 1);
		EXPECT_EQ(NUMBER(HBS_A_USER_CARD), self->info.card);
		EXPECT_EQ(NUMBER(HBS_A_USER_UID), 0);
		EXPECT_EQ(NUMBER(HBS_A_USER_PORTS), 5);
		EXPECT_EQ(NUMBER(HBS_A_USER_GROUPS), 3);
	}
	/* who has nothing */
	ASSERT_EQ(GET(USER_GET, CARD, U32(HBS_A_USER_UID, 1234)), 0);
	EXPECT_EQ(NUMBER(HBS_A_USER_PORTS), 0);
	EXPECT_EQ(GET(USER_GET, CARD, U32(HBS_A_USER_UID, UINT32_MAX)), -EINVAL);
	EXPECT_EQ(talk.bad, HBS_A_USER_UID);
}

static const struct {
	int attr;
	int size;
	const char *name;
} limits[] = {
	{ HBS_A_LIMITS_PORTS_PER_USER, 4, "ports_per_user" },
	{ HBS_A_LIMITS_PORTS_RESERVED, 4, "ports_reserved" },
	{ HBS_A_LIMITS_GROUPS_PER_USER, 4, "groups_per_user" },
	{ HBS_A_LIMITS_GROUPS_RESERVED, 4, "groups_reserved" },
	{ HBS_A_LIMITS_TIMEOUT_MIN_NS, 8, "timeout_min_ns" },
	{ HBS_A_LIMITS_TIMEOUT_MAX_NS, 8, "timeout_max_ns" },
};
#define LIMITS 6

TEST_F(netlink, limits)
{
	long before[LIMITS];

	OPEN();
	for (int i = 0; i < LIMITS; i++)
		before[i] = attribute(limits[i].name);
	ASSERT_EQ(GET(LIMITS_GET, CARD), 0);
	for (int i = 0; i < LIMITS; i++)
		EXPECT_EQ(NUMBER(limits[i].attr), before[i]);
	memset(&got, 0, sizeof(got));
	ASSERT_EQ(talk_dump(&talk, HBS_NL_CMD_LIMITS_GET, NULL, 0, talk_keep, &got), 0);
	EXPECT_GE(got.messages, 1);
	EXPECT_EQ(NUMBER(HBS_A_LIMITS_GROUPS_RESERVED), attribute("groups_reserved"));

	/* one after the other, which leaves the rest */
	for (int i = 0; i < LIMITS; i++) {
		struct attr attrs[] = { CARD, { limits[i].attr, limits[i].size, before[i] - 1 } };

		ASSERT_EQ(talk_ask(&talk, HBS_NL_CMD_LIMITS_SET, 0, attrs, 2, NULL, NULL), 0);
		for (int k = 0; k < LIMITS; k++)
			EXPECT_EQ(attribute(limits[k].name), before[k] - (k <= i));
	}
	/* and all at once */
	ASSERT_EQ(talk_do(&talk, HBS_NL_CMD_LIMITS_SET, CARD,
			  { limits[0].attr, limits[0].size, before[0] },
			  { limits[1].attr, limits[1].size, before[1] },
			  { limits[2].attr, limits[2].size, before[2] },
			  { limits[3].attr, limits[3].size, before[3] },
			  { limits[4].attr, limits[4].size, before[4] },
			  { limits[5].attr, limits[5].size, before[5] }),
		  0);
	for (int i = 0; i < LIMITS; i++)
		EXPECT_EQ(attribute(limits[i].name), before[i]);
	/* none, if one is wrong */
	EXPECT_EQ(talk_do(&talk, HBS_NL_CMD_LIMITS_SET, CARD, U32(HBS_A_LIMITS_PORTS_PER_USER, 1),
			  U64(HBS_A_LIMITS_TIMEOUT_MIN_NS, before[5] + 1)),
		  -ERANGE);
	EXPECT_EQ(talk.bad, HBS_A_LIMITS_TIMEOUT_MIN_NS);
	for (int i = 0; i < LIMITS; i++)
		EXPECT_EQ(attribute(limits[i].name), before[i]);
	EXPECT_EQ(talk_do(&talk, HBS_NL_CMD_LIMITS_SET, CARD,
			  U64(HBS_A_LIMITS_TIMEOUT_MAX_NS, before[4] - 1)),
		  -ERANGE);
	EXPECT_EQ(talk.bad, HBS_A_LIMITS_TIMEOUT_MAX_NS);
	/* more than the card has, which the policy cannot know */
	if (self->info.ports < 1024) {
		EXPECT_EQ(talk_do(&talk, HBS_NL_CMD_LIMITS_SET, CARD,
				  U32(HBS_A_LIMITS_PORTS_PER_USER, 1),
				  U32(HBS_A_LIMITS_PORTS_RESERVED, self->info.ports + 1)),
			  -ERANGE);
		EXPECT_EQ(talk.bad, HBS_A_LIMITS_PORTS_RESERVED);
	}
	if (self->info.groups < 128) {
		EXPECT_EQ(talk_do(&talk, HBS_NL_CMD_LIMITS_SET, CARD,
				  U32(HBS_A_LIMITS_PORTS_PER_USER, 1),
				  U32(HBS_A_LIMITS_GROUPS_PER_USER, self->info.groups + 1)),
			  -ERANGE);
		EXPECT_EQ(talk.bad, HBS_A_LIMITS_GROUPS_PER_USER);
	}
	for (int i = 0; i < LIMITS; i++)
		EXPECT_EQ(attribute(limits[i].name), before[i]);
}

/* What a limit is for */
TEST_F(netlink, limits_hold)
{
	struct hbs_group_create with = { .timeout_ns = 1000000 };
	long before = attribute("timeout_min_ns");

	if (!(self->info.features & HBS_FEATURE_TIMEOUT))
		SKIP(return, "a card without timers");
	OPEN();
	ASSERT_EQ(group_create_with(self->card, 1, &with, &group[0]), 0);
	ASSERT_EQ(talk_do(&talk, HBS_NL_CMD_LIMITS_SET, CARD,
			  U64(HBS_A_LIMITS_TIMEOUT_MIN_NS, 1000001)),
		  0);
	EXPECT_EQ(group_create_with(self->card, 1, &with, &group[1]), -ERANGE);
	ASSERT_EQ(talk_do(&talk, HBS_NL_CMD_LIMITS_SET, CARD,
			  U64(HBS_A_LIMITS_TIMEOUT_MIN_NS, before)),
		  0);
}

TEST_F(netlink, group_reset)
{
	OPEN();
	ASSERT_EQ(group_create(self->card, 2, &group[0]), 0);
	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(port_alloc(self->card, &port[i]), 0);
		ASSERT_EQ(join(&group[0], &port[i], &member[i]), 0);
	}
	arrive(&member[0]);
	ASSERT_EQ(talk_do(&talk, HBS_NL_CMD_GROUP_RESET, GROUP(0)), 0);
	EXPECT_EQ(wait_spin(&member[0]), -ECONNRESET);
	ASSERT_EQ(GET(GROUP_GET, GROUP(0)), 0);
	EXPECT_EQ(NUMBER(HBS_A_GROUP_STATE), HBS_GROUP_STATE_GATHERING);
	EXPECT_EQ(NUMBER(HBS_A_GROUP_JOINED), 0);
	for (int i = 0; i < 2; i++)
		ASSERT_EQ(join(&group[0], &port[i], &member[i]), 0);
	for (int i = 0; i < 2; i++)
		arrive(&member[i]);
	EXPECT_EQ(wait_spin(&member[0]), 0);
}

TEST_F(netlink, card_reset)
{
	struct one one;
	uint64_t resets;
	int card;

	OPEN();
	ASSERT_EQ(one_member(self->card, 2, &one), 0);
	ASSERT_EQ(GET(CARD_GET, CARD), 0);
	resets = NUMBER(HBS_A_CARD_RESETS);
	ASSERT_EQ(talk_do(&talk, HBS_NL_CMD_CARD_RESET, CARD), 0);
	EXPECT_EQ(wait_spin(&one.member), -ECONNRESET);
	ASSERT_EQ(GET(CARD_GET, CARD), 0);
	EXPECT_EQ(NUMBER(HBS_A_CARD_RESETS), resets + 1);
	EXPECT_EQ(NUMBER(HBS_A_CARD_STATE), HBS_CARD_STATE_WORKING);
	EXPECT_EQ(NUMBER(HBS_A_CARD_PORTS_USED), 0);
	card = card_open();
	ASSERT_GE(card, 0);
	ASSERT_EQ(one_member(card, 1, &one), 0);
	EXPECT_EQ(barrier(&one.member), 0);
}

TEST_HARNESS_MAIN
