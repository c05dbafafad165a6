// SPDX-License-Identifier: GPL-2.0-or-later
/* What the library finds out about the CPUs, on this machine and on machines that hwloc makes up */
#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "child.h"
#include "software/topology.h"
#include "threads.h"

#ifdef HBS_WITHOUT_HWLOC
#define HWLOC NULL
#else
#define HWLOC dlopen("libhwloc.so.15", RTLD_NOW | RTLD_LOCAL)
#endif

static cpu_set_t all;

/* CPUs 0 and 1 are the ones that hwloc makes up, too */
static bool has_two(void)
{
	return !sched_getaffinity(0, sizeof(all), &all) && CPU_COUNT(&all) >= 2 &&
	       CPU_ISSET(0, &all) && CPU_ISSET(1, &all);
}

static void pin_to(int first, int last)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (int cpu = first; cpu <= last; cpu++)
		CPU_SET(cpu, &set);
	assert_int_equal(sched_setaffinity(0, sizeof(set), &set), 0);
}

static void unpin(void)
{
	assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
}

static void cpus(void **state)
{
	(void)state;
	if (!has_two())
		return;
	assert_int_equal(hbsi_cpus(), CPU_COUNT(&all));
	pin_to(1, 1);
	assert_int_equal(hbsi_cpus(), 1);
	unpin();
}

static int check_this_machine(const void *arg)
{
	const struct topology *topology = hbsi_topology();
	void *hwloc = HWLOC;

	(void)arg;
	CHECK(topology->cpus == hbsi_cpus());
	CHECK(topology->known == (hwloc != NULL));
	CHECK(topology->cores >= 1 && topology->cores <= topology->cpus);
	CHECK(topology->caches >= 1 && topology->caches <= topology->cores);
	CHECK(topology->nodes >= 1 && topology->nodes <= topology->cpus);
	CHECK(topology->packages >= 1 && topology->packages <= topology->cores);
	/* found once */
	CHECK(hbsi_topology() == topology);
	return 0;
}

static void this_machine(void **state)
{
	(void)state;
	assert_int_equal(run_child(check_this_machine, NULL), 0);
}

struct made_up {
	const char *synthetic;
	int last; /* CPU that may be used, from 0 */
	struct topology is;
};

static int check_made_up(const void *arg)
{
	const struct made_up *made_up = arg;
	const struct topology *topology;

	pin_to(0, made_up->last);
	setenv("HWLOC_SYNTHETIC", made_up->synthetic, 1);
	setenv("HWLOC_THISSYSTEM", "1", 1);
	topology = hbsi_topology();
	CHECK(topology->known == made_up->is.known);
	CHECK(topology->cpus == made_up->is.cpus);
	CHECK(topology->cores == made_up->is.cores);
	CHECK(topology->caches == made_up->is.caches);
	CHECK(topology->nodes == made_up->is.nodes);
	CHECK(topology->packages == made_up->is.packages);
	return 0;
}

static void made_up(void **state)
{
	/* of all objects, only those of the CPUs 0 and 1 */
	static const struct made_up machines[] = {
		{ "pack:2 l3:2 core:2 pu:2", 1, { true, 2, 1, 1, 1, 1 } },
		{ "pack:2 l3:2 core:2 pu:1", 1, { true, 2, 2, 1, 1, 1 } },
		{ "pack:1 l3:4 core:1 pu:1", 1, { true, 2, 2, 2, 1, 1 } },
		{ "pack:1 l2:4 core:1 pu:1", 1, { true, 2, 2, 1, 1, 1 } },
		{ "pack:1 l3:1 l2:4 core:1 pu:1", 1, { true, 2, 2, 1, 1, 1 } },
		{ "pack:1 core:2 pu:1", 1, { true, 2, 2, 1, 1, 1 } },
		{ "pack:2 [numa] core:1 pu:1", 1, { true, 2, 2, 1, 2, 2 } },
		{ "pack:2 [numa] core:1 pu:1", 0, { true, 1, 1, 1, 1, 1 } },
		/* it knows one CPU, the kernel two */
		{ "pack:1 core:1 pu:1", 1, { false, 2, 2, 1, 1, 1 } },
	};

	(void)state;
	if (!has_two() || !HWLOC)
		return;
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		assert_int_equal(run_child(check_made_up, &machines[i]), 0);
}

static int ask(void *shared, unsigned int index)
{
	const struct topology **seen = shared;

	seen[index] = hbsi_topology();
	CHECK(seen[index]->cpus == hbsi_cpus());
	return 0;
}

static int check_threads(const void *arg)
{
	const struct topology *seen[4];

	(void)arg;
	CHECK(!run_threads(4, ask, seen));
	for (int i = 1; i < 4; i++)
		CHECK(seen[i] == seen[0]);
	return 0;
}

static void threads(void **state)
{
	(void)state;
	assert_int_equal(run_child(check_threads, NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpus),
		cmocka_unit_test(this_machine),
		cmocka_unit_test(made_up),
		cmocka_unit_test(threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
