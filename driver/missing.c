// SPDX-License-Identifier: GPL-2.0-only
/* HBS_GROUP_MISSING: who has not arrived. */
#include <linux/mm.h>
#include <linux/uaccess.h>

#include "hbs.h"

/* As many entries of the list as there is room for; returns how many that is. */
static u32 hbs_missing_fill(struct hbs_card *card, const unsigned long *ports,
			    struct hbs_missing *list, u32 room)
{
	unsigned int id;
	u32 n = 0;

	lockdep_assert_held(&card->mutex);

	for_each_set_bit(id, ports, card->caps.ports) {
		const struct hbs_port *port = card->ports[id];

		if (n == room)
			break;
		list[n].port = id;
		list[n].pid = pid_vnr(port->tgid);
		list[n].tid = pid_vnr(port->tid);
		n++;
	}
	return n;
}

static int hbs_group_missing(struct hbs_group *group, struct hbs_group_missing *cmd,
			     struct hbs_missing *list, u32 *filled)
{
	DECLARE_BITMAP(ports, HBS_MAX_PORTS) = {};
	struct hbs_card *card = group->card;
	unsigned int id;
	int ret;

	ret = hbs_card_lock(card, group->generation);
	if (ret)
		return ret;
	ret = hbs_regs_group_missing(card, group->id, ports, cmd);
	if (!ret) {
		for_each_set_bit(id, ports, HBS_MAX_PORTS)
			if (id >= card->caps.ports || !card->ports[id])
				clear_bit(id, ports);
		cmd->count = bitmap_weight(ports, HBS_MAX_PORTS);
		*filled = hbs_missing_fill(card, ports, list, *filled);
	}
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
	ret = hbs_group_missing(group, cmd, list, &n);
	if (!ret && copy_to_user(u64_to_user_ptr(cmd->list), list, n * sizeof(*list)))
		ret = -EFAULT;
	kvfree(list);
	return ret ?: hbs_ucmd_respond(ucmd);
}
