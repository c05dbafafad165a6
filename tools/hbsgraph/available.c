// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "available.h"

#define GIB ((double)(1 << 30))

/* As proc_meminfo(5) has it; none if the kernel does not say */
static bool available(double *bytes)
{
	FILE *file = fopen("/proc/meminfo", "re");
	char line[128];
	bool known = false;
	unsigned long kib;

	while (file && !known && fgets(line, sizeof(line), file))
		known = sscanf(line, "MemAvailable: %lu kB", &kib) == 1;
	if (file)
		fclose(file);
	if (known)
		*bytes = (double)kib * 1024;
	return known;
}

bool available_suffices(const char *what, double bytes, const char *advice)
{
	double there;

	if (!available(&there) || bytes <= there)
		return true;
	fprintf(stderr, "hbsgraph: %s: takes %.3g GiB of memory, and %.3g are available; %s\n",
		what, bytes / GIB, there / GIB, advice);
	return false;
}
