// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts and registers for those who debug and test the driver or bring a card up, in
 * /sys/kernel/debug/hbs/hbsN. They are no interface: Documentation/driver/index.rst
 * describes each.
 */
#include <linux/debugfs.h>
#include <linux/seq_file.h>

#include "hbs.h"

static struct dentry *hbs_debugfs_root;

static int hbs_debugfs_interrupts(void *data, u64 *value)
{
	struct hbs_card *card = data;

	*value = atomic64_read(&card->interrupts);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(hbs_debugfs_interrupts_fops, hbs_debugfs_interrupts, NULL, "%llu\n");

static int hbs_debugfs_registers_show(struct seq_file *file, void *data)
{
	struct hbs_card *card = file->private;
	int ret;

	down_read(&card->lock);
	ret = card->resetting ? -EBUSY : card->dead;
	if (!ret)
		hbs_regs_print(card, file);
	up_read(&card->lock);
	return ret;
}
DEFINE_SHOW_ATTRIBUTE(hbs_debugfs_registers);

void hbs_debugfs_add(struct hbs_card *card)
{
	struct dentry *dir = debugfs_create_dir(dev_name(&card->dev), hbs_debugfs_root);

	debugfs_create_atomic_t("files", 0444, dir, &card->files);
	debugfs_create_atomic_t("group_files", 0444, dir, &card->group_files);
	debugfs_create_atomic_t("pages", 0444, dir, &card->pages);
	debugfs_create_atomic_t("waiters", 0444, dir, &card->waiters);
	debugfs_create_file_unsafe("interrupts", 0444, dir, card, &hbs_debugfs_interrupts_fops);
	debugfs_create_file("registers", 0400, dir, card, &hbs_debugfs_registers_fops);
	card->debugfs = dir;
}

/* When this returns, nobody reads these files any more. */
void hbs_debugfs_remove(struct hbs_card *card)
{
	debugfs_remove(card->debugfs);
}

void hbs_debugfs_init(void)
{
	hbs_debugfs_root = debugfs_create_dir(HBS_NAME, NULL);
}

void hbs_debugfs_exit(void)
{
	debugfs_remove(hbs_debugfs_root);
}
