// SPDX-License-Identifier: GPL-2.0-only
/*
 * HBS_GROUP_WAKE: one member wakes another one that sleeps for the end of its epoch, or for
 * something of which the card knows nothing, such as a message in memory.
 *
 * The mark is the membership's. Who sleeps as a member, on an open file of that member, is in
 * two queues: the group's, and the member's own one, so that a wake disturbs nobody else.
 */
#include "hbs.h"

/* Is there a mark for the member whose open file it is? */
bool hbs_group_file_woken(const struct hbs_group_file *gfile)
{
	return gfile->member && atomic_read(&gfile->member->woken);
}

/* The same, and take the mark: what the waker did before, the caller sees after this. */
bool hbs_group_file_take_wake(struct hbs_group_file *gfile)
{
	return hbs_group_file_woken(gfile) && atomic_xchg(&gfile->member->woken, 0);
}

int hbs_group_wake_ioctl(struct hbs_ucmd *ucmd)
{
	struct hbs_group *group = to_group(ucmd->file);
	struct hbs_group_wake *cmd = ucmd->cmd;
	struct hbs_member *member;
	int ret;

	if (cmd->flags)
		return -EOPNOTSUPP;
	if (cmd->reserved)
		return -EINVAL;

	ret = hbs_card_lock(group->card, group->generation);
	if (ret)
		return ret;
	member = hbs_member_at(group, cmd->port);
	if (member) {
		atomic_set(&member->woken, 1);
		wake_up_all(&member->wq);
	} else {
		ret = -ENOENT;
	}
	hbs_card_unlock(group->card);
	return ret;
}
