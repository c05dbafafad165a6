// SPDX-License-Identifier: GPL-2.0-or-later
/* The drop-in library: its own pthread_barrier, in place of the C library's */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "contender.h"
#include "library.h"

static int (*attr_init)(pthread_barrierattr_t *attr);
static int (*attr_setpshared)(pthread_barrierattr_t *attr, int shared);
static int (*attr_destroy)(pthread_barrierattr_t *attr);
static int (*init)(pthread_barrier_t *barrier, const pthread_barrierattr_t *attr,
		   unsigned int members);
static int (*destroy)(pthread_barrier_t *barrier);
static int (*wait_for_all)(pthread_barrier_t *barrier);
static pthread_barrier_t *barrier;

/* Where the library is, as seen from this program: where it is built, or a package has it */
#ifndef HBS_PTHREAD_PLACE
#define HBS_PTHREAD_PLACE "../lib/libhbs-pthread.so"
#endif

static const char *drop_in_load(void)
{
	/* There, or as seen from this program's tests, or where the loader finds one */
	static const char *const names[] = { HBS_PTHREAD_PLACE, "./lib/libhbs-pthread.so",
					     "libhbs-pthread.so", NULL };

	/* as "hbs", with which it is compared */
	setenv("HBS_BACKEND", "software", 1);
	if (library_load(names))
		return "not built";
	*(void **)&attr_init = library_find("pthread_barrierattr_init");
	*(void **)&attr_setpshared = library_find("pthread_barrierattr_setpshared");
	*(void **)&attr_destroy = library_find("pthread_barrierattr_destroy");
	*(void **)&init = library_find("pthread_barrier_init");
	*(void **)&destroy = library_find("pthread_barrier_destroy");
	*(void **)&wait_for_all = library_find("pthread_barrier_wait");
	/*
	 * if it lacks a function, the lookup finds that of the C library, which is another
	 * contender
	 */
	return wait_for_all && wait_for_all != pthread_barrier_wait ? NULL : "it lacks a function";
}

static const char *drop_in_version(void)
{
	return drop_in_load() ? NULL : library_path();
}

static const char *drop_in_make(const struct contender *self, unsigned int members, bool shared)
{
	const char *why = drop_in_load();
	pthread_barrierattr_t attr;
	int ret;

	(void)self;
	if (why)
		return why;
	barrier = arena_alloc(sizeof(*barrier));
	if (!barrier)
		return "out of memory";
	attr_init(&attr);
	attr_setpshared(&attr, shared ? PTHREAD_PROCESS_SHARED : PTHREAD_PROCESS_PRIVATE);
	ret = init(barrier, &attr, members);
	attr_destroy(&attr);
	return ret ? strerror(ret) : NULL;
}

static void drop_in_wait(unsigned int member)
{
	(void)member;
	wait_for_all(barrier);
}

static void drop_in_unmake(void)
{
	destroy(barrier);
}

/* its groups are memory files that it does not show */
static long drop_in_elsewhere(void)
{
	return -1;
}

const struct contender contender_hbs_pthread = {
	.name = CONTENDER_DROP_IN,
	.what = "hbs in the place of pthread_barrier",
	.ours = true,
	.shared = true,
	.version = drop_in_version,
	.make = drop_in_make,
	.wait = drop_in_wait,
	.unmake = drop_in_unmake,
	.elsewhere = drop_in_elsewhere,
};
