/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A function that kernels before 6.7 lack; no part of the driver proper. What it gives there
 * has, as struct genl_info has, the attributes of the request.
 */
#ifndef HBS_COMPAT_GENL_DUMP_H
#define HBS_COMPAT_GENL_DUMP_H

#include <net/genetlink.h>

static inline const struct genl_dumpit_info *genl_info_dump(struct netlink_callback *cb)
{
	return genl_dumpit_info(cb);
}

#endif /* HBS_COMPAT_GENL_DUMP_H */
