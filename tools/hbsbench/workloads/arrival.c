// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From the last one in to the last one out, where each member comes after a random time.
 * Every member takes a time stamp before and after each barrier, so this compares clocks
 * of several CPUs: clock_facts.skew_ns says how far that can be trusted.
 */
#include <stddef.h>

#include "arena.h"
#include "clock.h"
#include "pace.h"
#include "shared/random.h"
#include "usage.h"
#include "workload.h"

/* times of one member; no other writes them */
struct stamps {
	uint64_t in[SAMPLES_MAX];
	uint64_t out[SAMPLES_MAX];
};

static void arrival_prepare(struct run *run)
{
	run->data = arena_map(run->members * sizeof(struct stamps));
}

static void delay(double ns)
{
	uint64_t end = ticks_now() + clock_ticks(ns);

	while (ticks_now() < end)
		ticks_pause();
}

static void arrivals(struct run *run, unsigned int member, unsigned long count)
{
	struct stamps *stamps = (struct stamps *)run->data + member;
	uint64_t random = random_start(member);

	for (unsigned long i = 0; i < count; i++) {
		delay(random_part(&random) * run->jitter_ns);
		stamps->in[i] = clock_stamp();
		run->wait(member);
		stamps->out[i] = clock_stamp();
	}
}

static uint64_t last_in_to_last_out(const struct run *run, unsigned long barrier)
{
	const struct stamps *stamps = run->data;
	uint64_t in = 0, out = 0;

	for (unsigned int i = 0; i < run->members; i++) {
		in = stamps[i].in[barrier] > in ? stamps[i].in[barrier] : in;
		out = stamps[i].out[barrier] > out ? stamps[i].out[barrier] : out;
	}
	return out > in ? out - in : 0;
}

static void arrival(struct run *run, unsigned int member)
{
	unsigned long count = pace(run, member, arrivals, SAMPLES_MAX);
	struct usage usage;

	run_meet(run);
	usage = usage_now();
	arrivals(run, member, count);
	usage_add(run->report, usage_since(usage));
	run_meet(run);
	if (member)
		return;
	for (unsigned long i = 0; i < count; i++)
		run->report->samples[i] = last_in_to_last_out(run, i);
	run->report->sample_count = (uint32_t)count;
	run->report->barriers = count;
}

const struct workload workload_arrival = {
	.name = "arrival",
	.what = "last in to last out, members come at random times",
	.unit = "barrier",
	.distribution = true,
	.prepare = arrival_prepare,
	.work = arrival,
};
