// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <linux/genetlink.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>

#include "events.h"
#include "link.h"

/* The group of the kernel that tells which families come and go */
#define CONTROL	      "nlctrl"
#define CONTROL_GROUP "notify"

struct kind {
	uint8_t command;
	const char *name;
	const struct schema *schema;
};

static const struct kind kinds[] = {
	{ HBS_NL_CMD_CARD_ADD_NTF, "card-add", &schema_card },
	{ HBS_NL_CMD_CARD_DEL_NTF, "card-del", &schema_card },
	{ HBS_NL_CMD_CARD_STATE_NTF, "card-state", &schema_card },
	{ HBS_NL_CMD_GROUP_TIMEOUT_NTF, "group-timeout", &schema_group },
	{ HBS_NL_CMD_GROUP_BROKEN_NTF, "group-broken", &schema_group },
	{ HBS_NL_CMD_GROUP_RESET_NTF, "group-reset", &schema_group },
	{ HBS_NL_CMD_MEMBER_DIED_NTF, "member-died", &schema_member },
	{ HBS_NL_CMD_VIOLATION_NTF, "violation", &schema_violation },
};

static int subscribe(struct nl_sock *asker, struct nl_sock *socket, const char *family,
		     const char *group)
{
	int number = genl_ctrl_resolve_grp(asker, family, group);

	return number < 0 ? number : nl_socket_add_membership(socket, number);
}

/* By a socket of its own, since answers would come among the events */
static int subscribe_to_cards(struct events *events)
{
	struct link link;
	int error;

	if (link_open(&link, true))
		return -NLE_OBJ_NOTFOUND;
	error = subscribe(link.socket, events->socket, HBS_FAMILY_NAME, HBS_MCGRP_EVENTS);
	link_close(&link);
	return error;
}

static void tell_plain(struct events *events, const char *kind)
{
	struct event event = { .kind = kind };

	events->tell(&event, events->own);
}

/* A family has come or gone: ours will have another number when it comes again */
static void on_control(struct events *events, struct nlmsghdr *message)
{
	struct genlmsghdr *header = nlmsg_data(message);
	struct nlattr *name = genlmsg_attrdata(header, 0)
				      ? nla_find(genlmsg_attrdata(header, 0),
						 genlmsg_attrlen(header, 0), CTRL_ATTR_FAMILY_NAME)
				      : NULL;

	if (!name || nla_strcmp(name, HBS_FAMILY_NAME))
		return;
	if (header->cmd == CTRL_CMD_DELFAMILY)
		tell_plain(events, "driver-gone");
	if (header->cmd == CTRL_CMD_NEWFAMILY && !subscribe_to_cards(events))
		tell_plain(events, "driver-come");
}

static void on_event(struct events *events, struct nlmsghdr *message)
{
	struct genlmsghdr *header = nlmsg_data(message);

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct event event = { .kind = kinds[i].name, .schema = kinds[i].schema };

		if (kinds[i].command != header->cmd)
			continue;
		if (fields_read(event.schema, genlmsg_attrdata(header, 0),
				(size_t)genlmsg_attrlen(header, 0), &event.has))
			events->tell(&event, events->own);
		fields_free(event.schema, &event.has);
	}
}

static int on_message(struct nl_msg *message, void *arg)
{
	struct nlmsghdr *header = nlmsg_hdr(message);

	if (!genlmsg_valid_hdr(header, 0))
		return NL_OK;
	if (header->nlmsg_type == GENL_ID_CTRL)
		on_control(arg, header);
	else
		on_event(arg, header);
	return NL_OK;
}

static enum status complain(int error, const char *what)
{
	fprintf(stderr, "hbsctl: %s: %s\n", what, nl_geterror(error));
	return error == -NLE_PERM || error == -NLE_NOACCESS ? STATUS_RIGHTS : STATUS_FAILED;
}

static int prepare(struct events *events, int buffer)
{
	int error;

	nl_socket_disable_seq_check(events->socket);
	nl_socket_modify_cb(events->socket, NL_CB_VALID, NL_CB_CUSTOM, on_message, events);
	error = genl_connect(events->socket);
	if (!error)
		error = nl_socket_set_nonblocking(events->socket);
	/* libnl sets a size of its own otherwise */
	if (!error && buffer)
		error = nl_socket_set_buffer_size(events->socket, buffer, 0);
	return error;
}

enum status events_open(struct events *events, int buffer)
{
	struct link link;
	enum status status = link_open(&link, false);
	int error;

	if (status)
		return status;
	events->socket = nl_socket_alloc();
	error = events->socket ? prepare(events, buffer) : -NLE_NOMEM;
	/* without the first one, only a new driver is not heard of */
	if (!error)
		subscribe(link.socket, events->socket, CONTROL, CONTROL_GROUP);
	if (!error)
		error = subscribe(link.socket, events->socket, HBS_FAMILY_NAME, HBS_MCGRP_EVENTS);
	link_close(&link);
	if (!error)
		return STATUS_GOOD;
	events_close(events);
	return complain(error, "events");
}

void events_close(struct events *events)
{
	nl_socket_free(events->socket);
	events->socket = NULL;
}

int events_fd(const struct events *events)
{
	return nl_socket_get_fd(events->socket);
}

void events_read(struct events *events)
{
	int error;

	do {
		error = nl_recvmsgs_default(events->socket);
		/* libnl's word for ENOBUFS: the kernel had to leave some out, and goes on */
		if (error == -NLE_NOMEM)
			tell_plain(events, "lost");
	} while (error >= 0 || error == -NLE_NOMEM);
}
