// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups: their life and their descriptors.
 *
 * A group lives while an open file of it does, and a mapping holds the open file
 * that it was made from. It is attached while card->groups has it: then the card may
 * write its pages. When the card dies, the driver detaches the group, which shows the
 * stand-ins for its pages for the rest of its life.
 */
#include <linux/anon_inodes.h>
#include <linux/file.h>
#include <linux/nodemask.h>
#include <linux/slab.h>

#include "hbs.h"
#include "trace.h"

static const struct file_operations hbs_group_fops;

/* The group that has this number now, or NULL. */
struct hbs_group *hbs_group_get(struct hbs_card *card, u32 id)
{
	return rcu_dereference_protected(card->groups[id],
					 lockdep_is_held(&card->mutex));
}

/* The present departure record in page @i. */
u64 *hbs_group_record(const struct hbs_group *group, u32 i)
{
	return hbs_memory_base(&group->pages[i]) + group->index * HBS_RECORD_SIZE;
}

/* Initialize the records of group->index; returns the one that the kernel will look at. */
u64 *hbs_group_new_record(const struct hbs_group *group)
{
	u64 word = hbs_regs_group_epoch(group->card, group->id);
	u32 i;

	for (i = 0; i < group->npages; i++) {
		u64 *record = hbs_group_record(group, i);

		/* The group may have used it before, HBS_PAGE_RECORDS resets ago. */
		WRITE_ONCE(record[HBS_RECORD_RESULT / sizeof(u64)], 0);
		WRITE_ONCE(record[HBS_RECORD_WORD / sizeof(u64)], word);
	}
	return hbs_group_record(group, 0);
}

/*
 * Take the group out of the card's table, and its pages away; @unused says that the card
 * does not use these any more.
 */
void hbs_group_detach(struct hbs_group *group, bool unused)
{
	struct hbs_card *card = group->card;
	u32 i;

	RCU_INIT_POINTER(card->groups[group->id], NULL);
	card->groups_used--;
	hbs_nl_changed();
	for (i = 0; i < group->npages; i++)
		hbs_memory_detach(card, &group->pages[i], unused);
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
			hbs_group_detach(group, true);
	}
}

static void hbs_group_free_rcu(struct rcu_head *rcu)
{
	struct hbs_group *group = container_of(rcu, struct hbs_group, rcu);
	u32 i;

	for (i = 0; i < group->npages; i++)
		hbs_memory_free(&group->pages[i]);
	kfree(group);
}

static void hbs_group_free(struct hbs_group *group)
{
	struct hbs_card *card = group->card;
	u32 i;

	hbs_members_forget(group);
	for (i = 0; i < group->npages; i++)
		hbs_memory_release(card, &group->pages[i]);
	/* An interrupt may be about to write its record and wake its sleepers. */
	call_rcu(&group->rcu, hbs_group_free_rcu);
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

/* Decide which NUMA node each page is for. */
static void hbs_group_assign_nodes(struct hbs_group *group, const nodemask_t *nodes)
{
	int node = NUMA_NO_NODE;
	u32 i;

	for (i = 0; i < group->npages; i++) {
		if (group->departure == HBS_DEPARTURE_NODE)
			node = i ? next_node(node, *nodes) : first_node(*nodes);
		group->pages[i].node = node < MAX_NUMNODES ? node : NUMA_NO_NODE;
	}
}

static struct hbs_group *hbs_group_alloc(struct hbs_card *card,
					 const struct hbs_group_create *cmd)
{
	/* A copy, for a node may get its first CPU, or lose its last, at any time. */
	nodemask_t nodes = node_states[N_CPU];
	struct hbs_group *group;
	u32 npages = 1;

	if (cmd->departure == HBS_DEPARTURE_NODE)
		npages = clamp_t(u32, nodes_weight(nodes), 1, card->caps.records);
	group = kzalloc(struct_size(group, pages, npages), GFP_KERNEL_ACCOUNT);
	if (!group)
		return NULL;

	hbs_card_get(card);
	group->card = card;
	group->user = hbs_limit_user();
	group->owner = hbs_limit_owner();
	group->files = 1;
	group->npages = npages;
	group->type = cmd->type;
	group->members = cmd->members;
	group->reduce = cmd->reduce;
	group->policy = cmd->policy;
	group->completion = cmd->completion;
	group->arrival = cmd->arrival;
	group->departure = cmd->departure;
	group->timeout_ns = cmd->timeout_ns;
	/* No epoch word has such low bits. */
	group->expired = U64_MAX;
	group->slept_word = U64_MAX;
	INIT_LIST_HEAD(&group->roll);
	spin_lock_init(&group->record_lock);
	init_waitqueue_head(&group->wq);
	hbs_group_assign_nodes(group, &nodes);
	return group;
}

static int hbs_group_find_slot(struct hbs_group *group)
{
	struct hbs_card *card = group->card;
	u32 total = card->caps.groups;
	u32 id, mine = 0;

	lockdep_assert_held(&card->mutex);

	group->id = total;
	for (id = 0; id < total; id++) {
		const struct hbs_group *other = hbs_group_get(card, id);

		if (!other)
			group->id = min(group->id, id);
		else if (uid_eq(other->user, group->user))
			mine++;
	}
	return hbs_limit_vet(&card->group_limit, total, card->groups_used, mine);
}

/* Give the group the pages that the card writes: one for each node, or only one. */
static int hbs_group_attach_pages(struct hbs_group *group)
{
	u32 i;

	for (i = 0; i < group->npages; i++) {
		int ret = hbs_memory_reserve(group->card, &group->pages[i], PAGE_SIZE);

		/* With HBS_DEPARTURE_CSR only the driver writes them: no page is shared. */
		if (!ret && group->departure != HBS_DEPARTURE_CSR)
			ret = hbs_memory_attach(group->card, &group->pages[i],
						group->pages[i].node);
		if (ret)
			return ret;
	}
	return 0;
}

/* Give the group its pages and a place on the card. */
static int hbs_group_attach(struct hbs_group *group)
{
	struct hbs_card *card = group->card;
	int ret;
	u32 i;

	lockdep_assert_held(&card->lock);
	lockdep_assert_held(&card->mutex);

	ret = hbs_group_find_slot(group);
	if (ret)
		return ret;
	/* The card may not have answered when it was told to stop the former group. */
	if (!hbs_regs_group_disable(card, group->id))
		return -ENODEV;
	ret = hbs_group_attach_pages(group);
	if (ret) {
		for (i = 0; i < group->npages; i++)
			hbs_memory_detach(card, &group->pages[i], true);
		return ret;
	}

	rcu_assign_pointer(group->record, hbs_group_new_record(group));
	rcu_assign_pointer(card->groups[group->id], group);
	card->groups_used++;
	hbs_nl_changed();
	group->generation = card->generation;
	ret = hbs_regs_group_enable(card, group);
	if (ret) {
		hbs_group_detach(group, hbs_regs_group_disable(card, group->id));
		return ret;
	}
	hbs_group_sync(group);
	trace_hbs_group_create(group);
	return 0;
}

static struct hbs_group *hbs_group_new(struct hbs_file *hfile,
				       const struct hbs_group_create *cmd)
{
	struct hbs_card *card = hfile->card;
	struct hbs_group *group;
	unsigned int tries = 0;
	int ret;

	group = hbs_group_alloc(card, cmd);
	if (!group)
		return ERR_PTR(-ENOMEM);

	do {
		ret = hbs_card_lock(card, hfile->generation);
		if (ret)
			break;
		ret = hbs_timeout_vet(card, group->timeout_ns);
		if (!ret)
			ret = hbs_group_attach(group);
		hbs_card_unlock(card);
	} while (ret == -ENOMEM && hbs_memory_again(++tries, 2 * group->npages * PAGE_SIZE));
	if (ret) {
		hbs_group_free(group);
		return ERR_PTR(ret);
	}
	return group;
}

/*
 * Make an open file of a group, and of a member if @member is not NULL; on success it takes
 * over one of group->files, and the reference to the member.
 */
static struct file *hbs_group_open(struct hbs_group *group, struct hbs_member *member, u64 seen)
{
	struct hbs_card *card = group->card;
	struct hbs_group_file *gfile;
	struct file *file;

	gfile = kzalloc(sizeof(*gfile), GFP_KERNEL_ACCOUNT);
	if (!gfile)
		return ERR_PTR(-ENOMEM);
	gfile->group = group;
	gfile->member = member;
	gfile->seen = seen;

	file = anon_inode_create_getfile("[hbs-group]", &hbs_group_fops, gfile, O_RDWR, NULL);
	if (IS_ERR(file)) {
		kfree(gfile);
		return file;
	}
	file->f_mapping = card->inode->i_mapping;
	stream_open(file_inode(file), file);
	atomic_inc(&card->group_files);
	return file;
}

static int hbs_group_release(struct inode *inode, struct file *file)
{
	struct hbs_group_file *gfile = file->private_data;

	/* Do this first, for the card may go with the group. */
	atomic_dec(&gfile->group->card->group_files);
	hbs_member_put(gfile->member);
	hbs_group_put(gfile->group);
	kfree(gfile);
	return 0;
}

/*
 * Hand a new open file of a group to userspace, with its descriptor at @fd in
 * the structure. Consumes one of group->files, and the reference to @member, whatever
 * happens.
 */
static int hbs_group_install(struct hbs_ucmd *ucmd, struct hbs_group *group,
			     struct hbs_member *member, s32 *fd, u64 seen)
{
	struct file *file;
	int ret;

	ret = get_unused_fd_flags(O_CLOEXEC);
	if (ret < 0)
		goto err_put;
	*fd = ret;

	file = hbs_group_open(group, member, seen);
	if (IS_ERR(file)) {
		put_unused_fd(*fd);
		ret = PTR_ERR(file);
		goto err_put;
	}

	ret = hbs_ucmd_respond(ucmd);
	if (ret) {
		put_unused_fd(*fd);
		fput(file);
		return ret;
	}
	fd_install(*fd, file);
	return 0;

err_put:
	hbs_member_put(member);
	hbs_group_put(group);
	return ret;
}

/* Do card and driver have what the group asks for? */
static bool hbs_group_supported(const struct hbs_card *card,
				const struct hbs_group_create *cmd)
{
	static const u64 completion[] = {
		[HBS_COMPLETION_COUNT] = HBS_FEATURE_COUNTING,
	};
	static const u64 arrival[] = {
		[HBS_ARRIVAL_POLL] = HBS_FEATURE_POLL_ARRIVAL,
	};
	static const u64 departure[] = {
		[HBS_DEPARTURE_RECORD] = HBS_FEATURE_RECORD,
		[HBS_DEPARTURE_CSR] = HBS_FEATURE_CSR_DEPARTURE,
		[HBS_DEPARTURE_PORT] = HBS_FEATURE_PORT_RECORD,
		[HBS_DEPARTURE_NODE] = HBS_FEATURE_NODE_RECORD,
	};
	u64 needed = 0;

	if (cmd->type >= 32 || !(card->caps.group_types & BIT(cmd->type)))
		return false;
	/* Nobody would free the messages to a dead member. */
	if (cmd->type == HBS_GROUP_REFUTABLE &&
	    (cmd->completion != HBS_COMPLETION_MASK || cmd->arrival != HBS_ARRIVAL_STORE ||
	     cmd->policy & HBS_POLICY_SHRINK))
		return false;
	if (cmd->reduce > HBS_REDUCE_VOTE ||
	    cmd->completion >= ARRAY_SIZE(completion) ||
	    cmd->arrival >= ARRAY_SIZE(arrival) ||
	    cmd->departure >= ARRAY_SIZE(departure) ||
	    cmd->policy & ~(HBS_POLICY_NOTIFY | HBS_POLICY_SHRINK | HBS_POLICY_THREAD))
		return false;

	if (cmd->reduce)
		needed |= HBS_FEATURE_REDUCE;
	if (cmd->timeout_ns || cmd->policy & HBS_POLICY_NOTIFY)
		needed |= HBS_FEATURE_TIMEOUT;
	needed |= completion[cmd->completion] | arrival[cmd->arrival] |
		  departure[cmd->departure];
	return (card->caps.features & needed) == needed;
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
	if (!(ucmd->file->f_mode & FMODE_WRITE))
		return -EBADF;
	if (!hbs_group_supported(card, cmd))
		return -EOPNOTSUPP;
	if (!cmd->members || cmd->members > card->caps.ports)
		return -EINVAL;

	group = hbs_group_new(hfile, cmd);
	if (IS_ERR(group))
		return PTR_ERR(group);
	cmd->group = group->id;
	return hbs_group_install(ucmd, group, NULL, &cmd->fd, hbs_group_word(group));
}

struct hbs_group *to_group(struct file *file)
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
	cmd->map_size = group->npages * PAGE_SIZE;
	cmd->reduce = group->reduce;
	cmd->policy = group->policy;
	cmd->completion = group->completion;
	cmd->arrival = group->arrival;
	cmd->departure = group->departure;
	cmd->timeout_ns = group->timeout_ns;
	down_read(&card->lock);
	mutex_lock(&card->mutex);
	if (!hbs_card_check(card, group->generation)) {
		/* A user that has seen a timeout finds it counted, even before the interrupt. */
		if (group->timeout_ns)
			hbs_timeouts_sync(card);
		/*
		 * A member may have seen its own record before the card wrote the group's,
		 * which the answer to a read comes after.
		 */
		hbs_regs_group_epoch(card, group->id);
		hbs_group_sync(group);
	}
	cmd->joined = group->joined;
	cmd->timeouts = group->timeouts;
	mutex_unlock(&card->mutex);
	up_read(&card->lock);
	cmd->word = hbs_group_word(group);
	return hbs_ucmd_respond(ucmd);
}

static int hbs_group_reopen_ioctl(struct hbs_ucmd *ucmd)
{
	struct hbs_group *group = to_group(ucmd->file);
	struct hbs_group_reopen *cmd = ucmd->cmd;
	struct hbs_card *card = group->card;
	struct hbs_member *member = NULL;
	int ret;

	if (cmd->flags & ~HBS_REOPEN_MEMBER)
		return -EOPNOTSUPP;
	if (cmd->reserved || (!cmd->flags && (cmd->card_fd || cmd->port)))
		return -EINVAL;

	if (cmd->flags & HBS_REOPEN_MEMBER) {
		if (ucmd->user_size < offsetofend(struct hbs_group_reopen, port))
			return -EINVAL;
		member = hbs_member_get(group, cmd->card_fd, cmd->port);
		if (IS_ERR(member))
			return PTR_ERR(member);
	}
	ret = hbs_card_lock(card, group->generation);
	if (ret) {
		hbs_member_put(member);
		return ret;
	}
	group->files++;
	hbs_card_unlock(card);
	return hbs_group_install(ucmd, group, member, &cmd->fd, cmd->word);
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
	if (!ret && !hbs_regs_answers(card))
		ret = -ENODEV;
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
	{ HBS_GROUP_WAKE, offsetofend(struct hbs_group_wake, reserved),
	  sizeof(struct hbs_group_wake), hbs_group_wake_ioctl },
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
