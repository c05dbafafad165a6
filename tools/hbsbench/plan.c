// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "arena.h"
#include "cpus.h"
#include "interrupt.h"
#include "memory.h"
#include "plan.h"
#include "progress.h"
#include "text.h"

#define PROBE_MEMBERS 2
#define PROBE_LIMIT_S 10
#define VERSION_SIZE  200

struct probe {
	const struct contender *contender;
	char version[VERSION_SIZE];
};

static void probe_work(void *arg)
{
	struct probe *probe = arg;
	const struct contender *contender = probe->contender;
	const char *version = contender->version ? contender->version() : NULL;
	const char *why = contender_make(contender, PROBE_MEMBERS, false);

	if (why)
		child_die(NULL, why);
	if (version)
		snprintf(probe->version, sizeof(probe->version), "%s", version);
}

static bool probe_one(const struct contender *contender, struct contestant *contestant)
{
	static struct probe *probe;
	char error[CHILD_ERROR_SIZE];
	bool here;

	if (!probe)
		probe = arena_map(sizeof(*probe));
	*probe = (struct probe){ .contender = contender };
	here = child_run(probe_work, probe, PROBE_LIMIT_S, error);
	text_clean(error);
	text_clean(probe->version);
	*contestant = (struct contestant){
		.name = text_copy(contender->name),
		.what = text_copy(contender->what),
		.version = text_copy(*probe->version ? probe->version : NULL),
		.absent = here ? NULL : text_copy(error),
		.ours = contender->ours,
		.ideal = contender->ideal,
		.spins = contender->spins,
		.memory = UNKNOWN,
		.memory_each = UNKNOWN,
		.memory_budget = UNKNOWN,
		.memory_process = UNKNOWN,
	};
	return here;
}

static void measure_memory(const struct contender *contender, struct contestant *contestant,
			   unsigned int members)
{
	struct memory memory = memory_of(contender, members);
	struct memory more = memory_of(contender, 2 * members);

	contestant->memory_members = members;
	contestant->memory = memory.group;
	if (memory.group != UNKNOWN && more.group != UNKNOWN)
		contestant->memory_each = (more.group - memory.group) / members;
	contestant->memory_budget = memory.budget;
	contestant->memory_process = memory.process;
}

void plan_probe(struct plan *plan, struct results *results)
{
	unsigned int most = 1;
	size_t here = 0;

	for (size_t i = 0; i < plan->members_count; i++)
		most = plan->members[i] > most ? plan->members[i] : most;
	for (size_t i = 0; i < plan->contender_count && !interrupted(); i++) {
		const struct contender *contender = plan->contenders[i];
		struct contestant *contestant = results_add_contestant(results);

		if (!probe_one(contender, contestant)) {
			contestant->memory_members = most;
			continue;
		}
		measure_memory(contender, contestant, most);
		plan->contenders[here++] = contender;
	}
	plan->contender_count = here;
}

static bool fits(const struct contender *contender, const struct workload *workload,
		 const struct placement *placement)
{
	return !(contender->ideal && workload->strict) &&
	       !(placement->processes && !contender->shared);
}

static struct row *add_row(struct results *results, const struct measure *measure)
{
	struct row *row = results_add_row(results);

	row->workload = text_copy(measure->workload->name);
	row->unit = text_copy(measure->workload->unit);
	row->distribution = measure->workload->distribution;
	row->contender = text_copy(measure->contender->name);
	row->ours = measure->contender->ours;
	row->ideal = measure->contender->ideal;
	row->placement = text_copy(measure->placement->name);
	row->members = measure->members;
	row->means_little = measure->contender->spins && measure->members > cpus_count();
	return row;
}

static void repeat(const struct measure *measure, struct row *row, unsigned int repetition)
{
	struct repetition measured = { 0 };
	char error[CHILD_ERROR_SIZE];

	/* what failed once would take its time again */
	if (row->error) {
		progress_skip();
		return;
	}
	progress_step("%s, %u members, %s, repetition %u: %s", row->workload, row->members,
		      row->placement, repetition + 1, row->contender);
	if (measure_once(measure, &measured, error)) {
		*row_add_repetition(row) = measured;
	} else if (!interrupted()) {
		text_clean(error);
		row->error = text_copy(error);
	}
}

/* All that is to be compared: the contenders take turns, from another one each time */
static void run_rows(const struct plan *plan, struct results *results, struct measure measure)
{
	const struct contender *taking_part[CHOICES_MAX];
	size_t first = results->row_count, count = 0;

	for (size_t i = 0; i < plan->contender_count; i++) {
		measure.contender = plan->contenders[i];
		if (!fits(measure.contender, measure.workload, measure.placement))
			continue;
		taking_part[count++] = measure.contender;
		add_row(results, &measure);
	}
	for (unsigned int repetition = 0; repetition < plan->repetitions; repetition++) {
		for (size_t i = 0; i < count && !interrupted(); i++) {
			size_t turn = (i + repetition) % count;

			measure.contender = taking_part[turn];
			repeat(&measure, &results->rows[first + turn], repetition);
		}
	}
}

static size_t count_steps(const struct plan *plan)
{
	size_t steps = 0;

	for (size_t w = 0; w < plan->workload_count; w++)
		for (size_t p = 0; p < plan->placement_count; p++)
			for (size_t c = 0; c < plan->contender_count; c++)
				steps += fits(plan->contenders[c], plan->workloads[w],
					      plan->placements[p]);
	return steps * plan->members_count * plan->repetitions;
}

/* What an interrupted run did not come to has no row, and the results say that it was one */
static void note_interrupt(struct results *results, size_t steps)
{
	size_t measured = 0, kept = 0;

	for (size_t i = 0; i < results->row_count; i++) {
		struct row row = results->rows[i];

		measured += row.count;
		results->rows[i] = results->rows[kept];
		results->rows[kept] = row;
		kept += row.count || row.error;
	}
	results_drop_rows(results, kept);
	results_add_fact(results, "interrupted", "by signal %d (%s), after %zu of %zu measurements",
			 interrupted(), strsignal(interrupted()), measured, steps);
}

void plan_run(const struct plan *plan, struct results *results)
{
	struct measure measure = plan->each;
	size_t steps = count_steps(plan);

	progress_start(steps, plan->quiet);
	for (size_t w = 0; w < plan->workload_count; w++) {
		measure.workload = plan->workloads[w];
		for (size_t p = 0; p < plan->placement_count; p++) {
			measure.placement = plan->placements[p];
			for (size_t m = 0; m < plan->members_count && !interrupted(); m++) {
				measure.members = plan->members[m];
				run_rows(plan, results, measure);
			}
		}
	}
	progress_end();
	if (interrupted())
		note_interrupt(results, steps);
}
