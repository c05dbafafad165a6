// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>
#include <time.h>

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

/* For a workload that does not say otherwise */
#define DEFAULT_REPETITIONS 9
#define DEFAULT_TIME_NS	    50e6
#define DEFAULT_LIMIT_S	    30
/* and some of the time that it is to take */
#define LIMIT_OF_TIME 2

/* A contender that takes so many times longer than planned is measured less often */
#define PATIENCE 3

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

struct measure plan_measure(const struct plan *plan, const struct workload *workload)
{
	struct measure measure = plan->each;

	measure.workload = workload;
	if (measure.time_ns <= 0)
		measure.time_ns = workload->time_ns > 0 ? workload->time_ns : DEFAULT_TIME_NS;
	if (!measure.limit_s)
		measure.limit_s = (workload->limit_s ? workload->limit_s : DEFAULT_LIMIT_S) +
				  (unsigned int)(LIMIT_OF_TIME * measure.time_ns / 1e9);
	return measure;
}

unsigned int plan_repetitions(const struct plan *plan, const struct workload *workload)
{
	if (plan->repetitions)
		return plan->repetitions;
	return workload->repetitions ? workload->repetitions : DEFAULT_REPETITIONS;
}

bool plan_takes(const struct workload *workload, const struct contender *contender)
{
	const char *name = contender->policy_of ? contender->policy_of : contender->name;

	if (!workload->contenders)
		return !contender->policy_of;
	for (size_t i = 0; workload->contenders[i]; i++)
		if (!strcmp(workload->contenders[i], name))
			return true;
	return false;
}

static bool fits(const struct plan *plan, const struct contender *contender,
		 const struct workload *workload, const struct placement *placement)
{
	return (plan->contenders_named || plan_takes(workload, contender)) &&
	       !(contender->ideal && workload->strict) &&
	       !(placement->processes && !contender->shared);
}

static struct row *add_row(struct results *results, const struct measure *measure)
{
	struct row *row = results_add_row(results);

	row->workload = text_copy(measure->workload->name);
	row->unit =
		text_copy(measure->condition ? measure->condition->unit : measure->workload->unit);
	row->condition = text_copy(measure->condition ? measure->condition->name : NULL);
	row->policy_of = text_copy(measure->contender->policy_of);
	row->distribution = measure->workload->distribution;
	row->contender = text_copy(measure->contender->name);
	row->ours = measure->contender->ours;
	row->ideal = measure->contender->ideal;
	row->placement = text_copy(measure->placement->name);
	row->members = measure->members;
	row->means_little = measure->contender->spins && measure->members > cpus_count();
	return row;
}

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/*
 * A row that failed once would only take its time again. So would a very slow one, where
 * others are measured by time: it is measured less often.
 */
static bool has_had_its_time(const struct measure *measure, const struct row *row, double spent_s,
			     unsigned int repetitions)
{
	return row->error || (measure->condition && row->count &&
			      spent_s > PATIENCE * (1 + repetitions * measure->time_ns / 1e9));
}

static void repeat(const struct measure *measure, struct row *row, unsigned int repetition)
{
	struct repetition measured = { 0 };
	char error[CHILD_ERROR_SIZE];

	progress_step("%s%s%s, %u members, %s, repetition %u: %s", row->workload,
		      row->condition ? " " : "", row->condition ? row->condition : "", row->members,
		      row->placement, repetition + 1, row->contender);
	if (measure_once(measure, &measured, error)) {
		*row_add_repetition(row) = measured;
	} else if (!interrupted()) {
		text_clean(error);
		row->error = text_copy(error);
	}
}

/* All contenders that are to be compared: they take turns, with another one first each time */
static void run_rows(const struct plan *plan, struct results *results, struct measure measure)
{
	unsigned int repetitions = plan_repetitions(plan, measure.workload);
	const struct contender *taking_part[CHOICES_MAX];
	double spent_s[CHOICES_MAX] = { 0 };
	size_t first = results->row_count, count = 0;

	for (size_t i = 0; i < plan->contender_count; i++) {
		measure.contender = plan->contenders[i];
		if (!fits(plan, measure.contender, measure.workload, measure.placement))
			continue;
		taking_part[count++] = measure.contender;
		add_row(results, &measure);
	}
	for (unsigned int repetition = 0; repetition < repetitions; repetition++) {
		for (size_t i = 0; i < count && !interrupted(); i++) {
			size_t turn = (i + repetition) % count;
			struct row *row = &results->rows[first + turn];
			double start_s = seconds_now();

			measure.contender = taking_part[turn];
			if (has_had_its_time(&measure, row, spent_s[turn], repetitions))
				progress_skip();
			else
				repeat(&measure, row, repetition);
			spent_s[turn] += seconds_now() - start_s;
		}
	}
}

static bool takes_condition(const struct plan *plan, const struct condition *condition)
{
	for (size_t i = 0; i < plan->condition_count; i++)
		if (plan->conditions[i] == condition)
			return true;
	return !plan->condition_count;
}

/* Numbers of members in a condition; ended by 0 */
static void list_members(const struct plan *plan, const struct condition *condition,
			 unsigned int members[CHOICES_MAX + 1])
{
	size_t count = 0;

	if (plan->members_named)
		for (; count < plan->members_count; count++)
			members[count] = plan->members[count];
	else
		for (; condition->members[count]; count++)
			members[count] = condition->members[count];
	if (!count)
		members[count++] = cpus_count() < 2		? 2
				   : cpus_count() > MEMBERS_MAX ? MEMBERS_MAX
								: cpus_count();
	members[count] = 0;
}

static size_t count_members(const struct plan *plan, const struct condition *condition)
{
	unsigned int members[CHOICES_MAX + 1];
	size_t count = 0;

	list_members(plan, condition, members);
	while (members[count])
		count++;
	return count;
}

/* The placements of a workload; if it has conditions, these say where members are */
static const struct placement *placement_of(const struct plan *plan,
					    const struct workload *workload, size_t index)
{
	if (workload->conditions)
		return index ? NULL : placement_find("unpinned");
	return index < plan->placement_count ? plan->placements[index] : NULL;
}

static size_t count_steps_of(const struct plan *plan, const struct workload *workload)
{
	const struct placement *placement;
	size_t contenders = 0, rows = plan->members_count;

	for (size_t p = 0; (placement = placement_of(plan, workload, p)); p++)
		for (size_t c = 0; c < plan->contender_count; c++)
			contenders += fits(plan, plan->contenders[c], workload, placement);
	if (workload->conditions)
		rows = 0;
	for (size_t i = 0; workload->conditions && workload->conditions[i].name; i++)
		if (takes_condition(plan, &workload->conditions[i]))
			rows += count_members(plan, &workload->conditions[i]);
	return contenders * rows * plan_repetitions(plan, workload);
}

static size_t count_steps(const struct plan *plan)
{
	size_t steps = 0;

	for (size_t w = 0; w < plan->workload_count; w++)
		steps += count_steps_of(plan, plan->workloads[w]);
	return steps;
}

static void run_condition(const struct plan *plan, struct results *results, struct measure measure)
{
	const char *why = condition_start(measure.condition);
	unsigned int members[CHOICES_MAX + 1];

	if (why) {
		results_add_fact(results, NOT_MEASURED, "%s: %s", measure.condition->name, why);
		return;
	}
	list_members(plan, measure.condition, members);
	for (size_t i = 0; members[i] && !interrupted(); i++) {
		measure.members = members[i];
		run_rows(plan, results, measure);
	}
	condition_end(measure.condition);
}

static void run_workload(const struct plan *plan, struct results *results, struct measure measure)
{
	const struct condition *condition = measure.workload->conditions;

	for (size_t p = 0; (measure.placement = placement_of(plan, measure.workload, p)); p++) {
		for (size_t m = 0; !condition && m < plan->members_count && !interrupted(); m++) {
			measure.members = plan->members[m];
			run_rows(plan, results, measure);
		}
		for (; condition && condition->name && !interrupted(); condition++) {
			measure.condition = condition;
			if (takes_condition(plan, condition))
				run_condition(plan, results, measure);
		}
	}
}

/*
 * A row that an interrupted run did not reach is left out, and the results say that the run was
 * interrupted
 */
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
	size_t steps = count_steps(plan);

	progress_start(steps, plan->quiet);
	for (size_t w = 0; w < plan->workload_count && !interrupted(); w++)
		run_workload(plan, results, plan_measure(plan, plan->workloads[w]));
	progress_end();
	if (interrupted())
		note_interrupt(results, steps);
}
