/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The CPUs that this program may use, in the order in which it puts members on them:
 * each core before the second hardware thread of any, package by package.
 */
#ifndef HBSBENCH_CPUS_H
#define HBSBENCH_CPUS_H

#include <stdbool.h>

/* Finds them; ends the program if it cannot. The text about the machine is static. */
const char *cpus_start(void);

unsigned int cpus_count(void);

/*
 * Put the calling thread on CPU @index modulo their count; returns whether it is there and
 * nowhere else
 */
bool cpus_pin(unsigned int index);

/* Whether the calling thread may run only on that CPU, and is there */
bool cpus_pinned(unsigned int index);

/* Let the calling thread run on all of these CPUs again */
void cpus_unpin(void);

/*
 * Let the thread @thread, of any process, run on the first @count of these CPUs only; else see
 * errno
 */
bool cpus_limit(int thread, unsigned int count);

/* On how many of these CPUs the calling thread may run */
unsigned int cpus_allowed(void);

#endif /* HBSBENCH_CPUS_H */
