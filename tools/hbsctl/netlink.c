// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "netlink.h"

/* The kernel sends as much at once as who asks has room for, but no more than this */
#define RECEIVE_SIZE 32768

int netlink_open(struct netlink *netlink)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK };
	int error;

	*netlink = (struct netlink){ .fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC,
						  NETLINK_GENERIC) };
	if (netlink->fd >= 0 && !bind(netlink->fd, (struct sockaddr *)&address, sizeof(address)))
		return 0;
	error = errno;
	netlink_close(netlink);
	return error;
}

void netlink_close(struct netlink *netlink)
{
	if (netlink->fd >= 0)
		close(netlink->fd);
	netlink->fd = -1;
}

void netlink_start(struct netlink_message *message, uint16_t family, uint16_t flags,
		   uint8_t command, uint8_t version)
{
	struct genlmsghdr what = { .cmd = command, .version = version };

	*message = (struct netlink_message){
		.header = { .nlmsg_len = NLMSG_LENGTH(GENL_HDRLEN),
			    .nlmsg_type = family,
			    .nlmsg_flags = NLM_F_REQUEST | flags },
	};
	memcpy(NLMSG_DATA(&message->header), &what, sizeof(what));
}

void netlink_put(struct netlink_message *message, uint16_t number, const void *data, size_t size)
{
	struct nlattr header = { .nla_type = number, .nla_len = (uint16_t)(NLA_HDRLEN + size) };
	char *end = message->bytes + message->header.nlmsg_len;

	memcpy(end, &header, sizeof(header));
	memcpy(end + NLA_HDRLEN, data, size);
	message->header.nlmsg_len += NLA_ALIGN(header.nla_len);
}

int netlink_send(struct netlink *netlink, struct netlink_message *message)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };

	message->header.nlmsg_seq = ++netlink->sequence;
	while (sendto(netlink->fd, message->bytes, message->header.nlmsg_len, 0,
		      (struct sockaddr *)&kernel, sizeof(kernel)) < 0)
		if (errno != EINTR)
			return errno;
	return 0;
}

int netlink_receive(struct netlink *netlink, int flags,
		    void (*take)(const struct nlmsghdr *message, void *own), void *own)
{
	_Alignas(struct nlmsghdr) char bytes[RECEIVE_SIZE];
	const struct nlmsghdr *message = (const void *)bytes;
	struct sockaddr_nl from = { 0 };
	struct iovec room = { bytes, sizeof(bytes) };
	struct msghdr header = { .msg_name = &from, .msg_iov = &room, .msg_iovlen = 1 };
	ssize_t size;

	do {
		header.msg_namelen = sizeof(from);
		size = recvmsg(netlink->fd, &header, flags);
	} while (size < 0 && errno == EINTR);
	if (size < 0)
		return errno;
	if (header.msg_flags & MSG_TRUNC)
		return EMSGSIZE;
	/* only the kernel is believed */
	if (from.nl_pid)
		return 0;
	for (; NLMSG_OK(message, size); message = NLMSG_NEXT(message, size))
		take(message, own);
	return 0;
}

const void *netlink_attributes(const struct nlmsghdr *message, size_t *size)
{
	if (message->nlmsg_len < NLMSG_LENGTH(GENL_HDRLEN))
		return NULL;
	*size = message->nlmsg_len - NLMSG_LENGTH(GENL_HDRLEN);
	return (const char *)NLMSG_DATA(message) + GENL_HDRLEN;
}

const struct nlattr *netlink_next(const void **attributes, size_t *size)
{
	const struct nlattr *first = *attributes;
	size_t whole;

	if (*size < (size_t)NLA_HDRLEN || first->nla_len < NLA_HDRLEN || first->nla_len > *size)
		return NULL;
	whole = NLA_ALIGN(first->nla_len);
	if (whole > *size)
		whole = *size;
	*attributes = (const char *)first + whole;
	*size -= whole;
	return first;
}

bool netlink_read(const struct nlattr *attribute, void *number, size_t size)
{
	if (netlink_size(attribute) < size)
		return false;
	memcpy(number, netlink_data(attribute), size);
	return true;
}

bool netlink_is(const struct nlattr *attribute, const char *text)
{
	size_t size = strlen(text) + 1;

	return netlink_size(attribute) >= size && !memcmp(netlink_data(attribute), text, size);
}

/* What is asked for, and what has been answered */
struct resolution {
	const char *group;
	struct netlink_family *family;
	uint32_t sequence;
	bool done;
	int error;
};

/* A group is a nest, with its name and number */
static void read_group(const struct nlattr *nest, struct resolution *resolution)
{
	const void *attributes = netlink_data(nest);
	size_t size = netlink_size(nest);
	const struct nlattr *attribute;
	bool is_wanted = false;
	uint32_t number = 0;

	while ((attribute = netlink_next(&attributes, &size))) {
		if (netlink_type(attribute) == CTRL_ATTR_MCAST_GRP_NAME)
			is_wanted = netlink_is(attribute, resolution->group);
		if (netlink_type(attribute) == CTRL_ATTR_MCAST_GRP_ID)
			netlink_read(attribute, &number, sizeof(number));
	}
	if (is_wanted)
		resolution->family->group = number;
}

static void read_family(const struct nlmsghdr *message, struct resolution *resolution)
{
	struct netlink_family *family = resolution->family;
	size_t size = 0, groups_size;
	const void *attributes = netlink_attributes(message, &size), *groups;
	const struct nlattr *attribute, *group;

	while ((attribute = netlink_next(&attributes, &size))) {
		if (netlink_type(attribute) == CTRL_ATTR_FAMILY_ID)
			netlink_read(attribute, &family->number, sizeof(family->number));
		if (netlink_type(attribute) != CTRL_ATTR_MCAST_GROUPS || !resolution->group)
			continue;
		groups = netlink_data(attribute);
		groups_size = netlink_size(attribute);
		while ((group = netlink_next(&groups, &groups_size)))
			read_group(group, resolution);
	}
}

static void take_family(const struct nlmsghdr *message, void *own)
{
	struct resolution *resolution = own;

	if (message->nlmsg_seq != resolution->sequence)
		return;
	if (message->nlmsg_type == NLMSG_ERROR) {
		const struct nlmsgerr *error = NLMSG_DATA(message);

		resolution->error = message->nlmsg_len >= NLMSG_LENGTH(sizeof(error->error))
					    ? -error->error
					    : EBADMSG;
	} else {
		read_family(message, resolution);
	}
	resolution->done = true;
}

int netlink_resolve(struct netlink *netlink, const char *name, const char *group,
		    struct netlink_family *family)
{
	struct resolution resolution = { .group = group, .family = family };
	struct netlink_message message;
	int error;

	*family = (struct netlink_family){ 0 };
	/* without NLM_F_ACK: an answer or an error comes, not both */
	netlink_start(&message, GENL_ID_CTRL, 0, CTRL_CMD_GETFAMILY, 1);
	netlink_put(&message, CTRL_ATTR_FAMILY_NAME, name, strlen(name) + 1);
	error = netlink_send(netlink, &message);
	resolution.sequence = netlink->sequence;
	while (!error && !resolution.done)
		error = netlink_receive(netlink, 0, take_family, &resolution);
	if (!error)
		error = resolution.error;
	return error || family->number ? error : EBADMSG;
}

int netlink_subscribe(struct netlink *netlink, uint32_t group)
{
	return setsockopt(netlink->fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, sizeof(group))
		       ? errno
		       : 0;
}
