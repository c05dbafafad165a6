// SPDX-License-Identifier: GPL-2.0-or-later
#include <sys/resource.h>
#include <time.h>

#include "usage.h"

/* The kernel brings getrusage() up to date at its ticks only, this clock always */
static double cpu_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

struct usage usage_now(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return (struct usage){
		.cpu_ns = cpu_ns(),
		.system_ns =
			(double)usage.ru_stime.tv_sec * 1e9 + (double)usage.ru_stime.tv_usec * 1e3,
	};
}

struct usage usage_since(struct usage start)
{
	struct usage now = usage_now();

	return (struct usage){ now.cpu_ns - start.cpu_ns, now.system_ns - start.system_ns };
}

void usage_add(struct report *report, struct usage usage)
{
	atomic_fetch_add(&report->cpu_ns, (uint64_t)usage.cpu_ns);
	atomic_fetch_add(&report->system_ns, (uint64_t)usage.system_ns);
}
