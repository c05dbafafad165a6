// SPDX-License-Identifier: LGPL-2.1-or-later
/* The instructions are those of Intel's SDM, volume 2, and AMD's APM, volume 3 */
#include <pthread.h>

#include "checker.h"
#include "monitor.h"
#include "ticks.h"

enum monitor hbsi_monitor;

#ifdef __x86_64__

#include <cpuid.h>
#include <immintrin.h>
#include <x86intrin.h>

#define WAITPKG_ECX (1u << 5)  /* of leaf 7 */
#define MWAITX_ECX  (1u << 29) /* of leaf 0x80000001 */

#define UMWAIT_C01	  1 /* the lighter state, which the CPU leaves sooner */
#define MWAITX_C0	  0xf0
#define MWAITX_WITH_TIMER 2

static void find(void)
{
	unsigned int a, b, c, d;

	/* a program that may not read the CPU's counter may not use these either */
	hbsi_ticks_from_ns(0);
	if (hbsi_ticks_by_clock)
		return;
	if (__get_cpuid_count(7, 0, &a, &b, &c, &d) && c & WAITPKG_ECX)
		hbsi_monitor = MONITOR_WAITPKG;
	else if (__get_cpuid(0x80000001, &a, &b, &c, &d) && c & MWAITX_ECX)
		hbsi_monitor = MONITOR_MWAITX;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void find_once(void)
{
	find();
	checker_release(&once);
}

void hbsi_monitor_find(void)
{
	checker_once(&once, find_once);
}

__attribute__((target("waitpkg"))) static void arm_waitpkg(void *line)
{
	_umonitor(line);
}

__attribute__((target("waitpkg"))) static void wait_waitpkg(uint64_t ticks)
{
	_umwait(UMWAIT_C01, ticks_counter() + ticks);
}

__attribute__((target("mwaitx"))) static void arm_mwaitx(void *line)
{
	_mm_monitorx(line, 0, 0);
}

__attribute__((target("mwaitx"))) static void wait_mwaitx(uint64_t ticks)
{
	_mm_mwaitx(MWAITX_WITH_TIMER, MWAITX_C0, ticks < UINT32_MAX ? (uint32_t)ticks : UINT32_MAX);
}

void hbsi_monitor_arm(const volatile void *line)
{
	if (hbsi_monitor == MONITOR_WAITPKG)
		arm_waitpkg((void *)(uintptr_t)line);
	else if (hbsi_monitor == MONITOR_MWAITX)
		arm_mwaitx((void *)(uintptr_t)line);
}

void hbsi_monitor_wait(uint64_t ticks)
{
	if (hbsi_monitor == MONITOR_WAITPKG)
		wait_waitpkg(ticks);
	else if (hbsi_monitor == MONITOR_MWAITX)
		wait_mwaitx(ticks);
}

#else

void hbsi_monitor_find(void)
{
}

void hbsi_monitor_arm(const volatile void *line)
{
	(void)line;
}

void hbsi_monitor_wait(uint64_t ticks)
{
	(void)ticks;
}

#endif
