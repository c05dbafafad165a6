// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The library does not link hwloc but loads it, and only in processes that ask: a program
 * that uses hbs also runs on machines without hwloc. HBS_WITHOUT_HWLOC builds the library
 * as if hwloc's header were missing.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <sys/auxv.h>

#include "../checker.h"
#include "topology.h"

#if __has_include(<hwloc.h>) && !defined(HBS_WITHOUT_HWLOC)
#include <hwloc.h>
#define WITH_HWLOC 1
#endif

uint32_t hbsi_cpus(void)
{
	for (int cpus = 1024; cpus <= 1 << 20; cpus *= 2) {
		cpu_set_t *set = CPU_ALLOC((size_t)cpus);
		size_t size = CPU_ALLOC_SIZE((size_t)cpus);
		int count = 0;

		if (!set)
			break;
		if (!sched_getaffinity(0, size, set))
			count = CPU_COUNT_S(size, set);
		CPU_FREE(set);
		if (count)
			return (uint32_t)count;
	}
	return 1;
}

#ifdef WITH_HWLOC

/* the soname of hwloc 2: what the header says about its structures holds for all versions 2 */
#define LIBRARY "libhwloc.so.15"

#define CALL(name) __typeof__(&hwloc_##name) name

struct calls {
	CALL(topology_init);
	CALL(topology_set_flags);
	CALL(topology_set_components);
	CALL(topology_set_all_types_filter);
	CALL(topology_set_type_filter);
	CALL(topology_load);
	CALL(topology_destroy);
	CALL(get_type_depth);
	CALL(get_obj_by_depth);
	CALL(get_cpubind);
	CALL(bitmap_alloc);
	CALL(bitmap_free);
	CALL(bitmap_intersects);
};

static bool find_calls(void *library, struct calls *calls)
{
#define WANT(name)                                    \
	{                                             \
		"hwloc_" #name, (void **)&calls->name \
	}
	const struct {
		const char *name;
		void **call;
	} wanted[] = {
		WANT(topology_init),
		WANT(topology_set_flags),
		WANT(topology_set_components),
		WANT(topology_set_all_types_filter),
		WANT(topology_set_type_filter),
		WANT(topology_load),
		WANT(topology_destroy),
		WANT(get_type_depth),
		WANT(get_obj_by_depth),
		WANT(get_cpubind),
		WANT(bitmap_alloc),
		WANT(bitmap_free),
		WANT(bitmap_intersects),
	};
#undef WANT

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		*wanted[i].call = dlsym(library, wanted[i].name);
		if (!*wanted[i].call)
			return false;
	}
	return true;
}

/*
 * Look only for what is counted below, which is ten times as fast as for all there is. Use
 * no component that moves this thread from CPU to CPU to ask each, as "x86" does. An hwloc
 * that does not know a wish goes on without it.
 */
static void be_quick(const struct calls *calls, hwloc_topology_t topology)
{
	static const hwloc_obj_type_t types[] = { HWLOC_OBJ_CORE, HWLOC_OBJ_L2CACHE,
						  HWLOC_OBJ_L3CACHE, HWLOC_OBJ_PACKAGE };

	calls->topology_set_all_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		calls->topology_set_type_filter(topology, types[i], HWLOC_TYPE_FILTER_KEEP_ALL);
#if HWLOC_API_VERSION >= 0x20100
	calls->topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
#endif
#if HWLOC_API_VERSION >= 0x20800
	calls->topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING |
						    HWLOC_TOPOLOGY_FLAG_NO_DISTANCES |
						    HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS |
						    HWLOC_TOPOLOGY_FLAG_NO_CPUKINDS);
#endif
}

/* Objects of a type of which this thread may use some CPU; 0 if there are none */
static uint32_t count(const struct calls *calls, hwloc_topology_t topology, hwloc_obj_type_t type,
		      hwloc_const_cpuset_t mine)
{
	int depth = calls->get_type_depth(topology, type);
	uint32_t number = 0;
	hwloc_obj_t object;

	/* the depths of NUMA nodes and the like are below 0 too */
	if (depth == HWLOC_TYPE_DEPTH_UNKNOWN || depth == HWLOC_TYPE_DEPTH_MULTIPLE)
		return 0;
	for (unsigned int i = 0; (object = calls->get_obj_by_depth(topology, depth, i)); i++)
		number += calls->bitmap_intersects(object->cpuset, mine) != 0;
	return number;
}

/* Where no cache of level 3 is known; a cache that each core has for itself tells nothing */
static uint32_t count_shared(const struct calls *calls, hwloc_topology_t topology, uint32_t cores,
			     hwloc_const_cpuset_t mine)
{
	uint32_t caches = count(calls, topology, HWLOC_OBJ_L2CACHE, mine);

	return caches < cores ? caches : 0;
}

static void count_all(const struct calls *calls, hwloc_topology_t topology, struct topology *found)
{
	hwloc_bitmap_t mine = calls->bitmap_alloc();
	uint32_t cpus;

	if (!mine)
		return;
	if (!calls->get_cpubind(topology, mine, HWLOC_CPUBIND_THREAD)) {
		cpus = count(calls, topology, HWLOC_OBJ_PU, mine);
		found->cores = count(calls, topology, HWLOC_OBJ_CORE, mine);
		found->caches = count(calls, topology, HWLOC_OBJ_L3CACHE, mine);
		if (!found->caches)
			found->caches = count_shared(calls, topology, found->cores, mine);
		found->nodes = count(calls, topology, HWLOC_OBJ_NUMANODE, mine);
		found->packages = count(calls, topology, HWLOC_OBJ_PACKAGE, mine);
		/* in a container hwloc may know less than the kernel */
		found->known = cpus == found->cpus;
	}
	calls->bitmap_free(mine);
}

static void ask_hwloc(struct topology *found)
{
	hwloc_topology_t topology;
	struct calls calls;
	void *library;

	/*
	 * hwloc obeys environment variables, which belong to the user who started a
	 * program with more rights than his own
	 */
	if (getauxval(AT_SECURE))
		return;
	library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return;
	if (find_calls(library, &calls) && !calls.topology_init(&topology)) {
		be_quick(&calls, topology);
		if (!calls.topology_load(topology))
			count_all(&calls, topology, found);
		calls.topology_destroy(topology);
	}
	dlclose(library);
}

#else

static void ask_hwloc(struct topology *found)
{
	(void)found;
}

#endif

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct topology the_topology;

static void find(void)
{
	struct topology *found = &the_topology;

	found->cpus = hbsi_cpus();
	ask_hwloc(found);
	if (!found->known || !found->cores)
		found->cores = found->cpus;
	if (!found->known || !found->caches)
		found->caches = 1;
	if (!found->known || !found->nodes)
		found->nodes = 1;
	if (!found->known || !found->packages)
		found->packages = 1;
	checker_release(&once);
}

const struct topology *hbsi_topology(void)
{
	checker_once(&once, find);
	return &the_topology;
}
