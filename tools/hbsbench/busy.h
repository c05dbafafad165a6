/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A process that computes for ever, and ends with the process that started it */
#ifndef HBSBENCH_BUSY_H
#define HBSBENCH_BUSY_H

#include <sys/types.h>

/* Start one. Call this in a child, which ends if the start fails */
pid_t busy_start(void);

/* The CPU time that it has taken, in ns; ends the child if it is gone */
double busy_ns(pid_t loop);

void busy_end(pid_t loop);

#endif /* HBSBENCH_BUSY_H */
