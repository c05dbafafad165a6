// SPDX-License-Identifier: GPL-2.0-only
/*
 * Module: the class, the device numbers, and the file system that group files
 * and mappings have their inodes from.
 */
#include <linux/file.h>
#include <linux/init.h>
#include <linux/module.h>
#include <linux/mount.h>
#include <linux/pseudo_fs.h>

#include "hbs.h"

#define HBS_FS_MAGIC	0x68627366

dev_t hbs_devt;
static struct vfsmount *hbs_mnt;
static int hbs_mnt_count;

struct class hbs_class = {
	.name = HBS_NAME,
	.dev_groups = hbs_attr_groups,
};

static int hbs_fs_init_context(struct fs_context *fc)
{
	return init_pseudo(fc, HBS_FS_MAGIC) ? 0 : -ENOMEM;
}

/* While it is mounted it holds the module; so it is only while inodes exist. */
static struct file_system_type hbs_fs = {
	.name = HBS_NAME,
	.owner = THIS_MODULE,
	.init_fs_context = hbs_fs_init_context,
	.kill_sb = kill_anon_super,
};

/* To mount takes locks that others hold while they fault: hold none of a card. */
int hbs_fs_get(void)
{
	return simple_pin_fs(&hbs_fs, &hbs_mnt, &hbs_mnt_count);
}

void hbs_fs_put(void)
{
	simple_release_fs(&hbs_mnt, &hbs_mnt_count);
}

/* An inode whose address space holds all mappings of one card, given back by iput(). */
struct inode *hbs_inode_new(void)
{
	return alloc_anon_inode(hbs_mnt->mnt_sb);
}

/**
 * hbs_inode_open() - make an open file
 * @inode: its inode
 * @name: its name in /proc
 * @fops: its operations
 *
 * Return: the file, or an error pointer.
 */
struct file *hbs_inode_open(struct inode *inode, const char *name,
			    const struct file_operations *fops)
{
	struct file *file;

	/* Given back by the VFS when the file goes. */
	__module_get(THIS_MODULE);
	ihold(inode);
	file = alloc_file_pseudo(inode, hbs_mnt, name, O_RDWR, fops);
	if (IS_ERR(file)) {
		iput(inode);
		module_put(THIS_MODULE);
	}
	return file;
}

static int __init hbs_init(void)
{
	int ret;

	ret = alloc_chrdev_region(&hbs_devt, 0, HBS_MINORS, HBS_NAME);
	if (ret)
		return ret;

	ret = class_register(&hbs_class);
	if (ret)
		goto err_chrdev;

	hbs_debugfs_init();
	ret = pci_register_driver(&hbs_pci_driver);
	if (ret)
		goto err_debugfs;
	return 0;

err_debugfs:
	hbs_debugfs_exit();
	class_unregister(&hbs_class);
err_chrdev:
	unregister_chrdev_region(hbs_devt, HBS_MINORS);
	return ret;
}
module_init(hbs_init);

static void __exit hbs_exit(void)
{
	pci_unregister_driver(&hbs_pci_driver);
	hbs_debugfs_exit();
	class_unregister(&hbs_class);
	unregister_chrdev_region(hbs_devt, HBS_MINORS);
	/* Groups are freed by functions of this module. */
	rcu_barrier();
}
module_exit(hbs_exit);

MODULE_DESCRIPTION("hbs barrier card");
MODULE_AUTHOR("The hbs developers");
MODULE_LICENSE("GPL");
