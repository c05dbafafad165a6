// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * HBS_PTHREAD_STATS: how many barriers of which size there were, and the time from the first
 * to the last arrival. It is set to a file's name, or to "-" for standard error; each process
 * that had barriers adds its own statistics at exit, in one write. A histogram has 8 steps
 * for each power of two, and a time is reported as the upper end of its step.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../fork_lock.h"
#include "../say.h"
#include "../size_signal.h"
#include "drop_in.h"

#define STEPS 8

struct size {
	struct size *next;
	uint32_t members;
	uint64_t barriers;
	uint64_t timed;
	uint64_t max;
	uint64_t histogram[64 * STEPS];
};

bool hbsi_stats_on;
static const char *name;
static struct size *sizes;
/* What a child has so far belongs to its parent */
static void forget_parent(void)
{
	sizes = NULL;
}

static struct fork_lock lock = FORK_LOCK(forget_parent);

static unsigned int step_of(uint64_t ns)
{
	unsigned int power;

	if (ns < STEPS)
		return (unsigned int)ns;
	power = 63 - (unsigned int)__builtin_clzll(ns);
	return (power - 2) * STEPS + (unsigned int)((ns >> (power - 3)) & (STEPS - 1));
}

static uint64_t end_of(unsigned int step)
{
	if (step < STEPS)
		return step;
	return ((uint64_t)(STEPS + step % STEPS + 1) << (step / STEPS - 1)) - 1;
}

static uint64_t quantile(const struct size *size, unsigned int percent)
{
	uint64_t rank = (size->timed * percent + 99) / 100;
	uint64_t seen = 0;

	for (unsigned int step = 0; step < 64 * STEPS; step++) {
		seen += size->histogram[step];
		if (seen >= rank)
			return end_of(step) < size->max ? end_of(step) : size->max;
	}
	return size->max;
}

/* The caller holds the lock. NULL: no memory. */
static struct size *find(uint32_t members)
{
	struct size **at = &sizes;
	struct size *size;

	while (*at && (*at)->members < members)
		at = &(*at)->next;
	if (*at && (*at)->members == members)
		return *at;
	size = calloc(1, sizeof(*size));
	if (!size)
		return NULL;
	size->members = members;
	size->next = *at;
	*at = size;
	return size;
}

void hbsi_stats_count(uint32_t members, uint64_t imbalance)
{
	struct size *size;

	if (!hbsi_stats_on)
		return;
	hbsi_fork_lock(&lock);
	size = find(members);
	if (size) {
		size->barriers++;
		if (imbalance != UINT64_MAX) {
			size->timed++;
			size->histogram[step_of(imbalance)]++;
			if (imbalance > size->max)
				size->max = imbalance;
		}
	}
	hbsi_fork_unlock(&lock);
}

void hbsi_stats_open(void)
{
	name = secure_getenv("HBS_PTHREAD_STATS");
	hbsi_stats_on = name && *name;
}

static void print_table(FILE *file)
{
	fprintf(file, "# %s, process %d\n", program_invocation_short_name, (int)getpid());
	fprintf(file, "%10s %12s %12s %12s %12s\n", "members", "barriers", "median ns", "p99 ns",
		"max ns");
	for (struct size *size = sizes; size; size = size->next) {
		fprintf(file, "%10" PRIu32 " %12" PRIu64, size->members, size->barriers);
		if (size->timed)
			fprintf(file, " %12" PRIu64 " %12" PRIu64 " %12" PRIu64 "\n",
				quantile(size, 50), quantile(size, 99), size->max);
		else
			fprintf(file, " %12s %12s %12s\n", "-", "-", "-");
	}
}

/* In one write, if the file takes it all */
static bool write_all(int fd, const char *text, size_t length)
{
	while (length) {
		ssize_t written = write(fd, text, length);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return false;
		text += written;
		length -= (size_t)written;
	}
	return true;
}

static bool write_text(const char *text, size_t length)
{
	bool to_file = strcmp(name, "-") != 0;
	int fd = to_file ? open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)
			 : STDERR_FILENO;
	struct size_signal held;
	bool ok;

	size_signal_hold(&held);
	ok = fd >= 0 && write_all(fd, text, length);
	size_signal_release(&held);
	if (to_file && fd >= 0)
		ok = !close(fd) && ok;
	return ok;
}

static bool print_sizes(void)
{
	char *text = NULL;
	size_t length = 0;
	FILE *file = open_memstream(&text, &length);
	bool ok;

	if (!file)
		return false;
	print_table(file);
	ok = !fclose(file) && write_text(text, length);
	free(text);
	return ok;
}

static __attribute__((destructor)) void print(void)
{
	if (!hbsi_stats_on)
		return;
	hbsi_fork_lock(&lock);
	if (sizes && !print_sizes())
		hbsi_say("libhbs-pthread: %s: %s", name, strerror(errno));
	hbsi_fork_unlock(&lock);
}
