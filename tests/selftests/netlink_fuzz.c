// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Random messages to the netlink family, as root and as a user: 10000 of each, or as many as
 * HBS_TEST_MESSAGES says. HBS_TEST_SEED chooses others.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <netlink/genl/genl.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>

#include "harness.h"
#include "hbs_test.h"
#include "talk.h"

HBS_FIXTURE(netlink_fuzz)

static uint64_t state;

static uint32_t next(uint32_t below)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(state >> 33) % below;
}

/* A number that could be somewhere: small, at a limit, or any */
static uint64_t number(void)
{
	static const uint64_t edges[] = { 0,	1,    127,	  128,	      255,	 256,
					  1023, 1024, UINT32_MAX, 1ULL << 48, UINT64_MAX };

	switch (next(4)) {
	case 0:
		return edges[next(11)];
	case 1:
		return (uint64_t)next(1U << 31) << 33 | next(1U << 31);
	default:
		return next(8);
	}
}

/* An attribute: most often one that could be right */
static void add_attribute(struct nl_msg *msg)
{
	static const int sizes[] = { 4, 4, 4, 4, 8, 8, 0, 1, 2, 3, 5, 7, 16, 64, 300 };
	int size = sizes[next(15)];
	int type = next(10) ? (int)next(9) : (int)next(1 << 16);
	uint64_t data[40];

	for (unsigned int i = 0; i < 40; i++)
		data[i] = number();
	if (next(20) == 0) {
		struct nlattr *nest = nla_nest_start(msg, type);

		for (unsigned int i = next(4); nest && i; i--)
			nla_put(msg, (int)next(9), sizes[next(15)], data);
		if (nest)
			nla_nest_end(msg, nest);
		return;
	}
	nla_put(msg, type, size, data);
}

/* The attributes that most requests have: card, number, and number of a part; or limits */
static void add_likely(struct nl_msg *msg, uint32_t card, int cmd)
{
	uint32_t value = card;

	nla_put_u32(msg, 1, value);
	if (cmd == HBS_NL_CMD_LIMITS_SET) {
		if (next(2))
			nla_put_u32(msg, HBS_A_LIMITS_PORTS_PER_USER + (int)next(4), next(40));
		else
			nla_put_u64(msg, HBS_A_LIMITS_TIMEOUT_MIN_NS + (int)next(2), number());
		return;
	}
	for (unsigned int i = 2; i < 2 + next(3); i++)
		nla_put_u32(msg, (int)i, next(3));
}

static struct nl_msg *message(const struct talk *talk, uint32_t card, bool resets)
{
	struct nl_msg *msg = nlmsg_alloc();
	int cmd = next(12) ? 1 + (int)next(9) : (int)next(256);
	int flags = next(4) ? 0 : NLM_F_DUMP;
	struct nlmsghdr *header;

	if (!msg)
		return NULL;
	/* A reset takes the time of many messages */
	if (cmd == HBS_NL_CMD_CARD_RESET && (!resets || next(20)))
		cmd = HBS_NL_CMD_GROUP_GET;
	if (!next(30))
		flags = (int)next(1 << 16);
	genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, talk->family, 0,
		    NLM_F_REQUEST | (next(2) ? NLM_F_ACK : 0) | flags, cmd, (int)next(3));
	header = nlmsg_hdr(msg);
	if (!next(50))
		genlmsg_hdr(header)->reserved = (uint16_t)next(1 << 16);
	if (next(3))
		add_likely(msg, card, cmd);
	for (unsigned int i = next(2) ? 0 : next(5); i; i--)
		add_attribute(msg);
	/* Cut off, or with a tail, or with a length of an attribute that lies */
	if (!next(20))
		header->nlmsg_len = NLMSG_HDRLEN + next(header->nlmsg_len);
	if (!next(20) && header->nlmsg_len > NLMSG_HDRLEN + GENL_HDRLEN + NLA_HDRLEN)
		((struct nlattr *)((char *)genlmsg_hdr(header) + GENL_HDRLEN))->nla_len =
			(uint16_t)next(1 << 16);
	return msg;
}

/* Throws away what has come; returns how many datagrams of it are answers of the family */
static unsigned long drain(struct talk *talk)
{
	static _Alignas(8) char text[65536];
	const struct nlmsghdr *header = (const struct nlmsghdr *)text;
	unsigned long answers = 0;

	while (recv(nl_socket_get_fd(talk->sock), text, sizeof(text), MSG_DONTWAIT) > 0)
		answers += header->nlmsg_type == talk->family;
	return answers;
}

static void fuzz(unsigned long messages, uint32_t card, bool resets)
{
	unsigned long answers = 0;
	struct talk talk;

	if (talk_open(&talk))
		_exit(1);
	for (unsigned long i = 0; i < messages; i++) {
		struct nl_msg *msg = message(&talk, card, resets);

		if (!msg)
			_exit(2);
		nl_complete_msg(talk.sock, msg);
		if (nl_send(talk.sock, msg) < 0)
			_exit(3);
		nlmsg_free(msg);
		answers += drain(&talk);
		/* A dump may go on while another message comes, but not for ever */
		if (!next(50)) {
			talk_close(&talk);
			if (talk_open(&talk))
				_exit(4);
		}
	}
	printf("# %lu messages, %lu of them answered\n", messages, answers);
	fflush(stdout);
	/* Else they would be too wrong to try the driver */
	_exit(answers > messages / 20 ? 0 : 6);
}

static int fuzz_as(uid_t uid, uint32_t card)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		if (uid && syscall(SYS_setresuid, uid, uid, uid))
			_exit(5);
		fuzz((unsigned long)env_long("HBS_TEST_MESSAGES", 10000), card, !uid);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -ECHILD;
	return status;
}

static const char *const limits[] = { "ports_per_user",	 "ports_reserved", "groups_per_user",
				      "groups_reserved", "timeout_min_ns", "timeout_max_ns" };

static void set_limit(const char *name, long value)
{
	char path[128], text[32];

	snprintf(path, sizeof(path), "/sys/class/hbs/%s/%s", card_name(0), name);
	snprintf(text, sizeof(text), "%ld", value);
	write_file(path, text);
}

TEST_F_TIMEOUT(netlink_fuzz, random_messages, 600)
{
	static const uid_t people[] = { 1002, 0 };
	long before[6];

	state = (uint64_t)env_long("HBS_TEST_SEED", 1);
	for (int i = 0; i < 6; i++)
		ASSERT_EQ(card_attribute(limits[i], &before[i]), 0);
	for (int p = 0; p < 2; p++) {
		struct one one;
		struct got got;
		struct talk talk;
		int card = card_open();

		ASSERT_GE(card, 0);
		ASSERT_EQ(one_member(card, 2, &one), 0);
		EXPECT_EQ(fuzz_as(people[p], self->info.card), 0);
		/* A user has changed nothing: the member is there, and the limits */
		if (people[p]) {
			EXPECT_FALSE(released(&one.member));
			for (int i = 0; i < 6; i++) {
				long after;

				ASSERT_EQ(card_attribute(limits[i], &after), 0);
				EXPECT_EQ(after, before[i]);
			}
		}
		for (int i = 0; i < 2; i++)
			for (int k = 0; k < 6; k++)
				set_limit(limits[k], before[k]);
		release_all();
		self->card = -1;
		/* It works */
		card = card_open();
		ASSERT_GE(card, 0);
		ASSERT_EQ(one_member(card, 1, &one), 0);
		EXPECT_EQ(barrier(&one.member), 0);
		ASSERT_EQ(talk_open(&talk), 0);
		ASSERT_EQ(talk_get(&talk, HBS_NL_CMD_PORT_GET, &got,
				   U32(HBS_A_PORT_CARD, self->info.card),
				   U32(HBS_A_PORT_PORT, one.port.number)),
			  0);
		EXPECT_EQ(talk_number(got.tb[HBS_A_PORT_PID], NONE), getpid());
		release_all();
	}
}

TEST_HARNESS_MAIN
