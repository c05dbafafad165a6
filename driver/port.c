// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ports: who has which, and what happens to their groups when one dies.
 */
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "hbs.h"

/* The port of that number that an open file has, or NULL. */
struct hbs_port *hbs_port_find(struct hbs_file *hfile, u32 id)
{
	struct hbs_card *card = hfile->card;
	struct hbs_port *port;

	lockdep_assert_held(&card->mutex);

	if (id >= card->caps.ports)
		return NULL;
	port = card->ports[array_index_nospec(id, card->caps.ports)];
	return port && port->file == hfile ? port : NULL;
}

static struct hbs_port *hbs_port_new(struct hbs_file *hfile)
{
	struct hbs_port *port = kzalloc(sizeof(*port), GFP_KERNEL_ACCOUNT);

	if (!port)
		return NULL;
	port->file = hfile;
	port->tgid = get_task_pid(current, PIDTYPE_TGID);
	port->tid = get_task_pid(current, PIDTYPE_PID);
	return port;
}

static void hbs_port_destroy(struct hbs_port *port)
{
	if (port->dummy) {
		__free_page(port->dummy);
		atomic_dec(&port->file->card->pages);
	}
	put_pid(port->tgid);
	put_pid(port->tid);
	kfree(port);
}

static int hbs_port_take(struct hbs_file *hfile, struct hbs_port *port)
{
	struct hbs_card *card = hfile->card;
	u32 id;

	lockdep_assert_held(&card->mutex);

	for (id = 0; id < card->caps.ports; id++) {
		if (card->ports[id])
			continue;
		port->id = id;
		card->ports[id] = port;
		card->ports_used++;
		list_add(&port->link, &hfile->ports);
		return 0;
	}
	return -ENOSPC;
}

/* The number is free for others; the port itself may live on, dead. */
static void hbs_port_detach(struct hbs_card *card, struct hbs_port *port)
{
	lockdep_assert_held(&card->mutex);

	if (card->ports[port->id] != port)
		return;
	card->ports[port->id] = NULL;
	card->ports_used--;
}

static int hbs_port_give(struct hbs_file *hfile, u32 id)
{
	struct hbs_card *card = hfile->card;
	struct hbs_port *port = NULL;
	int ret;

	down_read(&card->lock);
	mutex_lock(&card->mutex);
	ret = hbs_card_check(card, hfile->generation);
	if (ret)
		goto out;

	ret = -ENOENT;
	port = hbs_port_find(hfile, id);
	if (!port)
		goto out;

	if (port->maps || !bitmap_empty(port->groups, HBS_MAX_GROUPS)) {
		port = NULL;
		ret = -EBUSY;
		goto out;
	}
	hbs_port_detach(card, port);
	list_del(&port->link);
	ret = 0;
out:
	mutex_unlock(&card->mutex);
	up_read(&card->lock);
	if (port)
		hbs_port_destroy(port);
	return ret;
}

int hbs_port_alloc_ioctl(struct hbs_ucmd *ucmd)
{
	struct hbs_file *hfile = ucmd->file->private_data;
	struct hbs_port_alloc *cmd = ucmd->cmd;
	struct hbs_card *card = hfile->card;
	struct hbs_port *port;
	int ret;

	if (cmd->flags)
		return -EOPNOTSUPP;
	if (cmd->reserved)
		return -EINVAL;

	port = hbs_port_new(hfile);
	if (!port)
		return -ENOMEM;

	down_read(&card->lock);
	mutex_lock(&card->mutex);
	ret = hbs_card_check(card, hfile->generation);
	if (!ret)
		ret = hbs_port_take(hfile, port);
	/* Once the locks are gone another thread may free the port. */
	cmd->port = port->id;
	mutex_unlock(&card->mutex);
	up_read(&card->lock);
	if (ret) {
		hbs_port_destroy(port);
		return ret;
	}

	cmd->map_size = hbs_port_map_size(card);
	cmd->map_offset = (u64)cmd->port << HBS_PORT_MAP_SHIFT;
	ret = hbs_ucmd_respond(ucmd);
	if (ret)
		hbs_port_give(hfile, cmd->port);
	return ret;
}

int hbs_port_free_ioctl(struct hbs_ucmd *ucmd)
{
	struct hbs_port_free *cmd = ucmd->cmd;

	if (cmd->flags)
		return -EOPNOTSUPP;
	if (cmd->reserved)
		return -EINVAL;
	return hbs_port_give(ucmd->file->private_data, cmd->port);
}

/*
 * The thread behind a port died: its groups do not have it any more, and break but
 * for those that shrink.
 */
void hbs_port_die(struct hbs_port *port)
{
	struct hbs_card *card = port->file->card;
	unsigned int id;

	lockdep_assert_held(&card->lock);
	lockdep_assert_held(&card->mutex);

	for_each_set_bit(id, port->groups, HBS_MAX_GROUPS) {
		struct hbs_group *group = hbs_group_get(card, id);

		if (!(group->policy & HBS_POLICY_SHRINK))
			hbs_group_break(group, HBS_REASON_DIED);
		hbs_group_drop(group, port);
	}
}

/* The card is dead for those who have it now: nobody owns a port any more. */
void hbs_ports_detach(struct hbs_card *card)
{
	u32 id;

	lockdep_assert_held_write(&card->lock);
	lockdep_assert_held(&card->mutex);

	for (id = 0; id < card->caps.ports; id++) {
		if (!card->ports[id])
			continue;
		bitmap_zero(card->ports[id]->groups, HBS_MAX_GROUPS);
		hbs_port_detach(card, card->ports[id]);
	}
}

/* The open file goes, and with it its ports; no mapping of them is left. */
void hbs_ports_release(struct hbs_file *hfile)
{
	struct hbs_card *card = hfile->card;
	struct hbs_port *port, *next;

	down_read(&card->lock);
	mutex_lock(&card->mutex);
	list_for_each_entry_safe(port, next, &hfile->ports, link) {
		hbs_port_die(port);
		hbs_port_detach(card, port);
		hbs_port_destroy(port);
	}
	mutex_unlock(&card->mutex);
	up_read(&card->lock);
}
