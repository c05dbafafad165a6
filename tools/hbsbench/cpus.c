// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <hwloc.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "cpus.h"

static unsigned int *order;
static unsigned int count;
static cpu_set_t *all;
static size_t set_size;
static unsigned int set_bits;

static void fail(const char *what)
{
	fprintf(stderr, "%s: the CPUs of this machine: %s\n", program_invocation_short_name, what);
	exit(2);
}

/* The affinity with which the program was started */
static void read_allowed(void)
{
	for (set_bits = 1024; set_bits <= 1 << 20; set_bits *= 2) {
		all = CPU_ALLOC(set_bits);
		set_size = CPU_ALLOC_SIZE(set_bits);
		if (!all)
			fail("out of memory");
		if (!sched_getaffinity(0, set_size, all))
			return;
		CPU_FREE(all);
	}
	fail("sched_getaffinity failed");
}

/* The n-th hardware thread of each core, for each n */
static void fill_order(hwloc_topology_t topology)
{
	unsigned int cores = (unsigned int)hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);

	order = calloc((size_t)CPU_COUNT_S(set_size, all), sizeof(*order));
	if (!order)
		fail("out of memory");
	for (unsigned int thread = 0; thread < set_bits; thread++) {
		bool found = false;

		for (unsigned int i = 0; i < cores; i++) {
			hwloc_obj_t core = hwloc_get_obj_by_type(topology, HWLOC_OBJ_CORE, i);
			hwloc_obj_t pu = hwloc_get_obj_inside_cpuset_by_type(topology, core->cpuset,
									     HWLOC_OBJ_PU, thread);

			if (!pu)
				continue;
			found = true;
			if (pu->os_index < set_bits && CPU_ISSET_S(pu->os_index, set_size, all))
				order[count++] = pu->os_index;
		}
		if (!found)
			break;
	}
}

static void fill_order_plainly(void)
{
	count = 0;
	for (unsigned int cpu = 0; cpu < set_bits; cpu++)
		if (CPU_ISSET_S(cpu, set_size, all))
			order[count++] = cpu;
}

static const char *describe(hwloc_topology_t topology)
{
	static char text[160];

	snprintf(text, sizeof(text), "%d package(s), %d NUMA node(s), %d L3 cache(s), %d core(s)",
		 hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PACKAGE),
		 hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE),
		 hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_L3CACHE),
		 hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE));
	return text;
}

const char *cpus_start(void)
{
	hwloc_topology_t topology;
	const char *text;

	read_allowed();
	if (hwloc_topology_init(&topology))
		fail("hwloc does not start");
	if (hwloc_topology_load(topology))
		fail("hwloc does not know them");
	fill_order(topology);
	/* hwloc may know less than the kernel, in a container say */
	if (count != (unsigned int)CPU_COUNT_S(set_size, all))
		fill_order_plainly();
	text = describe(topology);
	hwloc_topology_destroy(topology);
	return text;
}

unsigned int cpus_count(void)
{
	return count;
}

bool cpus_pinned(unsigned int index)
{
	unsigned int cpu = order[index % count];
	cpu_set_t *set = CPU_ALLOC(set_bits);
	bool good;

	if (!set)
		return false;
	good = !sched_getaffinity(0, set_size, set) && CPU_COUNT_S(set_size, set) == 1 &&
	       CPU_ISSET_S(cpu, set_size, set) && sched_getcpu() == (int)cpu;
	CPU_FREE(set);
	return good;
}

bool cpus_pin(unsigned int index)
{
	cpu_set_t *set = CPU_ALLOC(set_bits);
	int ret;

	if (!set)
		return false;
	CPU_ZERO_S(set_size, set);
	CPU_SET_S(order[index % count], set_size, set);
	ret = sched_setaffinity(0, set_size, set);
	CPU_FREE(set);
	return !ret && cpus_pinned(index);
}

void cpus_unpin(void)
{
	sched_setaffinity(0, set_size, all);
}

bool cpus_limit(int thread, unsigned int limit)
{
	cpu_set_t *set = CPU_ALLOC(set_bits);
	int ret;

	if (!set)
		return false;
	CPU_ZERO_S(set_size, set);
	for (unsigned int i = 0; i < limit && i < count; i++)
		CPU_SET_S(order[i], set_size, set);
	ret = sched_setaffinity(thread, set_size, set);
	CPU_FREE(set);
	return !ret;
}

unsigned int cpus_allowed(void)
{
	cpu_set_t *set = CPU_ALLOC(set_bits);
	unsigned int allowed = 0;

	if (!set)
		return 0;
	if (!sched_getaffinity(0, set_size, set))
		allowed = (unsigned int)CPU_COUNT_S(set_size, set);
	CPU_FREE(set);
	return allowed;
}
