// SPDX-License-Identifier: LGPL-2.1-or-later
/* Memberships: joining and leaving. What a member does at a barrier is in wait.c */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "internal.h"
#include "probe.h"
#include "software/poll.h"

/* Whether a barrier needs no more than what the fast paths do */
static bool is_plain(const struct hbs_member *member)
{
	const struct hbs_group *group = member->group;

	/* only the other paths tell checkers about barriers */
	if (group->completion || hbsi_checked)
		return false;
	if (member->seat)
		return hbsi_soft_is_plain(member);
	return group->type == HBS_BARRIER && !member->line;
}

static int join(struct hbs_member *member, uint64_t tag)
{
	struct hbs_group *group = member->group;
	/*
	 * this comes first: it may fail, and if a member leaves again, the group may have ended
	 * by that
	 */
	int ret = hbsi_thread_watch(member);

	if (ret)
		return ret;
	hbsi_completion_lock(group->completion);
	ret = group_ops(group)->join(member, tag);
	hbsi_completion_unlock(group->completion);
	if (ret)
		hbsi_thread_unwatch(member);
	return ret;
}

int hbs_join_tagged(struct hbs_group *group, uint64_t tag, struct hbs_member **member)
{
	struct hbs_member *new;
	int cancel, ret;

	if (!group || !member)
		return -EINVAL;
	if (hbsi_is_foreign(group->hbs))
		return -ECHILD;
	new = calloc(1, sizeof(*new));
	if (!new)
		return -ENOMEM;
	new->group = group;
	cancel = cancel_off();
	ret = join(new, tag);
	cancel_restore(cancel);
	if (ret) {
		free(new);
		return ret;
	}
	new->joined = new->word;
	new->plain = is_plain(new);
	new->plain_lane = new->plain && !new->seat;
	atomic_fetch_add(&group->members, 1);
	probe_join(new, tag);
	*member = new;
	return 0;
}

int hbs_join(struct hbs_group *group, struct hbs_member **member)
{
	return hbs_join_tagged(group, 0, member);
}

static void leave(struct hbs_member *member)
{
	const struct backend_ops *ops = group_ops(member->group);
	struct completion *completion = member->group->completion;

	checked_end(member->group);
	probe_leave(member);
	ops->leave(member);
	/*
	 * nobody may depart from a barrier that the member has arrived at, or completed by
	 * leaving
	 */
	if (completion)
		hbsi_completion_settle(completion, ops->last_word(member) & ~WORD_STATUS);
}

int hbs_leave(struct hbs_member *member)
{
	struct hbs_group *group;
	int cancel;

	if (!member)
		return -EINVAL;
	group = member->group;
	cancel = cancel_off();
	hbsi_thread_unwatch(member);
	/* a child cannot give up the parent's seat */
	if (!hbsi_is_foreign(group->hbs))
		leave(member);
	else if (member->seat)
		hbsi_soft_poll_forget(member);
	if (!member->seat && member->poll_fd >= 0)
		close(member->poll_fd);
	if (!member->seat && member->wake_fd >= 0)
		close(member->wake_fd);
	cancel_restore(cancel);
	free(member);
	atomic_fetch_sub(&group->members, 1);
	return 0;
}

int hbs_arrive_and_drop(struct hbs_member *member)
{
	int ret;

	if (!member)
		return -EINVAL;
	if (hbsi_is_foreign(member->group->hbs))
		ret = -ECHILD;
	else if (member->seat && hbsi_soft_has_to_stay(member))
		ret = -EOPNOTSUPP;
	else
		ret = hbs_arrive(member);
	hbs_leave(member);
	return ret;
}

int hbs_member_fd(struct hbs_member *member)
{
	int cancel, ret;

	if (!member)
		return -EINVAL;
	if (hbsi_is_foreign(member->group->hbs))
		return -ECHILD;
	cancel = cancel_off();
	ret = group_ops(member->group)->member_fd(member);
	cancel_restore(cancel);
	return ret;
}
