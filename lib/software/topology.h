/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The CPUs that a thread may use, and how near they are to each other */
#ifndef HBS_TOPOLOGY_H
#define HBS_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct topology - the CPUs that the thread that asked first may use
 * @known: hwloc gave the numbers; without it each CPU counts as a core, and all share all
 *   else
 * @cpus: hardware threads
 * @cores: less than @cpus where hardware threads share a core
 * @caches: last-level caches, each shared by the cores below it; 1 if only caches of
 *          single cores are known
 * @nodes: NUMA nodes
 * @packages: chips
 *
 * None of the numbers is 0.
 */
struct topology {
	bool known;
	uint32_t cpus;
	uint32_t cores;
	uint32_t caches;
	uint32_t nodes;
	uint32_t packages;
};

/* CPUs that this thread may run on now, as the kernel says; 1 if it does not say */
uint32_t hbsi_cpus(void);

/*
 * The whole topology; a process finds it out once. That takes a few milliseconds, for it
 * loads hwloc: do not ask where the answer makes no difference. The caller holds
 * cancellation off.
 */
const struct topology *hbsi_topology(void);

#endif /* HBS_TOPOLOGY_H */
