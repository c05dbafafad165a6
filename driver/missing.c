// SPDX-License-Identifier: GPL-2.0-only
/* HBS_GROUP_MISSING: who has not arrived, or has died. */
#include <linux/bitfield.h>
#include <linux/mm.h>
#include <linux/uaccess.h>

#include "hbs.h"

/* The last two are from hbs_group_find_missing(). */
bool hbs_member_is_missing(const struct hbs_member *member,
			   const struct hbs_group_missing *state, const unsigned long *ports)
{
	switch (FIELD_GET(HBS_WORD_REASON, state->word)) {
	case HBS_REASON_NONE:
		return test_bit(member->port, ports);
	case HBS_REASON_TIMEOUT:
		return member->dead ? member->missed : test_bit(member->port, ports);
	case HBS_REASON_DIED:
		return member->dead;
	default:
		return false;
	}
}

/* Count the members that are missing, and list as many as there is @room for. */
static u32 hbs_missing_fill(struct hbs_group *group, const struct hbs_group_missing *state,
			    const unsigned long *ports, struct hbs_missing *list, u32 room)
{
	struct hbs_member *member;
	u32 n = 0;

	lockdep_assert_held(&group->card->mutex);

	list_for_each_entry(member, &group->roll, link) {
		if (!hbs_member_is_missing(member, state, ports))
			continue;
		if (n < room) {
			list[n].port = member->port;
			list[n].pid = pid_vnr(member->tgid);
			list[n].tid = pid_vnr(member->tid);
			list[n].tag = member->tag;
		}
		n++;
	}
	return n;
}

/**
 * hbs_group_find_missing() - what a group waits for
 * @group: the group
 * @state: out: word, vacant, expired and in_flight
 * @ports: out: the ports that have not arrived, or had not when the timer expired, in room
 *         for HBS_MAX_PORTS
 *
 * Return: 0, or -ENODEV if the card does not answer.
 */
int hbs_group_find_missing(struct hbs_group *group, struct hbs_group_missing *state,
			   unsigned long *ports)
{
	u32 reason;
	int ret;

	lockdep_assert_held(&group->card->lock);
	lockdep_assert_held(&group->card->mutex);

	ret = hbs_regs_group_missing(group->card, group->id, ports, state);
	if (ret)
		return ret;
	reason = FIELD_GET(HBS_WORD_REASON, state->word);
	/* The timer may have notified in an epoch that a death then ended. */
	if (reason != HBS_REASON_NONE && reason != HBS_REASON_TIMEOUT)
		state->expired = 0;
	return 0;
}

static int hbs_group_missing(struct hbs_group *group, struct hbs_group_missing *cmd,
			     struct hbs_missing *list, u32 room)
{
	DECLARE_BITMAP(ports, HBS_MAX_PORTS) = {};
	struct hbs_card *card = group->card;
	int ret;

	ret = hbs_card_lock(card, group->generation);
	if (ret)
		return ret;
	ret = hbs_group_find_missing(group, cmd, ports);
	if (!ret)
		cmd->count = hbs_missing_fill(group, cmd, ports, list, room);
	hbs_card_unlock(card);
	return ret;
}

int hbs_group_missing_ioctl(struct hbs_ucmd *ucmd)
{
	struct hbs_group_file *gfile = ucmd->file->private_data;
	struct hbs_group *group = gfile->group;
	struct hbs_group_missing *cmd = ucmd->cmd;
	struct hbs_card *card = group->card;
	struct hbs_missing *list;
	u32 n;
	int ret;

	if (cmd->flags || !(card->caps.features & HBS_FEATURE_TIMEOUT))
		return -EOPNOTSUPP;

	n = min(cmd->room, group->members);
	list = kvcalloc(n, sizeof(*list), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!list)
		return -ENOMEM;
	ret = hbs_group_missing(group, cmd, list, n);
	n = min(n, cmd->count);
	if (!ret && copy_to_user(u64_to_user_ptr(cmd->list), list, n * sizeof(*list)))
		ret = -EFAULT;
	kvfree(list);
	return ret ?: hbs_ucmd_respond(ucmd);
}
