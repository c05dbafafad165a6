// SPDX-License-Identifier: GPL-2.0-only
/* user-get: the users of a card, and what each has. */
#include <linux/cred.h>

#include "netlink.h"

/* The user who answers for a port or, after all ports, for a group; INVALID_UID if nobody has it */
static kuid_t hbs_nl_holder(struct hbs_card *card, u32 i)
{
	const struct hbs_group *group;

	if (i < card->caps.ports)
		return card->ports[i] ? card->ports[i]->user : INVALID_UID;
	group = hbs_group_get(card, i - card->caps.ports);
	return group ? group->user : INVALID_UID;
}

/* Count what a user has among the ports and groups from @from on. */
static void hbs_nl_count(struct hbs_card *card, kuid_t user, u32 from, u32 *ports, u32 *groups)
{
	u32 i;

	for (i = from; i < card->caps.ports + card->caps.groups; i++)
		if (uid_eq(hbs_nl_holder(card, i), user))
			++*(i < card->caps.ports ? ports : groups);
}

static int hbs_nl_fill_user(struct hbs_nl_answer *answer, struct hbs_card *card, kuid_t user,
			    u32 ports, u32 groups)
{
	void *header = hbs_nl_begin(answer);

	if (!header)
		return -EMSGSIZE;
	if (nla_put_u32(answer->skb, HBS_A_USER_CARD, card->minor) ||
	    nla_put_u32(answer->skb, HBS_A_USER_UID,
			from_kuid_munged(current_user_ns(), user)) ||
	    nla_put_u32(answer->skb, HBS_A_USER_PORTS, ports) ||
	    nla_put_u32(answer->skb, HBS_A_USER_GROUPS, groups)) {
		genlmsg_cancel(answer->skb, header);
		return -EMSGSIZE;
	}
	genlmsg_end(answer->skb, header);
	return 0;
}

static int hbs_nl_user_get(struct hbs_nl_answer *answer, struct hbs_card *card,
			   struct genl_info *info)
{
	const struct nlattr *attr = info->attrs[HBS_A_USER_UID];
	u32 ports = 0, groups = 0;
	kuid_t user;

	if (GENL_REQ_ATTR_CHECK(info, HBS_A_USER_UID))
		return -EINVAL;
	user = make_kuid(current_user_ns(), nla_get_u32(attr));
	if (!uid_valid(user)) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr, "there is no such user");
		return -EINVAL;
	}
	if (!hbs_nl_may_see(answer->view, user)) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr, "you may not see other users");
		return -EPERM;
	}
	hbs_nl_count(card, user, 0, &ports, &groups);
	return hbs_nl_fill_user(answer, card, user, ports, groups);
}

int hbs_nl_user_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	return hbs_nl_get(skb, info, hbs_nl_user_get);
}

/* Is this the first port or group that its user has? */
static bool hbs_nl_first(struct hbs_card *card, u32 i)
{
	u32 other;

	for (other = 0; other < i; other++)
		if (uid_eq(hbs_nl_holder(card, other), hbs_nl_holder(card, i)))
			return false;
	return true;
}

/* Each user comes with the first port or group that it has. */
static int hbs_nl_user_dump(struct hbs_nl_answer *answer, struct hbs_card *card,
			    struct hbs_nl_dump *dump)
{
	for (; dump->index < card->caps.ports + card->caps.groups; dump->index++) {
		kuid_t user = hbs_nl_holder(card, dump->index);
		u32 ports = 0, groups = 0;

		if (!uid_valid(user) || !hbs_nl_may_see(answer->view, user) ||
		    !hbs_nl_first(card, dump->index))
			continue;
		hbs_nl_count(card, user, dump->index, &ports, &groups);
		if (hbs_nl_fill_user(answer, card, user, ports, groups))
			return -EMSGSIZE;
	}
	return 0;
}

int hbs_nl_user_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return hbs_nl_dump(skb, cb, hbs_nl_user_dump);
}
