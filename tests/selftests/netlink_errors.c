// SPDX-License-Identifier: GPL-2.0-or-later
/* Requests to the netlink family that are wrong: the error says what is. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include <netlink/genl/genl.h>
#include <netlink/netlink.h>

#include "harness.h"
#include "hbs_test.h"
#include "talk.h"

#define MOST 8

HBS_FIXTURE(netlink_errors)

/* A request; its first attributes, @needed of them, have to be there. Others have a limit only */
struct request {
	int cmd;
	int needed;
	int count;
	int dump; /* how many attributes a dump has; -1: there is none */
	struct {
		int type;
		int size;
		uint64_t most;
	} attr[MOST];
};

#define CARD_ATTR         \
	{                 \
		1, 4, 255 \
	}
#define PORT_ATTR(type)         \
	{                       \
		(type), 4, 1023 \
	}
#define GROUP_ATTR(type)       \
	{                      \
		(type), 4, 127 \
	}
#define ANY_ATTR(type)                \
	{                             \
		(type), 4, UINT32_MAX \
	}
#define LIMIT_ATTR(type, max)    \
	{                        \
		(type), 4, (max) \
	}
#define TIME_ATTR(type)                   \
	{                                 \
		(type), 8, 0xffffffffffff \
	}

static const struct request requests[] = {
	{ HBS_NL_CMD_CARD_GET, 1, 1, 1, { CARD_ATTR } },
	{ HBS_NL_CMD_PORT_GET, 2, 2, 1, { CARD_ATTR, PORT_ATTR(HBS_A_PORT_PORT) } },
	{ HBS_NL_CMD_GROUP_GET, 2, 2, 1, { CARD_ATTR, GROUP_ATTR(HBS_A_GROUP_GROUP) } },
	{ HBS_NL_CMD_MEMBER_GET,
	  3,
	  3,
	  2,
	  { CARD_ATTR, GROUP_ATTR(HBS_A_MEMBER_GROUP), PORT_ATTR(HBS_A_MEMBER_PORT) } },
	{ HBS_NL_CMD_USER_GET, 2, 2, 1, { CARD_ATTR, ANY_ATTR(HBS_A_USER_UID) } },
	{ HBS_NL_CMD_LIMITS_GET, 1, 1, 1, { CARD_ATTR } },
	{ HBS_NL_CMD_LIMITS_SET,
	  1,
	  7,
	  -1,
	  { CARD_ATTR, LIMIT_ATTR(HBS_A_LIMITS_PORTS_PER_USER, 1024),
	    LIMIT_ATTR(HBS_A_LIMITS_PORTS_RESERVED, 1024),
	    LIMIT_ATTR(HBS_A_LIMITS_GROUPS_PER_USER, 128),
	    LIMIT_ATTR(HBS_A_LIMITS_GROUPS_RESERVED, 128), TIME_ATTR(HBS_A_LIMITS_TIMEOUT_MIN_NS),
	    TIME_ATTR(HBS_A_LIMITS_TIMEOUT_MAX_NS) } },
	{ HBS_NL_CMD_GROUP_RESET, 2, 2, -1, { CARD_ATTR, GROUP_ATTR(HBS_A_GROUP_GROUP) } },
	{ HBS_NL_CMD_CARD_RESET, 1, 1, -1, { CARD_ATTR } },
};
#define REQUESTS ((int)(sizeof(requests) / sizeof(requests[0])))

static struct talk talk;

/* Linux 6.1 has no extended acknowledgement when the driver refuses a dump */
static bool names_in_dumps(void)
{
	struct utsname name;

	return uname(&name) || strncmp(name.release, "6.1.", 4);
}
static struct port port;
static struct group group;
static struct member member;

/* The needed attributes, as they would be right */
static void right(const struct request *request, uint32_t card, struct attr *attrs)
{
	for (int i = 0; i < request->needed; i++) {
		attrs[i] = (struct attr){ request->attr[i].type, request->attr[i].size, 0 };
		if (!i)
			attrs[i].value = card;
		else if (request->attr[i].most == 1023)
			attrs[i].value = port.number;
		else if (request->attr[i].most == 127)
			attrs[i].value = group.number;
	}
}

static int ask(const struct request *request, int flags, const struct attr *attrs, int n)
{
	return talk_ask(&talk, request->cmd, flags, attrs, n, NULL, NULL);
}

/* Something to ask for */
static int furnish(int card)
{
	int ret = talk_open(&talk);

	if (!ret)
		ret = port_alloc(card, &port);
	if (!ret)
		ret = group_create(card, 2, &group);
	return ret ? ret : join(&group, &port, &member);
}

/* Else the other tests would say nothing */
TEST_F(netlink_errors, not_if_all_is_right)
{
	struct attr attrs[MOST];

	ASSERT_EQ(furnish(self->card), 0);
	for (int r = 0; r < REQUESTS; r++) {
		right(&requests[r], self->info.card, attrs);
		EXPECT_EQ(ask(&requests[r], 0, attrs, requests[r].needed), 0);
		if (requests[r].dump < 0)
			continue;
		for (int n = 0; n <= requests[r].dump; n++)
			EXPECT_EQ(ask(&requests[r], NLM_F_DUMP, attrs, n), 0);
	}
}

TEST_F(netlink_errors, an_attribute_is_missing)
{
	ASSERT_EQ(furnish(self->card), 0);
	for (int r = 0; r < REQUESTS; r++) {
		for (int without = 0; without < requests[r].needed; without++) {
			struct attr attrs[MOST];
			int n = requests[r].needed - 1;

			right(&requests[r], self->info.card, attrs);
			memmove(&attrs[without], &attrs[without + 1],
				(n - without) * sizeof(attrs[0]));
			EXPECT_EQ(ask(&requests[r], 0, attrs, n), -EINVAL);
			EXPECT_EQ(talk.missing, requests[r].attr[without].type);
		}
	}
}

TEST_F(netlink_errors, an_attribute_has_a_wrong_size)
{
	static const int sizes[] = { 0, 1, 2, 3, 4, 5, 7, 8 };
	struct attr attrs[MOST];

	ASSERT_EQ(furnish(self->card), 0);
	for (int r = 0; r < REQUESTS; r++) {
		for (int i = 0; i < requests[r].count; i++) {
			for (int s = 0; s < 8; s++) {
				int at = i < requests[r].needed ? i : requests[r].needed;

				if (sizes[s] == requests[r].attr[i].size)
					continue;
				right(&requests[r], self->info.card, attrs);
				attrs[at] = (struct attr){ requests[r].attr[i].type, sizes[s], 0 };
				EXPECT_EQ(ask(&requests[r], 0, attrs,
					      requests[r].needed +
						      (at != i || at == requests[r].needed)),
					  -EINVAL);
				EXPECT_EQ(talk.bad, requests[r].attr[i].type);
			}
		}
	}
}

TEST_F(netlink_errors, an_attribute_is_out_of_range)
{
	struct attr attrs[MOST];

	ASSERT_EQ(furnish(self->card), 0);
	for (int r = 0; r < REQUESTS; r++) {
		for (int i = 0; i < requests[r].count; i++) {
			uint64_t most = requests[r].attr[i].most;
			uint64_t wrong[] = { most + 1, UINT32_MAX, 1ULL << 63 };
			int at = i < requests[r].needed ? i : requests[r].needed;
			int n = requests[r].needed + (at == requests[r].needed);

			for (int w = 0; w < 3 && most != UINT32_MAX; w++) {
				if (wrong[w] <= most ||
				    (wrong[w] >> 32 && requests[r].attr[i].size == 4))
					continue;
				right(&requests[r], self->info.card, attrs);
				attrs[at] = (struct attr){ requests[r].attr[i].type,
							   requests[r].attr[i].size, wrong[w] };
				EXPECT_EQ(ask(&requests[r], 0, attrs, n), -ERANGE);
				EXPECT_EQ(talk.bad, requests[r].attr[i].type);
			}
		}
	}
	/* no timeout is not the shortest one */
	EXPECT_EQ(talk_do(&talk, HBS_NL_CMD_LIMITS_SET, U32(1, self->info.card),
			  U64(HBS_A_LIMITS_TIMEOUT_MIN_NS, 0)),
		  -ERANGE);
	EXPECT_EQ(talk.bad, HBS_A_LIMITS_TIMEOUT_MIN_NS);
}

/* Neither those that answers have, nor those that nobody has */
TEST_F(netlink_errors, an_attribute_is_of_no_request)
{
	struct attr attrs[MOST + 1];

	ASSERT_EQ(furnish(self->card), 0);
	for (int r = 0; r < REQUESTS; r++) {
		for (int type = 0; type < 64; type++) {
			bool known = false;

			for (int i = 0; i < requests[r].count; i++)
				known = known || requests[r].attr[i].type == type;
			if (known)
				continue;
			right(&requests[r], self->info.card, attrs);
			attrs[requests[r].needed] = (struct attr)U32(type, 0);
			EXPECT_EQ(ask(&requests[r], 0, attrs, requests[r].needed + 1), -EINVAL);
			EXPECT_EQ(talk.bad, type);
		}
	}
}

TEST_F(netlink_errors, an_attribute_is_a_nest)
{
	struct attr attrs[MOST];

	ASSERT_EQ(furnish(self->card), 0);
	for (int r = 0; r < REQUESTS; r++) {
		for (int i = 0; i < requests[r].needed; i++) {
			right(&requests[r], self->info.card, attrs);
			attrs[i].type |= NLA_F_NESTED;
			EXPECT_EQ(ask(&requests[r], 0, attrs, requests[r].needed), -EINVAL);
			EXPECT_EQ(talk.bad, requests[r].attr[i].type);
		}
	}
}

TEST_F(netlink_errors, a_dump_does_not_ask_so)
{
	struct attr attrs[MOST];

	ASSERT_EQ(furnish(self->card), 0);
	for (int r = 0; r < REQUESTS; r++) {
		right(&requests[r], self->info.card, attrs);
		if (requests[r].dump < 0) {
			EXPECT_EQ(ask(&requests[r], NLM_F_DUMP, attrs, 1), -EOPNOTSUPP);
			continue;
		}
		for (int i = requests[r].dump; i < requests[r].needed; i++) {
			EXPECT_EQ(ask(&requests[r], NLM_F_DUMP, &attrs[i], 1), -EINVAL);
			EXPECT_EQ(talk.bad, names_in_dumps() ? requests[r].attr[i].type : -1);
		}
		for (int size = 0; size < 8; size += 3) {
			attrs[0].size = size;
			EXPECT_EQ(ask(&requests[r], NLM_F_DUMP, attrs, 1), -EINVAL);
			EXPECT_EQ(talk.bad, requests[r].attr[0].type);
		}
		attrs[0] = (struct attr)U32(requests[r].attr[0].type, 256);
		EXPECT_EQ(ask(&requests[r], NLM_F_DUMP, attrs, 1), -ERANGE);
		EXPECT_EQ(talk.bad, requests[r].attr[0].type);
	}
}

/* A card, a port, a group, a member that could be there */
TEST_F(netlink_errors, an_object_is_not_there)
{
	struct attr attrs[MOST];

	ASSERT_EQ(furnish(self->card), 0);
	for (int r = 0; r < REQUESTS; r++) {
		right(&requests[r], self->info.card, attrs);
		attrs[0].value = 255;
		EXPECT_EQ(ask(&requests[r], 0, attrs, requests[r].needed), -ENODEV);
		EXPECT_EQ(talk.bad, requests[r].attr[0].type);
		if (requests[r].dump >= 0) {
			EXPECT_EQ(ask(&requests[r], NLM_F_DUMP, attrs, 1), -ENODEV);
			EXPECT_EQ(talk.bad, names_in_dumps() ? requests[r].attr[0].type : -1);
		}
		for (int i = 1; i < requests[r].needed; i++) {
			/* the last of the card, and the last of any card */
			uint64_t last[] = { requests[r].attr[i].most,
					    requests[r].attr[i].most == 127
						    ? self->info.groups - 1
						    : self->info.ports - 1 };

			for (int k = 0; k < 2 && requests[r].attr[i].most != UINT32_MAX; k++) {
				right(&requests[r], self->info.card, attrs);
				attrs[i].value = last[k];
				EXPECT_EQ(ask(&requests[r], 0, attrs, requests[r].needed), -ENOENT);
				EXPECT_EQ(talk.bad, requests[r].attr[i].type);
			}
		}
	}
}

/* A message of the family that is not as libnl makes them */
static struct nl_msg *odd(int cmd, int flags, uint16_t reserved, size_t tail)
{
	struct nl_msg *msg = nlmsg_alloc();
	struct genlmsghdr *header;
	uint32_t card = 0;

	if (!msg)
		return NULL;
	header = genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, talk.family, 0,
			     NLM_F_REQUEST | NLM_F_ACK | flags, cmd, HBS_FAMILY_VERSION);
	header = genlmsg_hdr(nlmsg_hdr(msg));
	header->reserved = reserved;
	nla_put(msg, HBS_A_CARD_CARD, sizeof(card), &card);
	nlmsg_hdr(msg)->nlmsg_len += tail;
	return msg;
}

static int send_odd(int cmd, int flags, uint16_t reserved, size_t tail)
{
	struct nl_msg *msg = odd(cmd, flags, reserved, tail);
	int ret = msg ? talk_send_raw(&talk, msg, NULL, NULL) : -ENOMEM;

	nlmsg_free(msg);
	return ret;
}

TEST_F(netlink_errors, a_header_is_wrong)
{
	static const int flags[] = { 0x800, 0x1000, 0x8000 };

	ASSERT_EQ(furnish(self->card), 0);
	EXPECT_EQ(send_odd(HBS_NL_CMD_CARD_GET, 0, 0, 0), 0);
	EXPECT_EQ(send_odd(HBS_NL_CMD_CARD_GET, 0, 1, 0), -EINVAL);
	EXPECT_EQ(send_odd(HBS_NL_CMD_CARD_GET, NLM_F_DUMP, 0xffff, 0), -EINVAL);
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(send_odd(HBS_NL_CMD_CARD_GET, flags[i], 0, 0), -EINVAL);
	/* bytes that are no attribute, or not one of this length */
	EXPECT_EQ(send_odd(HBS_NL_CMD_CARD_GET, 0, 0, 1), -EINVAL);
	EXPECT_EQ(send_odd(HBS_NL_CMD_CARD_GET, 0, 0, 3), -EINVAL);
}

TEST_F(netlink_errors, a_command_is_none)
{
	static const int cmds[] = { 0, HBS_NL_CMD_CARD_RESET + 1, HBS_NL_CMD_MAX,
				    HBS_NL_CMD_MAX + 1, 255 };

	ASSERT_EQ(furnish(self->card), 0);
	for (int i = 0; i < 5; i++) {
		EXPECT_EQ(send_odd(cmds[i], 0, 0, 0), -EOPNOTSUPP);
		EXPECT_EQ(send_odd(cmds[i], NLM_F_DUMP, 0, 0), -EOPNOTSUPP);
	}
}

TEST_HARNESS_MAIN
