// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/hbsN, and the ioctl path that it shares with groups.
 */
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "hbs.h"

/* A card that is not back from a reset by then may never be: the kernel does not say so. */
#define HBS_RESET_PATIENCE	(10 * HZ)

static int hbs_card_open(struct inode *inode, struct file *file)
{
	struct hbs_card *card = container_of(inode->i_cdev, struct hbs_card, cdev);
	long left = HBS_RESET_PATIENCE;
	struct hbs_file *hfile;
	int ret;

	hfile = kzalloc(sizeof(*hfile), GFP_KERNEL_ACCOUNT);
	if (!hfile)
		return -ENOMEM;
	hfile->card = card;
	mutex_init(&hfile->mutex);
	INIT_LIST_HEAD(&hfile->ports);

	ret = hbs_card_make_inode(card);
	if (ret)
		goto err_free;
	hbs_card_get(card);

	down_read(&card->lock);
	while (card->resetting) {
		up_read(&card->lock);
		left = wait_event_interruptible_timeout(card->reset_wq,
							!READ_ONCE(card->resetting), left);
		if (left <= 0) {
			ret = left ?: -ENODEV;
			goto err_put;
		}
		down_read(&card->lock);
	}
	hfile->generation = card->generation;
	ret = card->dead;
	up_read(&card->lock);
	if (ret)
		goto err_put;

	atomic_inc(&card->files);
	file->f_mapping = card->inode->i_mapping;
	file->private_data = hfile;
	return nonseekable_open(inode, file);

err_put:
	hbs_card_put(card);
err_free:
	kfree(hfile);
	return ret;
}

static int hbs_card_file_release(struct inode *inode, struct file *file)
{
	struct hbs_file *hfile = file->private_data;
	struct hbs_card *card = hfile->card;

	hbs_ports_release(hfile);
	kfree(hfile);
	atomic_dec(&card->files);
	hbs_card_put(card);
	return 0;
}

static int hbs_info_ioctl(struct hbs_ucmd *ucmd)
{
	struct hbs_file *hfile = ucmd->file->private_data;
	struct hbs_card *card = hfile->card;
	struct hbs_info *cmd = ucmd->cmd;
	int ret;

	if (cmd->flags)
		return -EOPNOTSUPP;
	if (cmd->reserved)
		return -EINVAL;

	down_read(&card->lock);
	ret = hbs_card_check(card, hfile->generation);
	if (!ret) {
		cmd->card = card->minor;
		cmd->version = card->caps.version;
		cmd->features = card->caps.features;
		cmd->group_types = card->caps.group_types;
		cmd->ports = card->caps.ports;
		cmd->groups = card->caps.groups;
		cmd->port_map_size = hbs_port_map_size(card);
		cmd->group_map_size = PAGE_SIZE;
		mutex_lock(&card->mutex);
		cmd->ports_free = card->caps.ports - card->ports_used;
		cmd->groups_free = card->caps.groups - card->groups_used;
		mutex_unlock(&card->mutex);
	}
	up_read(&card->lock);
	return ret ?: hbs_ucmd_respond(ucmd);
}

/**
 * hbs_ucmd_respond() - hand the structure back to userspace
 * @ucmd: the ioctl; userspace gets as much of it as it has room for
 *
 * Return: 0 or -EFAULT.
 */
int hbs_ucmd_respond(struct hbs_ucmd *ucmd)
{
	if (copy_to_user(ucmd->user, ucmd->cmd, min(ucmd->user_size, ucmd->size)))
		return -EFAULT;
	return 0;
}

union hbs_ucmd_buffer {
	struct hbs_info info;
	struct hbs_port_alloc port_alloc;
	struct hbs_port_free port_free;
	struct hbs_group_create group_create;
	struct hbs_group_info group_info;
	struct hbs_group_join group_join;
	struct hbs_group_leave group_leave;
	struct hbs_group_wait group_wait;
	struct hbs_group_reopen group_reopen;
	struct hbs_group_destroy group_destroy;
	struct hbs_group_counters group_counters;
	struct hbs_group_missing group_missing;
	struct hbs_group_reset group_reset;
	struct hbs_group_wake group_wake;
};

/**
 * hbs_ioctl() - find an ioctl in a table, fetch its structure, and do it
 * @file: the descriptor
 * @cmd: number of the ioctl
 * @arg: userspace's structure, which starts with its size
 * @ops: the table
 * @nops: number of its entries
 *
 * Return: what the handler returns, or an error that uapi's hbs.h explains.
 */
long hbs_ioctl(struct file *file, unsigned int cmd, unsigned long arg,
	       const struct hbs_ioctl_op *ops, size_t nops)
{
	union hbs_ucmd_buffer buffer = {};
	struct hbs_ucmd ucmd = {
		.file = file,
		.user = (void __user *)arg,
		.cmd = &buffer,
	};
	const struct hbs_ioctl_op *op;
	int ret;

	for (op = ops; op < ops + nops; op++)
		if (op->cmd == cmd)
			break;
	if (op == ops + nops)
		return -ENOTTY;

	if (get_user(ucmd.user_size, (u32 __user *)ucmd.user))
		return -EFAULT;
	if (ucmd.user_size < op->min_size)
		return -EINVAL;
	/* No version of a structure is larger; do not search gigabytes for nonzero bytes. */
	if (ucmd.user_size > PAGE_SIZE)
		return -E2BIG;

	ucmd.size = op->size;
	ret = copy_struct_from_user(ucmd.cmd, op->size, ucmd.user, ucmd.user_size);
	if (ret)
		return ret;
	return op->handler(&ucmd);
}

static const struct hbs_ioctl_op hbs_card_ops[] = {
	{ HBS_INFO, offsetofend(struct hbs_info, reserved),
	  sizeof(struct hbs_info), hbs_info_ioctl },
	{ HBS_PORT_ALLOC, offsetofend(struct hbs_port_alloc, map_offset),
	  sizeof(struct hbs_port_alloc), hbs_port_alloc_ioctl },
	{ HBS_PORT_FREE, offsetofend(struct hbs_port_free, reserved),
	  sizeof(struct hbs_port_free), hbs_port_free_ioctl },
	{ HBS_GROUP_CREATE, offsetofend(struct hbs_group_create, reserved),
	  sizeof(struct hbs_group_create), hbs_group_create_ioctl },
};

static long hbs_card_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	return hbs_ioctl(file, cmd, arg, hbs_card_ops, ARRAY_SIZE(hbs_card_ops));
}

const struct file_operations hbs_card_fops = {
	.owner = THIS_MODULE,
	.open = hbs_card_open,
	.release = hbs_card_file_release,
	.unlocked_ioctl = hbs_card_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = hbs_port_mmap,
};
