/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The clock that the benchmark measures with: the counter that the library also uses, if it is
 * fit
 */
#ifndef HBSBENCH_CLOCK_H
#define HBSBENCH_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "ticks.h"

/**
 * struct clock_facts - facts about the clock
 * @name: the name of the clock
 * @steady: it runs at one rate, as far as the processor says
 * @ticks_per_ns: its rate
 * @resolution_ns: its smallest step
 * @stamp_ns: what one time stamp costs
 * @skew_ns: how far the clocks of two usable CPUs differ at most
 * @skew_error_ns: how wrong @skew_ns can be: half of the fastest round trip
 */
struct clock_facts {
	const char *name;
	bool steady;
	double ticks_per_ns;
	double resolution_ns;
	double stamp_ns;
	double skew_ns;
	double skew_error_ns;
};

/* Calibrates and checks; takes a tenth of a second. Starts threads, which end before it returns. */
struct clock_facts clock_start(void);

double clock_ns(uint64_t ticks);
uint64_t clock_ticks(double ns);

/*
 * A time stamp between what is before it in the program and what is after it: without the
 * fences, the processor may read the counter long before an earlier load is done.
 */
static inline uint64_t clock_stamp(void)
{
	uint64_t now;

#if defined(TICKS_TSC)
	__asm__ __volatile__("lfence" ::: "memory");
	now = ticks_now();
	__asm__ __volatile__("lfence" ::: "memory");
#elif defined(TICKS_CNTVCT)
	__asm__ __volatile__("isb" ::: "memory");
	now = ticks_now();
	__asm__ __volatile__("isb" ::: "memory");
#else
	now = ticks_now();
#endif
	return now;
}

#endif /* HBSBENCH_CLOCK_H */
