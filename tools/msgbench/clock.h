/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MSGBENCH_CLOCK_H
#define MSGBENCH_CLOCK_H

#include <time.h>

static inline double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

#endif /* MSGBENCH_CLOCK_H */
