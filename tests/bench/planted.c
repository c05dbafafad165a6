// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Planted faults of the benchmark, which it has to find by itself: the condition of a row is
 * not there. The linker puts these functions in place of the benchmark's, and the environment
 * variable PLANTED says which of them is at fault.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* names as the linker wants them */
_Noreturn void __wrap_busy_loop(void);
_Noreturn void __real_busy_loop(void);
bool __wrap_control_write(const char *folder, const char *name, const char *text);
bool __real_control_write(const char *folder, const char *name, const char *text);
const char *__wrap_cgroup_enter(void);
const char *__real_cgroup_enter(void);
bool __wrap_cpus_pin(unsigned int index);
bool __real_cpus_pin(unsigned int index);
bool __wrap_cpus_limit(int thread, unsigned int count);
bool __real_cpus_limit(int thread, unsigned int count);
int __wrap_nanosleep(const struct timespec *time, struct timespec *left);
int __real_nanosleep(const struct timespec *time, struct timespec *left);

static bool planted(const char *fault)
{
	const char *is = getenv("PLANTED");

	return is && !strcmp(is, fault);
}

_Noreturn void __wrap_busy_loop(void)
{
	while (planted("idle"))
		pause();
	__real_busy_loop();
}

bool __wrap_control_write(const char *folder, const char *name, const char *text)
{
	if (planted("no-quota") && (!strcmp(name, "cpu.max") || !strcmp(name, "cpu.cfs_quota_us")))
		return true;
	return __real_control_write(folder, name, text);
}

/* The probe, in the same file as the function, still enters the cgroup */
const char *__wrap_cgroup_enter(void)
{
	return planted("not-entered") ? NULL : __real_cgroup_enter();
}

bool __wrap_cpus_pin(unsigned int index)
{
	return planted("not-pinned") || __real_cpus_pin(index);
}

bool __wrap_cpus_limit(int thread, unsigned int count)
{
	return planted("not-narrowed") || __real_cpus_limit(thread, count);
}

int __wrap_nanosleep(const struct timespec *time, struct timespec *left)
{
	return planted("not-late") ? 0 : __real_nanosleep(time, left);
}
