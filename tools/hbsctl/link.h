/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Questions to the driver, by its generic netlink family */
#ifndef HBSCTL_LINK_H
#define HBSCTL_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include <netlink/netlink.h>

#include "fields.h"
#include "status.h"
#include "target.h"

/**
 * struct link - a connection
 * @socket: libnl's
 * @family: the number of the family
 */
struct link {
	struct nl_sock *socket;
	int family;
};

/* An attribute of a request */
struct link_attribute {
	uint16_t number;
	bool wide; /* a u64, not a u32 */
	uint64_t value;
};

/**
 * struct link_request - a question or an order
 * @command: HBS_NL_CMD_
 * @dump: all there are are wanted
 * @attributes: of the request
 * @schema: of attributes of the request, for messages
 * @answers: schema of the answers, or NULL
 * @rows: where the answers go, or NULL
 */
struct link_request {
	uint8_t command;
	bool dump;
	struct link_attribute attributes[8];
	size_t count;
	const struct schema *schema;
	const struct schema *answers;
	struct rows *rows;
};

/**
 * struct link_error - why a request failed
 * @error: an error number, 0 for none
 * @message: the kernel's, escaped, or ""
 * @attribute: the name of the attribute that was wrong or is missing, or NULL
 */
struct link_error {
	int error;
	char message[400];
	const char *attribute;
};

/*
 * Connect. Says on stderr why it cannot, unless @quiet. Return: STATUS_GOOD; STATUS_ABSENT if
 * the driver is not here.
 */
enum status link_open(struct link *link, bool quiet);
void link_close(struct link *link);

/* Ask, and wait for the answers. Return: 0, or the error number. */
int link_ask(struct link *link, const struct link_request *request, struct link_error *error);

/* Add an attribute. */
void link_put(struct link_request *request, uint16_t number, uint32_t value);
void link_put_wide(struct link_request *request, uint16_t number, uint64_t value);

/* Say on stderr that @what failed, as "hbsctl: @what: ...". Return: the exit status for that. */
enum status link_complain(const struct link_error *error, const char *what);

/**
 * link_get() - ask for all cards, groups, ports or users of a target
 * @command: HBS_NL_CMD_
 * @target: a card, a group (if the command has groups), or neither for all cards
 * @schema: of the answers
 * @rows: out
 *
 * Return: a status; if it is not good, stderr says why, and there are no rows.
 */
enum status link_get(struct link *link, uint8_t command, const struct target *target,
		     const struct schema *schema, struct rows *rows);

/* The name of a target: "hbs0", "hbs0/3", or "cards" for all. Return: @name. */
const char *link_name(const struct target *target, char name[FIELD_TEXT_SIZE]);

#endif /* HBSCTL_LINK_H */
