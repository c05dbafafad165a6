// SPDX-License-Identifier: GPL-2.0-only
/* port-get: who has a port. */
#include <linux/cred.h>
#include <linux/nospec.h>

#include "netlink.h"

static int hbs_nl_put_membership(struct sk_buff *skb, const struct hbs_nl_view *view,
				 struct hbs_port *port, u32 group)
{
	const struct hbs_member *member;
	struct nlattr *nest;

	nest = nla_nest_start(skb, HBS_A_PORT_MEMBERSHIP);
	if (!nest || nla_put_u32(skb, HBS_A_MEMBERSHIP_GROUP, group))
		return -EMSGSIZE;
	if (hbs_nl_may_see(view, port->owner)) {
		member = hbs_member_at(hbs_group_get(port->file->card, group), port->id);
		if (nla_put_u64_64bit(skb, HBS_A_MEMBERSHIP_TAG, member->tag,
				      HBS_A_MEMBERSHIP_PAD))
			return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);
	return 0;
}

static int hbs_nl_put_memberships(struct sk_buff *skb, const struct hbs_nl_view *view,
				  struct hbs_port *port)
{
	unsigned int group;

	for_each_set_bit(group, port->groups, HBS_MAX_GROUPS)
		if (hbs_nl_put_membership(skb, view, port, group))
			return -EMSGSIZE;
	return 0;
}

/* What only those learn who may see the processes of the owner. */
static int hbs_nl_put_owner(struct sk_buff *skb, const struct hbs_nl_view *view,
			    const struct hbs_port *port)
{
	static const struct hbs_nl_process_attrs attrs = {
		.pid = HBS_A_PORT_PID,
		.tid = HBS_A_PORT_TID,
		.comm = HBS_A_PORT_COMM,
		.cpu = HBS_A_PORT_CPU,
	};

	if (!hbs_nl_may_see(view, port->owner))
		return 0;
	if (hbs_nl_put_process(skb, view, port->tgid, port->tid, port->owner, &attrs) ||
	    nla_put_u32(skb, HBS_A_PORT_UID, from_kuid_munged(current_user_ns(), port->user)) ||
	    nla_put_u32(skb, HBS_A_PORT_MAPPINGS, port->maps) ||
	    nla_put_u32(skb, HBS_A_PORT_MEMORY, port->memory.shared ? port->memory.size : 0))
		return -EMSGSIZE;
	return 0;
}

static int hbs_nl_fill_port(struct hbs_nl_answer *answer, struct hbs_card *card,
			    struct hbs_port *port)
{
	struct sk_buff *skb = answer->skb;
	void *header = hbs_nl_begin(answer);

	if (!header)
		return -EMSGSIZE;
	if (nla_put_u32(skb, HBS_A_PORT_CARD, card->minor) ||
	    nla_put_u32(skb, HBS_A_PORT_PORT, port->id) ||
	    hbs_nl_put_owner(skb, answer->view, port) ||
	    hbs_nl_put_memberships(skb, answer->view, port)) {
		genlmsg_cancel(skb, header);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, header);
	return 0;
}

static int hbs_nl_port_get(struct hbs_nl_answer *answer, struct hbs_card *card,
			   struct genl_info *info)
{
	struct hbs_port *port = NULL;
	u32 id;

	if (GENL_REQ_ATTR_CHECK(info, HBS_A_PORT_PORT))
		return -EINVAL;
	id = nla_get_u32(info->attrs[HBS_A_PORT_PORT]);
	if (id < card->caps.ports)
		port = card->ports[array_index_nospec(id, card->caps.ports)];
	if (!port) {
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[HBS_A_PORT_PORT],
				    "nobody has this port");
		return -ENOENT;
	}
	return hbs_nl_fill_port(answer, card, port);
}

int hbs_nl_port_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	return hbs_nl_get(skb, info, hbs_nl_port_get);
}

static int hbs_nl_port_dump(struct hbs_nl_answer *answer, struct hbs_card *card,
			    struct hbs_nl_dump *dump)
{
	for (; dump->index < card->caps.ports; dump->index++)
		if (card->ports[dump->index] &&
		    hbs_nl_fill_port(answer, card, card->ports[dump->index]))
			return -EMSGSIZE;
	return 0;
}

int hbs_nl_port_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return hbs_nl_dump(skb, cb, hbs_nl_port_dump);
}
