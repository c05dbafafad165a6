/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the driver tells without being asked */
#ifndef HBSCTL_EVENTS_H
#define HBSCTL_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include <netlink/netlink.h>

#include "records.h"
#include "status.h"

/**
 * struct event - something that has happened
 * @kind: "card-add" and so on, as the specification has it; or one of our own: "start",
 *	"lost", "driver-gone", "driver-come"
 * @schema: which of the records below it has; NULL for none
 * @card: with schema_card
 * @group: with schema_group
 * @member: with schema_member
 * @violation: with schema_violation
 */
struct event {
	const char *kind;
	const struct schema *schema;
	union {
		uint64_t has;
		struct card card;
		struct group group;
		struct member member;
		struct violation violation;
	};
};

/**
 * struct events - a subscription
 * @socket: libnl's
 * @tell: called for each event
 * @own: for @tell
 */
struct events {
	struct nl_sock *socket;
	void (*tell)(const struct event *event, void *own);
	void *own;
};

/*
 * Subscribe, with a buffer of @buffer bytes in the kernel, or its default for 0. Return: a
 * status; if it is not good, stderr says why.
 */
enum status events_open(struct events *events, int buffer);
void events_close(struct events *events);

/* Its descriptor, for poll(2) */
int events_fd(const struct events *events);

/* Tell all that has come. */
void events_read(struct events *events);

#endif /* HBSCTL_EVENTS_H */
