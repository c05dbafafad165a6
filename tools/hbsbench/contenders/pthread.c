// SPDX-License-Identifier: GPL-2.0-or-later
/* pthread_barrier of the C library */
#include <gnu/libc-version.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "arena.h"
#include "contender.h"

static pthread_barrier_t *barrier;

static const char *pthread_version(void)
{
	static char text[40];

	snprintf(text, sizeof(text), "glibc %s", gnu_get_libc_version());
	return text;
}

static const char *pthread_make(const struct contender *self, unsigned int members, bool shared)
{
	pthread_barrierattr_t attr;
	int ret;

	(void)self;
	barrier = arena_alloc(sizeof(*barrier));
	if (!barrier)
		return "out of memory";
	pthread_barrierattr_init(&attr);
	pthread_barrierattr_setpshared(&attr,
				       shared ? PTHREAD_PROCESS_SHARED : PTHREAD_PROCESS_PRIVATE);
	ret = pthread_barrier_init(barrier, &attr, members);
	pthread_barrierattr_destroy(&attr);
	return ret ? strerror(ret) : NULL;
}

static void pthread_wait(unsigned int member)
{
	(void)member;
	pthread_barrier_wait(barrier);
}

static void pthread_unmake(void)
{
	pthread_barrier_destroy(barrier);
}

const struct contender contender_pthread = {
	.name = "pthread",
	.what = "pthread_barrier of the C library",
	.shared = true,
	.version = pthread_version,
	.make = pthread_make,
	.wait = pthread_wait,
	.unmake = pthread_unmake,
};
