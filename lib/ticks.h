/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A cheap clock that bounds a spin without a system call. clock_gettime makes a
 * system call where the kernel does not trust the CPU's counter, as in emulated
 * guests.
 */
#ifndef HBS_TICKS_H
#define HBS_TICKS_H

#include <stdint.h>

#if defined(__x86_64__) || defined(__i386__)
#define TICKS_TSC 1
#elif defined(__aarch64__)
#define TICKS_CNTVCT 1
#endif

/* Nonzero if the counter is not usable: then ticks are ns of CLOCK_MONOTONIC. */
extern int hbsi_ticks_by_clock;

uint64_t hbsi_clock_ns(void);

/* Ticks for a time, at least 1 for a time that is not 0. Calibrates once. */
uint64_t hbsi_ticks_from_ns(uint64_t ns);

static inline uint64_t ticks_counter(void)
{
#if defined(TICKS_TSC)
	return __builtin_ia32_rdtsc();
#elif defined(TICKS_CNTVCT)
	uint64_t value;

	__asm__ __volatile__("mrs %0, cntvct_el0" : "=r"(value));
	return value;
#else
	return 0;
#endif
}

static inline uint64_t ticks_now(void)
{
	return __builtin_expect(hbsi_ticks_by_clock, 0) ? hbsi_clock_ns() : ticks_counter();
}

/* Tell the CPU, and a hypervisor, that this is a spin */
static inline void ticks_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ __volatile__("yield" ::: "memory");
#else
	__asm__ __volatile__("" ::: "memory");
#endif
}

#endif /* HBS_TICKS_H */
