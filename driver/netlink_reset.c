// SPDX-License-Identifier: GPL-2.0-only
/* group-reset and card-reset. */
#include "netlink.h"

static int hbs_nl_reset_group(struct hbs_card *card, struct genl_info *info)
{
	struct hbs_group *group;
	int ret;

	group = hbs_nl_group(card, info, info->attrs[HBS_A_GROUP_GROUP]);
	if (IS_ERR(group))
		return PTR_ERR(group);
	ret = hbs_group_reset(group);
	if (ret)
		GENL_SET_ERR_MSG(info, "the card does not answer");
	return ret;
}

int hbs_nl_group_reset_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct hbs_card *card;
	int ret;

	ret = hbs_nl_may_change(skb, info);
	if (ret)
		return ret;
	if (GENL_REQ_ATTR_CHECK(info, HBS_A_GROUP_GROUP))
		return -EINVAL;
	card = hbs_nl_card(info);
	if (IS_ERR(card))
		return PTR_ERR(card);
	ret = hbs_nl_lock(card, info->extack);
	if (!ret) {
		ret = hbs_nl_reset_group(card, info);
		hbs_card_unlock(card);
	}
	hbs_card_put(card);
	return ret;
}

int hbs_nl_card_reset_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct pci_dev *pdev;
	struct hbs_card *card;
	int ret;

	ret = hbs_nl_may_change(skb, info);
	if (ret)
		return ret;
	card = hbs_nl_card(info);
	if (IS_ERR(card))
		return PTR_ERR(card);
	ret = hbs_nl_lock(card, info->extack);
	if (ret)
		goto out;
	pdev = pci_dev_get(card->pdev);
	hbs_card_unlock(card);

	/* This calls back the driver. It does not wait: all netlink families wait for this one. */
	ret = pci_try_reset_function(pdev);
	pci_dev_put(pdev);
	if (ret == -EAGAIN)
		GENL_SET_ERR_MSG(info, "something else is under way with the card");
	else if (ret)
		GENL_SET_ERR_MSG(info, "the card's PCI function cannot be reset");
out:
	hbs_card_put(card);
	return ret;
}
