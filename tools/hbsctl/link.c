// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <linux/hbs_netlink.h>
#include <sys/socket.h>

#include "link.h"
#include "text.h"

/* A dump starts again if what it tells changed meanwhile */
#define DUMP_TRIES 5

/* What the callbacks of a request share */
struct progress {
	const struct link_request *request;
	struct link_error *error;
	const struct netlink_message *sent;
	bool done;
	bool interrupted;
};

static enum status no_family(bool quiet)
{
	const char *why = "the driver hbs is not loaded (try: modprobe hbs)";

	if (!access("/sys/class/hbs", F_OK))
		why = "the driver hbs does not answer here: it is too old, or this is not the "
		      "first network namespace";
	if (!quiet)
		fprintf(stderr, "hbsctl: %s\n", why);
	return STATUS_ABSENT;
}

static void set_options(struct link *link)
{
	int on = 1, fd = link->netlink.fd;

	/* a kernel that lacks one of these only says less */
	setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
}

enum status link_open(struct link *link, bool quiet)
{
	int error = netlink_open(&link->netlink);

	if (error) {
		fprintf(stderr, "hbsctl: netlink: %s\n", strerror(error));
		return STATUS_FAILED;
	}
	set_options(link);
	if (!netlink_resolve(&link->netlink, HBS_FAMILY_NAME, HBS_MCGRP_EVENTS, &link->family))
		return STATUS_GOOD;
	link_close(link);
	return no_family(quiet);
}

void link_close(struct link *link)
{
	netlink_close(&link->netlink);
}

void link_put(struct link_request *request, uint16_t number, uint32_t value)
{
	request->attributes[request->count++] =
		(struct link_attribute){ .number = number, .value = value };
}

void link_put_wide(struct link_request *request, uint16_t number, uint64_t value)
{
	request->attributes[request->count++] =
		(struct link_attribute){ .number = number, .wide = true, .value = value };
}

/* The name of the attribute at @offset of the request that was sent */
static const char *attribute_at(const struct progress *progress, uint32_t offset)
{
	const struct netlink_message *sent = progress->sent;
	struct nlattr attribute;

	if (offset > sent->header.nlmsg_len || sent->header.nlmsg_len - offset < sizeof(attribute))
		return NULL;
	memcpy(&attribute, sent->bytes + offset, sizeof(attribute));
	return fields_name(progress->request->schema, (uint16_t)netlink_type(&attribute));
}

static void note_detail(struct progress *progress, const struct nlattr *detail)
{
	struct link_error *error = progress->error;
	char text[100];
	uint32_t number;

	switch (netlink_type(detail)) {
	case NLMSGERR_ATTR_MSG:
		snprintf(text, sizeof(text), "%.*s", (int)netlink_size(detail),
			 (const char *)netlink_data(detail));
		text_escape(error->message, sizeof(error->message), text);
		break;
	case NLMSGERR_ATTR_OFFS:
		if (netlink_read(detail, &number, sizeof(number)))
			error->attribute = attribute_at(progress, number);
		break;
	case NLMSGERR_ATTR_MISS_TYPE:
		if (netlink_read(detail, &number, sizeof(number)))
			error->attribute = fields_name(progress->request->schema, (uint16_t)number);
		break;
	}
}

/* The details come after the @size first bytes of the message's payload. */
static void note_details(struct progress *progress, const struct nlmsghdr *header, size_t size)
{
	size_t start = NLMSG_HDRLEN + NLMSG_ALIGN(size), rest = header->nlmsg_len - start;
	const void *details = (const char *)header + start;
	const struct nlattr *detail;

	if (!(header->nlmsg_flags & NLM_F_ACK_TLVS) || start > header->nlmsg_len)
		return;
	while ((detail = netlink_next(&details, &rest)))
		note_detail(progress, detail);
}

/* An error of 0 says that all is done */
static void take_error(struct progress *progress, const struct nlmsghdr *header)
{
	const struct nlmsgerr *message = NLMSG_DATA(header);
	size_t size = sizeof(*message);

	progress->done = true;
	if (header->nlmsg_len < NLMSG_LENGTH(sizeof(*message))) {
		progress->error->error = EBADMSG;
		return;
	}
	if (!message->error)
		return;
	if (!(header->nlmsg_flags & NLM_F_CAPPED))
		size += message->msg.nlmsg_len - NLMSG_HDRLEN;
	progress->error->error = -message->error;
	note_details(progress, header, size);
}

/* The end of a dump may say that it failed */
static void take_end(struct progress *progress, const struct nlmsghdr *header)
{
	int result = 0;

	progress->done = true;
	if (header->nlmsg_len >= NLMSG_LENGTH(sizeof(result)))
		memcpy(&result, NLMSG_DATA(header), sizeof(result));
	if (result >= 0)
		return;
	progress->error->error = -result;
	note_details(progress, header, sizeof(result));
}

static void take_answer(struct progress *progress, const struct nlmsghdr *header)
{
	const struct link_request *request = progress->request;
	const void *attributes;
	size_t size;

	if (!request->rows)
		return;
	attributes = netlink_attributes(header, &size);
	if (!attributes || !fields_read(request->answers, attributes, size,
					rows_add(request->rows, request->answers->size)))
		progress->error->error = EBADMSG;
}

static void take(const struct nlmsghdr *header, void *own)
{
	struct progress *progress = own;

	/* the rest of what an earlier question has not waited for */
	if (header->nlmsg_seq != progress->sent->header.nlmsg_seq)
		return;
	progress->interrupted |= (header->nlmsg_flags & NLM_F_DUMP_INTR) != 0;
	if (header->nlmsg_type == NLMSG_ERROR)
		take_error(progress, header);
	else if (header->nlmsg_type == NLMSG_DONE)
		take_end(progress, header);
	else if (header->nlmsg_type >= NLMSG_MIN_TYPE)
		take_answer(progress, header);
}

static void make_message(const struct link *link, const struct link_request *request,
			 struct netlink_message *message)
{
	netlink_start(message, link->family.number, request->dump ? NLM_F_DUMP : NLM_F_ACK,
		      request->command, HBS_FAMILY_VERSION);
	for (size_t i = 0; i < request->count; i++) {
		const struct link_attribute *attribute = &request->attributes[i];
		uint32_t narrow = (uint32_t)attribute->value;

		if (attribute->wide)
			netlink_put(message, attribute->number, &attribute->value,
				    sizeof(attribute->value));
		else
			netlink_put(message, attribute->number, &narrow, sizeof(narrow));
	}
}

/* Return: whether the answers are all there, be they good or an error */
static bool talk(struct link *link, const struct link_request *request, struct progress *progress)
{
	struct netlink_message message;
	int error;

	make_message(link, request, &message);
	progress->sent = &message;
	error = netlink_send(&link->netlink, &message);
	while (!error && !progress->done)
		error = netlink_receive(&link->netlink, 0, take, progress);
	if (error)
		progress->error->error = error;
	return !progress->interrupted;
}

int link_ask(struct link *link, const struct link_request *request, struct link_error *error)
{
	for (int i = 0; i < DUMP_TRIES; i++) {
		struct progress progress = { .request = request, .error = error };

		*error = (struct link_error){ 0 };
		if (request->rows)
			rows_free(request->rows, request->answers);
		/* the last one counts, though a card may have come or gone meanwhile */
		if (talk(link, request, &progress))
			break;
	}
	if (error->error && request->rows)
		rows_free(request->rows, request->answers);
	return error->error;
}

enum status link_complain(const struct link_error *error, const char *what)
{
	fprintf(stderr, "hbsctl: %s: ", what);
	if (error->attribute)
		fprintf(stderr, "%s: ", error->attribute);
	if (*error->message)
		fprintf(stderr, "%s (%s)\n", error->message, strerror(error->error));
	else
		fprintf(stderr, "%s\n", strerror(error->error));
	return status_of_errno(error->error);
}

const char *link_name(const struct target *target, char name[FIELD_TEXT_SIZE])
{
	if (target->has_group)
		snprintf(name, FIELD_TEXT_SIZE, "hbs%u/%u", target->card, target->group);
	else if (target->has_card)
		snprintf(name, FIELD_TEXT_SIZE, "hbs%u", target->card);
	else
		snprintf(name, FIELD_TEXT_SIZE, "cards");
	return name;
}

/* Cards and groups are asked for by number; of all else there may be several */
static bool is_one(uint8_t command, const struct target *target)
{
	return (command == HBS_NL_CMD_CARD_GET && target->has_card) ||
	       (command == HBS_NL_CMD_LIMITS_GET && target->has_card) ||
	       (command == HBS_NL_CMD_GROUP_GET && target->has_group);
}

enum status link_get(struct link *link, uint8_t command, const struct target *target,
		     const struct schema *schema, struct rows *rows)
{
	struct link_request request = {
		.command = command,
		.dump = !is_one(command, target),
		.schema = schema,
		.answers = schema,
		.rows = rows,
	};
	char name[FIELD_TEXT_SIZE];
	struct link_error error;

	*rows = (struct rows){ 0 };
	/* in each set of attributes these have the same numbers */
	if (target->has_card)
		link_put(&request, HBS_A_CARD_CARD, target->card);
	if (target->has_group)
		link_put(&request, HBS_A_GROUP_GROUP, target->group);
	if (link_ask(link, &request, &error))
		return link_complain(&error, link_name(target, name));
	return STATUS_GOOD;
}
