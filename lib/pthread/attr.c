// SPDX-License-Identifier: LGPL-2.1-or-later
/* pthread_barrierattr_*: an int, as in programs that were compiled for the C library */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>

#define EXPORT __attribute__((visibility("default")))

_Static_assert(sizeof(pthread_barrierattr_t) >= sizeof(int), "it has no room");

EXPORT int pthread_barrierattr_init(pthread_barrierattr_t *attr)
{
	*(int *)attr = PTHREAD_PROCESS_PRIVATE;
	return 0;
}

EXPORT int pthread_barrierattr_destroy(pthread_barrierattr_t *attr)
{
	(void)attr;
	return 0;
}

EXPORT int pthread_barrierattr_getpshared(const pthread_barrierattr_t *restrict attr,
					  int *restrict shared)
{
	int value = *(const int *)attr;

	if (value != PTHREAD_PROCESS_PRIVATE && value != PTHREAD_PROCESS_SHARED)
		return EINVAL;
	*shared = value;
	return 0;
}

EXPORT int pthread_barrierattr_setpshared(pthread_barrierattr_t *attr, int shared)
{
	if (shared != PTHREAD_PROCESS_PRIVATE && shared != PTHREAD_PROCESS_SHARED)
		return EINVAL;
	*(int *)attr = shared;
	return 0;
}
