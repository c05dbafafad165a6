// SPDX-License-Identifier: GPL-2.0-or-later
/* The barrier of LLVM's OpenMP runtime, called as Clang's compiled code calls it */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "contender.h"
#include "library.h"

/* Where in a program a call is, in the form of the runtime's interface */
struct location {
	int32_t reserved_1;
	int32_t flags;
	int32_t reserved_2;
	int32_t reserved_3;
	const char *source;
};

#define LOCATION_KMPC		  0x02
#define LOCATION_EXPLICIT_BARRIER 0x20

static struct location fork_at = { .flags = LOCATION_KMPC, .source = ";hbsbench;team;0;0;;" };
static struct location barrier_at = { .flags = LOCATION_KMPC | LOCATION_EXPLICIT_BARRIER,
				      .source = ";hbsbench;wait;0;0;;" };

typedef void (*microtask)(int32_t *global, int32_t *local, void *arg);

static void (*fork_call)(struct location *at, int32_t arguments, microtask task, ...);
static void (*push_num_threads)(struct location *at, int32_t global, int32_t threads);
static int32_t (*global_thread_num)(struct location *at);
static void (*barrier)(struct location *at, int32_t global);
static int (*num_threads)(void);
static int32_t *globals;

struct team {
	member_fn work;
	void *arg;
	int threads;
};

static const char *libomp_load(const char *const *names)
{
	const char *why = library_load(names);

	if (why)
		return why;
	*(void **)&fork_call = library_find("__kmpc_fork_call");
	*(void **)&push_num_threads = library_find("__kmpc_push_num_threads");
	*(void **)&global_thread_num = library_find("__kmpc_global_thread_num");
	*(void **)&barrier = library_find("__kmpc_barrier");
	*(void **)&num_threads = library_find("omp_get_num_threads");
	return fork_call && push_num_threads && global_thread_num && barrier && num_threads
		       ? NULL
		       : "it lacks a function";
}

static const char *libomp_make(const struct contender *self, unsigned int members, bool shared)
{
	const char *why = libomp_load(self->detail);

	(void)shared;
	if (why)
		return why;
	globals = calloc(members, sizeof(*globals));
	return globals ? NULL : "out of memory";
}

static void in_thread(int32_t *global, int32_t *local, void *arg)
{
	struct team *team = arg;

	if (!*local)
		team->threads = num_threads();
	if (!team->work)
		return;
	globals[*local] = *global;
	team->work((unsigned int)*local, team->arg);
}

static void run_team(unsigned int members, struct team *team)
{
	push_num_threads(&fork_at, global_thread_num(&fork_at), (int32_t)members);
	fork_call(&fork_at, 1, in_thread, team);
}

static int libomp_team(unsigned int members, member_fn work, void *arg)
{
	struct team probe = { NULL, NULL, 0 }, team = { work, arg, 0 };

	run_team(members, &probe);
	if (probe.threads != (int)members)
		return EAGAIN;
	run_team(members, &team);
	return 0;
}

static void libomp_wait(unsigned int member)
{
	barrier(&barrier_at, globals[member]);
}

static void libomp_unmake(void)
{
	free(globals);
}

static const char *const names_14[] = { "libomp-14.so.5", "/usr/lib/llvm-14/lib/libomp.so.5",
					NULL };
static const char *const names_19[] = { "libomp-19.so.5", "/usr/lib/llvm-19/lib/libomp.so.5",
					NULL };

static const char *version_14(void)
{
	return libomp_load(names_14) ? NULL : library_path();
}

static const char *version_19(void)
{
	return libomp_load(names_19) ? NULL : library_path();
}

const struct contender contender_libomp_14 = {
	.name = "libomp-14",
	.what = "#pragma omp barrier of LLVM 14",
	.detail = names_14,
	.version = version_14,
	.make = libomp_make,
	.team = libomp_team,
	.wait = libomp_wait,
	.unmake = libomp_unmake,
};

const struct contender contender_libomp_19 = {
	.name = "libomp-19",
	.what = "#pragma omp barrier of LLVM 19",
	.detail = names_19,
	.version = version_19,
	.make = libomp_make,
	.team = libomp_team,
	.wait = libomp_wait,
	.unmake = libomp_unmake,
};
