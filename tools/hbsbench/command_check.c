// SPDX-License-Identifier: GPL-2.0-or-later
/* Is each contender a barrier at all? If not, its times mean nothing. */
#include <stdio.h>

#include "clock.h"
#include "commands.h"
#include "cpus.h"
#include "options.h"

static bool check_row(const struct row *row, unsigned int number)
{
	bool good = row_good(row) && row_violations(row) == 0;

	printf("%sok %u - %s, %u members, %s\n", good ? "" : "not ", number, row->contender,
	       row->members, row->placement);
	if (row->error)
		printf("# %s\n", row->error);
	else if (!good)
		printf("# %.0f times somebody left before all had come\n", row_violations(row));
	return good;
}

/* A contender that the user named has to be there; of all others, some may be missing */
static bool tell(const struct results *results, bool named)
{
	unsigned int number = 0;
	bool good = true;

	for (size_t i = 0; i < results->contestant_count; i++) {
		const struct contestant *contestant = &results->contestants[i];

		if (!contestant->absent)
			continue;
		if (named)
			printf("not ok %u - %s\n# it is not here: %s\n", ++number, contestant->name,
			       contestant->absent);
		else
			printf("ok %u - %s # SKIP %s\n", ++number, contestant->name,
			       contestant->absent);
		good &= !named;
	}
	for (size_t i = 0; i < results->row_count; i++)
		good &= check_row(&results->rows[i], ++number);
	printf("1..%u\n", number);
	return good && number;
}

/* A contender that is no barrier is not checked, unless the user named only it */
static void leave_out_ideal(struct plan *plan)
{
	size_t kept = 0;

	for (size_t i = 0; i < plan->contender_count; i++)
		if (!plan->contenders[i]->ideal)
			plan->contenders[kept++] = plan->contenders[i];
	plan->contender_count = kept;
}

/* There is no file to write, and one workload, which is none of those that have options */
static bool is_plain(const struct plan *plan, const struct output *output)
{
	const char *option = NULL;

	if (plan->condition_count)
		option = "neighbours";
	else if (plan->workloads_named)
		option = "workloads";
	else if (plan->each.points)
		option = "points";
	else if (plan->jitter_given)
		option = "jitter";
	else if (output->plots)
		option = "plots";
	else if (output->all_lines)
		option = "all-lines";
	for (size_t i = 0; !option && i < OUTPUT_KINDS; i++)
		option = output->paths[i] ? output_options[i] : NULL;
	if (!option)
		return true;
	fprintf(stderr, "hbsbench: check has no use for --%s\n", option);
	return false;
}

int command_check(int argc, char **argv)
{
	struct results results = { 0 };
	struct output output;
	struct plan plan;
	int status;

	cpus_start();
	if (!options_run(argc, argv, &plan, &output) || !is_plain(&plan, &output))
		return STATUS_ERROR;
	if (plan.contender_count > 1)
		leave_out_ideal(&plan);
	plan.workloads[0] = workload_find("order");
	plan.workload_count = 1;
	clock_start();
	plan_probe(&plan, &results);
	plan_run(&plan, &results);
	status = tell(&results, plan.contenders_named) ? STATUS_GOOD : STATUS_FOUND;
	results_free(&results);
	return status;
}
