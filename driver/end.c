// SPDX-License-Identifier: GPL-2.0-only
/*
 * How a group ends, or starts anew: by a break, the death of the card, a reset, or the
 * last descriptor.
 */
#include "hbs.h"
#include "trace.h"

/* Does a port of the card have a record of its own in the group? */
static bool hbs_group_has_record(const struct hbs_group *group, const struct hbs_port *port)
{
	return group->departure == HBS_DEPARTURE_PORT && port &&
	       test_bit(group->id, port->groups);
}

/*
 * Write a broken word into a record that shows none. The card may have been stopped amid the
 * records: if this one lacks the epoch of @word, it lacks the result too; and if it shows a
 * later one, members may have seen that.
 */
static void hbs_record_break(u64 *record, u64 word, u64 result)
{
	u64 now = READ_ONCE(*record);

	if (now & HBS_WORD_BROKEN)
		return;
	if (now > word)
		word = now | (word & (HBS_WORD_BROKEN | HBS_WORD_REASON));
	else if (hbs_word_epoch(now) != hbs_word_epoch(word))
		WRITE_ONCE(record[HBS_RECORD_RESULT / sizeof(u64)], result);
	/* Release: as in hbs_group_update(). */
	smp_store_release(record, word);
}

/*
 * Break the group in each of its records that shows no broken word, in the epoch that the
 * kernel's record shows.
 */
static void hbs_group_show_broken(struct hbs_group *group, u32 reason)
{
	struct hbs_card *card = group->card;
	unsigned long flags;
	u64 word, result;
	u32 i;

	lockdep_assert_held(&card->mutex);

	/* An interrupt may be about to bring the kernel's record up to date. */
	spin_lock_irqsave(&group->record_lock, flags);
	word = hbs_word_broken(hbs_group_word(group), reason);
	hbs_record_break(hbs_group_record(group, 0), word, 0);
	spin_unlock_irqrestore(&group->record_lock, flags);

	hbs_group_result(group, &result);
	for (i = 1; i < group->npages; i++)
		hbs_record_break(hbs_group_record(group, i), word, result);
	if (group->departure != HBS_DEPARTURE_PORT)
		return;
	for (i = 0; i < card->caps.ports; i++)
		if (hbs_group_has_record(group, card->ports[i]))
			hbs_record_break(hbs_port_record(card->ports[i], group->id), word,
					 result);
}

/* Tell of a break, once, however often the driver finds the group broken. */
void hbs_group_tell_broken(struct hbs_group *group, u32 reason)
{
	lockdep_assert_held(&group->card->mutex);

	if (group->told)
		return;
	group->told = true;
	trace_hbs_group_broken(group, hbs_word_broken(hbs_group_word(group), reason));
	hbs_event_group_broken(group, reason);
}

/* Write the records of a group that the card could not write. */
static void hbs_group_mark(struct hbs_group *group, u32 reason)
{
	/* The last epoch may have ended without a record of it. */
	hbs_group_update(group);
	hbs_group_show_broken(group, reason);
	hbs_group_tell_broken(group, reason);
}

/* Break a group; a group that is broken already keeps its reason. */
void hbs_group_break(struct hbs_group *group, enum hbs_reason reason)
{
	struct hbs_card *card = group->card;

	lockdep_assert_held(&card->lock);
	lockdep_assert_held(&card->mutex);

	hbs_group_sync(group);
	if (hbs_group_word(group) & HBS_WORD_BROKEN)
		return;
	hbs_regs_group_break(card, group->id, reason);
	hbs_group_mark(group, hbs_regs_group_reason(card, group->id) ?: reason);
	wake_up_all(&group->wq);
}

/* Bring up to date the records of groups that the card broke by itself. */
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

/* Tell listeners of the groups that the card broke by itself. */
void hbs_groups_tell(struct hbs_card *card)
{
	u32 id;

	lockdep_assert_held(&card->lock);
	lockdep_assert_held(&card->mutex);

	for (id = 0; id < card->caps.groups; id++) {
		struct hbs_group *group = hbs_group_get(card, id);
		u32 reason = group ? hbs_regs_group_reason(card, id) : HBS_REASON_NONE;

		if (reason != HBS_REASON_NONE)
			hbs_group_tell_broken(group, reason);
	}
}

/*
 * The card is fenced and dead: break every group in memory, and let everybody look at
 * the stand-ins for its pages from now on. The pages must live on until nobody looks
 * at them any more; then hbs_groups_free() frees them.
 */
void hbs_groups_kill(struct hbs_card *card, enum hbs_reason reason)
{
	u32 id, i;

	lockdep_assert_held_write(&card->lock);
	lockdep_assert_held(&card->mutex);

	for (id = 0; id < card->caps.groups; id++) {
		struct hbs_group *group = hbs_group_get(card, id);

		if (!group)
			continue;
		hbs_group_sync(group);
		hbs_group_show_broken(group, reason);
		group->joined = 0;
		for (i = 0; i < group->npages; i++)
			hbs_memory_bury(&group->pages[i], HBS_RECORD_WORD, HBS_RECORD_SIZE,
					reason);
		rcu_assign_pointer(group->record,
				   group->pages[0].stand_in + group->index * HBS_RECORD_SIZE);
		wake_up_all(&group->wq);
	}
}

/*
 * Stop the group on the card. Nobody is a member any more, and so nobody sees the next
 * words on the DEPARTURE line. Returns false if the card did not answer: then the card
 * may go on with the group.
 */
static bool hbs_group_stop(struct hbs_group *group)
{
	struct hbs_card *card = group->card;
	u32 id;

	for (id = 0; id < card->caps.ports; id++) {
		struct hbs_port *port = card->ports[id];

		if (port)
			clear_bit(group->id, port->groups);
	}
	hbs_members_forget(group);
	group->joined = 0;
	return hbs_regs_group_disable(card, group->id);
}

/*
 * Let one epoch go by, without members, in a group that is stopped. Returns the same as
 * hbs_group_stop().
 */
static bool hbs_group_skip_epoch(struct hbs_group *group)
{
	hbs_regs_group_enable(group->card, group);
	return hbs_regs_group_disable(group->card, group->id);
}

/*
 * Nobody has the group any more, though ports may still be members. Those that look at a
 * record or a DEPARTURE line, which outlive the group, see that nothing more will come.
 */
void hbs_group_retire(struct hbs_group *group)
{
	bool stopped;

	lockdep_assert_held(&group->card->lock);
	lockdep_assert_held(&group->card->mutex);

	if (hbs_group_get(group->card, group->id) != group)
		return;
	trace_hbs_group_end(group, hbs_group_word(group));
	/* Listeners learn of an expiry even if the group's last user ends of it. */
	if (group->timeout_ns)
		hbs_timeouts_sync(group->card);
	if (group->joined) {
		hbs_group_break(group, HBS_REASON_DESTROYED);
		hbs_group_stop(group);
		hbs_group_skip_epoch(group);
		stopped = hbs_group_skip_epoch(group);
	} else {
		stopped = hbs_group_stop(group);
	}
	hbs_group_detach(group, stopped);
}

/*
 * Break the group and start it anew, without members and with another record: the
 * record that former members look at stays as it is until all others of the page have
 * had their turn.
 */
static void hbs_group_restart(struct hbs_group *group)
{
	struct hbs_card *card = group->card;
	u64 *record, word, result, result_word;
	unsigned long flags;
	int ret;

	hbs_group_break(group, HBS_REASON_RESET);
	hbs_timeouts_sync(card);
	/* The card may have broken it; no completion follows that. */
	WRITE_ONCE(group->ended, hbs_group_word(group));
	result_word = hbs_group_result(group, &result);
	spin_lock_irqsave(&group->record_lock, flags);
	group->ended_result = result;
	group->ended_result_word = result_word;
	spin_unlock_irqrestore(&group->record_lock, flags);

	hbs_group_stop(group);
	atomic64_set(&group->waits, 0);
	group->index = (group->index + 1) % HBS_PAGE_RECORDS;
	record = hbs_group_new_record(group);
	/* The epoch after the one that broke must not look like its end. */
	hbs_group_skip_epoch(group);
	ret = hbs_regs_group_enable(card, group);

	word = hbs_regs_group_epoch(card, group->id);
	if (group->departure == HBS_DEPARTURE_CSR)
		WRITE_ONCE(*record, word);
	/* Pairs with hbs_group_former(). */
	smp_store_release(&group->first, word);
	rcu_assign_pointer(group->record, record);
	group->told = false;
	hbs_event_group_reset(group);
	if (ret == -EIO)
		hbs_group_mark(group, HBS_REASON_DMA);
	trace_hbs_group_restart(group, hbs_group_word(group));
	wake_up_all(&group->wq);
}

int hbs_group_destroy_ioctl(struct hbs_ucmd *ucmd)
{
	struct hbs_group *group = to_group(ucmd->file);
	struct hbs_group_destroy *cmd = ucmd->cmd;
	struct hbs_card *card = group->card;
	int ret;

	if (cmd->flags)
		return -EOPNOTSUPP;

	ret = hbs_card_lock(card, group->generation);
	if (ret)
		return ret;
	hbs_group_break(group, HBS_REASON_DESTROYED);
	hbs_card_unlock(card);
	return 0;
}

/* Mend a group, if its card answers. */
int hbs_group_reset(struct hbs_group *group)
{
	lockdep_assert_held(&group->card->lock);
	lockdep_assert_held(&group->card->mutex);

	if (!hbs_regs_answers(group->card))
		return -ENODEV;
	hbs_group_restart(group);
	return 0;
}

int hbs_group_reset_ioctl(struct hbs_ucmd *ucmd)
{
	struct hbs_group *group = to_group(ucmd->file);
	struct hbs_group_reset *cmd = ucmd->cmd;
	struct hbs_card *card = group->card;
	int ret;

	if (cmd->flags)
		return -EOPNOTSUPP;

	ret = hbs_card_lock(card, group->generation);
	if (ret)
		return ret;
	ret = hbs_group_reset(group);
	hbs_card_unlock(card);
	return ret;
}
