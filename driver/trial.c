// SPDX-License-Identifier: GPL-2.0-only
/*
 * A trial at probe: does the CPU see what the card writes to memory?
 *
 * Users look at records and cannot sync them for the CPU. So DMA must be coherent and
 * must not be bounced, and of course it must arrive. The DMA API tells drivers nothing
 * of the first, but a trial shows all three.
 */
#include <linux/slab.h>

#include "hbs.h"

/* Break a group that has a record. Does the record, which the CPU has just read, say so? */
static bool hbs_trial_record(struct hbs_group *group)
{
	struct hbs_card *card = group->card;
	u64 *record = hbs_group_new_record(group);
	u64 epoch;

	if (hbs_regs_group_enable(card, group))
		return false;
	epoch = hbs_regs_group_epoch(card, group->id);
	READ_ONCE(*record);
	hbs_regs_group_break(card, group->id, HBS_REASON_DESTROYED);
	return READ_ONCE(*record) == hbs_word_broken(epoch, HBS_REASON_DESTROYED);
}

static int hbs_trial(struct hbs_group *group, bool *good)
{
	struct hbs_memory *memory = &group->pages[0];
	struct hbs_card *card = group->card;
	int ret;

	ret = hbs_memory_reserve(card, memory, PAGE_SIZE);
	if (!ret)
		ret = hbs_memory_attach(card, memory, NUMA_NO_NODE);
	if (ret)
		return ret;
	*good = hbs_trial_record(group);
	hbs_memory_detach(card, memory, hbs_regs_group_disable(card, group->id));
	return 0;
}

/**
 * hbs_card_try() - try a card that runs, and that nobody uses yet
 * @card: the card
 *
 * The memory of the trial may be in limbo afterwards, until the card is fenced.
 *
 * Return: 0, -ENOMEM, or -EIO after a message.
 */
int hbs_card_try(struct hbs_card *card)
{
	struct hbs_group *group;
	unsigned int tries = 0;
	bool good = false;
	int ret;

	group = kzalloc(struct_size(group, pages, 1), GFP_KERNEL);
	if (!group)
		return -ENOMEM;
	group->card = card;
	group->members = 1;
	group->npages = 1;

	do {
		down_read(&card->lock);
		mutex_lock(&card->mutex);
		ret = hbs_trial(group, &good);
		mutex_unlock(&card->mutex);
		up_read(&card->lock);
	} while (ret == -ENOMEM && hbs_memory_again(++tries, 2 * PAGE_SIZE));

	hbs_memory_release(card, &group->pages[0]);
	hbs_memory_free(&group->pages[0]);
	kfree(group);
	if (!ret && !good) {
		dev_err(&card->pdev->dev,
			"a record that the card wrote is not seen: DMA fails, or is not coherent\n");
		ret = -EIO;
	}
	return ret;
}
