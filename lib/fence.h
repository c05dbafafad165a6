/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fences that one thread makes for others. A thread that goes to sleep stores that it does, and then
 * looks for what it waits for; one that brings this stores it, and then looks for sleepers. Without a
 * fence between the two in each of them, neither may see the other. But the one that brings is on a
 * fast path. So the sleeper, which has time, makes all other CPUs pass a fence by membarrier().
 *
 * This reaches the threads of one process. (MEMBARRIER_CMD_GLOBAL_EXPEDITED reaches others, but
 * is not sure: Linux, 6.1 to 6.18 at least, leaves out a CPU on which a thread of a process has ended
 * and another one of it has gone on.) Among several processes, and where there is no membarrier(),
 * the sleeper looks again after FENCE_DRAIN_NS. By then it sees what has been brought by each thread
 * that has not seen the sleeper.
 */
#ifndef HBS_FENCE_H
#define HBS_FENCE_H

#include <stdbool.h>

/* No store is that long on its way from a CPU to the others */
#define FENCE_DRAIN_NS 1000000

/* From here on hbsi_fence_threads() reaches this process's threads; false if it cannot. */
bool hbsi_fence_open(void);

/* Make all CPUs that run threads of this process pass a fence; false if that is not possible. */
bool hbsi_fence_threads(void);

#endif /* HBS_FENCE_H */
