// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Refutable groups, for programs that have messages of their own: a member says that it is
 * idle, may take that back, and departs when the group has found that all are idle and that
 * no message is in flight. The functions that test and wait are those of a barrier.
 */
#include <errno.h>

#include "internal.h"
#include "order.h"

/* The words of a lane, from its ARRIVAL word on */
#define OPERAND	 (HBS_LANE_OPERAND / sizeof(uint64_t))
#define WITHDRAW (HBS_LANE_WITHDRAW / sizeof(uint64_t))

/* What the sum of a card has room for, HBS_IDLE_DELTA */
#define DELTA_MAX ((int64_t)(HBS_IDLE_DELTA >> 1))

static bool has_delta(const struct hbs_idle *idle, int64_t *delta)
{
	*delta = (int64_t)(idle->sent - idle->freed);
	/* the difference of two numbers that are both large may be small */
	if ((idle->sent < idle->freed) != (*delta < 0))
		return false;
	return *delta <= DELTA_MAX && *delta >= -DELTA_MAX - 1;
}

int hbs_begin_idle(struct hbs_member *member, const struct hbs_idle *idle)
{
	uint64_t word;
	int64_t delta;
	int ret;

	if (!member || !idle || idle->vote > 1 || idle->reserved)
		return -EINVAL;
	if (member->group->type != HBS_REFUTABLE || (idle->value && !member->group->reduce))
		return -EOPNOTSUPP;
	if (!has_delta(idle, &delta))
		return -EOVERFLOW;
	if (member->arrived)
		return hbsi_refuse(member);
	ret = hbsi_lost(member);
	if (ret)
		return ret;
	checked_arrival(member);
	if (member->group->reduce)
		order_arrive(member->lane + OPERAND, idle->value);
	word = ((uint64_t)delta & HBS_IDLE_DELTA) | (idle->freed ? HBS_IDLE_FREED : 0) |
	       (idle->vote ? HBS_IDLE_VOTE : 0);
	order_arrive(member->lane, word);
	member->arrived = 1;
	return 0;
}

int hbs_withdraw(struct hbs_member *member)
{
	int ret;

	if (!member)
		return -EINVAL;
	if (member->group->type != HBS_REFUTABLE)
		return -EOPNOTSUPP;
	if (member->arrived < 0)
		return member->arrived;
	if (!member->arrived)
		return -EINVAL;
	ret = hbs_test(member);
	if (ret)
		return ret;
	order_withdraw(member->lane + WITHDRAW);
	member->arrived = 0;
	return 0;
}

int hbs_votes(const struct hbs_member *member, int *all, int *any)
{
	if (!member)
		return -EINVAL;
	if (member->group->type != HBS_REFUTABLE)
		return -EOPNOTSUPP;
	if (member->arrived < 0)
		return member->arrived;
	if (member->arrived || member->word == member->joined)
		return -EINVAL;
	if (all)
		*all = !!(member->votes & HBS_WORD_VOTE_ALL);
	if (any)
		*any = !!(member->votes & HBS_WORD_VOTE_ANY);
	return 0;
}
