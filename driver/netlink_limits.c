// SPDX-License-Identifier: GPL-2.0-only
/* limits-get and limits-set: what the users of a card may have. */
#include "netlink.h"

/* The limits, without the card. */
int hbs_nl_put_limits(struct sk_buff *skb, struct hbs_card *card)
{
	lockdep_assert_held(&card->mutex);

	if (nla_put_u32(skb, HBS_A_LIMITS_PORTS_PER_USER, card->port_limit.per_user) ||
	    nla_put_u32(skb, HBS_A_LIMITS_PORTS_RESERVED, card->port_limit.reserved) ||
	    nla_put_u32(skb, HBS_A_LIMITS_GROUPS_PER_USER, card->group_limit.per_user) ||
	    nla_put_u32(skb, HBS_A_LIMITS_GROUPS_RESERVED, card->group_limit.reserved) ||
	    nla_put_u64_64bit(skb, HBS_A_LIMITS_TIMEOUT_MIN_NS, card->timeout_min_ns,
			      HBS_A_LIMITS_PAD) ||
	    nla_put_u64_64bit(skb, HBS_A_LIMITS_TIMEOUT_MAX_NS, card->timeout_max_ns,
			      HBS_A_LIMITS_PAD))
		return -EMSGSIZE;
	return 0;
}

static int hbs_nl_fill_limits(struct hbs_nl_answer *answer, struct hbs_card *card)
{
	void *header = hbs_nl_begin(answer);

	if (!header)
		return -EMSGSIZE;
	if (nla_put_u32(answer->skb, HBS_A_LIMITS_CARD, card->minor) ||
	    hbs_nl_put_limits(answer->skb, card)) {
		genlmsg_cancel(answer->skb, header);
		return -EMSGSIZE;
	}
	genlmsg_end(answer->skb, header);
	return 0;
}

static int hbs_nl_limits_get(struct hbs_nl_answer *answer, struct hbs_card *card,
			     struct genl_info *info)
{
	return hbs_nl_fill_limits(answer, card);
}

int hbs_nl_limits_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	return hbs_nl_get(skb, info, hbs_nl_limits_get);
}

static int hbs_nl_limits_dump(struct hbs_nl_answer *answer, struct hbs_card *card,
			      struct hbs_nl_dump *dump)
{
	return hbs_nl_fill_limits(answer, card);
}

int hbs_nl_limits_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return hbs_nl_dump(skb, cb, hbs_nl_limits_dump);
}

/* Take over a limit of a request, if it has that one. */
static int hbs_nl_take_limit(struct genl_info *info, int attr, u32 *limit, u32 most)
{
	if (!info->attrs[attr])
		return 0;
	if (nla_get_u32(info->attrs[attr]) > most) {
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[attr], "the card has not so many");
		return -ERANGE;
	}
	*limit = nla_get_u32(info->attrs[attr]);
	return 0;
}

static int hbs_nl_set_timeouts(struct hbs_card *card, struct genl_info *info)
{
	const struct nlattr *min = info->attrs[HBS_A_LIMITS_TIMEOUT_MIN_NS];
	const struct nlattr *max = info->attrs[HBS_A_LIMITS_TIMEOUT_MAX_NS];
	int ret;

	ret = hbs_timeout_set_limits(card, min ? nla_get_u64(min) : 0, max ? nla_get_u64(max) : 0);
	if (ret)
		NL_SET_ERR_MSG_ATTR(info->extack, min ?: max,
				    "the shortest timeout is longer than the longest");
	return ret;
}

/* All of the request's limits, or none of them. */
static int hbs_nl_set_limits(struct hbs_card *card, struct genl_info *info)
{
	struct hbs_limit ports = card->port_limit;
	struct hbs_limit groups = card->group_limit;
	int ret;

	lockdep_assert_held(&card->mutex);

	ret = hbs_nl_take_limit(info, HBS_A_LIMITS_PORTS_PER_USER, &ports.per_user,
				card->caps.ports) ?:
	      hbs_nl_take_limit(info, HBS_A_LIMITS_PORTS_RESERVED, &ports.reserved,
				card->caps.ports) ?:
	      hbs_nl_take_limit(info, HBS_A_LIMITS_GROUPS_PER_USER, &groups.per_user,
				card->caps.groups) ?:
	      hbs_nl_take_limit(info, HBS_A_LIMITS_GROUPS_RESERVED, &groups.reserved,
				card->caps.groups) ?:
	      hbs_nl_set_timeouts(card, info);
	if (ret)
		return ret;
	WRITE_ONCE(card->port_limit.per_user, ports.per_user);
	WRITE_ONCE(card->port_limit.reserved, ports.reserved);
	WRITE_ONCE(card->group_limit.per_user, groups.per_user);
	WRITE_ONCE(card->group_limit.reserved, groups.reserved);
	hbs_nl_changed();
	return 0;
}

int hbs_nl_limits_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	return hbs_nl_change(skb, info, hbs_nl_set_limits);
}
