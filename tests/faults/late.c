// SPDX-License-Identifier: GPL-2.0-or-later
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "hbs_test.h"
#include "late.h"

#define NAP_NS 10000000

static _Atomic uint64_t late_ns, awake_ns;

static void *sleeper(void *arg)
{
	uint64_t before = monotonic_ns();

	(void)arg;
	for (;;) {
		uint64_t now;

		nanosleep(&(struct timespec){ .tv_nsec = NAP_NS }, NULL);
		now = monotonic_ns();
		atomic_store(&awake_ns, now);
		if (now - before > NAP_NS)
			atomic_fetch_add(&late_ns, now - before - NAP_NS);
		before = now;
	}
	return NULL;
}

int late_start(void)
{
	pthread_t thread;

	atomic_store(&awake_ns, monotonic_ns());
	return -pthread_create(&thread, NULL, sleeper, NULL);
}

struct late late_note(void)
{
	return (struct late){ monotonic_ns(), atomic_load(&late_ns) };
}

uint64_t late_since(const struct late *from)
{
	uint64_t now = monotonic_ns(), awake = atomic_load(&awake_ns);
	uint64_t late = atomic_load(&late_ns) - from->late_ns;

	/* It may be late just now */
	if (now > awake + NAP_NS)
		late += now - awake - NAP_NS;
	return now - from->start_ns > late ? now - from->start_ns - late : 0;
}
