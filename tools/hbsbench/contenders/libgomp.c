// SPDX-License-Identifier: GPL-2.0-or-later
/* The barrier of GCC's OpenMP runtime, called as GCC's compiled code calls it */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>

#include "contender.h"
#include "library.h"

static void (*parallel)(void (*work)(void *arg), void *arg, unsigned int threads,
			unsigned int flags);
static void (*barrier)(void);
static int (*thread_num)(void);
static int (*num_threads)(void);

struct team {
	member_fn work;
	void *arg;
	int threads;
};

static const char *libgomp_load(void)
{
	static const char *const names[] = { "libgomp.so.1", NULL };
	const char *why = library_load(names);

	if (why)
		return why;
	*(void **)&parallel = library_find("GOMP_parallel");
	*(void **)&barrier = library_find("GOMP_barrier");
	*(void **)&thread_num = library_find("omp_get_thread_num");
	*(void **)&num_threads = library_find("omp_get_num_threads");
	return parallel && barrier && thread_num && num_threads ? NULL : "it lacks a function";
}

static const char *libgomp_version(void)
{
	return libgomp_load() ? NULL : library_path();
}

static const char *libgomp_make(const struct contender *self, unsigned int members, bool shared)
{
	(void)self;
	(void)members;
	(void)shared;
	return libgomp_load();
}

static void in_thread(void *arg)
{
	struct team *team = arg;
	int number = thread_num();

	if (!number)
		team->threads = num_threads();
	/* all see the same number of threads: if there are too few, nobody works */
	if (num_threads() > 0 && team->work)
		team->work((unsigned int)number, team->arg);
}

static int libgomp_team(unsigned int members, member_fn work, void *arg)
{
	struct team probe = { NULL, NULL, 0 }, team = { work, arg, 0 };

	parallel(in_thread, &probe, members, 0);
	if (probe.threads != (int)members)
		return EAGAIN;
	parallel(in_thread, &team, members, 0);
	return 0;
}

static void libgomp_wait(unsigned int member)
{
	(void)member;
	barrier();
}

const struct contender contender_libgomp = {
	.name = "libgomp",
	.what = "#pragma omp barrier of GCC",
	.version = libgomp_version,
	.make = libgomp_make,
	.team = libgomp_team,
	.wait = libgomp_wait,
};
