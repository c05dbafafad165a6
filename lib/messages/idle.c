// SPDX-License-Identifier: LGPL-2.1-or-later
/* Idle members of a team: messages, and the refutable group that counts them */
#include <errno.h>

#include "../internal.h"
#include "messages.h"

/* Of the barrier that the member is to depart from next, as its messages carry it */
static uint32_t epoch_of(const struct hbs_member *member)
{
	return (uint32_t)(member->word >> HBS_WORD_EPOCH_SHIFT);
}

int hbs_mailbox_bind(struct hbs_mailbox *mailbox, struct hbs_member *member)
{
	if (!mailbox || !member)
		return -EINVAL;
	if (member->group->type != HBS_REFUTABLE)
		return -EOPNOTSUPP;
	if (mailbox->bound || mailbox->held)
		return -EBUSY;
	mailbox->bound = member;
	hbsi_mailbox_set_epoch(mailbox, epoch_of(member));
	return 0;
}

/* What the mailbox has to say since it was asked last; the difference is what counts */
static struct hbs_idle report(struct hbs_mailbox *mailbox, int vote)
{
	struct hbs_idle idle = { .vote = (uint32_t)vote };
	bool has_freed;
	int64_t balance = hbsi_mailbox_balance(mailbox, &has_freed);

	if (balance < 0)
		idle.freed = (uint64_t)-balance;
	else if (has_freed)
		idle.freed = 1;
	idle.sent = (uint64_t)balance + idle.freed;
	return idle;
}

static int has_message(void *mailbox)
{
	return hbs_message_can_recv(mailbox);
}

/* The epoch is over: the member's messages are of the next one from here on */
static int begin_epoch(struct hbs_mailbox *mailbox)
{
	int all = 0;
	int ret = hbs_votes(mailbox->bound, &all, NULL);

	hbsi_mailbox_set_epoch(mailbox, epoch_of(mailbox->bound));
	return ret ? ret : 1 + all;
}

/* A message of this epoch has come, so the epoch cannot be over */
static int refute(struct hbs_mailbox *mailbox)
{
	int ret = hbs_withdraw(mailbox->bound);

	if (ret == 1)
		mailbox->error = -EBADMSG;
	return ret == 1 ? -EBADMSG : ret;
}

int hbs_idle(struct hbs_mailbox *mailbox, int vote)
{
	struct hbs_idle idle;
	int ret;

	if (!mailbox || !mailbox->bound || vote < 0 || vote > 1)
		return -EINVAL;
	ret = has_message(mailbox);
	if (ret)
		return ret < 0 ? ret : 0;
	if (mailbox->held)
		return -EBUSY;
	idle = report(mailbox, vote);
	ret = hbs_begin_idle(mailbox->bound, &idle);
	if (!ret)
		ret = hbsi_wait_idle(mailbox->bound, has_message, mailbox);
	if (ret < 0)
		return ret;
	return ret ? begin_epoch(mailbox) : refute(mailbox);
}
