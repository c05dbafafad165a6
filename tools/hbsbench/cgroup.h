/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A cgroup whose processes together get a part of one CPU, of version 1 or 2, whichever the
 * system has. A process of its own removes the cgroup when this program ends, however it ends.
 */
#ifndef HBSBENCH_CGROUP_H
#define HBSBENCH_CGROUP_H

#include <stdbool.h>

/**
 * cgroup_start() - make it, and see that the quota holds back a busy loop
 * @share: the part of a CPU, above 0
 *
 * Return: NULL, or why there is none. The text is static.
 */
const char *cgroup_start(double share);

/* Put the calling process into it; NULL, or why that failed. The text is static. */
const char *cgroup_enter(void);

/* Whether the calling process is in it */
bool cgroup_entered(void);

/* Remove it, when all its processes have ended */
void cgroup_end(void);

#endif /* HBSBENCH_CGROUP_H */
