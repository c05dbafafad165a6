// SPDX-License-Identifier: GPL-2.0-only
/*
 * Timeouts: how long they may be, and what happens when the card's timers expire.
 *
 * If a group breaks at a timeout, the card breaks it, and wakes its sleepers as at a
 * completion. This file only takes note that a timer has expired.
 */
#include "hbs.h"
#include "trace.h"

/* May a group have this timeout? */
int hbs_timeout_vet(struct hbs_card *card, u64 timeout_ns)
{
	lockdep_assert_held(&card->mutex);

	if (!timeout_ns)
		return 0;
	if (timeout_ns < card->timeout_min_ns || timeout_ns > card->timeout_max_ns)
		return -ERANGE;
	return 0;
}

/* Set the limits; 0 keeps the present one. Existing groups keep their timeouts. */
int hbs_timeout_set_limits(struct hbs_card *card, u64 min_ns, u64 max_ns)
{
	lockdep_assert_held(&card->mutex);

	min_ns = min_ns ?: card->timeout_min_ns;
	max_ns = max_ns ?: card->timeout_max_ns;
	if (min_ns > max_ns || max_ns > HBS_MAX_TIMEOUT)
		return -ERANGE;
	WRITE_ONCE(card->timeout_min_ns, min_ns);
	WRITE_ONCE(card->timeout_max_ns, max_ns);
	return 0;
}

static void hbs_group_expired(struct hbs_group *group)
{
	struct hbs_card *card = group->card;
	u64 epoch = hbs_regs_group_epoch(card, group->id);
	bool broken;

	if (epoch == U64_MAX)
		return;
	group->timeouts++;
	trace_hbs_group_timeout(group, epoch);
	broken = hbs_regs_group_reason(card, group->id) == HBS_REASON_TIMEOUT;
	hbs_event_group_timeout(group, broken);
	if (broken)
		hbs_group_tell_broken(group, HBS_REASON_TIMEOUT);
	/*
	 * Do not note the epoch if it is over meanwhile. If the timer of the next one has
	 * expired too, the card raises another interrupt.
	 */
	if (hbs_regs_group_expired(card, group->id) &&
	    hbs_regs_group_epoch(card, group->id) == epoch)
		WRITE_ONCE(group->expired, epoch);
	wake_up_all(&group->wq);
}

/* Take note of the timers that have expired. */
void hbs_timeouts_sync(struct hbs_card *card)
{
	unsigned int word;

	lockdep_assert_held(&card->lock);
	lockdep_assert_held(&card->mutex);

	if (!(card->caps.features & HBS_FEATURE_TIMEOUT))
		return;

	for (word = 0; word * 64 < card->caps.groups; word++) {
		u64 bits = hbs_regs_ack_timeouts(card, word);

		while (bits) {
			u32 id = word * 64 + __ffs64(bits);
			struct hbs_group *group;

			bits &= bits - 1;
			group = id < card->caps.groups ? hbs_group_get(card, id) : NULL;
			if (group)
				hbs_group_expired(group);
		}
	}
}
