/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPU time of the calling thread */
#ifndef HBSBENCH_USAGE_H
#define HBSBENCH_USAGE_H

#include "workload.h"

/**
 * struct usage - CPU time
 * @cpu_ns: in user mode and in the kernel, exact
 * @system_ns: in the kernel, as exact as the kernel's ticks
 */
struct usage {
	double cpu_ns;
	double system_ns;
};

struct usage usage_now(void);

/* The time since @start */
struct usage usage_since(struct usage start);

/* Add a member's time to the report */
void usage_add(struct report *report, struct usage usage);

#endif /* HBSBENCH_USAGE_H */
