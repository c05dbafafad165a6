// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "progress.h"

#define WIPE "\r\033[K"

static bool shown;
static size_t all, done, skipped;
static time_t start;

void progress_start(size_t steps, bool quiet)
{
	shown = !quiet && isatty(STDERR_FILENO);
	all = steps;
	done = 0;
	skipped = 0;
	start = time(NULL);
}

void progress_step(const char *format, ...)
{
	size_t measured = done - skipped;
	va_list list;
	long left;

	done++;
	if (!shown)
		return;
	left = measured ? (long)((double)(time(NULL) - start) * (double)(all - done + 1) /
				 (double)measured)
			: 0;
	fprintf(stderr, WIPE "%zu of %zu", done, all);
	if (measured)
		fprintf(stderr, ", %ld:%02ld left", left / 60, left % 60);
	fputs(": ", stderr);
	va_start(list, format);
	vfprintf(stderr, format, list);
	va_end(list);
	fflush(stderr);
}

void progress_skip(void)
{
	done++;
	skipped++;
}

void progress_end(void)
{
	if (shown)
		fputs(WIPE, stderr);
}
