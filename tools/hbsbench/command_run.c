// SPDX-License-Identifier: GPL-2.0-or-later
/* Measure, and write the results */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "commands.h"
#include "cpus.h"
#include "hbs.h"
#include "hbs_algorithms.h"
#include "interrupt.h"
#include "machine.h"
#include "options.h"
#include "points.h"

/* The contenders of a workload, without those of an earlier one */
static void describe_times(struct results *results, const struct plan *plan, size_t index)
{
	const struct workload *workload = plan->workloads[index];
	struct measure measure = plan_measure(plan, workload);
	unsigned int repetitions = plan_repetitions(plan, workload);

	for (size_t i = 0; i < index; i++)
		if (plan_repetitions(plan, plan->workloads[i]) == repetitions &&
		    plan_measure(plan, plan->workloads[i]).time_ns == measure.time_ns)
			return;
	results_add_fact(results, "repetitions", "%u of about %g ms, contenders in turns%s%s",
			 repetitions, measure.time_ns / 1e6, index ? ", of " : "",
			 index ? workload->name : "");
}

static void describe_plan(struct results *results, const struct plan *plan)
{
	for (size_t i = 0; i < plan->workload_count; i++)
		describe_times(results, plan, i);
	results_add_fact(results, "jitter", "up to %g ns, in \"arrival\"", plan->each.jitter_ns);
	results_add_fact(results, "points", "%s",
			 plan->each.points ? plan->each.points : "418 places of tzdata");
	for (size_t i = 0; i < plan->members_count; i++)
		if (plan->members[i] > cpus_count())
			results_add_fact(
				results, "few CPUs",
				"with %u members, rows of barriers that only spin mean little",
				plan->members[i]);
}

/* For the numbers of members that are measured */
static void describe_choices(struct results *results, const struct plan *plan)
{
	for (size_t i = 0; i < plan->members_count; i++)
		results_add_fact(results, "hbs chooses", "%s for %u members, %s if they are fixed",
				 hbs_algorithm_chosen(plan->members[i], 0), plan->members[i],
				 hbs_algorithm_chosen(plan->members[i], HBS_PROMISE_FIXED));
}

static bool all_good(const struct results *results)
{
	for (size_t i = 0; i < results->row_count; i++)
		if (results->rows[i].error || row_violations(&results->rows[i]) > 0)
			return false;
	return true;
}

static bool has_row(const struct results *results, const char *contender)
{
	for (size_t i = 0; i < results->row_count; i++)
		if (!strcmp(results->rows[i].contender, contender))
			return true;
	return false;
}

/* A condition that the user asked for is not there */
static bool lacks_condition(const struct plan *plan, const struct results *results)
{
	for (size_t i = 0; plan->condition_count && i < results->fact_count; i++)
		if (!strcmp(results->facts[i].name, NOT_MEASURED))
			return true;
	return false;
}

/* What the user named, and no row has. Return: whether there is such */
static bool say_missing(const struct results *results)
{
	bool any = false;

	for (size_t i = 0; i < results->contestant_count; i++) {
		const struct contestant *contestant = &results->contestants[i];

		if (has_row(results, contestant->name))
			continue;
		any = true;
		fprintf(stderr, "hbsbench: %s: not measured: %s\n", contestant->name,
			contestant->absent ? contestant->absent
					   : "not with these workloads and placements");
	}
	return any;
}

static bool any_measured(const struct results *results)
{
	for (size_t i = 0; i < results->row_count; i++)
		if (results->rows[i].count)
			return true;
	return false;
}

/* Empty results do not replace older ones */
static int write_results(const struct plan *plan, struct output *output,
			 const struct results *results)
{
	bool measured = any_measured(results), missing = false;

	if (!measured) {
		fprintf(stderr, "hbsbench: nothing was measured, and no file is written\n");
		for (size_t i = 0; i < OUTPUT_KINDS; i++)
			output->paths[i] = NULL;
		output->plots = NULL;
	}
	if (!output_write(output, results))
		return STATUS_ERROR;
	if (interrupted())
		fprintf(stderr, "hbsbench: interrupted; %s\n",
			measured ? "this is what was measured until then" : "too early");
	else if (plan->contenders_named)
		missing = say_missing(results);
	if (!measured || missing || lacks_condition(plan, results))
		return STATUS_FOUND;
	return all_good(results) ? STATUS_GOOD : STATUS_FOUND;
}

/* Errors that a workload would only find when all others are done */
static bool has_points(const struct plan *plan)
{
	const char *file = plan->each.points, *why;
	struct points points;

	if (!file)
		return true;
	why = points_load(file, &points);
	if (why)
		fprintf(stderr, "hbsbench: --points: %s: %s\n", file, why);
	free(points.point);
	return !why;
}

int command_run(int argc, char **argv)
{
	const char *topology = cpus_start();
	struct results results = { 0 };
	struct clock_facts clock;
	struct output output;
	struct plan plan;
	int status;

	if (!options_run(argc, argv, &plan, &output) || !options_sensible(&plan, &output) ||
	    !has_points(&plan))
		return STATUS_ERROR;
	output.table = !plan.quiet;
	if (!output_prepare(&output))
		return STATUS_ERROR;
	interrupt_watch();
	clock = clock_start();
	machine_describe(&results, topology, &clock);
	describe_plan(&results, &plan);
	describe_choices(&results, &plan);
	plan_probe(&plan, &results);
	plan_run(&plan, &results);
	status = write_results(&plan, &output, &results);
	results_free(&results);
	interrupt_end();
	return status;
}
