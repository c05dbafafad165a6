/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages to and from the kernel's generic netlink. There are libraries for this, but loading one
 * and what it does at its start take longer than all that most commands ask.
 */
#ifndef HBSCTL_NETLINK_H
#define HBSCTL_NETLINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/genetlink.h>
#include <linux/netlink.h>

/* Room for what a command asks: 8 attributes */
#define NETLINK_MESSAGE_SIZE 128

/**
 * struct netlink - a socket
 * @fd: its descriptor, or -1
 * @sequence: the number of the last message that was sent
 */
struct netlink {
	int fd;
	uint32_t sequence;
};

/* A message that is made, and then sent */
struct netlink_message {
	union {
		struct nlmsghdr header;
		char bytes[NETLINK_MESSAGE_SIZE];
	};
};

/* The number of a family, and of one of its multicast groups: 0 if it has none of this name */
struct netlink_family {
	uint16_t number;
	uint32_t group;
};

/* Return, of all that return an int: 0, or an error number. */

int netlink_open(struct netlink *netlink);
void netlink_close(struct netlink *netlink);

/* Begin a message to a family; then add attributes, for which there must be room */
void netlink_start(struct netlink_message *message, uint16_t family, uint16_t flags,
		   uint8_t command, uint8_t version);
void netlink_put(struct netlink_message *message, uint16_t number, const void *data, size_t size);

int netlink_send(struct netlink *netlink, struct netlink_message *message);

/**
 * netlink_receive() - take what the kernel sends at once
 * @take: called for each message, which is whole
 * @flags: of recv(2)
 *
 * Return: ENOBUFS if the kernel had more to tell than there was room for.
 */
int netlink_receive(struct netlink *netlink, int flags,
		    void (*take)(const struct nlmsghdr *message, void *own), void *own);

/* Ask for a family. @group: the name of a multicast group, or NULL. */
int netlink_resolve(struct netlink *netlink, const char *name, const char *group,
		    struct netlink_family *family);

int netlink_subscribe(struct netlink *netlink, uint32_t group);

/* A message's payload behind the header of its family's, if it has that; @size: out */
const void *netlink_attributes(const struct nlmsghdr *message, size_t *size);

/**
 * netlink_next() - walk through attributes
 * @attributes: where they begin; out: what follows the first one
 * @size: their size, and that of the rest
 *
 * Return: the first one; NULL if there is none, or it is not whole.
 */
const struct nlattr *netlink_next(const void **attributes, size_t *size);

static inline unsigned int netlink_type(const struct nlattr *attribute)
{
	return attribute->nla_type & NLA_TYPE_MASK;
}

static inline const void *netlink_data(const struct nlattr *attribute)
{
	return (const char *)attribute + NLA_HDRLEN;
}

static inline size_t netlink_size(const struct nlattr *attribute)
{
	return attribute->nla_len - (size_t)NLA_HDRLEN;
}

/* Read a number. Return: false if the attribute is too short for it. */
bool netlink_read(const struct nlattr *attribute, void *number, size_t size);

/* Whether it is this text */
bool netlink_is(const struct nlattr *attribute, const char *text);

#endif /* HBSCTL_NETLINK_H */
