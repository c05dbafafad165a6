/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the tests of the netlink family share, over libnl. All functions return 0 or -errno
 * unless their comment says otherwise; none asserts.
 */
#ifndef HBS_TALK_H
#define HBS_TALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <netlink/attr.h>
#include <netlink/msg.h>

#include <linux/hbs_netlink.h>

struct nl_sock;

/* A socket, and what the kernel said of the latest request */
struct talk {
	struct nl_sock *sock;
	int family;
	int events;    /* the multicast group */
	bool by_write; /* sends by write(), which names no receiver */
	bool interrupted;
	/* of an extended ack: the attribute that is wrong or missing, or -1, and the message */
	int bad;
	int missing;
	char said[128];
	struct nlmsghdr *request;
};

/* An attribute of a request; its datum has @size bytes, whatever its type says */
struct attr {
	int type;
	int size;
	uint64_t value;
};

#define U32(number, what)           \
	(struct attr)               \
	{                           \
		(number), 4, (what) \
	}
#define U64(number, what)           \
	(struct attr)               \
	{                           \
		(number), 8, (what) \
	}

/* What a request gets: @tb has room for all attributes; called for each message */
typedef void talk_answer(int cmd, struct nlattr **tb, void *arg);

int talk_open(struct talk *talk);
void talk_close(struct talk *talk);
/* A request with @n attributes, and with more flags than NLM_F_REQUEST and NLM_F_ACK */
int talk_ask(struct talk *talk, int cmd, int flags, const struct attr *attrs, int n,
	     talk_answer *answer, void *arg);
int talk_dump(struct talk *talk, int cmd, const struct attr *attrs, int n, talk_answer *answer,
	      void *arg);
/* The same in steps: each talk_step() reads one datagram, and returns 1 when the dump is over */
int talk_dump_start(struct talk *talk, int cmd, const struct attr *attrs, int n);
int talk_step(struct talk *talk, talk_answer *answer, void *arg);
/* Sends a message as it is, and waits for the answer */
int talk_send_raw(struct talk *talk, struct nl_msg *msg, talk_answer *answer, void *arg);

/* Gets events from now on */
int talk_listen(struct talk *talk);
/* Waits at most @timeout_ms for one datagram of events; -ETIMEDOUT if there is none */
int talk_event(struct talk *talk, int timeout_ms, talk_answer *answer, void *arg);

/* Attributes as numbers; @none if they are not there */
uint64_t talk_number(struct nlattr *attr, uint64_t none);
/* The number @attr in the nest @nest */
uint64_t talk_nested(struct nlattr *nest, int attr, uint64_t none);

#define TALK_MAX_ATTR 64
#define NONE	      UINT64_MAX

/* A copy of what a request for one object got */
struct got {
	int messages;
	int cmd;
	struct nlattr *tb[TALK_MAX_ATTR];
	_Alignas(8) char text[16384]; /* where these are */
	size_t used;
};

talk_answer talk_keep; /* arg is a struct got, which keeps the latest message */

#define talk_get(talk, cmd, got, ...)                                                           \
	talk_ask(talk, cmd, 0, (const struct attr[]){ __VA_ARGS__ },                            \
		 sizeof((const struct attr[]){ __VA_ARGS__ }) / sizeof(struct attr), talk_keep, \
		 memset(got, 0, sizeof(*(got))))
#define talk_do(talk, cmd, ...)                                      \
	talk_ask(talk, cmd, 0, (const struct attr[]){ __VA_ARGS__ }, \
		 sizeof((const struct attr[]){ __VA_ARGS__ }) / sizeof(struct attr), NULL, NULL)

#endif /* HBS_TALK_H */
