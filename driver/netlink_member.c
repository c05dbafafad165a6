// SPDX-License-Identifier: GPL-2.0-only
/* member-get: who is a member of a group, whether it is missing, and how long it waits. */
#include "netlink.h"

/**
 * struct hbs_nl_roll - what the members of a group are told by
 * @group: the group
 * @word: its epoch word
 * @known: the rest is known: the reader may see it, and the card answers
 * @state: what the group waits for
 * @ports: which ports these are
 */
struct hbs_nl_roll {
	struct hbs_group *group;
	u64 word;
	bool known;
	struct hbs_group_missing state;
	DECLARE_BITMAP(ports, HBS_MAX_PORTS);
};

static void hbs_nl_roll_init(struct hbs_nl_roll *roll, struct hbs_group *group,
			     const struct hbs_nl_view *view)
{
	struct hbs_card *card = group->card;

	hbs_group_sync(group);
	roll->group = group;
	roll->word = hbs_group_word(group);
	bitmap_zero(roll->ports, HBS_MAX_PORTS);
	roll->known = card->caps.features & HBS_FEATURE_TIMEOUT &&
		      hbs_nl_may_see(view, group->owner) &&
		      !hbs_group_find_missing(group, &roll->state, roll->ports) &&
		      hbs_regs_answers(card);
}

static int hbs_nl_put_wait(struct sk_buff *skb, u64 from_ns, u64 count)
{
	struct nlattr *nest;

	if (!count)
		return 0;
	nest = nla_nest_start(skb, HBS_A_MEMBER_WAIT);
	if (!nest || nla_put_u64_64bit(skb, HBS_A_WAIT_FROM_NS, from_ns, HBS_A_WAIT_PAD) ||
	    nla_put_u64_64bit(skb, HBS_A_WAIT_COUNT, count, HBS_A_WAIT_PAD))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/* What its program has noted, which may be anything: it is only shown. */
static int hbs_nl_put_noted(struct sk_buff *skb, const struct hbs_waits *waits)
{
	u32 scale = waits->scale % 32;
	unsigned int i;

	if (nla_put_u64_64bit(skb, HBS_A_MEMBER_WAITED_NS, waits->waited_ns, HBS_A_MEMBER_PAD) ||
	    nla_put_u64_64bit(skb, HBS_A_MEMBER_SLEPT, (u64)waits->slept << scale,
			      HBS_A_MEMBER_PAD))
		return -EMSGSIZE;
	for (i = 0; i < HBS_WAITS_BUCKETS; i++)
		if (hbs_nl_put_wait(skb, 1ULL << (HBS_WAITS_SHIFT + i),
				    (u64)waits->counts[i] << scale))
			return -EMSGSIZE;
	return 0;
}

static int hbs_nl_put_waits(struct sk_buff *skb, const struct hbs_nl_roll *roll,
			    const struct hbs_member *member)
{
	struct hbs_group *group = roll->group;
	const struct hbs_port *port;
	struct hbs_waits waits;
	u64 epochs = 0;

	/* The port of one that is dead may be another's. */
	if (member->dead)
		return 0;
	if (hbs_word_epoch(roll->word) > member->joined)
		epochs = (roll->word - member->joined) >> HBS_WORD_EPOCH_SHIFT;
	if (nla_put_u64_64bit(skb, HBS_A_MEMBER_EPOCHS, epochs, HBS_A_MEMBER_PAD))
		return -EMSGSIZE;
	port = group->card->ports[member->port];
	if (!port->notes_waits)
		return 0;
	hbs_port_waits(port, group->id, &waits);
	/* A former member has noted it. */
	if (waits.joined != member->joined)
		memset(&waits, 0, sizeof(waits));
	return hbs_nl_put_noted(skb, &waits);
}

static int hbs_nl_put_member(struct sk_buff *skb, const struct hbs_nl_view *view,
			     const struct hbs_nl_roll *roll, struct hbs_member *member)
{
	static const struct hbs_nl_process_attrs attrs = {
		.pid = HBS_A_MEMBER_PID,
		.tid = HBS_A_MEMBER_TID,
		.comm = HBS_A_MEMBER_COMM,
		.cpu = HBS_A_MEMBER_CPU,
	};

	if (nla_put_u32(skb, HBS_A_MEMBER_CARD, roll->group->card->minor) ||
	    nla_put_u32(skb, HBS_A_MEMBER_GROUP, roll->group->id) ||
	    nla_put_u32(skb, HBS_A_MEMBER_PORT, member->port))
		return -EMSGSIZE;
	if (member->dead && nla_put_flag(skb, HBS_A_MEMBER_DEAD))
		return -EMSGSIZE;
	if (roll->known &&
	    nla_put_u32(skb, HBS_A_MEMBER_MISSING,
			hbs_member_is_missing(member, &roll->state, roll->ports)))
		return -EMSGSIZE;
	if (!hbs_nl_may_see(view, member->owner))
		return 0;
	if (hbs_nl_put_process(skb, view, member->tgid, member->tid, member->owner, &attrs) ||
	    nla_put_u64_64bit(skb, HBS_A_MEMBER_TAG, member->tag, HBS_A_MEMBER_PAD) ||
	    hbs_nl_put_waits(skb, roll, member))
		return -EMSGSIZE;
	return 0;
}

static int hbs_nl_fill_member(struct hbs_nl_answer *answer, const struct hbs_nl_roll *roll,
			      struct hbs_member *member)
{
	void *header = hbs_nl_begin(answer);

	if (!header)
		return -EMSGSIZE;
	if (hbs_nl_put_member(answer->skb, answer->view, roll, member)) {
		genlmsg_cancel(answer->skb, header);
		return -EMSGSIZE;
	}
	genlmsg_end(answer->skb, header);
	return 0;
}

/* The member of that port; a living one, if there are dead ones too. */
static struct hbs_member *hbs_nl_find_member(struct hbs_group *group, u32 port)
{
	struct hbs_member *member = hbs_member_at(group, port);

	if (member)
		return member;
	list_for_each_entry(member, &group->roll, link)
		if (member->port == port)
			return member;
	return NULL;
}

static int hbs_nl_member_get(struct hbs_nl_answer *answer, struct hbs_card *card,
			     struct genl_info *info)
{
	const struct nlattr *attr = info->attrs[HBS_A_MEMBER_PORT];
	struct hbs_member *member;
	struct hbs_nl_roll roll;
	struct hbs_group *group;

	if (GENL_REQ_ATTR_CHECK(info, HBS_A_MEMBER_GROUP) ||
	    GENL_REQ_ATTR_CHECK(info, HBS_A_MEMBER_PORT))
		return -EINVAL;
	group = hbs_nl_group(card, info, info->attrs[HBS_A_MEMBER_GROUP]);
	if (IS_ERR(group))
		return PTR_ERR(group);
	member = hbs_nl_find_member(group, nla_get_u32(attr));
	if (!member) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr, "this port is no member of the group");
		return -ENOENT;
	}
	hbs_nl_roll_init(&roll, group, answer->view);
	return hbs_nl_fill_member(answer, &roll, member);
}

int hbs_nl_member_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	return hbs_nl_get(skb, info, hbs_nl_member_get);
}

/* Go on with a group's members: the first dump->sub of its roll are told already. */
static int hbs_nl_dump_members(struct hbs_nl_answer *answer, struct hbs_group *group,
			       struct hbs_nl_dump *dump)
{
	struct hbs_member *member;
	struct hbs_nl_roll roll;
	u32 n = 0;

	if (list_empty(&group->roll))
		return 0;
	hbs_nl_roll_init(&roll, group, answer->view);
	list_for_each_entry(member, &group->roll, link) {
		if (n++ < dump->sub)
			continue;
		if (hbs_nl_fill_member(answer, &roll, member))
			return -EMSGSIZE;
		dump->sub = n;
	}
	return 0;
}

static int hbs_nl_member_dump(struct hbs_nl_answer *answer, struct hbs_card *card,
			      struct hbs_nl_dump *dump)
{
	const struct nlattr *only = genl_info_dump(answer->cb)->attrs[HBS_A_MEMBER_GROUP];

	for (; dump->index < card->caps.groups; dump->index++) {
		struct hbs_group *group = hbs_group_get(card, dump->index);

		if (group && (!only || nla_get_u32(only) == dump->index) &&
		    hbs_nl_dump_members(answer, group, dump))
			return -EMSGSIZE;
		dump->sub = 0;
	}
	return 0;
}

int hbs_nl_member_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return hbs_nl_dump(skb, cb, hbs_nl_member_dump);
}
