/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The part of <linux/anon_inodes.h> that kernels before 6.8 lack; Kbuild includes this
 * file there. The driver itself is written for newer kernels, and does not know of it.
 */
#ifndef HBS_COMPAT_ANON_INODES_H
#define HBS_COMPAT_ANON_INODES_H

#include <linux/anon_inodes.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/module.h>

/* An open file with an inode of its own. */
static inline struct file *anon_inode_create_getfile(const char *name,
						     const struct file_operations *fops,
						     void *priv, int flags,
						     const struct inode *context_inode)
{
	static const struct file_operations shared_fops = { .owner = THIS_MODULE };
	struct file *shared, *file;
	struct inode *inode;

	/* A file with the inode that all files share leads to the file system of these inodes. */
	shared = anon_inode_getfile(name, &shared_fops, NULL, flags);
	if (IS_ERR(shared))
		return shared;
	inode = alloc_anon_inode(shared->f_path.mnt->mnt_sb);
	if (IS_ERR(inode)) {
		file = ERR_CAST(inode);
		goto out;
	}
	file = alloc_file_pseudo(inode, shared->f_path.mnt, name, flags, fops);
	if (IS_ERR(file)) {
		iput(inode);
		goto out;
	}
	/* The VFS gives this reference back when the file goes. */
	__module_get(fops->owner);
	file->f_mapping = inode->i_mapping;
	file->private_data = priv;
out:
	fput(shared);
	return file;
}

#endif /* HBS_COMPAT_ANON_INODES_H */
