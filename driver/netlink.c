// SPDX-License-Identifier: GPL-2.0-only
/*
 * The generic netlink family: cards, ports, groups and users, for administrators. The files
 * netlink_*.c have its requests, Documentation/driver/netlink/hbs.yaml specifies it, and
 * netlink_gen.c has the policies.
 *
 * The family is that of the initial network namespace: a card belongs to no other one.
 */
#include "netlink.h"

/* Each of them is the first attribute of its set, so one function can look for it. */
static_assert((int)HBS_A_CARD_CARD == (int)HBS_A_PORT_CARD);
static_assert((int)HBS_A_CARD_CARD == (int)HBS_A_GROUP_CARD);
static_assert((int)HBS_A_CARD_CARD == (int)HBS_A_MEMBER_CARD);
static_assert((int)HBS_A_CARD_CARD == (int)HBS_A_USER_CARD);
static_assert((int)HBS_A_CARD_CARD == (int)HBS_A_LIMITS_CARD);

static_assert(sizeof(struct hbs_nl_dump) <= sizeof_field(struct netlink_callback, ctx));

/* The largest message, a port with its memberships or a group with its counters, fits. */
#define HBS_NL_MESSAGE_SIZE	8192

/* How often something has come or gone that dumps show */
static atomic_t hbs_nl_changes = ATOMIC_INIT(0);

/*
 * Dumps in progress become inconsistent: a port, group, member or card has come or gone, or a
 * limit has changed. Who holds a lock of the card calls this before letting go of it.
 */
void hbs_nl_changed(void)
{
	atomic_inc(&hbs_nl_changes);
}

/* The number of a state of all that dumps show; 0 is none. */
static unsigned int hbs_nl_state(void)
{
	return (unsigned int)atomic_read(&hbs_nl_changes) << 1 | 1;
}

static struct hbs_card *hbs_nl_find_card(const struct nlattr *attr,
					 struct netlink_ext_ack *extack)
{
	struct hbs_card *card = hbs_card_find(nla_get_u32(attr));

	if (card)
		return card;
	NL_SET_ERR_MSG_ATTR(extack, attr, "there is no such card");
	return ERR_PTR(-ENODEV);
}

/* The card that a request names, or an error pointer; the caller calls hbs_card_put(). */
static struct hbs_card *hbs_nl_card(struct genl_info *info)
{
	if (GENL_REQ_ATTR_CHECK(info, HBS_A_CARD_CARD))
		return ERR_PTR(-EINVAL);
	return hbs_nl_find_card(info->attrs[HBS_A_CARD_CARD], info->extack);
}

/* Lock a card that is there. Only if this returns 0 does the caller call hbs_card_unlock(). */
static int hbs_nl_lock(struct hbs_card *card, struct netlink_ext_ack *extack)
{
	down_read(&card->lock);
	mutex_lock(&card->mutex);
	if (!card->dead)
		return 0;
	hbs_card_unlock(card);
	NL_SET_ERR_MSG(extack, "the card is gone");
	return -ENODEV;
}

/* May the caller, who has locked the card, use its registers? */
bool hbs_nl_runs(const struct hbs_card *card)
{
	lockdep_assert_held(&card->lock);

	return !card->dead && !card->resetting;
}

/* Begin a message of an answer; NULL if there is no room. */
void *hbs_nl_begin(struct hbs_nl_answer *answer)
{
	void *header = genlmsg_put(answer->skb, answer->portid, answer->seq, &hbs_nl_family,
				   answer->cb ? NLM_F_MULTI : 0, answer->cmd);

	if (header && answer->cb)
		genl_dump_check_consistent(answer->cb, header);
	return header;
}

/* Answer a request for one object of a card, which @fill finds and puts into the answer. */
int hbs_nl_get(struct sk_buff *skb, struct genl_info *info,
	       int (*fill)(struct hbs_nl_answer *answer, struct hbs_card *card,
			   struct genl_info *info))
{
	struct hbs_nl_view view;
	struct hbs_nl_answer answer = {
		.view = &view,
		.portid = info->snd_portid,
		.seq = info->snd_seq,
		.cmd = info->genlhdr->cmd,
	};
	struct hbs_card *card;
	int ret;

	card = hbs_nl_card(info);
	if (IS_ERR(card))
		return PTR_ERR(card);
	answer.skb = genlmsg_new(HBS_NL_MESSAGE_SIZE, GFP_KERNEL);
	if (!answer.skb) {
		hbs_card_put(card);
		return -ENOMEM;
	}
	hbs_nl_view_init(&view, skb);
	ret = hbs_nl_lock(card, info->extack);
	if (!ret) {
		ret = fill(&answer, card, info);
		hbs_card_unlock(card);
	}
	hbs_nl_view_release(&view);
	hbs_card_put(card);
	if (ret) {
		nlmsg_free(answer.skb);
		return ret;
	}
	return genlmsg_reply(answer.skb, info);
}

/* Carry out a request that changes a card, which is locked meanwhile, if the sender may do that. */
int hbs_nl_change(struct sk_buff *skb, struct genl_info *info,
		  int (*change)(struct hbs_card *card, struct genl_info *info))
{
	struct hbs_card *card;
	int ret;

	ret = hbs_nl_may_change(skb, info);
	if (ret)
		return ret;
	card = hbs_nl_card(info);
	if (IS_ERR(card))
		return PTR_ERR(card);
	ret = hbs_nl_lock(card, info->extack);
	if (!ret) {
		ret = change(card, info);
		hbs_card_unlock(card);
	}
	hbs_card_put(card);
	return ret;
}

/* A dump takes the attributes that its specification names, which are the first of the set. */
static int hbs_nl_check_dump(struct netlink_callback *cb)
{
	const struct genlmsghdr *header = nlmsg_data(cb->nlh);
	struct nlattr **attrs = genl_info_dump(cb)->attrs;
	struct hbs_card *card;
	u32 i;

	for (i = hbs_nl_dump_maxattr[header->cmd] + 1; i <= hbs_nl_maxattr[header->cmd]; i++) {
		if (!attrs[i])
			continue;
		NL_SET_ERR_MSG_ATTR(cb->extack, attrs[i], "a dump does not ask by this");
		return -EINVAL;
	}
	if (!attrs[HBS_A_CARD_CARD])
		return 0;
	card = hbs_nl_find_card(attrs[HBS_A_CARD_CARD], cb->extack);
	if (IS_ERR(card))
		return PTR_ERR(card);
	hbs_card_put(card);
	return 0;
}

int hbs_nl_dump_start(struct netlink_callback *cb)
{
	struct hbs_nl_dump *dump = (void *)cb->ctx;
	struct nlattr **attrs = genl_info_dump(cb)->attrs;
	int ret;

	ret = hbs_nl_check_dump(cb);
	if (ret)
		return ret;
	if (attrs[HBS_A_CARD_CARD])
		dump->card = nla_get_u32(attrs[HBS_A_CARD_CARD]);
	cb->min_dump_alloc = HBS_NL_MESSAGE_SIZE;
	/* What the reader may see is decided once: others may go on to read from its socket. */
	hbs_nl_view_init(&dump->view, cb->skb);
	return 0;
}

int hbs_nl_dump_done(struct netlink_callback *cb)
{
	struct hbs_nl_dump *dump = (void *)cb->ctx;

	hbs_nl_view_release(&dump->view);
	return 0;
}

static int hbs_nl_dump_card(struct hbs_nl_answer *answer, struct hbs_nl_dump *dump,
			    int (*fill)(struct hbs_nl_answer *answer, struct hbs_card *card,
					struct hbs_nl_dump *dump))
{
	struct hbs_card *card = hbs_card_find(dump->card);
	int ret = 0;

	if (!card)
		return 0;
	/* If it is gone meanwhile, it has nothing to show. */
	if (!hbs_nl_lock(card, NULL)) {
		ret = fill(answer, card, dump);
		hbs_card_unlock(card);
	}
	hbs_card_put(card);
	return ret;
}

/*
 * Go on with a dump: @fill puts the objects of a card, from dump->index on, into the answer,
 * and returns -EMSGSIZE when there is no more room.
 *
 * A message is marked as interrupted if what dumps show has changed since the one before; the
 * last one, which the core makes, likewise.
 */
int hbs_nl_dump(struct sk_buff *skb, struct netlink_callback *cb,
		int (*fill)(struct hbs_nl_answer *answer, struct hbs_card *card,
			    struct hbs_nl_dump *dump))
{
	struct hbs_nl_dump *dump = (void *)cb->ctx;
	const struct genlmsghdr *header = nlmsg_data(cb->nlh);
	u32 end = HBS_MINORS;
	struct hbs_nl_answer answer = {
		.skb = skb,
		.view = &dump->view,
		.portid = NETLINK_CB(cb->skb).portid,
		.seq = cb->nlh->nlmsg_seq,
		.cmd = header->cmd,
		.cb = cb,
	};
	int ret = 0;

	if (genl_info_dump(cb)->attrs[HBS_A_CARD_CARD])
		end = nla_get_u32(genl_info_dump(cb)->attrs[HBS_A_CARD_CARD]) + 1;
	cb->seq = hbs_nl_state();
	for (; dump->card < end; dump->card++) {
		ret = hbs_nl_dump_card(&answer, dump, fill);
		if (ret)
			break;
		dump->index = 0;
		dump->sub = 0;
	}
	/* For the next message: a card may have changed after this dump left it. */
	cb->seq = hbs_nl_state();
	if (ret == -EMSGSIZE && skb->len)
		return skb->len;
	return ret;
}

int __init hbs_nl_init(void)
{
	return genl_register_family(&hbs_nl_family);
}

void hbs_nl_exit(void)
{
	genl_unregister_family(&hbs_nl_family);
}
