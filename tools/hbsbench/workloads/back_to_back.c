// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Barriers with nothing between them (HARP paper, figure 1). The first half runs without
 * time stamps, which gives the mean and the CPU time. Then the first member takes a time
 * stamp after each barrier, which gives the distribution and costs what
 * clock_facts.stamp_ns says.
 */
#include <stddef.h>

#include "clock.h"
#include "pace.h"
#include "usage.h"
#include "workload.h"

/* Until all members are awake and on their CPUs */
#define SETTLE 4

static void barriers(struct run *run, unsigned int member, unsigned long count)
{
	void (*wait)(unsigned int member) = run->wait;

	for (unsigned long i = 0; i < count; i++)
		wait(member);
}

static void measure_mean(struct run *run, unsigned int member, unsigned long count)
{
	struct usage usage;
	uint64_t start;

	run_meet(run);
	barriers(run, member, SETTLE);
	usage = usage_now();
	start = ticks_now();
	barriers(run, member, count);
	if (!member) {
		run->report->mean_ns = clock_ns(ticks_now() - start) / (double)count;
		run->report->barriers = count;
	}
	usage_add(run->report, usage_since(usage));
}

static void measure_each(struct run *run, unsigned int member, unsigned long count)
{
	void (*wait)(unsigned int member) = run->wait;
	uint64_t *samples = run->report->samples;
	uint64_t last, now;

	run_meet(run);
	barriers(run, member, SETTLE);
	if (member) {
		barriers(run, member, count);
		return;
	}
	last = clock_stamp();
	for (unsigned long i = 0; i < count; i++) {
		wait(0);
		now = clock_stamp();
		samples[i] = now - last;
		last = now;
	}
	run->report->sample_count = (uint32_t)count;
}

static void back_to_back(struct run *run, unsigned int member)
{
	unsigned long count = pace(run, member, barriers, 1UL << 24);

	measure_mean(run, member, count);
	measure_each(run, member, count < SAMPLES_MAX ? count : SAMPLES_MAX);
}

const struct workload workload_back_to_back = {
	.name = "back-to-back",
	.what = "barriers with nothing between them (HARP paper, figure 1)",
	.unit = "barrier",
	.distribution = true,
	.work = back_to_back,
};
