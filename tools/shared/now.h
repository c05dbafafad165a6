/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time, in ns, for what takes long enough */
#ifndef SHARED_NOW_H
#define SHARED_NOW_H

#include <time.h>

static inline double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

#endif /* SHARED_NOW_H */
