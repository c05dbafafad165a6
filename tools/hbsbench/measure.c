// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "clock.h"
#include "cpus.h"
#include "measure.h"
#include "statistics.h"
#include "team.h"

const struct placement placements[] = {
	{ "pinned", true, false },
	{ "unpinned", false, false },
	{ "pinned-processes", true, true },
	{ "unpinned-processes", false, true },
	{ NULL, false, false },
};

const struct placement *placement_find(const char *name)
{
	for (size_t i = 0; placements[i].name; i++)
		if (!strcmp(placements[i].name, name))
			return &placements[i];
	return NULL;
}

static void member_work(unsigned int member, void *arg)
{
	struct run *run = arg;
	const struct contender *contender = run->contender;
	const char *why = NULL;
	bool placed = !run->pinned || cpus_pin(member);

	if (contender->enter)
		why = contender->enter(member);
	if (why)
		child_die(NULL, why);
	run_meet(run);
	run->workload->work(run, member);
	run_meet(run);
	if (!placed || (run->pinned && !cpus_pinned(member)))
		atomic_fetch_add(&run->report->misplaced, 1);
	if (contender->leave)
		contender->leave(member);
}

static void init_control(struct run *run)
{
	pthread_barrierattr_t attr;

	pthread_barrierattr_init(&attr);
	pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(&run->control, &attr, run->members);
	pthread_barrierattr_destroy(&attr);
}

/* A contender and its members, in a process that has no contender or thread yet */
static void run_program(struct run *run)
{
	const struct contender *contender = run->contender;
	const char *why;

	init_control(run);
	why = contender_make(contender, run->members, run->processes);
	if (why)
		child_die(NULL, why);
	if (run->workload->prepare)
		run->workload->prepare(run);
	team_run(contender, run->members, run->processes, member_work, run);
	if (contender->unmake)
		contender->unmake();
}

static void child_work(void *arg)
{
	struct run *run = arg;

	if (run->workload->begin)
		run->workload->begin(run, run_program);
	run_program(run);
	if (run->workload->end)
		run->workload->end(run);
}

static void fill_quantiles(const struct report *report, struct repetition *repetition)
{
	double *ns = calloc(report->sample_count + 1, sizeof(*ns));
	double sum = 0;

	if (!ns)
		return;
	for (uint32_t i = 0; i < report->sample_count; i++) {
		ns[i] = clock_ns(report->samples[i]);
		sum += ns[i];
	}
	sort(ns, report->sample_count);
	for (int i = 0; report->sample_count && i < LEVELS; i++)
		repetition->quantile[i] = quantile(ns, report->sample_count, levels[i]);
	repetition->mean = sum / (report->sample_count ? report->sample_count : 1);
	free(ns);
}

static void fill(const struct report *report, struct repetition *repetition)
{
	double barriers = (double)report->barriers;

	fill_quantiles(report, repetition);
	if (report->mean_ns > 0)
		repetition->mean = report->mean_ns;
	repetition->cpu = barriers > 0 ? (double)report->cpu_ns / barriers : UNKNOWN;
	repetition->system = barriers > 0 ? (double)report->system_ns / barriers : UNKNOWN;
	repetition->burn = report->burn;
	repetition->load = report->load;
	repetition->barriers = barriers;
	repetition->samples = report->sample_count;
	repetition->violations = (double)report->violations;
	repetition->misplaced = (double)report->misplaced;
}

/* Kept from one repetition to the next, since it is large */
static struct report *clean_report(void)
{
	static struct report *report;

	if (!report)
		report = arena_map(sizeof(*report));
	memset(report, 0, sizeof(*report));
	report->burn = UNKNOWN;
	report->load = UNKNOWN;
	return report;
}

bool measure_once(const struct measure *measure, struct repetition *repetition,
		  char error[CHILD_ERROR_SIZE])
{
	static struct run *run;

	if (!run)
		run = arena_map(sizeof(*run));
	*run = (struct run){
		.contender = measure->contender,
		.workload = measure->workload,
		.wait = measure->contender->wait,
		.members = measure->members,
		.time_ns = measure->time_ns,
		.jitter_ns = measure->jitter_ns,
		.pinned = measure->placement->pinned,
		.processes = measure->placement->processes,
		.points = measure->points,
		.condition = measure->condition,
		.report = clean_report(),
	};
	if (!child_run(child_work, run, measure->limit_s, error))
		return false;
	fill(run->report, repetition);
	return true;
}
