// SPDX-License-Identifier: GPL-2.0-or-later
/* The netlink family, over libnl. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>

#include "talk.h"

/* What a receive does */
struct receive {
	struct talk *talk;
	talk_answer *answer;
	void *arg;
	bool over;
	int error;
};

int talk_open(struct talk *talk)
{
	const int on = 1;

	*talk = (struct talk){ .sock = nl_socket_alloc(), .bad = -1, .missing = -1 };
	if (!talk->sock)
		return -ENOMEM;
	if (genl_connect(talk->sock))
		return -EPROTO;
	if (setsockopt(nl_socket_get_fd(talk->sock), SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on)))
		return -errno;
	nl_socket_disable_auto_ack(talk->sock);
	nl_socket_disable_seq_check(talk->sock);
	/* Short datagrams: dumps take several */
	if (nl_socket_set_msg_buf_size(talk->sock, 8192))
		return -EPROTO;
	talk->family = genl_ctrl_resolve(talk->sock, HBS_FAMILY_NAME);
	if (talk->family < 0)
		return -ENOENT;
	talk->events = genl_ctrl_resolve_grp(talk->sock, HBS_FAMILY_NAME, HBS_MCGRP_EVENTS);
	return talk->events < 0 ? -ENOENT : 0;
}

void talk_close(struct talk *talk)
{
	free(talk->request);
	nl_socket_free(talk->sock);
	*talk = (struct talk){ 0 };
}

/* The type of the attribute at this offset of the latest request, -1 if there is none */
static int attr_at(const struct talk *talk, uint32_t offset)
{
	if (offset + NLA_HDRLEN > talk->request->nlmsg_len)
		return -1;
	return nla_type((struct nlattr *)((char *)talk->request + offset));
}

/* An extended ack, which follows an error or the end of a dump */
static void note_ack(struct talk *talk, struct nlattr *first, int length)
{
	struct nlattr *tb[NLMSGERR_ATTR_MAX + 1];

	if (nla_parse(tb, NLMSGERR_ATTR_MAX, first, length, NULL))
		return;
	if (tb[NLMSGERR_ATTR_MSG])
		nla_strlcpy(talk->said, tb[NLMSGERR_ATTR_MSG], sizeof(talk->said));
	if (tb[NLMSGERR_ATTR_OFFS])
		talk->bad = attr_at(talk, nla_get_u32(tb[NLMSGERR_ATTR_OFFS]));
	if (tb[NLMSGERR_ATTR_MISS_TYPE])
		talk->missing = (int)nla_get_u32(tb[NLMSGERR_ATTR_MISS_TYPE]);
}

static int on_error(struct sockaddr_nl *who, struct nlmsgerr *error, void *arg)
{
	struct nlmsghdr *header = (struct nlmsghdr *)((char *)error - NLMSG_HDRLEN);
	struct receive *receive = arg;
	size_t skip = sizeof(*error);

	(void)who;
	receive->over = true;
	receive->error = error->error;
	if (!(header->nlmsg_flags & NLM_F_CAPPED))
		skip += NLMSG_ALIGN(error->msg.nlmsg_len) - NLMSG_HDRLEN;
	if (header->nlmsg_flags & NLM_F_ACK_TLVS)
		note_ack(receive->talk, (struct nlattr *)((char *)error + skip),
			 (int)(header->nlmsg_len - NLMSG_HDRLEN - skip));
	return NL_STOP;
}

static int on_ack(struct nl_msg *msg, void *arg)
{
	struct receive *receive = arg;

	(void)msg;
	receive->over = true;
	return NL_STOP;
}

static int on_finish(struct nl_msg *msg, void *arg)
{
	struct nlmsghdr *header = nlmsg_hdr(msg);
	struct receive *receive = arg;

	receive->over = true;
	if (nlmsg_datalen(header) >= (int)sizeof(int))
		receive->error = *(int *)nlmsg_data(header);
	return NL_STOP;
}

static int on_valid(struct nl_msg *msg, void *arg)
{
	struct nlattr *tb[TALK_MAX_ATTR] = { 0 };
	struct receive *receive = arg;

	if (nlmsg_hdr(msg)->nlmsg_type != receive->talk->family)
		return NL_OK;
	if (genlmsg_parse(nlmsg_hdr(msg), 0, tb, TALK_MAX_ATTR - 1, NULL))
		receive->error = -EPROTO;
	else if (receive->answer)
		receive->answer(genlmsg_hdr(nlmsg_hdr(msg))->cmd, tb, receive->arg);
	return NL_OK;
}

static int on_interrupted(struct nl_msg *msg, void *arg)
{
	struct receive *receive = arg;

	(void)msg;
	receive->talk->interrupted = true;
	return NL_OK;
}

/* libnl would go on until a dump is over: only the first datagram of a receive() is there */
static __thread bool has_received;

static int receive_one(struct nl_sock *sock, struct sockaddr_nl *who, unsigned char **text,
		       struct ucred **creds)
{
	if (has_received)
		return 0;
	has_received = true;
	return nl_recv(sock, who, text, creds);
}

/* Reads one datagram; returns 1 if the answer is complete then */
static int receive(struct talk *talk, talk_answer *answer, void *arg)
{
	struct receive receive = { .talk = talk, .answer = answer, .arg = arg };
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);
	int ret;

	if (!cb)
		return -ENOMEM;
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_valid, &receive);
	nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, on_ack, &receive);
	nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, on_finish, &receive);
	nl_cb_set(cb, NL_CB_DUMP_INTR, NL_CB_CUSTOM, on_interrupted, &receive);
	nl_cb_err(cb, NL_CB_CUSTOM, on_error, &receive);
	nl_cb_overwrite_recv(cb, receive_one);
	has_received = false;
	errno = 0;
	ret = nl_recvmsgs_report(talk->sock, cb);
	nl_cb_put(cb);
	if (receive.error)
		return receive.error;
	if (ret < 0 && !receive.over)
		return errno ? -errno : -EPROTO;
	return receive.over;
}

static void forget(struct talk *talk)
{
	talk->interrupted = false;
	talk->bad = -1;
	talk->missing = -1;
	talk->said[0] = 0;
}

/* Sends, and keeps a copy to find attributes by their offset */
static int send_request(struct talk *talk, struct nl_msg *msg)
{
	struct nlmsghdr *header;

	forget(talk);
	nl_complete_msg(talk->sock, msg);
	header = nlmsg_hdr(msg);
	free(talk->request);
	talk->request = malloc(header->nlmsg_len);
	if (!talk->request)
		return -ENOMEM;
	memcpy(talk->request, header, header->nlmsg_len);
	errno = 0;
	if (talk->by_write) {
		ssize_t n = write(nl_socket_get_fd(talk->sock), header, header->nlmsg_len);

		return n < 0 ? -errno : 0;
	}
	return nl_send(talk->sock, msg) < 0 ? (errno ? -errno : -EPROTO) : 0;
}

static struct nl_msg *request(const struct talk *talk, int cmd, int flags, const struct attr *attrs,
			      int n)
{
	struct nl_msg *msg = nlmsg_alloc();

	if (!msg || !genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, talk->family, 0,
				 NLM_F_REQUEST | NLM_F_ACK | flags, cmd, HBS_FAMILY_VERSION))
		goto fail;
	for (int i = 0; i < n; i++)
		if (nla_put(msg, attrs[i].type, attrs[i].size, &attrs[i].value))
			goto fail;
	return msg;

fail:
	nlmsg_free(msg);
	return NULL;
}

/* Until the answer is complete */
static int complete(struct talk *talk, talk_answer *answer, void *arg)
{
	int ret;

	do
		ret = receive(talk, answer, arg);
	while (!ret);
	return ret < 0 ? ret : 0;
}

int talk_send_raw(struct talk *talk, struct nl_msg *msg, talk_answer *answer, void *arg)
{
	int ret = send_request(talk, msg);

	return ret ? ret : complete(talk, answer, arg);
}

int talk_ask(struct talk *talk, int cmd, int flags, const struct attr *attrs, int n,
	     talk_answer *answer, void *arg)
{
	struct nl_msg *msg = request(talk, cmd, flags, attrs, n);
	int ret;

	if (!msg)
		return -ENOMEM;
	ret = talk_send_raw(talk, msg, answer, arg);
	nlmsg_free(msg);
	return ret;
}

int talk_dump(struct talk *talk, int cmd, const struct attr *attrs, int n, talk_answer *answer,
	      void *arg)
{
	return talk_ask(talk, cmd, NLM_F_DUMP, attrs, n, answer, arg);
}

int talk_dump_start(struct talk *talk, int cmd, const struct attr *attrs, int n)
{
	struct nl_msg *msg = request(talk, cmd, NLM_F_DUMP, attrs, n);
	int ret;

	if (!msg)
		return -ENOMEM;
	ret = send_request(talk, msg);
	nlmsg_free(msg);
	return ret;
}

int talk_step(struct talk *talk, talk_answer *answer, void *arg)
{
	return receive(talk, answer, arg);
}

int talk_listen(struct talk *talk)
{
	return nl_socket_add_membership(talk->sock, talk->events) ? -EPROTO : 0;
}

int talk_event(struct talk *talk, int timeout_ms, talk_answer *answer, void *arg)
{
	struct pollfd pollfd = { .fd = nl_socket_get_fd(talk->sock), .events = POLLIN };
	int ret = poll(&pollfd, 1, timeout_ms);

	if (ret <= 0)
		return ret ? -errno : -ETIMEDOUT;
	ret = receive(talk, answer, arg);
	return ret < 0 ? ret : 0;
}

uint64_t talk_number(struct nlattr *attr, uint64_t none)
{
	if (!attr)
		return none;
	switch (nla_len(attr)) {
	case sizeof(uint32_t):
		return nla_get_u32(attr);
	case sizeof(uint64_t):
		return nla_get_u64(attr);
	default:
		return none;
	}
}

uint64_t talk_nested(struct nlattr *nest, int attr, uint64_t none)
{
	struct nlattr *tb[TALK_MAX_ATTR];

	if (!nest || nla_parse_nested(tb, TALK_MAX_ATTR - 1, nest, NULL))
		return none;
	return talk_number(tb[attr], none);
}

void talk_keep(int cmd, struct nlattr **tb, void *arg)
{
	struct got *got = arg;

	got->messages++;
	got->cmd = cmd;
	got->used = 0;
	for (int i = 0; i < TALK_MAX_ATTR; i++) {
		struct nlattr *copy = (struct nlattr *)(got->text + got->used);

		got->tb[i] = NULL;
		if (!tb[i] || got->used + NLA_ALIGN(tb[i]->nla_len) > sizeof(got->text))
			continue;
		memcpy(copy, tb[i], tb[i]->nla_len);
		got->used += NLA_ALIGN(tb[i]->nla_len);
		got->tb[i] = copy;
	}
}
