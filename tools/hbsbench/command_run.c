// SPDX-License-Identifier: GPL-2.0-or-later
/* Measure, and write down what was found */
#include <string.h>

#include "clock.h"
#include "commands.h"
#include "cpus.h"
#include "hbs.h"
#include "hbs_algorithms.h"
#include "machine.h"
#include "options.h"

/* Those of a workload, unless they are those of one before */
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

/* For the members that are measured */
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

/* A condition that was asked for is not there */
static bool lacks_condition(const struct plan *plan, const struct results *results)
{
	for (size_t i = 0; plan->condition_count && i < results->fact_count; i++)
		if (!strcmp(results->facts[i].name, NOT_MEASURED))
			return true;
	return false;
}

int command_run(int argc, char **argv)
{
	const char *topology = cpus_start();
	struct results results = { 0 };
	struct clock_facts clock;
	struct output output;
	struct plan plan;
	int status;

	if (!options_run(argc, argv, &plan, &output) || !output_possible(&output))
		return STATUS_ERROR;
	output.table = !plan.quiet;
	clock = clock_start();
	machine_describe(&results, topology, &clock);
	describe_plan(&results, &plan);
	describe_choices(&results, &plan);
	plan_probe(&plan, &results);
	plan_run(&plan, &results);
	status = output_write(&output, &results) ? STATUS_GOOD : STATUS_ERROR;
	if (status == STATUS_GOOD && (!all_good(&results) || lacks_condition(&plan, &results)))
		status = STATUS_FOUND;
	results_free(&results);
	return status;
}
