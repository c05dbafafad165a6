// SPDX-License-Identifier: GPL-2.0-or-later
/* One member comes late: how much CPU time the others burn until then, and how fast they go on */
#include <stddef.h>
#include <time.h>

#include "arena.h"
#include "clock.h"
#include "usage.h"
#include "workload.h"

#define LATE_NS 100000000L
#define ROUNDS	2
#define WARM_UP 4

/* of one member */
struct waiting {
	_Alignas(CACHE_LINE) double cpu_ns;
	uint64_t in[ROUNDS];
	uint64_t out[ROUNDS];
};

static void late_prepare(struct run *run)
{
	run->data = arena_map(run->members * sizeof(struct waiting));
}

static void evaluate(struct run *run, double time_ns)
{
	const struct waiting *waiting = run->data;
	unsigned int last = run->members - 1;

	run->report->burn = 0;
	for (unsigned int i = 0; i < last; i++)
		run->report->burn += waiting[i].cpu_ns / time_ns / last;
	for (unsigned int round = 0; round < ROUNDS; round++) {
		uint64_t out = 0;

		for (unsigned int i = 0; i < run->members; i++)
			out = waiting[i].out[round] > out ? waiting[i].out[round] : out;
		run->report->samples[round] =
			out > waiting[last].in[round] ? out - waiting[last].in[round] : 0;
	}
	run->report->sample_count = ROUNDS;
}

static void late(struct run *run, unsigned int member)
{
	static const struct timespec pause = { .tv_nsec = LATE_NS };
	struct waiting *mine = (struct waiting *)run->data + member;
	struct usage usage;
	uint64_t start;

	for (int i = 0; i < WARM_UP; i++)
		run->wait(member);
	run_meet(run);
	usage = usage_now();
	start = ticks_now();
	for (unsigned int round = 0; round < ROUNDS; round++) {
		if (member == run->members - 1)
			nanosleep(&pause, NULL);
		mine->in[round] = clock_stamp();
		run->wait(member);
		mine->out[round] = clock_stamp();
	}
	mine->cpu_ns = usage_since(usage).cpu_ns;
	run_meet(run);
	if (!member)
		evaluate(run, clock_ns(ticks_now() - start));
}

const struct workload workload_late = {
	.name = "late",
	.what = "one member comes 100 ms late: CPU time that each other burns",
	.unit = "barrier, last in to last out",
	.prepare = late_prepare,
	.work = late,
};
