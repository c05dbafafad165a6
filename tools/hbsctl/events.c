// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <linux/hbs_netlink.h>
#include <sys/socket.h>

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

/* The number of the family's group, by a socket of its own, since answers would come among the events */
static int subscribe_to_cards(struct events *events)
{
	struct link link;
	int error;

	if (link_open(&link, true))
		return ENOENT;
	error = netlink_subscribe(&events->netlink, link.family.group);
	link_close(&link);
	return error;
}

static void tell_plain(struct events *events, const char *kind)
{
	struct event event = { .kind = kind };

	events->tell(&event, events->own);
}

/* A family has come or gone: ours will have another number when it comes again */
static void on_control(struct events *events, uint8_t command, const void *attributes, size_t size)
{
	const struct nlattr *attribute;

	while ((attribute = netlink_next(&attributes, &size))) {
		if (netlink_type(attribute) != CTRL_ATTR_FAMILY_NAME ||
		    !netlink_is(attribute, HBS_FAMILY_NAME))
			continue;
		if (command == CTRL_CMD_DELFAMILY)
			tell_plain(events, "driver-gone");
		if (command == CTRL_CMD_NEWFAMILY && !subscribe_to_cards(events))
			tell_plain(events, "driver-come");
	}
}

static void on_event(struct events *events, uint8_t command, const void *attributes, size_t size)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct event event = { .kind = kinds[i].name, .schema = kinds[i].schema };

		if (kinds[i].command != command)
			continue;
		if (fields_read(event.schema, attributes, size, &event.has))
			events->tell(&event, events->own);
		fields_free(event.schema, &event.has);
	}
}

static void take(const struct nlmsghdr *message, void *own)
{
	const struct genlmsghdr *header = NLMSG_DATA(message);
	size_t size;
	const void *attributes = netlink_attributes(message, &size);

	if (!attributes)
		return;
	if (message->nlmsg_type == GENL_ID_CTRL)
		on_control(own, header->cmd, attributes, size);
	else
		on_event(own, header->cmd, attributes, size);
}

static enum status complain(int error, const char *what)
{
	fprintf(stderr, "hbsctl: %s: %s\n", what, strerror(error));
	return status_of_errno(error);
}

/* To families that come and go; without this, only a new driver is not heard of */
static void subscribe_to_control(struct events *events, struct link *link)
{
	struct netlink_family control;

	if (!netlink_resolve(&link->netlink, CONTROL, CONTROL_GROUP, &control))
		netlink_subscribe(&events->netlink, control.group);
}

static int prepare(struct events *events, struct link *link, int buffer)
{
	if (buffer &&
	    setsockopt(events->netlink.fd, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof(buffer)))
		return errno;
	subscribe_to_control(events, link);
	return netlink_subscribe(&events->netlink, link->family.group);
}

enum status events_open(struct events *events, int buffer)
{
	struct link link;
	enum status status = link_open(&link, false);
	int error;

	if (status)
		return status;
	error = netlink_open(&events->netlink);
	if (!error)
		error = prepare(events, &link, buffer);
	link_close(&link);
	if (!error)
		return STATUS_GOOD;
	events_close(events);
	return complain(error, "events");
}

void events_close(struct events *events)
{
	netlink_close(&events->netlink);
}

int events_fd(const struct events *events)
{
	return events->netlink.fd;
}

void events_read(struct events *events)
{
	int error;

	do {
		error = netlink_receive(&events->netlink, MSG_DONTWAIT, take, events);
		/* the kernel had to leave some out, and goes on */
		if (error == ENOBUFS)
			tell_plain(events, "lost");
	} while (!error || error == ENOBUFS);
}
