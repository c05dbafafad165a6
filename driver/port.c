// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ports: their owners, their memory, and what happens to their groups when a port dies.
 */
#include <linux/nospec.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/topology.h>

#include "hbs.h"

/* The port of number @id, if this open file has it, or NULL. */
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
	port->user = hbs_limit_user();
	port->owner = hbs_limit_owner();
	return port;
}

static void hbs_port_destroy(struct hbs_port *port)
{
	struct hbs_card *card = port->file->card;

	hbs_memory_release(card, &port->memory);
	hbs_memory_free(&port->memory);
	hbs_memory_release(card, &port->lanes);
	hbs_memory_free(&port->lanes);
	hbs_memory_release(card, &port->waits);
	hbs_memory_free(&port->waits);
	put_pid(port->tgid);
	put_pid(port->tid);
	kfree(port);
}

/* Bytes of a port's mapping: the lanes, and not the rest of the stride. */
u32 hbs_port_map_size(const struct hbs_card *card)
{
	return PAGE_ALIGN(card->caps.groups * HBS_LANE_SIZE);
}

/* Bytes of a port's memory, laid out as its lanes are; 0 if the card has no use for it. */
u32 hbs_port_memory_size(const struct hbs_card *card)
{
	const u64 users = HBS_FEATURE_POLL_ARRIVAL | HBS_FEATURE_PORT_RECORD;

	return card->caps.features & users ? hbs_port_map_size(card) : 0;
}

/* Bytes of a port's waits. */
u32 hbs_port_waits_size(const struct hbs_card *card)
{
	return PAGE_ALIGN(card->caps.groups * HBS_WAITS_SIZE);
}

/* Make the port's memory, which it then keeps until it is freed. */
int hbs_port_make_memory(struct hbs_port *port)
{
	struct hbs_card *card = port->file->card;
	int ret;

	lockdep_assert_held(&card->lock);
	lockdep_assert_held(&card->mutex);

	if (port->memory.shared)
		return 0;
	if (!hbs_regs_answers(card))
		return -ENODEV;
	ret = hbs_memory_reserve(card, &port->memory, hbs_port_memory_size(card));
	if (!ret)
		ret = hbs_memory_attach(card, &port->memory, numa_mem_id());
	if (ret)
		return ret;
	if (!hbs_regs_port_memory(card, port->id, port->memory.shared->dma)) {
		hbs_memory_detach(card, &port->memory, false);
		return -ENODEV;
	}
	return 0;
}

/* Make the stand-in that users see in place of the port's lanes when the card is dead. */
int hbs_port_make_lanes(struct hbs_port *port)
{
	struct hbs_card *card = port->file->card;

	lockdep_assert_held(&card->mutex);

	return hbs_memory_reserve(card, &port->lanes, hbs_port_map_size(card));
}

/* Make the memory where the port's owner notes what its waits were like. */
int hbs_port_make_waits(struct hbs_port *port)
{
	struct hbs_card *card = port->file->card;

	lockdep_assert_held(&card->mutex);

	return hbs_memory_reserve(card, &port->waits, hbs_port_waits_size(card));
}

/* A copy of what the owner has noted of a group, which it may change at any time. */
void hbs_port_waits(const struct hbs_port *port, u32 group, struct hbs_waits *waits)
{
	lockdep_assert_held(&port->file->card->mutex);

	memset(waits, 0, sizeof(*waits));
	if (port->waits.stand_in)
		memcpy(waits, port->waits.stand_in + group * HBS_WAITS_SIZE, sizeof(*waits));
}

/* The arrival line of a group in the port's memory. */
u64 *hbs_port_line(const struct hbs_port *port, u32 group)
{
	return hbs_memory_base(&port->memory) + group * HBS_LANE_SIZE + HBS_LANE_ARRIVAL;
}

/* The departure record of a group in the port's memory. */
u64 *hbs_port_record(const struct hbs_port *port, u32 group)
{
	return hbs_memory_base(&port->memory) + group * HBS_LANE_SIZE + HBS_LANE_DEPARTURE;
}

static int hbs_port_take(struct hbs_file *hfile, struct hbs_port *port)
{
	struct hbs_card *card = hfile->card;
	u32 total = card->caps.ports;
	u32 id, mine = 0;
	int ret;

	lockdep_assert_held(&card->mutex);

	port->id = total;
	for (id = 0; id < total; id++) {
		const struct hbs_port *other = card->ports[id];

		if (!other)
			port->id = min(port->id, id);
		else if (uid_eq(other->user, port->user))
			mine++;
	}
	ret = hbs_limit_vet(&card->port_limit, total, card->ports_used, mine);
	if (ret)
		return ret;
	card->ports[port->id] = port;
	card->ports_used++;
	list_add(&port->link, &hfile->ports);
	hbs_nl_changed();
	return 0;
}

/*
 * Free the number for others; the port itself may live on, dead. @unused: the card has
 * said that it does not use the port's memory any more, or is fenced.
 */
static void hbs_port_detach(struct hbs_card *card, struct hbs_port *port, bool unused)
{
	lockdep_assert_held(&card->mutex);

	hbs_memory_detach(card, &port->memory, unused);
	card->ports[port->id] = NULL;
	card->ports_used--;
	hbs_nl_changed();
}

/* The same on a living card, if the port is not detached yet. */
static void hbs_port_retire(struct hbs_card *card, struct hbs_port *port)
{
	bool unused = true;

	lockdep_assert_held(&card->mutex);

	if (card->ports[port->id] != port)
		return;
	if (port->memory.shared)
		unused = hbs_regs_port_memory(card, port->id, 0);
	hbs_port_detach(card, port, unused);
}

static int hbs_port_give(struct hbs_file *hfile, u32 id)
{
	struct hbs_card *card = hfile->card;
	struct hbs_port *port;
	int ret;

	ret = hbs_card_lock(card, hfile->generation);
	if (ret)
		return ret;
	port = hbs_port_find(hfile, id);
	if (!port) {
		ret = -ENOENT;
	} else if (port->maps || port->memory_maps ||
		   !bitmap_empty(port->groups, HBS_MAX_GROUPS)) {
		port = NULL;
		ret = -EBUSY;
	} else {
		hbs_port_retire(card, port);
		list_del(&port->link);
	}
	hbs_card_unlock(card);
	if (port)
		hbs_port_destroy(port);
	return ret;
}

static int hbs_port_alloc(struct hbs_file *hfile, struct hbs_ucmd *ucmd)
{
	struct hbs_port_alloc *cmd = ucmd->cmd;
	struct hbs_card *card = hfile->card;
	struct hbs_port *port;
	int ret;

	lockdep_assert_held(&hfile->mutex);

	port = hbs_port_new(hfile);
	if (!port)
		return -ENOMEM;

	ret = hbs_card_lock(card, hfile->generation);
	if (!ret) {
		ret = hbs_port_take(hfile, port);
		cmd->port = port->id;
		hbs_card_unlock(card);
	}
	if (ret) {
		hbs_port_destroy(port);
		return ret;
	}

	cmd->map_size = hbs_port_map_size(card);
	cmd->map_offset = (u64)cmd->port << HBS_PORT_MAP_SHIFT;
	cmd->memory_offset = cmd->map_offset + HBS_PORT_MEMORY_OFFSET;
	cmd->memory_size = hbs_port_memory_size(card);
	cmd->waits_offset = cmd->map_offset + HBS_PORT_WAITS_OFFSET;
	cmd->waits_size = hbs_port_waits_size(card);
	ret = hbs_ucmd_respond(ucmd);
	if (ret)
		hbs_port_give(hfile, cmd->port);
	return ret;
}

int hbs_port_alloc_ioctl(struct hbs_ucmd *ucmd)
{
	struct hbs_file *hfile = ucmd->file->private_data;
	struct hbs_port_alloc *cmd = ucmd->cmd;
	int ret;

	if (cmd->flags)
		return -EOPNOTSUPP;
	if (cmd->reserved || cmd->reserved2)
		return -EINVAL;
	if (!(ucmd->file->f_mode & FMODE_WRITE))
		return -EBADF;

	ret = mutex_lock_killable(&hfile->mutex);
	if (ret)
		return ret;
	ret = hbs_port_alloc(hfile, ucmd);
	mutex_unlock(&hfile->mutex);
	return ret;
}

int hbs_port_free_ioctl(struct hbs_ucmd *ucmd)
{
	struct hbs_file *hfile = ucmd->file->private_data;
	struct hbs_port_free *cmd = ucmd->cmd;
	int ret;

	if (cmd->flags)
		return -EOPNOTSUPP;
	if (cmd->reserved)
		return -EINVAL;

	ret = mutex_lock_killable(&hfile->mutex);
	if (ret)
		return ret;
	ret = hbs_port_give(hfile, cmd->port);
	mutex_unlock(&hfile->mutex);
	return ret;
}

/* The thread behind a port died: it has died as a member of all its groups. */
void hbs_port_die(struct hbs_port *port)
{
	struct hbs_card *card = port->file->card;
	unsigned int id;

	lockdep_assert_held(&card->lock);
	lockdep_assert_held(&card->mutex);

	for_each_set_bit(id, port->groups, HBS_MAX_GROUPS)
		hbs_member_die(hbs_group_get(card, id), port);
}

/*
 * Let the lanes show from now on how the groups that the port is a member of ended, and
 * the results of their last epochs as far as the kernel has them. The card may be gone.
 */
static void hbs_port_bury_lanes(struct hbs_port *port, enum hbs_reason reason)
{
	struct hbs_card *card = port->file->card;
	unsigned int id;

	if (!port->lanes.stand_in)
		return;
	for_each_set_bit(id, port->groups, HBS_MAX_GROUPS) {
		struct hbs_group *group = hbs_group_get(card, id);
		u64 *departure = port->lanes.stand_in + id * HBS_LANE_SIZE + HBS_LANE_DEPARTURE;

		departure[HBS_RECORD_WORD / sizeof(u64)] = hbs_group_word(group);
		hbs_group_result(group, &departure[HBS_RECORD_RESULT / sizeof(u64)]);
	}
	hbs_memory_bury(&port->lanes, HBS_LANE_DEPARTURE, HBS_LANE_SIZE, reason);
}

/*
 * The card is fenced and dead, and its groups are broken in memory: break them in the
 * stand-ins for the ports' lanes and memory, too.
 */
void hbs_ports_kill(struct hbs_card *card, enum hbs_reason reason)
{
	u32 id;

	lockdep_assert_held_write(&card->lock);
	lockdep_assert_held(&card->mutex);

	for (id = 0; id < card->caps.ports; id++) {
		struct hbs_port *port = card->ports[id];

		if (!port)
			continue;
		hbs_port_bury_lanes(port, reason);
		hbs_memory_bury(&port->memory, HBS_LANE_DEPARTURE, HBS_LANE_SIZE, reason);
		bitmap_zero(port->groups, HBS_MAX_GROUPS);
	}
}

/* The second half of hbs_ports_kill(), when no mapping is left: nobody owns a port. */
void hbs_ports_free(struct hbs_card *card)
{
	u32 id;

	lockdep_assert_held_write(&card->lock);
	lockdep_assert_held(&card->mutex);

	for (id = 0; id < card->caps.ports; id++)
		if (card->ports[id])
			hbs_port_detach(card, card->ports[id], true);
}

/* The open file goes, and its ports go with it; no mapping of them is left. */
void hbs_ports_release(struct hbs_file *hfile)
{
	struct hbs_card *card = hfile->card;
	struct hbs_port *port, *next;

	down_read(&card->lock);
	mutex_lock(&card->mutex);
	list_for_each_entry_safe(port, next, &hfile->ports, link) {
		hbs_port_die(port);
		hbs_port_retire(card, port);
		hbs_port_destroy(port);
	}
	mutex_unlock(&card->mutex);
	up_read(&card->lock);
}
