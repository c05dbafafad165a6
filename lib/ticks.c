// SPDX-License-Identifier: LGPL-2.1-or-later
#define _GNU_SOURCE
#include <linux/time_types.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "checker.h"
#include "ticks.h"

#define CALIBRATION_NS 1000000
#define TRIES	       8

int hbsi_ticks_by_clock;
static double ticks_per_ns = 1.0;
/* A sandbox kills who reads the counter, and the C library's clock_gettime() may do that */
static bool is_forbidden;

static __attribute__((noinline)) uint64_t ask_kernel(void)
{
	struct __kernel_old_timespec now = { 0 };

	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t hbsi_clock_ns(void)
{
	struct timespec now;

	if (__builtin_expect(is_forbidden, 0))
		return ask_kernel();
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

#if defined(TICKS_TSC)

struct sample {
	uint64_t ticks;
	uint64_t ns;
};

/*
 * Both clocks at one moment. The thread can be preempted between the two readings,
 * so of several tries the fastest one counts.
 */
static struct sample take_sample(void)
{
	uint64_t best = UINT64_MAX;
	struct sample sample = { 0, 0 };

	for (int i = 0; i < TRIES; i++) {
		uint64_t before = ticks_counter();
		uint64_t ns = hbsi_clock_ns();
		uint64_t width = ticks_counter() - before;

		if (width < best) {
			best = width;
			sample = (struct sample){ before + width / 2, ns };
		}
	}
	return sample;
}

static void calibrate(void)
{
	struct sample first, last;
	int mode = PR_TSC_ENABLE;

	/* a sandbox may have forbidden the instruction */
	if (!prctl(PR_GET_TSC, &mode) && mode != PR_TSC_ENABLE) {
		is_forbidden = true;
		hbsi_ticks_by_clock = 1;
		return;
	}
	first = take_sample();
	do
		last = take_sample();
	while (last.ns - first.ns < CALIBRATION_NS);
	if ((int64_t)(last.ticks - first.ticks) > 0)
		ticks_per_ns = (double)(last.ticks - first.ticks) / (double)(last.ns - first.ns);
	else
		hbsi_ticks_by_clock = 1;
}

#elif defined(TICKS_CNTVCT)

static void calibrate(void)
{
	uint64_t hz;

	__asm__ __volatile__("mrs %0, cntfrq_el0" : "=r"(hz));
	if (hz)
		ticks_per_ns = (double)hz / 1e9;
	else
		hbsi_ticks_by_clock = 1;
}

#else

static void calibrate(void)
{
	hbsi_ticks_by_clock = 1;
}

#endif

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void calibrate_once(void)
{
	calibrate();
	checker_release(&once);
}

uint64_t hbsi_ticks_from_ns(uint64_t ns)
{
	double ticks;

	checker_once(&once, calibrate_once);
	ticks = (double)ns * ticks_per_ns;
	if (ns && ticks < 1.0)
		return 1;
	/* the counter never gets there: wait for ever */
	return ticks < 9e18 ? (uint64_t)ticks : (uint64_t)INT64_MAX;
}
