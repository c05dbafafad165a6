// SPDX-License-Identifier: GPL-2.0-or-later
/* The events of the netlink family: each kind, in order, once, to all who listen. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/pci_regs.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <netlink/socket.h>

#include "harness.h"
#include "hbs_test.h"
#include "talk.h"

/* Longer than the driver waits between two violations that it reports */
#define CALM_MS 1100

FIXTURE(netlink_events)
{
	struct usage before;
	int card;
	struct hbs_info info;
	struct talk listener;
	struct talk talk;
	struct got got;
};

FIXTURE_SETUP(netlink_events)
{
	usage_note(&self->before);
	self->card = card_open();
	ASSERT_GE(self->card, 0);
	ASSERT_EQ(card_info(self->card, &self->info), 0);
	ASSERT_EQ(talk_open(&self->talk), 0);
	ASSERT_EQ(talk_open(&self->listener), 0);
	ASSERT_EQ(talk_listen(&self->listener), 0);
}

FIXTURE_TEARDOWN(netlink_events)
{
	release_all();
	EXPECT_EQ(usage_compare(&self->before), 0);
}

/* The next event, which is in self->got then; returns its command, or -errno */
static int next(FIXTURE_DATA(netlink_events) *self, struct talk *listener)
{
	int ret;

	memset(&self->got, 0, sizeof(self->got));
	/* it comes within a second or two, unless the guest does not run meanwhile */
	ret = talk_event(listener, 60000, talk_keep, &self->got);
	return ret ? ret : self->got.cmd;
}

#define NEXT(name)   ASSERT_EQ(next(self, &self->listener), HBS_NL_CMD_##name##_NTF)
#define NUMBER(attr) talk_number(self->got.tb[attr], NONE)
#define QUIET()                                                                        \
	EXPECT_EQ(talk_event(&self->listener, 100, talk_keep, &self->got), -ETIMEDOUT) \
	{                                                                              \
		TH_LOG("event %d", self->got.cmd);                                     \
	}

/* How many attributes the event has */
static int attributes(const struct got *got)
{
	int n = 0;

	for (int i = 0; i < TALK_MAX_ATTR; i++)
		n += got->tb[i] != NULL;
	return n;
}

/* An event of a group has three numbers */
static void check_group(struct __test_metadata *_metadata, FIXTURE_DATA(netlink_events) *self,
			const struct group *group, unsigned int reason)
{
	EXPECT_EQ(NUMBER(HBS_A_GROUP_CARD), self->info.card);
	EXPECT_EQ(NUMBER(HBS_A_GROUP_GROUP), group->number);
	EXPECT_EQ(NUMBER(HBS_A_GROUP_REASON), reason);
	EXPECT_EQ(attributes(&self->got), 3);
}

#define GROUP_EVENT(name, group, reason)                                  \
	do {                                                              \
		NEXT(GROUP_##name);                                       \
		check_group(_metadata, self, group, HBS_REASON_##reason); \
	} while (0)

#define MEMBER_DIED(group, in)                                          \
	do {                                                            \
		NEXT(MEMBER_DIED);                                      \
		EXPECT_EQ(NUMBER(HBS_A_MEMBER_CARD), self->info.card);  \
		EXPECT_EQ(NUMBER(HBS_A_MEMBER_GROUP), (group)->number); \
		EXPECT_EQ(NUMBER(HBS_A_MEMBER_PORT), in);               \
		EXPECT_EQ(attributes(&self->got), 3);                   \
	} while (0)

/* A group of two; the first has arrived */
struct pair {
	struct group group;
	struct port port[2];
	struct member member[2];
};

static int pair_make(int card, const struct hbs_group_create *with, struct pair *pair)
{
	int ret = group_create_with(card, 2, with, &pair->group);

	for (int i = 0; i < 2 && !ret; i++) {
		ret = port_alloc(card, &pair->port[i]);
		if (!ret)
			ret = join(&pair->group, &pair->port[i], &pair->member[i]);
	}
	if (!ret)
		arrive(&pair->member[0]);
	return ret;
}

#define NEEDS(feature, what)                                  \
	do {                                                  \
		if (!(self->info.features & (feature)))       \
			SKIP(return, "a card without " what); \
	} while (0)

/* A barrier is none */
TEST_F(netlink_events, nothing)
{
	struct hbs_group_create with = { 0 };
	struct pair pair;

	ASSERT_EQ(pair_make(self->card, &with, &pair), 0);
	arrive(&pair.member[1]);
	EXPECT_EQ(wait_spin(&pair.member[0]), 0);
	ASSERT_EQ(leave(&pair.member[0]), 0);
	QUIET();
}

TEST_F(netlink_events, timeout)
{
	struct hbs_group_create with = { .policy = HBS_POLICY_NOTIFY, .timeout_ns = 2000000 };
	struct pair pair;

	NEEDS(HBS_FEATURE_TIMEOUT, "timers");
	for (int epoch = 0; epoch < 3; epoch++) {
		if (epoch)
			arrive(&pair.member[0]);
		else
			ASSERT_EQ(pair_make(self->card, &with, &pair), 0);
		GROUP_EVENT(TIMEOUT, &pair.group, NONE);
		QUIET();
		arrive(&pair.member[1]);
		for (int i = 0; i < 2; i++)
			ASSERT_EQ(wait_spin(&pair.member[i]), 0);
	}
}

TEST_F(netlink_events, timeout_that_breaks)
{
	struct hbs_group_create with = { .timeout_ns = 2000000 };
	struct pair pair;

	NEEDS(HBS_FEATURE_TIMEOUT, "timers");
	ASSERT_EQ(pair_make(self->card, &with, &pair), 0);
	GROUP_EVENT(TIMEOUT, &pair.group, TIMEOUT);
	GROUP_EVENT(BROKEN, &pair.group, TIMEOUT);
	EXPECT_EQ(wait_spin(&pair.member[0]), -ETIMEDOUT);
	ASSERT_EQ(group_destroy(pair.group.fd), 0);
	QUIET();
}

/* A program that ends of it, as soon as it knows */
TEST_F(netlink_events, timeout_of_a_group_that_goes)
{
	struct hbs_group_create with = { .timeout_ns = 100000 };

	NEEDS(HBS_FEATURE_TIMEOUT, "timers");
	for (int round = 0; round < 50; round++) {
		struct pair pair;

		ASSERT_EQ(pair_make(self->card, &with, &pair), 0);
		ASSERT_EQ(wait_spin(&pair.member[0]), -ETIMEDOUT);
		ASSERT_EQ(group_close(&pair.group), 0);
		GROUP_EVENT(TIMEOUT, &pair.group, TIMEOUT);
		GROUP_EVENT(BROKEN, &pair.group, TIMEOUT);
		for (int i = 0; i < 2; i++)
			ASSERT_EQ(port_free(&pair.port[i]), 0);
	}
	QUIET();
}

TEST_F(netlink_events, broken)
{
	struct hbs_group_create with = { 0 };
	struct pair pair, other;

	ASSERT_EQ(pair_make(self->card, &with, &pair), 0);
	ASSERT_EQ(pair_make(self->card, &with, &other), 0);
	ASSERT_EQ(group_destroy(pair.group.fd), 0);
	ASSERT_EQ(group_destroy(pair.group.fd), 0);
	GROUP_EVENT(BROKEN, &pair.group, DESTROYED);
	QUIET();
	/* The last descriptor goes, and there are members */
	ASSERT_EQ(group_close(&other.group), 0);
	GROUP_EVENT(BROKEN, &other.group, DESTROYED);
	QUIET();
}

/* How many violations there were, when all of them have been told */
static void calm(struct __test_metadata *_metadata, FIXTURE_DATA(netlink_events) *self, long *count)
{
	sleep_ms(CALM_MS);
	while (!talk_event(&self->listener, 1, NULL, NULL))
		;
	ASSERT_EQ(card_attribute("violations", count), 0);
}

/*
 * The card cannot write a record, nor send the interrupt of that: the next interrupt makes the
 * driver look.
 */
TEST_F(netlink_events, broken_by_dma)
{
	struct hbs_group_create with = { 0 };
	struct hbs_group_missing state = { 0 };
	double end = seconds() + 10;
	struct pair pair;
	char pci[32];
	long count;

	calm(_metadata, self, &count);
	ASSERT_EQ(card_pci_name(0, pci, sizeof(pci)), 0);
	ASSERT_EQ(pair_make(self->card, &with, &pair), 0);
	ASSERT_EQ(card_pci_command(pci, PCI_COMMAND_MASTER, false), 0);
	arrive(&pair.member[1]);
	while (!(state.word & HBS_WORD_BROKEN)) {
		ASSERT_GE(group_missing(pair.group.fd, NULL, 0, &state), 0);
		ASSERT_LT(seconds(), end);
	}
	ASSERT_EQ(card_pci_command(pci, PCI_COMMAND_MASTER, true), 0);
	QUIET();
	arrive(&pair.member[1]);
	GROUP_EVENT(BROKEN, &pair.group, DMA);
	NEXT(VIOLATION);
	for (int i = 0; i < 2; i++)
		EXPECT_EQ(wait_spin(&pair.member[i]), -EIO);
	ASSERT_EQ(group_destroy(pair.group.fd), 0);
	QUIET();
	/* The next violation is told at once again */
	sleep_ms(CALM_MS);
}

TEST_F(netlink_events, death)
{
	struct hbs_group_create with = { 0 };
	struct pair pair;

	ASSERT_EQ(pair_make(self->card, &with, &pair), 0);
	ASSERT_EQ(leave_died(&pair.member[1]), 0);
	MEMBER_DIED(&pair.group, pair.port[1].number);
	GROUP_EVENT(BROKEN, &pair.group, DIED);
	/* It can break only once */
	ASSERT_EQ(leave_died(&pair.member[0]), 0);
	MEMBER_DIED(&pair.group, pair.port[0].number);
	QUIET();
}

TEST_F(netlink_events, death_in_a_group_that_shrinks)
{
	struct hbs_group_create with = { .policy = HBS_POLICY_SHRINK };
	struct pair pair;

	ASSERT_EQ(pair_make(self->card, &with, &pair), 0);
	ASSERT_EQ(leave_died(&pair.member[1]), 0);
	MEMBER_DIED(&pair.group, pair.port[1].number);
	EXPECT_EQ(wait_spin(&pair.member[0]), 0);
	QUIET();
}

TEST_F(netlink_events, death_of_a_process)
{
	struct hbs_group_create with = { 0 };
	struct pair pair;
	struct port port;
	struct member member;
	pid_t pid;
	int card;

	ASSERT_EQ(pair_make(self->card, &with, &pair), 0);
	ASSERT_EQ(leave(&pair.member[1]), 0);
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		card = card_open();
		if (card < 0 || port_alloc(card, &port) || join(&pair.group, &port, &member))
			_exit(1);
		kill(getpid(), SIGKILL);
	}
	ASSERT_EQ(waitpid(pid, NULL, 0), pid);
	/* It got the lowest port that is free */
	NEXT(MEMBER_DIED);
	EXPECT_EQ(NUMBER(HBS_A_MEMBER_GROUP), pair.group.number);
	GROUP_EVENT(BROKEN, &pair.group, DIED);
	QUIET();
}

TEST_F(netlink_events, reset_of_a_group)
{
	struct hbs_group_create with = { 0 };
	struct pair pair;

	ASSERT_EQ(pair_make(self->card, &with, &pair), 0);
	for (int round = 0; round < 2; round++) {
		ASSERT_EQ(round ? talk_do(&self->talk, HBS_NL_CMD_GROUP_RESET,
					  U32(HBS_A_GROUP_CARD, self->info.card),
					  U32(HBS_A_GROUP_GROUP, pair.group.number))
				: group_reset(pair.group.fd),
			  0);
		GROUP_EVENT(BROKEN, &pair.group, RESET);
		GROUP_EVENT(RESET, &pair.group, NONE);
	}
	/* One that is broken already, which has been told; it can break again */
	ASSERT_EQ(group_destroy(pair.group.fd), 0);
	GROUP_EVENT(BROKEN, &pair.group, DESTROYED);
	ASSERT_EQ(group_reset(pair.group.fd), 0);
	GROUP_EVENT(RESET, &pair.group, NONE);
	ASSERT_EQ(group_destroy(pair.group.fd), 0);
	GROUP_EVENT(BROKEN, &pair.group, DESTROYED);
	QUIET();
}

#define VIOLATION(name, by, in)                                                \
	do {                                                                   \
		NEXT(VIOLATION);                                               \
		EXPECT_EQ(NUMBER(HBS_A_VIOLATION_CARD), self->info.card);      \
		EXPECT_EQ(NUMBER(HBS_A_VIOLATION_KIND), HBS_VIOLATION_##name); \
		EXPECT_EQ(NUMBER(HBS_A_VIOLATION_PORT), by);                   \
		EXPECT_EQ(NUMBER(HBS_A_VIOLATION_GROUP), in);                  \
		EXPECT_EQ(NUMBER(HBS_A_VIOLATION_COUNT), ++count);             \
		EXPECT_EQ(attributes(&self->got), 5);                          \
		sleep_ms(CALM_MS);                                             \
	} while (0)

TEST_F(netlink_events, violation)
{
	struct hbs_group_create with = { 0 };
	struct pair pair;
	struct port stranger;
	long count;

	calm(_metadata, self, &count);
	ASSERT_EQ(pair_make(self->card, &with, &pair), 0);
	ASSERT_EQ(port_alloc(self->card, &stranger), 0);
	*(volatile uint64_t *)((char *)stranger.map + pair.group.number * HBS_LANE_SIZE) = 1;
	VIOLATION(NON_MEMBER, stranger.number, pair.group.number);
	arrive(&pair.member[0]);
	VIOLATION(DOUBLE, pair.port[0].number, pair.group.number);
	*(volatile uint8_t *)pair.member[1].arrival = 1;
	VIOLATION(ACCESS, pair.port[1].number, pair.group.number);
	ASSERT_EQ(group_destroy(pair.group.fd), 0);
	GROUP_EVENT(BROKEN, &pair.group, DESTROYED);
	arrive(&pair.member[1]);
	VIOLATION(REFUSED, pair.port[1].number, pair.group.number);
	/* Many are one event */
	for (int i = 0; i < 100; i++)
		arrive(&pair.member[1]);
	NEXT(VIOLATION);
	EXPECT_GT(NUMBER(HBS_A_VIOLATION_COUNT), count);
	EXPECT_LE(NUMBER(HBS_A_VIOLATION_COUNT), count + 100);
	/* The others may be reported until then, and not in the next test */
	sleep_ms(CALM_MS);
}

TEST_F(netlink_events, violation_in_a_refutable_group)
{
	struct hbs_group_create with = { .type = HBS_GROUP_REFUTABLE };
	struct pair pair;
	long count;

	NEEDS(HBS_FEATURE_REFUTABLE, "refutable groups");
	calm(_metadata, self, &count);
	ASSERT_EQ(pair_make(self->card, &with, &pair), 0);
	*(volatile uint64_t *)((char *)pair.member[1].arrival + HBS_LANE_WITHDRAW) = 1;
	VIOLATION(UNARRIVED, pair.port[1].number, pair.group.number);
	/* more messages than can be counted: the most that one can have sent, until it is too much */
	for (int i = 0; i < 4; i++) {
		*(volatile uint64_t *)((char *)pair.member[0].arrival + HBS_LANE_WITHDRAW) = 1;
		arrive_value(&pair.member[0], HBS_IDLE_DELTA >> 1);
	}
	NEXT(VIOLATION);
	GROUP_EVENT(BROKEN, &pair.group, OVERFLOW);
	sleep_ms(CALM_MS);
}

#define CARD_EVENT(name, state, resets)                                                    \
	do {                                                                               \
		NEXT(CARD_##name);                                                         \
		EXPECT_EQ(NUMBER(HBS_A_CARD_CARD), self->info.card);                       \
		EXPECT_EQ(NUMBER(HBS_A_CARD_STATE), HBS_CARD_STATE_##state);               \
		EXPECT_EQ(NUMBER(HBS_A_CARD_RESETS), resets);                              \
		ASSERT_NE(self->got.tb[HBS_A_CARD_NAME], NULL);                            \
		EXPECT_STREQ(nla_get_string(self->got.tb[HBS_A_CARD_NAME]), name_of_card); \
		ASSERT_NE(self->got.tb[HBS_A_CARD_PCI_ADDRESS], NULL);                     \
		EXPECT_STREQ(nla_get_string(self->got.tb[HBS_A_CARD_PCI_ADDRESS]), pci);   \
	} while (0)

TEST_F(netlink_events, cards)
{
	struct attr card = U32(HBS_A_CARD_CARD, self->info.card);
	struct hbs_group_create with = { 0 };
	char pci[32], name_of_card[16];
	struct pair pair;
	uint64_t resets;

	ASSERT_EQ(card_pci_name(0, pci, sizeof(pci)), 0);
	snprintf(name_of_card, sizeof(name_of_card), "%s", card_name(0));
	ASSERT_EQ(pair_make(self->card, &with, &pair), 0);
	ASSERT_EQ(talk_ask(&self->talk, HBS_NL_CMD_CARD_GET, 0, &card, 1, talk_keep, &self->got),
		  0);
	resets = NUMBER(HBS_A_CARD_RESETS);
	for (int round = 0; round < 2; round++) {
		ASSERT_EQ(round ? talk_ask(&self->talk, HBS_NL_CMD_CARD_RESET, 0, &card, 1, NULL,
					   NULL)
				: card_pci_write(pci, "reset", "1"),
			  0);
		resets++;
		CARD_EVENT(STATE, RESETTING, resets);
		EXPECT_EQ(attributes(&self->got), 5);
		CARD_EVENT(STATE, WORKING, resets);
		QUIET();
	}
	ASSERT_EQ(card_unbind(pci), 0);
	CARD_EVENT(DEL, GONE, resets);
	EXPECT_EQ(attributes(&self->got), 5);
	QUIET();
	ASSERT_EQ(card_bind(pci), 0);
	CARD_EVENT(ADD, WORKING, 0);
	EXPECT_EQ(NUMBER(HBS_A_CARD_PORTS), self->info.ports);
	EXPECT_EQ(NUMBER(HBS_A_CARD_PORTS_USED), 0);
	EXPECT_EQ(NUMBER(HBS_A_CARD_FEATURES), self->info.features);
	EXPECT_NE(self->got.tb[HBS_A_CARD_LIMITS], NULL);
	EXPECT_NE(self->got.tb[HBS_A_CARD_COUNTERS], NULL);
	QUIET();
}

struct dumper {
	struct talk talk;
	volatile bool stop;
	unsigned long dumps;
	int ret;
};

static void *dump_all(void *arg)
{
	struct dumper *dumper = arg;

	while (!dumper->stop && !dumper->ret) {
		/* those of requests that have a dump: the first six */
		dumper->ret =
			talk_dump(&dumper->talk, 1 + (int)(dumper->dumps % 6), NULL, 0, NULL, NULL);
		dumper->dumps++;
	}
	return NULL;
}

/* Cards go, come and are reset while somebody listens, and another one dumps */
TEST_F(netlink_events, storm_of_cards)
{
	struct dumper dumper = { 0 };
	char pci[32], name_of_card[16];
	pthread_t thread;

	ASSERT_EQ(card_pci_name(0, pci, sizeof(pci)), 0);
	snprintf(name_of_card, sizeof(name_of_card), "%s", card_name(0));
	/* A card that was not reset yet */
	ASSERT_EQ(card_unbind(pci), 0);
	NEXT(CARD_DEL);
	ASSERT_EQ(card_bind(pci), 0);
	NEXT(CARD_ADD);
	ASSERT_EQ(talk_open(&dumper.talk), 0);
	ASSERT_EQ(pthread_create(&thread, NULL, dump_all, &dumper), 0);
	for (int round = 0; round < env_long("HBS_TEST_RELOADS", 100) / 5; round++) {
		struct one one;
		int card = card_open();

		ASSERT_GE(card, 0);
		ASSERT_EQ(one_member(card, 2, &one), 0);
		ASSERT_EQ(card_pci_write(pci, "reset", "1"), 0);
		EXPECT_EQ(wait_spin(&one.member), -ECONNRESET);
		CARD_EVENT(STATE, RESETTING, 1);
		CARD_EVENT(STATE, WORKING, 1);
		ASSERT_EQ(card_unbind(pci), 0);
		CARD_EVENT(DEL, GONE, 1);
		ASSERT_EQ(card_bind(pci), 0);
		CARD_EVENT(ADD, WORKING, 0);
		ASSERT_EQ(group_close(&one.group), 0);
		ASSERT_EQ(port_unmap(&one.port), 0);
		ASSERT_EQ(close(card), 0);
	}
	dumper.stop = true;
	ASSERT_EQ(pthread_join(thread, NULL), 0);
	EXPECT_EQ(dumper.ret, 0);
	EXPECT_GT(dumper.dumps, 0);
	QUIET();
}

TEST_F(netlink_events, go_to_all)
{
	struct group group;
	struct talk second;

	ASSERT_EQ(talk_open(&second), 0);
	ASSERT_EQ(talk_listen(&second), 0);
	ASSERT_EQ(group_create(self->card, 1, &group), 0);
	ASSERT_EQ(group_destroy(group.fd), 0);
	GROUP_EVENT(BROKEN, &group, DESTROYED);
	ASSERT_EQ(next(self, &second), HBS_NL_CMD_GROUP_BROKEN_NTF);
	check_group(_metadata, self, &group, HBS_REASON_DESTROYED);
	/* Who has not asked for events gets none */
	EXPECT_EQ(talk_event(&self->talk, 100, talk_keep, &self->got), -ETIMEDOUT);
	talk_close(&second);
	ASSERT_EQ(group_reset(group.fd), 0);
	GROUP_EVENT(RESET, &group, NONE);
	QUIET();
}

TEST_F(netlink_events, go_to_users)
{
	struct group group;
	int status;
	pid_t pid;

	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		struct talk listener;
		int event;

		if (syscall(SYS_setresuid, 1002, 1002, 1002) || talk_open(&listener) ||
		    talk_listen(&listener))
			_exit(1);
		do
			event = next(self, &listener);
		while (event == HBS_NL_CMD_GROUP_RESET_NTF);
		_exit(event != HBS_NL_CMD_GROUP_BROKEN_NTF || attributes(&self->got) != 3);
	}
	ASSERT_EQ(group_create(self->card, 1, &group), 0);
	do {
		ASSERT_EQ(group_destroy(group.fd), 0);
		ASSERT_EQ(group_reset(group.fd), 0);
		sleep_ms(10);
	} while (!waitpid(pid, &status, WNOHANG));
	EXPECT_EQ(status, 0);
}

/* What breaking and mending a group many times has cost: time, and how often it slept */
struct cost {
	double seconds;
	long sleeps;
};

static int exercise(int fd, struct cost *cost)
{
	struct rusage before, after;
	double start = seconds();

	if (getrusage(RUSAGE_THREAD, &before))
		return -errno;
	for (int i = 0; i < 2000; i++)
		if (group_destroy(fd) || group_reset(fd))
			return -EPROTO;
	if (getrusage(RUSAGE_THREAD, &after))
		return -errno;
	cost->seconds = seconds() - start;
	cost->sleeps = after.ru_nvcsw - before.ru_nvcsw;
	return 0;
}

/* Nobody waits for a listener that does not read; that one learns that it has missed some */
TEST_F(netlink_events, that_nobody_reads)
{
	const int little = 4096;
	struct cost unheard, heard, unread;
	struct group group;
	struct talk deaf;
	int ret;

	ASSERT_EQ(group_create(self->card, 1, &group), 0);
	ASSERT_EQ(talk_open(&deaf), 0);
	ASSERT_EQ(setsockopt(nl_socket_get_fd(deaf.sock), SOL_SOCKET, SO_RCVBUF, &little,
			     sizeof(little)),
		  0);
	talk_close(&self->listener);
	ASSERT_EQ(exercise(group.fd, &unheard), 0);
	ASSERT_EQ(talk_listen(&deaf), 0);
	ASSERT_EQ(exercise(group.fd, &heard), 0);
	ASSERT_EQ(exercise(group.fd, &unread), 0);
	printf("# 2000 breaks and resets: %.0f ms unheard, %.0f and %.0f ms unread\n",
	       unheard.seconds * 1e3, heard.seconds * 1e3, unread.seconds * 1e3);
	/* A driver that waited would do so for most of 8000 events */
	EXPECT_LT(heard.sleeps, unheard.sleeps + 200);
	EXPECT_LT(unread.sleeps, unheard.sleeps + 200);
	EXPECT_EQ(talk_event(&deaf, 1000, talk_keep, &self->got), -ENOBUFS);
	/* What there was room for is there, and then comes what is new */
	do
		ret = talk_event(&deaf, 100, talk_keep, &self->got);
	while (!ret);
	EXPECT_EQ(ret, -ETIMEDOUT);
	ASSERT_EQ(group_destroy(group.fd), 0);
	ASSERT_EQ(next(self, &deaf), HBS_NL_CMD_GROUP_BROKEN_NTF);
	check_group(_metadata, self, &group, HBS_REASON_DESTROYED);
}

TEST_HARNESS_MAIN
