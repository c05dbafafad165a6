// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <linux/genetlink.h>
#include <linux/hbs_netlink.h>
#include <netlink/genl/genl.h>

#include "link.h"
#include "text.h"

/* The kernel sends as much at once as who asks has room for */
#define RECEIVE_SIZE 32768

/* A dump starts again if what it tells changed meanwhile */
#define DUMP_TRIES 5

/* What the callbacks of a request share */
struct progress {
	const struct link_request *request;
	struct link_error *error;
	const struct nlmsghdr *sent;
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
	int on = 1, fd = nl_socket_get_fd(link->socket);

	/* a kernel that lacks one of these only says less */
	setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
	nl_socket_set_msg_buf_size(link->socket, RECEIVE_SIZE);
	nl_socket_disable_msg_peek(link->socket);
}

static int on_family(struct nl_msg *message, void *arg)
{
	struct nlmsghdr *header = nlmsg_hdr(message);
	uint16_t *number = arg;
	struct nlattr *found;

	if (!genlmsg_valid_hdr(header, 0))
		return NL_OK;
	found = nlmsg_find_attr(header, GENL_HDRLEN, CTRL_ATTR_FAMILY_ID);
	if (found && nla_len(found) >= (int)sizeof(*number))
		*number = nla_get_u16(found);
	return NL_OK;
}

/*
 * The number of the family, or 0. genl_ctrl_resolve() also reads what operations and groups each
 * family has, which takes a guest longer than the driver's answers to most questions.
 */
static uint16_t resolve(struct nl_sock *socket)
{
	struct nl_msg *message = nlmsg_alloc();
	uint16_t number = 0;

	if (message &&
	    genlmsg_put(message, NL_AUTO_PORT, NL_AUTO_SEQ, GENL_ID_CTRL, 0, NLM_F_ACK,
			CTRL_CMD_GETFAMILY, 1) &&
	    !nla_put_string(message, CTRL_ATTR_FAMILY_NAME, HBS_FAMILY_NAME) &&
	    !nl_socket_modify_cb(socket, NL_CB_VALID, NL_CB_CUSTOM, on_family, &number) &&
	    nl_send_auto(socket, message) >= 0 && nl_recvmsgs_default(socket) >= 0)
		nl_wait_for_ack(socket); /* it comes after the answer */
	nlmsg_free(message);
	return number;
}

enum status link_open(struct link *link, bool quiet)
{
	int error;

	link->socket = nl_socket_alloc();
	error = link->socket ? genl_connect(link->socket) : -NLE_NOMEM;
	if (error) {
		fprintf(stderr, "hbsctl: netlink: %s\n", nl_geterror(error));
		link_close(link);
		return STATUS_FAILED;
	}
	set_options(link);
	link->family = resolve(link->socket);
	if (link->family)
		return STATUS_GOOD;
	link_close(link);
	return no_family(quiet);
}

void link_close(struct link *link)
{
	nl_socket_free(link->socket);
	link->socket = NULL;
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
	const struct nlmsghdr *sent = progress->sent;
	uint16_t type;

	if (offset > sent->nlmsg_len || sent->nlmsg_len - offset < NLA_HDRLEN)
		return NULL;
	memcpy(&type, (const char *)sent + offset + offsetof(struct nlattr, nla_type),
	       sizeof(type));
	return fields_name(progress->request->schema, type & NLA_TYPE_MASK);
}

static void note_detail(struct progress *progress, const struct nlattr *detail)
{
	struct link_error *error = progress->error;
	int length = nla_len(detail);
	char text[100];

	switch (nla_type(detail)) {
	case NLMSGERR_ATTR_MSG:
		snprintf(text, sizeof(text), "%.*s", length, (const char *)nla_data(detail));
		text_escape(error->message, sizeof(error->message), text);
		break;
	case NLMSGERR_ATTR_OFFS:
		if (length >= (int)sizeof(uint32_t))
			error->attribute = attribute_at(progress, nla_get_u32(detail));
		break;
	case NLMSGERR_ATTR_MISS_TYPE:
		if (length >= (int)sizeof(uint32_t))
			error->attribute = fields_name(progress->request->schema,
						       (uint16_t)nla_get_u32(detail));
		break;
	}
}

/* The details come after the @size first bytes of the message's payload. */
static void note_details(struct progress *progress, const struct nlmsghdr *header, size_t size)
{
	size_t start = NLMSG_HDRLEN + NLMSG_ALIGN(size);
	const struct nlattr *detail = (const void *)((const char *)header + start);
	int rest = (int)header->nlmsg_len - (int)start;

	if (!(header->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	for (; nla_ok(detail, rest); detail = nla_next(detail, &rest))
		note_detail(progress, detail);
}

static int on_error(struct sockaddr_nl *from, struct nlmsgerr *message, void *arg)
{
	const struct nlmsghdr *header = (const void *)((const char *)message - NLMSG_HDRLEN);
	struct progress *progress = arg;
	size_t size = sizeof(*message);

	(void)from;
	if (!(header->nlmsg_flags & NLM_F_CAPPED))
		size += message->msg.nlmsg_len - NLMSG_HDRLEN;
	progress->error->error = -message->error;
	note_details(progress, header, size);
	progress->done = true;
	return NL_STOP;
}

static int on_ack(struct nl_msg *message, void *arg)
{
	struct progress *progress = arg;

	(void)message;
	progress->done = true;
	return NL_STOP;
}

/* The end of a dump may say that it failed */
static int on_end(struct nl_msg *message, void *arg)
{
	const struct nlmsghdr *header = nlmsg_hdr(message);
	struct progress *progress = arg;
	int result = 0;

	if (nlmsg_datalen(header) >= (int)sizeof(result))
		memcpy(&result, nlmsg_data(header), sizeof(result));
	if (result < 0) {
		progress->error->error = -result;
		note_details(progress, header, sizeof(result));
	}
	progress->interrupted |= (header->nlmsg_flags & NLM_F_DUMP_INTR) != 0;
	progress->done = true;
	return NL_STOP;
}

static int on_answer(struct nl_msg *message, void *arg)
{
	struct nlmsghdr *header = nlmsg_hdr(message);
	struct progress *progress = arg;
	const struct link_request *request = progress->request;
	const struct genlmsghdr *answer;

	progress->interrupted |= (header->nlmsg_flags & NLM_F_DUMP_INTR) != 0;
	if (!request->rows)
		return NL_OK;
	if (!genlmsg_valid_hdr(header, 0)) {
		progress->error->error = EBADMSG;
		return NL_OK;
	}
	answer = nlmsg_data(header);
	if (!fields_read(request->answers, genlmsg_attrdata(answer, 0),
			 (size_t)genlmsg_attrlen(answer, 0),
			 rows_add(request->rows, request->answers->size)))
		progress->error->error = EBADMSG;
	return NL_OK;
}

static struct nl_msg *make_message(struct link *link, const struct link_request *request)
{
	struct nl_msg *message = nlmsg_alloc();
	int failed;

	if (!message)
		return NULL;
	failed = !genlmsg_put(message, NL_AUTO_PORT, NL_AUTO_SEQ, link->family, 0,
			      request->dump ? NLM_F_DUMP : NLM_F_ACK, request->command,
			      HBS_FAMILY_VERSION);
	for (size_t i = 0; i < request->count; i++) {
		const struct link_attribute *attribute = &request->attributes[i];

		if (attribute->wide)
			failed |= nla_put_u64(message, attribute->number, attribute->value);
		else
			failed |=
				nla_put_u32(message, attribute->number, (uint32_t)attribute->value);
	}
	if (!failed)
		return message;
	nlmsg_free(message);
	return NULL;
}

static struct nl_cb *make_callbacks(struct progress *progress)
{
	struct nl_cb *callbacks = nl_cb_alloc(NL_CB_DEFAULT);

	if (callbacks) {
		nl_cb_set(callbacks, NL_CB_VALID, NL_CB_CUSTOM, on_answer, progress);
		nl_cb_set(callbacks, NL_CB_FINISH, NL_CB_CUSTOM, on_end, progress);
		nl_cb_set(callbacks, NL_CB_ACK, NL_CB_CUSTOM, on_ack, progress);
		nl_cb_err(callbacks, NL_CB_CUSTOM, on_error, progress);
	}
	return callbacks;
}

/* Return: whether the answers are all there, be they good or an error */
static bool talk(struct link *link, const struct link_request *request, struct progress *progress)
{
	struct nl_msg *message = make_message(link, request);
	struct nl_cb *callbacks = make_callbacks(progress);
	int result = -NLE_NOMEM;

	if (message && callbacks) {
		progress->sent = nlmsg_hdr(message);
		result = nl_send_auto(link->socket, message);
		while (result >= 0 && !progress->done)
			result = nl_recvmsgs(link->socket, callbacks);
	}
	/* libnl has errors of its own, which say less than those of the kernel */
	if (result < 0 && !progress->done && result != -NLE_DUMP_INTR) {
		progress->error->error = result == -NLE_NOMEM ? ENOMEM : EIO;
		text_escape(progress->error->message, sizeof(progress->error->message),
			    nl_geterror(result));
	}
	progress->interrupted |= result == -NLE_DUMP_INTR;
	nl_cb_put(callbacks);
	nlmsg_free(message);
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
