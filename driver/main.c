// SPDX-License-Identifier: GPL-2.0-only
/* Module: the class and the device numbers. */
#include <linux/init.h>
#include <linux/module.h>

#include "hbs.h"

dev_t hbs_devt;

struct class hbs_class = {
	.name = HBS_NAME,
	.dev_groups = hbs_attr_groups,
};

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
	ret = hbs_nl_init();
	if (ret)
		goto err_debugfs;
	ret = pci_register_driver(&hbs_pci_driver);
	if (ret)
		goto err_netlink;
	return 0;

err_netlink:
	hbs_nl_exit();
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
	hbs_nl_exit();
	hbs_debugfs_exit();
	class_unregister(&hbs_class);
	unregister_chrdev_region(hbs_devt, HBS_MINORS);
	/* RCU callbacks that free groups are functions of this module. */
	rcu_barrier();
}
module_exit(hbs_exit);

MODULE_DESCRIPTION("hbs barrier card");
MODULE_AUTHOR("The hbs developers");
MODULE_LICENSE("GPL");
