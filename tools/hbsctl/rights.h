/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a user may see of others */
#ifndef HBSCTL_RIGHTS_H
#define HBSCTL_RIGHTS_H

#include <stdint.h>

#include "fields.h"

/* Who else sees it, for messages */
#define RIGHTS_NEEDED "that is for its own user, and for CAP_SYS_PTRACE or CAP_SYS_ADMIN"

/*
 * Say on stderr that the driver does not tell all, if some of @rows lack @attribute, which it
 * tells of what this user may see.
 */
void rights_tell(const struct rows *rows, const struct schema *schema, uint16_t attribute);

#endif /* HBSCTL_RIGHTS_H */
