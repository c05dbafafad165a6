// SPDX-License-Identifier: GPL-2.0-only
/* card-get: what a card is and does. */
#include <hbs_regs.h>

#include "netlink.h"

static_assert(HBS_BLOCK_ID == HBSR_BLOCK_ID);
static_assert(HBS_BLOCK_CTL == HBSR_BLOCK_CTL);
static_assert(HBS_BLOCK_INT == HBSR_BLOCK_INT);
static_assert(HBS_BLOCK_CNT == HBSR_BLOCK_CNT);
static_assert(HBS_BLOCK_GRP == HBSR_BLOCK_GRP);
static_assert(HBS_BLOCK_FABRIC == HBSR_BLOCK_FABRIC);
static_assert(HBS_BLOCK_STAT == HBSR_BLOCK_STAT);
static_assert(HBS_BLOCK_PRT == HBSR_BLOCK_PRT);
static_assert(HBS_BLOCK_PRT < HBS_MAX_BLOCKS);

u32 hbs_nl_card_state(const struct hbs_card *card)
{
	lockdep_assert_held(&card->lock);

	if (card->dead)
		return HBS_CARD_STATE_GONE;
	return card->resetting ? HBS_CARD_STATE_RESETTING : HBS_CARD_STATE_WORKING;
}

/*
 * What names the card, and its state: all that a notification tells of a card that has gone.
 * The PCI function must be there.
 */
int hbs_nl_put_card_name(struct sk_buff *skb, const struct hbs_card *card, u32 state)
{
	lockdep_assert_held(&card->lock);

	if (nla_put_u32(skb, HBS_A_CARD_CARD, card->minor) ||
	    nla_put_string(skb, HBS_A_CARD_NAME, dev_name(&card->dev)) ||
	    nla_put_string(skb, HBS_A_CARD_PCI_ADDRESS, pci_name(card->pdev)) ||
	    nla_put_u32(skb, HBS_A_CARD_STATE, state) ||
	    nla_put_u32(skb, HBS_A_CARD_RESETS, card->generation))
		return -EMSGSIZE;
	return 0;
}

static int hbs_nl_put_blocks(struct sk_buff *skb, const struct hbs_caps *caps)
{
	struct nlattr *nest;
	u32 type;

	for (type = 0; type < ARRAY_SIZE(caps->blocks); type++) {
		if (!caps->blocks[type])
			continue;
		nest = nla_nest_start(skb, HBS_A_CARD_BLOCK);
		if (!nest || nla_put_u32(skb, HBS_A_BLOCK_TYPE, type) ||
		    nla_put_u32(skb, HBS_A_BLOCK_VERSION, caps->blocks[type]))
			return -EMSGSIZE;
		nla_nest_end(skb, nest);
	}
	return 0;
}

static int hbs_nl_put_caps(struct sk_buff *skb, const struct hbs_caps *caps)
{
	if (nla_put_u32(skb, HBS_A_CARD_VERSION, caps->version) ||
	    hbs_nl_put_blocks(skb, caps) ||
	    nla_put_u64_64bit(skb, HBS_A_CARD_FEATURES, caps->features, HBS_A_CARD_PAD) ||
	    nla_put_u32(skb, HBS_A_CARD_GROUP_TYPES, caps->group_types) ||
	    nla_put_u32(skb, HBS_A_CARD_PORTS, caps->ports) ||
	    nla_put_u32(skb, HBS_A_CARD_GROUPS, caps->groups))
		return -EMSGSIZE;
	return 0;
}

static int hbs_nl_put_card_counters(struct sk_buff *skb, struct hbs_card *card)
{
	struct nlattr *nest;
	u64 violations, reads;

	if (!hbs_nl_runs(card))
		return 0;
	violations = hbs_regs_violations(card);
	reads = hbs_regs_foreign_reads(card);
	if (!hbs_regs_answers(card))
		return 0;

	nest = nla_nest_start(skb, HBS_A_CARD_COUNTERS);
	if (!nest ||
	    nla_put_u64_64bit(skb, HBS_A_CARD_COUNTERS_VIOLATIONS, violations,
			      HBS_A_CARD_COUNTERS_PAD) ||
	    nla_put_u64_64bit(skb, HBS_A_CARD_COUNTERS_FOREIGN_READS, reads,
			      HBS_A_CARD_COUNTERS_PAD) ||
	    nla_put_u64_64bit(skb, HBS_A_CARD_COUNTERS_INTERRUPTS,
			      atomic64_read(&card->interrupts), HBS_A_CARD_COUNTERS_PAD) ||
	    nla_put_u32(skb, HBS_A_CARD_COUNTERS_WAITERS, atomic_read(&card->waiters)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int hbs_nl_put_card_limits(struct sk_buff *skb, struct hbs_card *card)
{
	struct nlattr *nest = nla_nest_start(skb, HBS_A_CARD_LIMITS);

	if (!nest || hbs_nl_put_limits(skb, card))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/* All of a card, for a request or a notification. */
int hbs_nl_put_card(struct sk_buff *skb, struct hbs_card *card)
{
	lockdep_assert_held(&card->mutex);

	if (hbs_nl_put_card_name(skb, card, hbs_nl_card_state(card)) ||
	    hbs_nl_put_caps(skb, &card->caps) ||
	    nla_put_u32(skb, HBS_A_CARD_PORTS_USED, card->ports_used) ||
	    nla_put_u32(skb, HBS_A_CARD_GROUPS_USED, card->groups_used) ||
	    nla_put_u32(skb, HBS_A_CARD_VECTORS, card->vectors) ||
	    hbs_nl_put_card_limits(skb, card) ||
	    hbs_nl_put_card_counters(skb, card))
		return -EMSGSIZE;
	return 0;
}

static int hbs_nl_fill_card(struct hbs_nl_answer *answer, struct hbs_card *card)
{
	void *header = hbs_nl_begin(answer);

	if (!header)
		return -EMSGSIZE;
	if (hbs_nl_put_card(answer->skb, card)) {
		genlmsg_cancel(answer->skb, header);
		return -EMSGSIZE;
	}
	genlmsg_end(answer->skb, header);
	return 0;
}

static int hbs_nl_card_get(struct hbs_nl_answer *answer, struct hbs_card *card,
			   struct genl_info *info)
{
	return hbs_nl_fill_card(answer, card);
}

int hbs_nl_card_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	return hbs_nl_get(skb, info, hbs_nl_card_get);
}

static int hbs_nl_card_dump(struct hbs_nl_answer *answer, struct hbs_card *card,
			    struct hbs_nl_dump *dump)
{
	return hbs_nl_fill_card(answer, card);
}

int hbs_nl_card_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return hbs_nl_dump(skb, cb, hbs_nl_card_dump);
}
