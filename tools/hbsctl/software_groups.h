/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Groups of the software backend that a process has */
#ifndef HBSCTL_SOFTWARE_GROUPS_H
#define HBSCTL_SOFTWARE_GROUPS_H

#include <stdbool.h>

#include "status.h"
#include "target.h"

/*
 * Explain the groups of a process, or the one that a descriptor of it is of; stderr says what
 * cannot be seen. Return: the exit status.
 */
enum status software_groups_explain(const struct target *target, bool json);

#endif /* HBSCTL_SOFTWARE_GROUPS_H */
