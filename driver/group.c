// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups: descriptors, memberships, and how a group ends or starts anew.
 *
 * A group lives while an open file of it does, and a mapping holds the open file
 * that it was made from. It is attached while card->groups has it: then its
 * page is the card's to write. When the card dies it is detached, and shows its
 * tombstone for as long as it lives.
 */
#include <linux/dma-mapping.h>
#include <linux/file.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "hbs.h"

static const struct file_operations hbs_group_fops;

/* The group that has a number now, or NULL. */
struct hbs_group *hbs_group_get(struct hbs_card *card, u32 id)
{
	return rcu_dereference_protected(card->groups[id],
					 lockdep_is_held(&card->mutex));
}

static u64 *hbs_group_record(struct hbs_group *group)
{
	return rcu_dereference_protected(group->record,
					 lockdep_is_held(&group->card->mutex));
}

/* Write the record of a group that the card could not write. */
static void hbs_group_mark(struct hbs_group *group, u32 reason)
{
	u64 *record = hbs_group_record(group);
	u64 word = READ_ONCE(*record);
	u64 epoch;

	if (word & HBS_WORD_BROKEN)
		return;
	epoch = hbs_regs_group_epoch(group->card, group->id);
	if (epoch != U64_MAX)
		word = epoch;
	WRITE_ONCE(*record, hbs_word_broken(word, reason));
}

/* Break a group; one that is broken already keeps its reason. */
void hbs_group_break(struct hbs_group *group, enum hbs_reason reason)
{
	struct hbs_card *card = group->card;

	lockdep_assert_held(&card->lock);
	lockdep_assert_held(&card->mutex);

	if (hbs_group_word(group) & HBS_WORD_BROKEN)
		return;
	hbs_regs_group_break(card, group->id, reason);
	hbs_group_mark(group, hbs_regs_group_reason(card, group->id) ?: reason);
	wake_up_all(&group->wq);
}

/* End a membership. */
void hbs_group_drop(struct hbs_group *group, struct hbs_port *port)
{
	lockdep_assert_held(&group->card->mutex);

	hbs_regs_group_leave(group->card, group->id, port->id);
	clear_bit(group->id, port->groups);
	group->joined--;
}

/* Bring the records of groups that the card broke by itself up to date. */
void hbs_groups_sync(struct hbs_card *card)
{
	u32 id;

	lockdep_assert_held(&card->lock);
	lockdep_assert_held(&card->mutex);

	for (id = 0; id < card->caps.groups; id++) {
		struct hbs_group *group = hbs_group_get(card, id);
		u32 reason;

		if (!group)
			continue;
		reason = hbs_regs_group_reason(card, id);
		if (reason == HBS_REASON_NONE)
			continue;
		hbs_group_mark(group, reason);
		wake_up_all(&group->wq);
	}
}

/*
 * Make the tombstone: the departure page with all its records broken, whoever looks
 * at which, and with the results that somebody may still have to read. Returns
 * the record of now.
 */
static u64 *hbs_group_bury(struct hbs_group *group, enum hbs_reason reason)
{
	const unsigned int words = HBS_RECORD_SIZE / sizeof(u64);
	unsigned int i;

	memcpy(group->tombstone, page_address(group->page), PAGE_SIZE);
	for (i = 0; i < HBS_PAGE_RECORDS; i++) {
		u64 *word = group->tombstone + i * words;

		if (!(*word & HBS_WORD_BROKEN))
			*word = hbs_word_broken(*word, reason);
	}
	return group->tombstone + group->index * words;
}

/*
 * The card is fenced and dead: break every group in memory and put tombstones
 * in the place of departure pages. Those must live on until nobody looks at
 * them any more; then hbs_groups_free().
 */
void hbs_groups_kill(struct hbs_card *card, enum hbs_reason reason)
{
	u32 id;

	lockdep_assert_held_write(&card->lock);
	lockdep_assert_held(&card->mutex);

	for (id = 0; id < card->caps.groups; id++) {
		struct hbs_group *group = hbs_group_get(card, id);
		u64 *record, *grave;

		if (!group)
			continue;
		record = hbs_group_record(group);
		grave = hbs_group_bury(group, reason);
		group->joined = 0;
		rcu_assign_pointer(group->record, grave);
		WRITE_ONCE(*record, *grave);
		wake_up_all(&group->wq);
	}
}

static void hbs_group_free_page(struct hbs_group *group)
{
	dma_free_pages(&group->card->pdev->dev, PAGE_SIZE, group->page, group->dma,
		       DMA_BIDIRECTIONAL);
	group->page = NULL;
	atomic_dec(&group->card->pages);
}

static void hbs_group_detach(struct hbs_group *group)
{
	struct hbs_card *card = group->card;

	RCU_INIT_POINTER(card->groups[group->id], NULL);
	card->groups_used--;
	hbs_group_free_page(group);
}

/* The second half of hbs_groups_kill(). */
void hbs_groups_free(struct hbs_card *card)
{
	u32 id;

	lockdep_assert_held_write(&card->lock);
	lockdep_assert_held(&card->mutex);

	for (id = 0; id < card->caps.groups; id++) {
		struct hbs_group *group = hbs_group_get(card, id);

		if (group)
			hbs_group_detach(group);
	}
}

/* Stop the group on the card; nobody is a member any more. */
static void hbs_group_stop(struct hbs_group *group)
{
	struct hbs_card *card = group->card;
	u32 id;

	hbs_regs_group_disable(card, group->id);
	for (id = 0; id < card->caps.ports; id++)
		if (card->ports[id])
			clear_bit(group->id, card->ports[id]->groups);
	group->joined = 0;
}

/* Nobody has the group any more, though ports may still be members. */
static void hbs_group_retire(struct hbs_group *group)
{
	lockdep_assert_held(&group->card->lock);
	lockdep_assert_held(&group->card->mutex);

	if (hbs_group_get(group->card, group->id) != group)
		return;
	hbs_group_stop(group);
	hbs_group_detach(group);
}

/*
 * Break the group and start it anew, without members and with another record: the
 * one that former members look at stays as it is until all others of the page had
 * their turn.
 */
static void hbs_group_restart(struct hbs_group *group)
{
	struct hbs_card *card = group->card;
	u64 *record;

	lockdep_assert_held(&card->lock);
	lockdep_assert_held(&card->mutex);

	hbs_group_break(group, HBS_REASON_RESET);
	hbs_timeouts_sync(card);
	/* The card may have broken it; no completion follows that. */
	WRITE_ONCE(group->ended, hbs_group_word(group));

	hbs_group_stop(group);
	atomic64_set(&group->waits, 0);
	group->index = (group->index + 1) % HBS_PAGE_RECORDS;
	record = page_address(group->page) + group->index * HBS_RECORD_SIZE;
	WRITE_ONCE(*record, hbs_regs_group_epoch(card, group->id));
	/* Twice, since the epoch after one that broke must not look like its end. */
	hbs_regs_group_enable(card, group);
	hbs_regs_group_disable(card, group->id);
	hbs_regs_group_enable(card, group);

	/* Pairs with hbs_group_former(). */
	smp_store_release(&group->first, hbs_regs_group_epoch(card, group->id));
	rcu_assign_pointer(group->record, record);
	wake_up_all(&group->wq);
}

static void hbs_group_free(struct hbs_group *group)
{
	struct hbs_card *card = group->card;

	free_page((unsigned long)group->tombstone);
	atomic_dec(&card->pages);
	/* An interrupt may be about to wake its sleepers. */
	kfree_rcu(group, rcu);
	hbs_card_put(card);
}

static void hbs_group_put(struct hbs_group *group)
{
	struct hbs_card *card = group->card;
	bool last;

	down_read(&card->lock);
	mutex_lock(&card->mutex);
	last = !--group->files;
	if (last)
		hbs_group_retire(group);
	mutex_unlock(&card->mutex);
	up_read(&card->lock);
	if (last)
		hbs_group_free(group);
}

static struct hbs_group *hbs_group_alloc(struct hbs_card *card)
{
	struct hbs_group *group;
	int ret = -ENOMEM;

	group = kzalloc(sizeof(*group), GFP_KERNEL_ACCOUNT);
	if (!group)
		return ERR_PTR(ret);
	group->tombstone = (u64 *)get_zeroed_page(GFP_KERNEL_ACCOUNT);
	if (!group->tombstone)
		goto err_group;
	ret = hbs_card_get(card);
	if (ret)
		goto err_page;

	atomic_inc(&card->pages);
	group->card = card;
	group->files = 1;
	init_waitqueue_head(&group->wq);
	return group;

err_page:
	free_page((unsigned long)group->tombstone);
err_group:
	kfree(group);
	return ERR_PTR(ret);
}

static int hbs_group_find_slot(struct hbs_group *group)
{
	struct hbs_card *card = group->card;
	u32 id;

	lockdep_assert_held(&card->mutex);

	for (id = 0; id < card->caps.groups; id++) {
		if (!hbs_group_get(card, id)) {
			group->id = id;
			return 0;
		}
	}
	return -ENOSPC;
}

/* Give the group its departure page and a place on the card. */
static int hbs_group_attach(struct hbs_group *group)
{
	struct hbs_card *card = group->card;
	u64 *record;
	int ret;

	lockdep_assert_held(&card->lock);
	lockdep_assert_held(&card->mutex);

	ret = hbs_group_find_slot(group);
	if (ret)
		return ret;

	group->page = dma_alloc_pages(&card->pdev->dev, PAGE_SIZE, &group->dma,
				      DMA_BIDIRECTIONAL, GFP_KERNEL_ACCOUNT);
	if (!group->page)
		return -ENOMEM;
	/* Never an error; asked because debugging of the DMA API wants it asked. */
	(void)dma_mapping_error(&card->pdev->dev, group->dma);
	atomic_inc(&card->pages);

	record = page_address(group->page);
	memset(record, 0, PAGE_SIZE);
	WRITE_ONCE(*record, hbs_regs_group_epoch(card, group->id));
	rcu_assign_pointer(group->record, record);
	rcu_assign_pointer(card->groups[group->id], group);
	card->groups_used++;
	group->generation = card->generation;
	hbs_regs_group_enable(card, group);
	return 0;
}

static struct hbs_group *hbs_group_new(struct hbs_file *hfile,
				       const struct hbs_group_create *cmd)
{
	struct hbs_card *card = hfile->card;
	struct hbs_group *group;
	int ret;

	group = hbs_group_alloc(card);
	if (IS_ERR(group))
		return group;
	group->type = cmd->type;
	group->members = cmd->members;
	group->reduce = cmd->reduce;
	group->policy = cmd->policy;
	group->timeout_ns = cmd->timeout_ns;
	/* No epoch word has such low bits. */
	group->expired = U64_MAX;

	down_read(&card->lock);
	mutex_lock(&card->mutex);
	ret = hbs_card_check(card, hfile->generation);
	if (!ret)
		ret = hbs_timeout_vet(card, group->timeout_ns);
	if (!ret)
		ret = hbs_group_attach(group);
	mutex_unlock(&card->mutex);
	up_read(&card->lock);
	if (ret) {
		hbs_group_free(group);
		return ERR_PTR(ret);
	}
	return group;
}

/* An open file of a group; it takes over one of group->files if it succeeds. */
static struct file *hbs_group_open(struct hbs_group *group, u64 seen)
{
	struct hbs_card *card = group->card;
	struct hbs_group_file *gfile;
	struct file *file;

	gfile = kzalloc(sizeof(*gfile), GFP_KERNEL_ACCOUNT);
	if (!gfile)
		return ERR_PTR(-ENOMEM);
	gfile->group = group;
	gfile->seen = seen;

	file = hbs_inode_open(card->inode, "hbs-group", &hbs_group_fops);
	if (IS_ERR(file)) {
		kfree(gfile);
		return file;
	}
	file->private_data = gfile;
	stream_open(card->inode, file);
	atomic_inc(&card->group_files);
	return file;
}

static int hbs_group_release(struct inode *inode, struct file *file)
{
	struct hbs_group_file *gfile = file->private_data;

	/* First: the card may go with the group. */
	atomic_dec(&gfile->group->card->group_files);
	hbs_group_put(gfile->group);
	kfree(gfile);
	return 0;
}

/*
 * Hand a new open file of a group to userspace, with its descriptor at @fd in
 * the structure. Consumes one of group->files, whatever happens.
 */
static int hbs_group_install(struct hbs_ucmd *ucmd, struct hbs_group *group, s32 *fd,
			     u64 seen)
{
	struct file *file;
	int ret;

	ret = get_unused_fd_flags(O_CLOEXEC);
	if (ret < 0) {
		hbs_group_put(group);
		return ret;
	}
	*fd = ret;

	file = hbs_group_open(group, seen);
	if (IS_ERR(file)) {
		put_unused_fd(*fd);
		hbs_group_put(group);
		return PTR_ERR(file);
	}

	ret = hbs_ucmd_respond(ucmd);
	if (ret) {
		put_unused_fd(*fd);
		fput(file);
		return ret;
	}
	fd_install(*fd, file);
	return 0;
}

/* Do card and driver have what the group asks for? */
static bool hbs_group_supported(const struct hbs_card *card,
				const struct hbs_group_create *cmd)
{
	if (cmd->type >= 32 || !(card->caps.group_types & BIT(cmd->type)))
		return false;
	if (cmd->reduce > HBS_REDUCE_VOTE)
		return false;
	if (cmd->reduce && !(card->caps.features & HBS_FEATURE_REDUCE))
		return false;
	if (cmd->policy & ~(HBS_POLICY_NOTIFY | HBS_POLICY_SHRINK))
		return false;
	if (cmd->completion || cmd->arrival || cmd->departure)
		return false;
	if (card->caps.features & HBS_FEATURE_TIMEOUT)
		return true;
	return !cmd->timeout_ns && !(cmd->policy & HBS_POLICY_NOTIFY);
}

int hbs_group_create_ioctl(struct hbs_ucmd *ucmd)
{
	struct hbs_file *hfile = ucmd->file->private_data;
	struct hbs_group_create *cmd = ucmd->cmd;
	struct hbs_card *card = hfile->card;
	struct hbs_group *group;

	if (cmd->flags)
		return -EOPNOTSUPP;
	if (cmd->reserved || cmd->reserved2)
		return -EINVAL;
	if (!hbs_group_supported(card, cmd))
		return -EOPNOTSUPP;
	if (!cmd->members || cmd->members > card->caps.ports)
		return -EINVAL;

	group = hbs_group_new(hfile, cmd);
	if (IS_ERR(group))
		return PTR_ERR(group);
	cmd->group = group->id;
	return hbs_group_install(ucmd, group, &cmd->fd, hbs_group_word(group));
}

static struct hbs_group *to_group(struct file *file)
{
	struct hbs_group_file *gfile = file->private_data;

	return gfile->group;
}

static int hbs_group_info_ioctl(struct hbs_ucmd *ucmd)
{
	struct hbs_group *group = to_group(ucmd->file);
	struct hbs_group_info *cmd = ucmd->cmd;
	struct hbs_card *card = group->card;

	if (cmd->flags)
		return -EOPNOTSUPP;
	if (cmd->reserved)
		return -EINVAL;

	cmd->card = card->minor;
	cmd->group = group->id;
	cmd->type = group->type;
	cmd->members = group->members;
	cmd->map_size = PAGE_SIZE;
	cmd->reduce = group->reduce;
	cmd->policy = group->policy;
	cmd->timeout_ns = group->timeout_ns;
	down_read(&card->lock);
	mutex_lock(&card->mutex);
	/* Who has seen a timeout counts it, though the interrupt may be on its way. */
	if (!hbs_card_check(card, group->generation) && group->timeout_ns)
		hbs_timeouts_sync(card);
	cmd->joined = group->joined;
	cmd->timeouts = group->timeouts;
	mutex_unlock(&card->mutex);
	up_read(&card->lock);
	cmd->word = hbs_group_word(group);
	return hbs_ucmd_respond(ucmd);
}

/* The open file behind a descriptor of the group's card, to be put by fput(). */
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

static int hbs_group_join(struct hbs_group *group, struct hbs_file *hfile,
			  struct hbs_group_join *cmd)
{
	struct hbs_card *card = group->card;
	struct hbs_port *port;
	int ret;

	lockdep_assert_held(&card->lock);
	lockdep_assert_held(&card->mutex);

	ret = hbs_card_check(card, group->generation);
	if (ret)
		return ret;
	ret = hbs_card_check(card, hfile->generation);
	if (ret)
		return ret;
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

	hbs_regs_group_join(card, group->id, port->id);
	set_bit(group->id, port->groups);
	group->joined++;
	/* Stable: from here on no epoch completes without this member. */
	cmd->word = hbs_regs_group_epoch(card, group->id);
	cmd->lane_offset = group->id * HBS_LANE_SIZE;
	cmd->record_offset = group->index * HBS_RECORD_SIZE;
	return 0;
}

static int hbs_group_leave(struct hbs_group *group, struct hbs_file *hfile, u32 id)
{
	struct hbs_card *card = group->card;
	struct hbs_port *port;
	int ret;

	down_read(&card->lock);
	mutex_lock(&card->mutex);
	ret = hbs_card_check(card, group->generation);
	if (!ret)
		ret = hbs_card_check(card, hfile->generation);
	if (ret)
		goto out;

	port = hbs_port_find(hfile, id);
	if (port && test_bit(group->id, port->groups))
		hbs_group_drop(group, port);
	else
		ret = -ENOENT;
out:
	mutex_unlock(&card->mutex);
	up_read(&card->lock);
	return ret;
}

static int hbs_group_join_ioctl(struct hbs_ucmd *ucmd)
{
	struct hbs_group *group = to_group(ucmd->file);
	struct hbs_group_join *cmd = ucmd->cmd;
	struct hbs_card *card = group->card;
	struct hbs_file *hfile;
	struct file *file;
	int ret;

	if (cmd->flags)
		return -EOPNOTSUPP;

	file = hbs_group_card_file(group, cmd->card_fd);
	if (IS_ERR(file))
		return PTR_ERR(file);
	hfile = file->private_data;

	down_read(&card->lock);
	mutex_lock(&card->mutex);
	ret = hbs_group_join(group, hfile, cmd);
	mutex_unlock(&card->mutex);
	up_read(&card->lock);

	if (!ret) {
		ret = hbs_ucmd_respond(ucmd);
		if (ret)
			hbs_group_leave(group, hfile, cmd->port);
	}
	fput(file);
	return ret;
}

static int hbs_group_leave_ioctl(struct hbs_ucmd *ucmd)
{
	struct hbs_group *group = to_group(ucmd->file);
	struct hbs_group_leave *cmd = ucmd->cmd;
	struct file *file;
	int ret;

	if (cmd->flags)
		return -EOPNOTSUPP;

	file = hbs_group_card_file(group, cmd->card_fd);
	if (IS_ERR(file))
		return PTR_ERR(file);
	ret = hbs_group_leave(group, file->private_data, cmd->port);
	fput(file);
	return ret;
}

static int hbs_group_reopen_ioctl(struct hbs_ucmd *ucmd)
{
	struct hbs_group *group = to_group(ucmd->file);
	struct hbs_group_reopen *cmd = ucmd->cmd;
	struct hbs_card *card = group->card;
	int ret;

	if (cmd->flags)
		return -EOPNOTSUPP;
	if (cmd->reserved)
		return -EINVAL;

	down_read(&card->lock);
	mutex_lock(&card->mutex);
	ret = hbs_card_check(card, group->generation);
	if (!ret)
		group->files++;
	mutex_unlock(&card->mutex);
	up_read(&card->lock);
	return ret ?: hbs_group_install(ucmd, group, &cmd->fd, cmd->word);
}

static int hbs_group_destroy_ioctl(struct hbs_ucmd *ucmd)
{
	struct hbs_group *group = to_group(ucmd->file);
	struct hbs_group_destroy *cmd = ucmd->cmd;
	struct hbs_card *card = group->card;
	int ret;

	if (cmd->flags)
		return -EOPNOTSUPP;

	down_read(&card->lock);
	mutex_lock(&card->mutex);
	ret = hbs_card_check(card, group->generation);
	if (!ret)
		hbs_group_break(group, HBS_REASON_DESTROYED);
	mutex_unlock(&card->mutex);
	up_read(&card->lock);
	return ret;
}

static int hbs_group_reset_ioctl(struct hbs_ucmd *ucmd)
{
	struct hbs_group *group = to_group(ucmd->file);
	struct hbs_group_reset *cmd = ucmd->cmd;
	struct hbs_card *card = group->card;
	int ret;

	if (cmd->flags)
		return -EOPNOTSUPP;

	down_read(&card->lock);
	mutex_lock(&card->mutex);
	ret = hbs_card_check(card, group->generation);
	if (!ret)
		hbs_group_restart(group);
	mutex_unlock(&card->mutex);
	up_read(&card->lock);
	return ret;
}

static int hbs_group_counters_ioctl(struct hbs_ucmd *ucmd)
{
	struct hbs_group *group = to_group(ucmd->file);
	struct hbs_group_counters *cmd = ucmd->cmd;
	struct hbs_card *card = group->card;
	int ret;

	if (cmd->flags)
		return -EOPNOTSUPP;

	down_read(&card->lock);
	ret = hbs_card_check(card, group->generation);
	if (!ret)
		hbs_regs_group_counters(card, group->id, cmd);
	up_read(&card->lock);
	cmd->waits = atomic64_read(&group->waits);
	return ret ?: hbs_ucmd_respond(ucmd);
}

static const struct hbs_ioctl_op hbs_group_ops[] = {
	{ HBS_GROUP_INFO, offsetofend(struct hbs_group_info, word),
	  sizeof(struct hbs_group_info), hbs_group_info_ioctl },
	{ HBS_GROUP_JOIN, offsetofend(struct hbs_group_join, word),
	  sizeof(struct hbs_group_join), hbs_group_join_ioctl },
	{ HBS_GROUP_LEAVE, offsetofend(struct hbs_group_leave, port),
	  sizeof(struct hbs_group_leave), hbs_group_leave_ioctl },
	{ HBS_GROUP_WAIT, offsetofend(struct hbs_group_wait, word),
	  sizeof(struct hbs_group_wait), hbs_group_wait_ioctl },
	{ HBS_GROUP_REOPEN, offsetofend(struct hbs_group_reopen, word),
	  sizeof(struct hbs_group_reopen), hbs_group_reopen_ioctl },
	{ HBS_GROUP_DESTROY, offsetofend(struct hbs_group_destroy, flags),
	  sizeof(struct hbs_group_destroy), hbs_group_destroy_ioctl },
	{ HBS_GROUP_COUNTERS, offsetofend(struct hbs_group_counters, waits),
	  sizeof(struct hbs_group_counters), hbs_group_counters_ioctl },
	{ HBS_GROUP_MISSING, offsetofend(struct hbs_group_missing, expired),
	  sizeof(struct hbs_group_missing), hbs_group_missing_ioctl },
	{ HBS_GROUP_RESET, offsetofend(struct hbs_group_reset, flags),
	  sizeof(struct hbs_group_reset), hbs_group_reset_ioctl },
};

static long hbs_group_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	return hbs_ioctl(file, cmd, arg, hbs_group_ops, ARRAY_SIZE(hbs_group_ops));
}

static const struct file_operations hbs_group_fops = {
	.owner = THIS_MODULE,
	.release = hbs_group_release,
	.read = hbs_group_read,
	.write = hbs_group_write,
	.poll = hbs_group_poll,
	.unlocked_ioctl = hbs_group_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = hbs_group_mmap,
};
