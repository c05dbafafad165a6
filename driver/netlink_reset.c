// SPDX-License-Identifier: GPL-2.0-only
/* group-reset and card-reset. */
#include "netlink.h"

static int hbs_nl_reset_group(struct hbs_card *card, struct genl_info *info)
{
	struct hbs_group *group;
	int ret;

	if (GENL_REQ_ATTR_CHECK(info, HBS_A_GROUP_GROUP))
		return -EINVAL;
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
	return hbs_nl_change(skb, info, hbs_nl_reset_group);
}

/* A reset calls back the driver, which locks the card: it comes after this, for the function. */
static int hbs_nl_hold_function(struct hbs_card *card, struct genl_info *info)
{
	info->user_ptr[0] = pci_dev_get(card->pdev);
	return 0;
}

int hbs_nl_card_reset_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct pci_dev *pdev;
	int ret;

	ret = hbs_nl_change(skb, info, hbs_nl_hold_function);
	if (ret)
		return ret;
	pdev = info->user_ptr[0];
	/* It does not wait: all netlink families wait for this one. */
	ret = pci_try_reset_function(pdev);
	pci_dev_put(pdev);
	if (ret == -EAGAIN)
		GENL_SET_ERR_MSG(info, "something else is under way with the card");
	else if (ret)
		GENL_SET_ERR_MSG(info, "the card's PCI function cannot be reset");
	return ret;
}
