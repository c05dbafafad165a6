// SPDX-License-Identifier: GPL-2.0-only
/* Memberships: how ports join groups and leave them, or die in them. */
#include <linux/file.h>
#include <linux/slab.h>
#include <linux/topology.h>

#include "hbs.h"
#include "trace.h"

/* The open file behind a descriptor of the group's card; the caller calls fput(). */
static struct file *hbs_group_card_file(struct hbs_group *group, int fd)
{
	struct hbs_file *hfile;
	struct file *file;

	file = fget(fd);
	if (!file)
		return ERR_PTR(-EBADF);
	if (file->f_op != &hbs_card_fops) {
		fput(file);
		return ERR_PTR(-EBADF);
	}
	hfile = file->private_data;
	if (hfile->card != group->card) {
		fput(file);
		return ERR_PTR(-EXDEV);
	}
	return file;
}

/*
 * Lock the group and an open file of its card for the caller alone, and check that both
 * are alive. Only if this returns 0 does the caller call hbs_card_unlock().
 */
static int hbs_member_lock(struct hbs_group *group, struct hbs_file *hfile)
{
	struct hbs_card *card = group->card;
	int ret;

	ret = hbs_card_lock(card, group->generation);
	if (ret)
		return ret;
	ret = hbs_card_check(card, hfile->generation);
	if (ret)
		hbs_card_unlock(card);
	return ret;
}

/* Make what a member needs for the ways of the group, while a join can still fail. */
static int hbs_member_prepare(struct hbs_group *group, struct hbs_port *port)
{
	int ret = 0;

	if (group->arrival == HBS_ARRIVAL_POLL || group->departure == HBS_DEPARTURE_PORT)
		ret = hbs_port_make_memory(port);
	if (!ret && group->departure == HBS_DEPARTURE_CSR)
		ret = hbs_port_make_lanes(port);
	/* A word that it may have stored before it was a member is no arrival. */
	if (!ret && group->arrival == HBS_ARRIVAL_POLL)
		WRITE_ONCE(*hbs_port_line(port, group->id), 0);
	/* The card writes no result before the first one: clear that of a former group. */
	if (!ret && group->departure == HBS_DEPARTURE_PORT)
		WRITE_ONCE(hbs_port_record(port, group->id)[HBS_RECORD_RESULT / sizeof(u64)], 0);
	return ret;
}

/* Where the caller has to look, in the mapping that the group's way of departure uses. */
static u32 hbs_member_record_offset(struct hbs_group *group)
{
	int here = numa_node_id();
	u32 page = 0;

	switch (group->departure) {
	case HBS_DEPARTURE_CSR:
	case HBS_DEPARTURE_PORT:
		return group->id * HBS_LANE_SIZE + HBS_LANE_DEPARTURE;
	case HBS_DEPARTURE_NODE:
		while (page < group->npages && group->pages[page].node != here)
			page++;
		/* There may be more nodes than records, or a new one. */
		if (page == group->npages)
			page = here % group->npages;
		break;
	}
	return page * PAGE_SIZE + group->index * HBS_RECORD_SIZE;
}

static struct hbs_member *hbs_member_alloc(u64 tag)
{
	struct hbs_member *member = kzalloc(sizeof(*member), GFP_KERNEL_ACCOUNT);

	if (!member)
		return NULL;
	refcount_set(&member->refs, 1);
	init_waitqueue_head(&member->wq);
	member->tag = tag;
	return member;
}

void hbs_member_put(struct hbs_member *member)
{
	if (!member || !refcount_dec_and_test(&member->refs))
		return;
	put_pid(member->tgid);
	put_pid(member->tid);
	kfree(member);
}

/* Put the member on the group's roll, which is in the order of the ports. */
static void hbs_member_enrol(struct hbs_group *group, struct hbs_port *port,
			     struct hbs_member *member)
{
	struct hbs_member *next;

	member->port = port->id;
	member->tgid = get_pid(port->tgid);
	member->tid = get_pid(port->tid);
	member->owner = port->owner;
	list_for_each_entry(next, &group->roll, link)
		if (next->port > port->id)
			break;
	list_add_tail(&member->link, &next->link);
	hbs_nl_changed();
}

/* The living member of the port with that number, or NULL. */
struct hbs_member *hbs_member_at(struct hbs_group *group, u32 port)
{
	struct hbs_member *member;

	lockdep_assert_held(&group->card->mutex);

	list_for_each_entry(member, &group->roll, link)
		if (member->port == port && !member->dead)
			return member;
	return NULL;
}

/* Nobody finds this membership any more: its mark goes, and no other one comes. */
static void hbs_member_strike(struct hbs_member *member)
{
	list_del(&member->link);
	hbs_nl_changed();
	atomic_set(&member->woken, 0);
	hbs_member_put(member);
}

/* Empty the group's roll: it has no members any more, and does not report the dead. */
void hbs_members_forget(struct hbs_group *group)
{
	struct hbs_member *member, *next;

	list_for_each_entry_safe(member, next, &group->roll, link)
		hbs_member_strike(member);
}

/* Why the card has not done a join. */
static int hbs_group_join_errno(struct hbs_group *group)
{
	u64 word;

	hbs_regs_group_outcome(group->card, group->id, &word, NULL);
	return hbs_word_errno(word) ?: -EIO;
}

/* Join; if that succeeds, the group owns @member, which has no port yet. */
static int hbs_group_join(struct hbs_group *group, struct hbs_file *hfile,
			  struct hbs_group_join *cmd, struct hbs_member *member)
{
	struct hbs_card *card = group->card;
	struct hbs_port *port;
	int ret;

	lockdep_assert_held(&card->lock);
	lockdep_assert_held(&card->mutex);

	hbs_group_sync(group);
	ret = hbs_word_errno(hbs_group_word(group));
	if (ret)
		return ret;
	port = hbs_port_find(hfile, cmd->port);
	if (!port)
		return -ENOENT;
	if (test_bit(group->id, port->groups))
		return -EEXIST;
	if (group->joined == group->members)
		return -ENOSPC;
	ret = hbs_member_prepare(group, port);
	if (ret)
		return ret;

	if (!hbs_regs_group_join(card, group->id, port->id))
		return hbs_group_join_errno(group);
	/* From now on no epoch completes without it, unless the group counts arrivals. */
	cmd->word = hbs_regs_group_epoch(card, group->id);
	if (cmd->word == U64_MAX)
		return -ENODEV;
	member->joined = hbs_word_epoch(cmd->word);
	set_bit(group->id, port->groups);
	hbs_member_enrol(group, port, member);
	group->joined++;
	trace_hbs_member_join(group, member, cmd->word);
	cmd->lane_offset = group->id * HBS_LANE_SIZE;
	cmd->record_offset = hbs_member_record_offset(group);
	return 0;
}

static void hbs_member_drop(struct hbs_group *group, struct hbs_port *port)
{
	lockdep_assert_held(&group->card->mutex);

	hbs_regs_group_leave(group->card, group->id, port->id);
	clear_bit(group->id, port->groups);
	group->joined--;
}

static void hbs_member_leave(struct hbs_group *group, struct hbs_port *port)
{
	struct hbs_member *member = hbs_member_at(group, port->id);

	trace_hbs_member_leave(group, member, hbs_group_word(group));
	hbs_member_strike(member);
	hbs_member_drop(group, port);
}

/* Had this member not arrived when the timer broke the group? */
static bool hbs_member_missed(struct hbs_group *group, const struct hbs_member *member)
{
	DECLARE_BITMAP(ports, HBS_MAX_PORTS) = {};
	struct hbs_group_missing missing;

	return !hbs_regs_group_missing(group->card, group->id, ports, &missing) &&
	       missing.expired && test_bit(member->port, ports);
}

/*
 * A member has died: the group breaks, and reports that member until it is reset. A group
 * that shrinks goes on without the member, unless it is broken already.
 */
void hbs_member_die(struct hbs_group *group, struct hbs_port *port)
{
	struct hbs_member *member = hbs_member_at(group, port->id);

	trace_hbs_member_die(group, member, hbs_group_word(group));
	hbs_event_member_died(group, port->id);
	if (group->policy & HBS_POLICY_SHRINK)
		hbs_group_sync(group);
	else
		hbs_group_break(group, HBS_REASON_DIED);
	if (!(hbs_group_word(group) & HBS_WORD_BROKEN)) {
		hbs_member_leave(group, port);
		return;
	}
	member->missed = hbs_member_missed(group, member);
	member->dead = true;
	hbs_nl_changed();
	atomic_set(&member->woken, 0);
	hbs_member_drop(group, port);
}

static int hbs_group_leave(struct hbs_group *group, struct hbs_file *hfile, u32 id, u32 flags)
{
	struct hbs_port *port;
	int ret;

	ret = hbs_member_lock(group, hfile);
	if (ret)
		return ret;
	port = hbs_port_find(hfile, id);
	if (!port || !test_bit(group->id, port->groups))
		ret = -ENOENT;
	else if (flags & HBS_LEAVE_DIED)
		hbs_member_die(group, port);
	else
		hbs_member_leave(group, port);
	hbs_card_unlock(group->card);
	return ret;
}

int hbs_group_join_ioctl(struct hbs_ucmd *ucmd)
{
	struct hbs_group *group = to_group(ucmd->file);
	struct hbs_group_join *cmd = ucmd->cmd;
	struct hbs_member *member;
	struct hbs_file *hfile;
	unsigned int tries = 0;
	struct file *file;
	int ret;

	if (cmd->flags)
		return -EOPNOTSUPP;

	file = hbs_group_card_file(group, cmd->card_fd);
	if (IS_ERR(file))
		return PTR_ERR(file);
	hfile = file->private_data;
	ret = mutex_lock_killable(&hfile->mutex);
	if (ret)
		goto out;

	ret = -ENOMEM;
	member = hbs_member_alloc(cmd->tag);
	if (!member)
		goto unlock;
	do {
		ret = hbs_member_lock(group, hfile);
		if (ret)
			break;
		ret = hbs_group_join(group, hfile, cmd, member);
		hbs_card_unlock(group->card);
	} while (ret == -ENOMEM && hbs_memory_again(++tries, 2 * hbs_port_map_size(group->card)));
	if (ret) {
		hbs_member_put(member);
		goto unlock;
	}
	ret = hbs_ucmd_respond(ucmd);
	if (ret)
		hbs_group_leave(group, hfile, cmd->port, 0);
unlock:
	mutex_unlock(&hfile->mutex);
out:
	fput(file);
	return ret;
}

int hbs_group_leave_ioctl(struct hbs_ucmd *ucmd)
{
	struct hbs_group *group = to_group(ucmd->file);
	struct hbs_group_leave *cmd = ucmd->cmd;
	struct hbs_file *hfile;
	struct file *file;
	int ret;

	if (cmd->flags & ~HBS_LEAVE_DIED)
		return -EOPNOTSUPP;

	file = hbs_group_card_file(group, cmd->card_fd);
	if (IS_ERR(file))
		return PTR_ERR(file);
	hfile = file->private_data;
	ret = mutex_lock_killable(&hfile->mutex);
	if (!ret) {
		ret = hbs_group_leave(group, hfile, cmd->port, cmd->flags);
		mutex_unlock(&hfile->mutex);
	}
	fput(file);
	return ret;
}

/*
 * The living member that is the port @id of an open file of the card, which proves that the
 * caller may act for it; the caller calls hbs_member_put().
 */
struct hbs_member *hbs_member_get(struct hbs_group *group, int card_fd, u32 id)
{
	struct hbs_member *member = NULL;
	struct hbs_port *port;
	struct file *file;
	int ret;

	file = hbs_group_card_file(group, card_fd);
	if (IS_ERR(file))
		return ERR_CAST(file);
	ret = hbs_member_lock(group, file->private_data);
	if (!ret) {
		port = hbs_port_find(file->private_data, id);
		if (port && test_bit(group->id, port->groups))
			member = hbs_member_at(group, id);
		if (member)
			refcount_inc(&member->refs);
		hbs_card_unlock(group->card);
		ret = -ENOENT;
	}
	fput(file);
	return member ?: ERR_PTR(ret);
}
