// SPDX-License-Identifier: GPL-2.0-or-later
#include <gnu/libc-version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "cpus.h"
#include "machine.h"

extern char **environ;

/* The first line of a file, or the first that starts with @start; "" if there is none */
static const char *first_line(const char *path, const char *start)
{
	static char line[4096];
	FILE *file = fopen(path, "re");

	*line = '\0';
	if (!file)
		return line;
	while (fgets(line, sizeof(line), file) && strncmp(line, start, strlen(start)))
		*line = '\0';
	fclose(file);
	line[strcspn(line, "\n")] = '\0';
	return line;
}

static const char *or_unknown(const char *text)
{
	return *text ? text : "not told";
}

static const char *processor(void)
{
	const char *line = first_line("/proc/cpuinfo", "model name");
	const char *colon = strstr(line, ": ");

	return colon ? colon + 2 : "not told";
}

static void describe_kernel(struct results *results)
{
	struct utsname name;

	if (!uname(&name))
		results_add_fact(results, "kernel", "%s %s %s", name.sysname, name.release,
				 name.machine);
}

static void describe_clock(struct results *results, const struct clock_facts *clock)
{
	results_add_fact(results, "clock", "%s, %.6f ticks a ns, least step seen %.2f ns, %s",
			 clock->name, clock->ticks_per_ns, clock->resolution_ns,
			 clock->steady ? "steady" : "NOT steady: times are not to be trusted");
	results_add_fact(results, "clock of kernel", "%s",
			 or_unknown(first_line("/sys/devices/system/clocksource/clocksource0/"
					       "current_clocksource",
					       "")));
	results_add_fact(results, "a time stamp", "costs %.1f ns, which is in the samples",
			 clock->stamp_ns);
	results_add_fact(results, "clocks of CPUs",
			 "seem %.1f ns apart at most, known to +-%.1f ns", clock->skew_ns,
			 clock->skew_error_ns);
}

/* Variables that change how barriers, and the ranks of MPI, wait */
static void describe_environment(struct results *results)
{
	static const char *const starts[] = { "OMP_", "GOMP_", "KMP_",		 "LIBOMP_",
					      "HBS_", "OMPI_", "GLIBC_TUNABLES=" };

	for (char **variable = environ; *variable; variable++)
		for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
			if (!strncmp(*variable, starts[i], strlen(starts[i])))
				results_add_fact(results, "environment", "%s", *variable);
}

void machine_describe(struct results *results, const char *topology,
		      const struct clock_facts *clock)
{
	time_t now = time(NULL);
	char date[40];
	struct tm utc;

	strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S UTC", gmtime_r(&now, &utc));
	results_add_fact(results, "date", "%s", date);
	results_add_fact(results, "processor", "%s", processor());
	results_add_fact(results, "CPUs", "%u that may be used; %s", cpus_count(), topology);
	results_add_fact(results, "hypervisor", "%s",
			 strstr(first_line("/proc/cpuinfo", "flags"), " hypervisor")
				 ? "yes: the host may take CPUs away at any time"
				 : "none that shows");
	results_add_fact(results, "governor", "%s",
			 or_unknown(first_line(
				 "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "")));
	results_add_fact(results, "load before", "%s", or_unknown(first_line("/proc/loadavg", "")));
	describe_kernel(results);
	results_add_fact(results, "C library", "glibc %s", gnu_get_libc_version());
	results_add_fact(results, "compiler", "GCC %s", __VERSION__);
	if (clock)
		describe_clock(results, clock);
	describe_environment(results);
}
