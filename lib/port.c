// SPDX-License-Identifier: LGPL-2.1-or-later
/* Ports of a card: a thread takes one when it needs it, and its last member gives it back */
#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "internal.h"
#include "waits.h"

static int port_free(struct hbs *hbs, uint32_t number)
{
	struct hbs_port_free free_args = { .size = sizeof(free_args), .port = number };

	return ioctl(hbs->fd, HBS_PORT_FREE, &free_args) ? -errno : 0;
}

/* Statistics, without which all goes on: the driver may be older than these, or have no memory */
static void map_waits(struct hbs *hbs, struct hbs_port *port, const struct hbs_port_alloc *alloc)
{
	void *waits;

	if (!alloc->waits_size)
		return;
	waits = mmap(NULL, alloc->waits_size, PROT_READ | PROT_WRITE, MAP_SHARED, hbs->fd,
		     (off_t)alloc->waits_offset);
	if (waits == MAP_FAILED)
		return;
	port->waits = waits;
	port->waits_size = alloc->waits_size;
}

static int port_take(struct hbs *hbs, struct hbs_port *port)
{
	struct hbs_port_alloc alloc = { .size = sizeof(alloc) };
	int ret;

	if (ioctl(hbs->fd, HBS_PORT_ALLOC, &alloc))
		return -errno;
	port->number = alloc.port;
	port->map_size = alloc.map_size;
	port->memory_size = alloc.memory_size;
	port->memory_offset = alloc.memory_offset;
	port->map = mmap(NULL, alloc.map_size, PROT_READ | PROT_WRITE, MAP_SHARED, hbs->fd,
			 (off_t)alloc.map_offset);
	if (port->map != MAP_FAILED) {
		map_waits(hbs, port, &alloc);
		return 0;
	}
	ret = -errno;
	port_free(hbs, alloc.port);
	return ret;
}

/* A port for the thread @tid, without members yet */
int hbsi_port_new(struct hbs *hbs, pid_t tid, struct hbs_port **port)
{
	struct hbs_port *new = calloc(1, sizeof(*new));
	int ret;

	if (!new)
		return -ENOMEM;
	ret = port_take(hbs, new);
	if (ret) {
		free(new);
		return ret;
	}
	new->tid = tid;
	new->next = hbs->ports;
	hbs->ports = new;
	*port = new;
	return 0;
}

int hbsi_port_map_memory(struct hbs *hbs, struct hbs_port *port)
{
	void *memory;

	if (port->memory)
		return 0;
	if (!port->memory_size)
		return -EOPNOTSUPP;
	memory = mmap(NULL, port->memory_size, PROT_READ | PROT_WRITE, MAP_SHARED, hbs->fd,
		      (off_t)port->memory_offset);
	if (memory == MAP_FAILED)
		return -errno;
	port->memory = memory;
	return 0;
}

void hbsi_port_add(struct hbs_port *port, struct hbs_member *member)
{
	member->port = port;
	member->next = port->members;
	port->members = member;
}

void hbsi_port_remove(struct hbs_member *member)
{
	struct hbs_member **link = &member->port->members;

	while (*link != member)
		link = &(*link)->next;
	*link = member->next;
}

bool hbsi_port_is_in(const struct hbs_port *port, uint32_t group)
{
	const struct hbs_member *member = port->members;

	while (member && member->group->number != group)
		member = member->next;
	return member;
}

void hbsi_port_put(struct hbs *hbs, struct hbs_port *port)
{
	struct hbs_port **link = &hbs->ports;

	if (port->members)
		return;
	while (*link != port)
		link = &(*link)->next;
	*link = port->next;
	munmap(port->map, port->map_size);
	if (port->memory)
		munmap(port->memory, port->memory_size);
	if (port->waits)
		munmap(port->waits, port->waits_size);
	/* this fails if the card is gone, and then there is nothing to give back */
	port_free(hbs, port->number);
	free(port);
}
