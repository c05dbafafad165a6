// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events, to all who listen. They have numbers of cards, groups and ports only, since everybody
 * gets the same: who may know more asks for it.
 *
 * Most of them happen under locks, so messages get free memory only. If there is none, the
 * listeners learn that they have missed something, as they do when they do not read. Nobody
 * waits for a listener.
 */
#include <hbs_regs.h>

#include "netlink.h"

static_assert(HBS_VIOLATION_NON_MEMBER == HBSR_VIOLATION_NON_MEMBER);
static_assert(HBS_VIOLATION_DOUBLE == HBSR_VIOLATION_DOUBLE);
static_assert(HBS_VIOLATION_REFUSED == HBSR_VIOLATION_REFUSED);
static_assert(HBS_VIOLATION_ACCESS == HBSR_VIOLATION_ACCESS);
static_assert(HBS_VIOLATION_OVERFLOW == HBSR_VIOLATION_OVERFLOW);
static_assert(HBS_VIOLATION_UNARRIVED == HBSR_VIOLATION_UNARRIVED);

#define HBS_EVENT_GFP	(GFP_NOWAIT | __GFP_NOWARN)

/* Room for an event that is not about a card */
#define HBS_EVENT_SIZE	128

static void hbs_event_lost(void)
{
	genl_set_err(&hbs_nl_family, &init_net, 0, HBS_NL_MCGRP_EVENTS, -ENOBUFS);
}

/* Begin an event; NULL if nobody listens, or nothing can be sent. */
static struct sk_buff *hbs_event_begin(u8 cmd, size_t size, void **header)
{
	struct sk_buff *skb;

	if (!genl_has_listeners(&hbs_nl_family, &init_net, HBS_NL_MCGRP_EVENTS))
		return NULL;
	skb = genlmsg_new(size, HBS_EVENT_GFP);
	*header = skb ? genlmsg_put(skb, 0, 0, &hbs_nl_family, 0, cmd) : NULL;
	if (*header)
		return skb;
	nlmsg_free(skb);
	hbs_event_lost();
	return NULL;
}

/* Send it; @ret is whether it could be filled. */
static void hbs_event_send(struct sk_buff *skb, void *header, int ret)
{
	if (ret) {
		nlmsg_free(skb);
		hbs_event_lost();
		return;
	}
	genlmsg_end(skb, header);
	genlmsg_multicast(&hbs_nl_family, skb, 0, HBS_NL_MCGRP_EVENTS, HBS_EVENT_GFP);
}

void hbs_event_card_added(struct hbs_card *card)
{
	struct sk_buff *skb;
	void *header;

	down_read(&card->lock);
	mutex_lock(&card->mutex);
	skb = hbs_event_begin(HBS_NL_CMD_CARD_ADD_NTF, GENLMSG_DEFAULT_SIZE, &header);
	if (skb)
		hbs_event_send(skb, header, hbs_nl_put_card(skb, card));
	hbs_card_unlock(card);
}

static void hbs_event_card(struct hbs_card *card, u8 cmd, u32 state)
{
	struct sk_buff *skb;
	void *header;

	skb = hbs_event_begin(cmd, HBS_EVENT_SIZE, &header);
	if (skb)
		hbs_event_send(skb, header, hbs_nl_put_card_name(skb, card, state));
}

/* The caller removes the PCI function, which is there until then. */
void hbs_event_card_removed(struct hbs_card *card)
{
	down_read(&card->lock);
	hbs_event_card(card, HBS_NL_CMD_CARD_DEL_NTF, HBS_CARD_STATE_GONE);
	up_read(&card->lock);
}

void hbs_event_card_state(struct hbs_card *card)
{
	hbs_event_card(card, HBS_NL_CMD_CARD_STATE_NTF, hbs_nl_card_state(card));
}

static void hbs_event_group(struct hbs_group *group, u8 cmd, u32 reason)
{
	struct sk_buff *skb;
	void *header;

	lockdep_assert_held(&group->card->mutex);

	skb = hbs_event_begin(cmd, HBS_EVENT_SIZE, &header);
	if (!skb)
		return;
	hbs_event_send(skb, header,
		       nla_put_u32(skb, HBS_A_GROUP_CARD, group->card->minor) ?:
		       nla_put_u32(skb, HBS_A_GROUP_GROUP, group->id) ?:
		       nla_put_u32(skb, HBS_A_GROUP_REASON, reason));
}

void hbs_event_group_timeout(struct hbs_group *group, bool broken)
{
	hbs_event_group(group, HBS_NL_CMD_GROUP_TIMEOUT_NTF,
			broken ? HBS_REASON_TIMEOUT : HBS_REASON_NONE);
}

void hbs_event_group_broken(struct hbs_group *group, u32 reason)
{
	hbs_event_group(group, HBS_NL_CMD_GROUP_BROKEN_NTF, reason);
}

void hbs_event_group_reset(struct hbs_group *group)
{
	hbs_event_group(group, HBS_NL_CMD_GROUP_RESET_NTF, HBS_REASON_NONE);
}

void hbs_event_member_died(struct hbs_group *group, u32 port)
{
	struct sk_buff *skb;
	void *header;

	skb = hbs_event_begin(HBS_NL_CMD_MEMBER_DIED_NTF, HBS_EVENT_SIZE, &header);
	if (!skb)
		return;
	hbs_event_send(skb, header,
		       nla_put_u32(skb, HBS_A_MEMBER_CARD, group->card->minor) ?:
		       nla_put_u32(skb, HBS_A_MEMBER_GROUP, group->id) ?:
		       nla_put_u32(skb, HBS_A_MEMBER_PORT, port));
}

void hbs_event_violation(struct hbs_card *card, u32 kind, u32 port, u32 group)
{
	struct sk_buff *skb;
	void *header;

	lockdep_assert_held(&card->lock);

	skb = hbs_event_begin(HBS_NL_CMD_VIOLATION_NTF, HBS_EVENT_SIZE, &header);
	if (!skb)
		return;
	hbs_event_send(skb, header,
		       nla_put_u32(skb, HBS_A_VIOLATION_CARD, card->minor) ?:
		       nla_put_u32(skb, HBS_A_VIOLATION_KIND, kind) ?:
		       nla_put_u32(skb, HBS_A_VIOLATION_PORT, port) ?:
		       nla_put_u32(skb, HBS_A_VIOLATION_GROUP, group) ?:
		       nla_put_u64_64bit(skb, HBS_A_VIOLATION_COUNT, hbs_regs_violations(card),
					 HBS_A_VIOLATION_PAD));
}
