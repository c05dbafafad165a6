/* SPDX-License-Identifier: GPL-2.0-only */
/* The netlink family: what its files share. */
#ifndef HBS_NETLINK_H
#define HBS_NETLINK_H

#include <net/genetlink.h>

#include <linux/hbs_netlink.h>

#include "hbs.h"
#include "netlink_gen.h"

#ifndef CONFIG_NET
#error "hbs needs a kernel with networking, for its netlink family"
#endif

/**
 * struct hbs_nl_view - what the sender of a request may see
 * @reader: its process; pids are those of this process's namespace
 * @uid: its user, or INVALID_UID
 * @all: it may see the processes of all users
 */
struct hbs_nl_view {
	struct pid *reader;
	kuid_t uid;
	bool all;
};

/**
 * struct hbs_nl_dump - where a dump is, in the callback's context
 * @view: what the reader may see
 * @card: the card that it goes on with
 * @index: the object of that card that it goes on with
 * @sub: the part of that object
 */
struct hbs_nl_dump {
	struct hbs_nl_view view;
	u32 card;
	u32 index;
	u32 sub;
};

/**
 * struct hbs_nl_answer - messages that answer a request
 * @skb: where they are
 * @view: what the reader may see
 * @portid: the reader
 * @seq: sequence number of the request
 * @cmd: the command
 * @cb: of a dump; else NULL
 */
struct hbs_nl_answer {
	struct sk_buff *skb;
	const struct hbs_nl_view *view;
	u32 portid;
	u32 seq;
	u8 cmd;
	struct netlink_callback *cb;
};

/* netlink.c */
bool hbs_nl_runs(const struct hbs_card *card);
int hbs_nl_get(struct sk_buff *skb, struct genl_info *info,
	       int (*fill)(struct hbs_nl_answer *answer, struct hbs_card *card,
			   struct genl_info *info));
int hbs_nl_change(struct sk_buff *skb, struct genl_info *info,
		  int (*change)(struct hbs_card *card, struct genl_info *info));
int hbs_nl_dump(struct sk_buff *skb, struct netlink_callback *cb,
		int (*fill)(struct hbs_nl_answer *answer, struct hbs_card *card,
			    struct hbs_nl_dump *dump));
void *hbs_nl_begin(struct hbs_nl_answer *answer);

/* netlink_view.c */
void hbs_nl_view_init(struct hbs_nl_view *view, struct sk_buff *request);
void hbs_nl_view_release(struct hbs_nl_view *view);
bool hbs_nl_may_see(const struct hbs_nl_view *view, kuid_t owner);
int hbs_nl_may_change(struct sk_buff *request, struct genl_info *info);

/* Numbers of the attributes that tell of a process */
struct hbs_nl_process_attrs {
	u16 pid;
	u16 tid;
	u16 comm;
	u16 cpu;
};

int hbs_nl_put_process(struct sk_buff *skb, const struct hbs_nl_view *view, struct pid *tgid,
		       struct pid *tid, kuid_t owner, const struct hbs_nl_process_attrs *attrs);

/* netlink_card.c */
u32 hbs_nl_card_state(const struct hbs_card *card);
int hbs_nl_put_card_name(struct sk_buff *skb, const struct hbs_card *card, u32 state);
int hbs_nl_put_card(struct sk_buff *skb, struct hbs_card *card);

/* netlink_limits.c */
int hbs_nl_put_limits(struct sk_buff *skb, struct hbs_card *card);

/* netlink_group.c */
struct hbs_group *hbs_nl_group(struct hbs_card *card, struct genl_info *info,
			       const struct nlattr *attr);

#endif /* HBS_NETLINK_H */
