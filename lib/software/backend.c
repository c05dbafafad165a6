// SPDX-License-Identifier: LGPL-2.1-or-later
/* The table of the software backend */
#include "poll.h"
#include "software.h"

static void soft_close(struct hbs *hbs)
{
	(void)hbs;
}

/* Only a member that has left asks this: software needs no register for it */
static uint64_t soft_last_word(struct hbs_member *member)
{
	return member->guess;
}

const struct backend_ops hbsi_software_ops = {
	.id = HBS_BACKEND_SOFTWARE,
	.group_size = sizeof(struct software),
	.max_members = UINT16_MAX,
	.close = soft_close,
	.group_create = hbsi_soft_create,
	.group_import = hbsi_soft_import,
	.group_free = hbsi_soft_group_free,
	.group_destroy = hbsi_soft_destroy,
	.group_stats = hbsi_soft_stats,
	.group_missing = hbsi_soft_missing,
	.group_reset = hbsi_soft_reset,
	.group_word = hbsi_soft_group_word,
	.join = hbsi_soft_join,
	.leave = hbsi_soft_leave,
	.die = hbsi_soft_die,
	.last_word = soft_last_word,
	.number = hbsi_soft_number,
	.wake = hbsi_soft_wake,
	.member_fd = hbsi_soft_member_fd,
	.idle_fd = hbsi_soft_idle_fd,
	.idle_fd_end = hbsi_soft_idle_fd_end,
};
