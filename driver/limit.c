// SPDX-License-Identifier: GPL-2.0-only
/*
 * How many ports and groups one user may have, and how many the card keeps back for
 * those who may use reserved resources.
 *
 * A holder of CAP_SYS_RESOURCE may exceed both limits, as with disk quotas and reserved
 * blocks. CAP_SYS_ADMIN would give much more to a program that only has to get a port on
 * a crowded card. The capability counts in the initial user namespace alone, for the card
 * belongs to no other.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/minmax.h>
#include <linux/user_namespace.h>

#include "hbs.h"

/* Set the limits that hold until an administrator sets others. */
void hbs_limit_init(struct hbs_limit *limit, u32 total)
{
	/* Half of all, as with processes. */
	limit->per_user = DIV_ROUND_UP(total, 2);
	limit->reserved = min(DIV_ROUND_UP(total, 16), total - 1);
}

/**
 * hbs_limit_user() - the user who answers for what the current process takes
 *
 * User namespaces give their makers many users: whoever made the outermost one answers
 * for all of them. If root made it, as for a container, the container's root does.
 *
 * Return: the user.
 */
kuid_t hbs_limit_user(void)
{
	struct user_namespace *ns = current_user_ns();
	kuid_t root;

	if (ns == &init_user_ns)
		return current_uid();
	while (ns->parent != &init_user_ns)
		ns = ns->parent;
	if (!uid_eq(ns->owner, GLOBAL_ROOT_UID))
		return ns->owner;
	root = make_kuid(ns, 0);
	return uid_valid(root) ? root : current_uid();
}

/**
 * hbs_limit_owner() - whose the current process is
 *
 * Another process of that user may know of it. A process that changes between users, such as
 * that of a set-user-ID program, belongs to none.
 *
 * Return: the user, or INVALID_UID.
 */
kuid_t hbs_limit_owner(void)
{
	const struct cred *cred = current_cred();

	if (uid_eq(cred->uid, cred->euid) && uid_eq(cred->uid, cred->suid))
		return cred->uid;
	return INVALID_UID;
}

/**
 * hbs_limit_vet() - may the current process take one more
 * @limit: the limit
 * @total: how many there are
 * @used: how many are taken
 * @mine: how many of those its user has
 *
 * Return: 0; -EDQUOT if the user has as many as it may; -ENOSPC if none is left, or
 * only reserved ones.
 */
int hbs_limit_vet(const struct hbs_limit *limit, u32 total, u32 used, u32 mine)
{
	int ret = 0;

	if (mine >= limit->per_user)
		ret = -EDQUOT;
	else if (total - used <= limit->reserved)
		ret = -ENOSPC;
	/* Without audit, for a user could fill the audit log. */
	if (ret && has_capability_noaudit(current, CAP_SYS_RESOURCE))
		ret = used < total ? 0 : -ENOSPC;
	return ret;
}
