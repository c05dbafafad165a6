// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Values that a barrier carries. The operand is the datum of the store that
 * arrives, and the result lies beside the epoch word: a barrier needs no more
 * stores, and no loads from the card.
 */
#include <errno.h>

#include "deadline.h"
#include "internal.h"
#include "order.h"

/*
 * The result of the barrier that the member departed from. It stays until this member
 * arrives again, unless so many resets of the group follow that its records are used
 * again. A register of the card (HBS_DEPART_BY_CSR) shows it until the first reset, or until
 * the card is gone; then the kernel may have it. A card that answers the load of the word has
 * answered that of the result before; if the group is broken, the word may be the kernel's.
 */
static int take_result(struct hbs_member *member, uint64_t *result)
{
	const struct hbs_group *group = member->group;
	uint64_t value, word;

	if (member->seat)
		return hbsi_soft_result(member, result);
	value = order_result(member->record);
	word = order_depart(member->record);

	if (group->depart_by == HBS_DEPART_BY_CSR &&
	    (word & ~(HBS_WORD_VOTE_ALL | HBS_WORD_VOTE_ANY)) != member->word)
		return hbsi_card_last_result(member, result);
	if ((word & ~WORD_STATUS) != member->word)
		return -ECONNRESET;
	*result = value;
	return 0;
}

int hbs_arrive_value(struct hbs_member *member, uint64_t value)
{
	if (!member)
		return -EINVAL;
	if (!member->group->reduce)
		return -EOPNOTSUPP;
	return hbsi_arrive_early(member, value);
}

int hbs_result(struct hbs_member *member, uint64_t *result)
{
	if (!member || !result)
		return -EINVAL;
	if (!member->group->reduce)
		return -EOPNOTSUPP;
	if (member->arrived < 0)
		return member->arrived;
	if (member->arrived || member->word == member->joined)
		return -EINVAL;
	return take_result(member, result);
}

/* On a card the path is that of hbs_barwait(): one store, and a load that sees the release */
static int allreduce_on_card(struct hbs_member *member, uint64_t value)
{
	uint64_t word;

	if (member->lane)
		order_arrive(member->lane, value);
	else
		order_arrive_line(member->line, member->word + HBS_WORD_EPOCH_ONE, true, value);
	word = order_depart(member->record);
	if (word == member->word + HBS_WORD_EPOCH_ONE) {
		member->word = word;
		return 0;
	}
	member->arrived = 1;
	return hbsi_finish(member);
}

/* In software, and if a checker has to know */
static int allreduce_in_steps(struct hbs_member *member, uint64_t value)
{
	int ret = hbsi_arrive(member, value);

	return ret ? ret : hbsi_finish(member);
}

int hbs_allreduce(struct hbs_member *member, uint64_t value, uint64_t *result)
{
	int ret;

	if (!member || !result)
		return -EINVAL;
	if (!member->group->reduce || member->group->type != HBS_BARRIER)
		return -EOPNOTSUPP;
	if (member->arrived)
		return hbsi_refuse(member);
	ret = member->seat || hbsi_checked ? allreduce_in_steps(member, value)
					   : allreduce_on_card(member, value);
	return ret ? ret : take_result(member, result);
}

int hbs_vote(struct hbs_member *member, int yes, int *all, int *any)
{
	uint64_t result;
	int ret;

	if (!member)
		return -EINVAL;
	if (member->group->reduce != HBS_VOTE)
		return -EOPNOTSUPP;
	ret = hbs_allreduce(member, !!yes, &result);
	if (ret)
		return ret;
	if (all)
		*all = !!(result & HBS_VOTE_ALL);
	if (any)
		*any = !!(result & HBS_VOTE_ANY);
	return 0;
}
