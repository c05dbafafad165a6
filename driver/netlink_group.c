// SPDX-License-Identifier: GPL-2.0-only
/* group-get: what a group is and does. */
#include <linux/bitfield.h>
#include <linux/cred.h>
#include <linux/nospec.h>

#include "netlink.h"

/* The group of a request, or an error pointer. */
struct hbs_group *hbs_nl_group(struct hbs_card *card, struct genl_info *info,
			       const struct nlattr *attr)
{
	struct hbs_group *group = NULL;
	u32 id = nla_get_u32(attr);

	if (id < card->caps.groups)
		group = hbs_group_get(card, array_index_nospec(id, card->caps.groups));
	if (group)
		return group;
	NL_SET_ERR_MSG_ATTR(info->extack, attr, "there is no such group");
	return ERR_PTR(-ENOENT);
}

/* What everybody may know. */
static int hbs_nl_put_group(struct sk_buff *skb, struct hbs_group *group)
{
	u64 word = hbs_group_word(group);
	u32 state = HBS_GROUP_STATE_RUNNING;
	u32 vacant;

	if (word & HBS_WORD_BROKEN) {
		state = HBS_GROUP_STATE_BROKEN;
	} else {
		vacant = hbs_regs_group_vacant(group->card, group->id);
		if (vacant && vacant != U32_MAX)
			state = HBS_GROUP_STATE_GATHERING;
	}
	if (nla_put_u32(skb, HBS_A_GROUP_TYPE, group->type) ||
	    nla_put_u32(skb, HBS_A_GROUP_STATE, state) ||
	    nla_put_u32(skb, HBS_A_GROUP_REASON, FIELD_GET(HBS_WORD_REASON, word)) ||
	    nla_put_u32(skb, HBS_A_GROUP_SEATS, group->members) ||
	    nla_put_u32(skb, HBS_A_GROUP_JOINED, group->joined))
		return -EMSGSIZE;
	return 0;
}

/* How its maker made it. */
static int hbs_nl_put_group_ways(struct sk_buff *skb, const struct hbs_group *group)
{
	if (nla_put_u32(skb, HBS_A_GROUP_UID, from_kuid_munged(current_user_ns(), group->user)) ||
	    nla_put_u32(skb, HBS_A_GROUP_REDUCE, group->reduce) ||
	    nla_put_u32(skb, HBS_A_GROUP_POLICY, group->policy) ||
	    nla_put_u32(skb, HBS_A_GROUP_COMPLETION, group->completion) ||
	    nla_put_u32(skb, HBS_A_GROUP_ARRIVAL, group->arrival) ||
	    nla_put_u32(skb, HBS_A_GROUP_DEPARTURE, group->departure) ||
	    nla_put_u64_64bit(skb, HBS_A_GROUP_TIMEOUT_NS, group->timeout_ns, HBS_A_GROUP_PAD) ||
	    nla_put_u64_64bit(skb, HBS_A_GROUP_TIMEOUTS, group->timeouts, HBS_A_GROUP_PAD))
		return -EMSGSIZE;
	return 0;
}

static u32 hbs_nl_count_missing(const struct hbs_group *group,
				const struct hbs_group_missing *state,
				const unsigned long *ports)
{
	const struct hbs_member *member;
	u32 n = 0;

	list_for_each_entry(member, &group->roll, link)
		n += hbs_member_is_missing(member, state, ports);
	return n;
}

/* What it waits for. */
static int hbs_nl_put_group_missing(struct sk_buff *skb, struct hbs_group *group)
{
	DECLARE_BITMAP(ports, HBS_MAX_PORTS) = {};
	struct hbs_group_missing state;
	u64 since_ns;
	u32 missing;

	if (!(group->card->caps.features & HBS_FEATURE_TIMEOUT) ||
	    hbs_group_find_missing(group, &state, ports) || !hbs_regs_answers(group->card))
		return 0;
	missing = hbs_nl_count_missing(group, &state, ports);
	if (nla_put_u64_64bit(skb, HBS_A_GROUP_EPOCH, state.word >> HBS_WORD_EPOCH_SHIFT,
			      HBS_A_GROUP_PAD) ||
	    nla_put_u32(skb, HBS_A_GROUP_VACANT, state.vacant) ||
	    nla_put_u32(skb, HBS_A_GROUP_MISSING, missing))
		return -EMSGSIZE;
	if (!(state.word & HBS_WORD_BROKEN) && hbs_group_slept(group, state.word, &since_ns) &&
	    nla_put_u64_64bit(skb, HBS_A_GROUP_WAITING_NS, since_ns, HBS_A_GROUP_PAD))
		return -EMSGSIZE;
	if (state.expired && nla_put_flag(skb, HBS_A_GROUP_EXPIRED))
		return -EMSGSIZE;
	if (group->type == HBS_GROUP_REFUTABLE &&
	    nla_put_s64(skb, HBS_A_GROUP_IN_FLIGHT, state.in_flight, HBS_A_GROUP_PAD))
		return -EMSGSIZE;
	return 0;
}

#define HBS_NL_COUNTER(_attr, _member)					\
	{ HBS_A_GROUP_COUNTERS_##_attr, offsetof(struct hbs_group_counters, _member) }

static int hbs_nl_put_group_counters(struct sk_buff *skb, struct hbs_group *group)
{
	static const struct {
		u16 attr;
		u16 offset;
	} list[] = {
		HBS_NL_COUNTER(COMPLETIONS, completions),
		HBS_NL_COUNTER(ARRIVALS, arrivals),
		HBS_NL_COUNTER(DEPARTURE_READS, departure_reads),
		HBS_NL_COUNTER(RECORD_WRITES, record_writes),
		HBS_NL_COUNTER(NON_MEMBER, non_member),
		HBS_NL_COUNTER(DOUBLE_ARRIVALS, double_arrivals),
		HBS_NL_COUNTER(REFUSED, refused),
		HBS_NL_COUNTER(INTERRUPTS, interrupts),
		HBS_NL_COUNTER(WAITS, waits),
		HBS_NL_COUNTER(LINE_READS, line_reads),
		HBS_NL_COUNTER(WITHDRAWALS, withdrawals),
		HBS_NL_COUNTER(UNARRIVED, unarrived),
		HBS_NL_COUNTER(READBACKS, readbacks),
	};
	struct hbs_group_counters counters;
	struct nlattr *nest;
	unsigned int i;

	hbs_regs_group_counters(group->card, group->id, &counters);
	if (!hbs_regs_answers(group->card))
		return 0;
	counters.waits = atomic64_read(&group->waits);

	nest = nla_nest_start(skb, HBS_A_GROUP_COUNTERS);
	if (!nest)
		return -EMSGSIZE;
	for (i = 0; i < ARRAY_SIZE(list); i++) {
		const u64 *value = (void *)&counters + list[i].offset;

		if (nla_put_u64_64bit(skb, list[i].attr, *value, HBS_A_GROUP_COUNTERS_PAD))
			return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);
	return 0;
}

/*
 * What only those learn who may see the processes of the maker: the rest tells what these do,
 * and takes many reads of the card, which a stranger shall not cause.
 */
static int hbs_nl_put_group_details(struct sk_buff *skb, const struct hbs_nl_view *view,
				    struct hbs_group *group)
{
	if (!hbs_nl_may_see(view, group->owner))
		return 0;
	if (hbs_nl_put_group_ways(skb, group) ||
	    hbs_nl_put_group_missing(skb, group) ||
	    hbs_nl_put_group_counters(skb, group))
		return -EMSGSIZE;
	return 0;
}

static int hbs_nl_fill_group(struct hbs_nl_answer *answer, struct hbs_card *card,
			     struct hbs_group *group)
{
	struct sk_buff *skb = answer->skb;
	void *header = hbs_nl_begin(answer);

	if (!header)
		return -EMSGSIZE;
	/* The answer to a read comes after what the card wrote before; see HBS_GROUP_INFO. */
	hbs_regs_group_epoch(card, group->id);
	hbs_group_sync(group);
	if (nla_put_u32(skb, HBS_A_GROUP_CARD, card->minor) ||
	    nla_put_u32(skb, HBS_A_GROUP_GROUP, group->id) ||
	    hbs_nl_put_group(skb, group) ||
	    hbs_nl_put_group_details(skb, answer->view, group)) {
		genlmsg_cancel(skb, header);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, header);
	return 0;
}

static int hbs_nl_group_get(struct hbs_nl_answer *answer, struct hbs_card *card,
			    struct genl_info *info)
{
	struct hbs_group *group;

	if (GENL_REQ_ATTR_CHECK(info, HBS_A_GROUP_GROUP))
		return -EINVAL;
	group = hbs_nl_group(card, info, info->attrs[HBS_A_GROUP_GROUP]);
	if (IS_ERR(group))
		return PTR_ERR(group);
	hbs_timeouts_sync(card);
	return hbs_nl_fill_group(answer, card, group);
}

int hbs_nl_group_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	return hbs_nl_get(skb, info, hbs_nl_group_get);
}

static int hbs_nl_group_dump(struct hbs_nl_answer *answer, struct hbs_card *card,
			     struct hbs_nl_dump *dump)
{
	if (card->groups_used)
		hbs_timeouts_sync(card);
	for (; dump->index < card->caps.groups; dump->index++) {
		struct hbs_group *group = hbs_group_get(card, dump->index);

		if (group && hbs_nl_fill_group(answer, card, group))
			return -EMSGSIZE;
	}
	return 0;
}

int hbs_nl_group_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return hbs_nl_dump(skb, cb, hbs_nl_group_dump);
}
