// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "cpus.h"
#include "options.h"
#include "shared/number.h"
#include "usage_text.h"

#define DEFAULT_JITTER_NS 10e3

/* The workload whose rows can be chosen */
#define CONDITIONS_OF "neighbours"

static const struct option long_options[] = {
	{ "workloads", required_argument, NULL, 'w' },
	{ "contenders", required_argument, NULL, 'c' },
	{ "threads", required_argument, NULL, 't' },
	{ "placements", required_argument, NULL, 'p' },
	{ "repetitions", required_argument, NULL, 'r' },
	{ "time", required_argument, NULL, 'T' },
	{ "jitter", required_argument, NULL, 'j' },
	{ "limit", required_argument, NULL, 'l' },
	{ "points", required_argument, NULL, 'P' },
	{ "neighbours", required_argument, NULL, 'N' },
	{ "json", required_argument, NULL, 'J' },
	{ "csv", required_argument, NULL, 'C' },
	{ "html", required_argument, NULL, 'H' },
	{ "plots", required_argument, NULL, 'S' },
	{ "all-lines", no_argument, NULL, 'A' },
	{ "quiet", no_argument, NULL, 'q' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/* What an item of a list can be */
static void say_what_is_right(const char *option, const char *item)
{
	if (!strcmp(option, "threads") || !strcmp(option, "members"))
		fprintf(stderr,
			"hbsbench: --%s: '%s' is no number from 1 to %d, nor one with an x for so "
			"many on each CPU\n",
			option, item, MEMBERS_MAX);
	else
		fprintf(stderr, "hbsbench: --%s: there is no '%s'; see hbsbench list\n", option,
			item);
}

/* Call @take for each item of a list with commas */
static bool each_item(const char *option, const char *text, struct plan *plan,
		      bool (*take)(const char *item, struct plan *plan))
{
	char *copy = text_copy(text), *rest = copy, *item;
	bool good = true;

	while (good && (item = strsep(&rest, ","))) {
		good = take(item, plan);
		if (!good)
			say_what_is_right(option, item);
	}
	free(copy);
	return good;
}

static bool take_workload(const char *item, struct plan *plan)
{
	const struct workload *workload = workload_find(item);

	for (size_t i = 0; i < plan->workload_count; i++)
		if (plan->workloads[i] == workload)
			return true;
	if (!workload || plan->workload_count == CHOICES_MAX)
		return false;
	plan->workloads[plan->workload_count++] = workload;
	plan->workloads_named = true;
	return true;
}

static bool take_contender(const char *item, struct plan *plan)
{
	const struct contender *contender = contender_find(item);

	for (size_t i = 0; i < plan->contender_count; i++)
		if (plan->contenders[i] == contender)
			return true;
	if (!contender || plan->contender_count == CHOICES_MAX)
		return false;
	plan->contenders[plan->contender_count++] = contender;
	plan->contenders_named = true;
	return true;
}

static bool take_condition(const char *item, struct plan *plan)
{
	const struct condition *condition = condition_find(item);

	for (size_t i = 0; i < plan->condition_count; i++)
		if (plan->conditions[i] == condition)
			return true;
	if (!condition || plan->condition_count == CHOICES_MAX)
		return false;
	plan->conditions[plan->condition_count++] = condition;
	return true;
}

static bool take_placement(const char *item, struct plan *plan)
{
	const struct placement *placement = placement_find(item);

	for (size_t i = 0; i < plan->placement_count; i++)
		if (plan->placements[i] == placement)
			return true;
	if (!placement || plan->placement_count == CHOICES_MAX)
		return false;
	plan->placements[plan->placement_count++] = placement;
	return true;
}

static bool add_members(struct plan *plan, unsigned long members)
{
	for (size_t i = 0; i < plan->members_count; i++)
		if (plan->members[i] == members)
			return true;
	if (!members || members > MEMBERS_MAX || plan->members_count == CHOICES_MAX)
		return false;
	plan->members[plan->members_count++] = (unsigned int)members;
	return true;
}

/* A number of members, or one for each CPU: 2x */
static bool take_members(const char *item, struct plan *plan)
{
	unsigned long number;
	char *end;

	if (*item < '0' || *item > '9')
		return false;
	errno = 0;
	number = strtoul(item, &end, 10);
	if (errno || number > MEMBERS_MAX)
		return false;
	if (!strcmp(end, "x"))
		return add_members(plan, number * cpus_count());
	return !*end && add_members(plan, number);
}

static bool take_output(int option, struct output *output)
{
	switch (option) {
	case 'J':
		output->paths[OUTPUT_JSON] = optarg;
		break;
	case 'C':
		output->paths[OUTPUT_CSV] = optarg;
		break;
	case 'H':
		output->paths[OUTPUT_HTML] = optarg;
		break;
	case 'A':
		output->all_lines = true;
		break;
	case 'S':
		output->plots = optarg;
		break;
	}
	return true;
}

static bool take_number(int option, struct plan *plan)
{
	unsigned long number;

	switch (option) {
	case 'r':
		if (!number_parse("repetitions", optarg, 1, REPETITIONS_MAX, &number))
			return false;
		plan->repetitions = (unsigned int)number;
		return true;
	case 'T':
		if (!number_parse("time", optarg, 1, TIME_MS_MAX, &number))
			return false;
		plan->each.time_ns = (double)number * 1e6;
		return true;
	case 'j':
		if (!number_parse("jitter", optarg, 0, JITTER_NS_MAX, &number))
			return false;
		plan->jitter_given = true;
		plan->each.jitter_ns = (double)number;
		return true;
	default:
		if (!number_parse("limit", optarg, 1, LIMIT_S_MAX, &number))
			return false;
		plan->each.limit_s = (unsigned int)number;
		return true;
	}
}

static bool take_option(int option, struct plan *plan, struct output *output)
{
	switch (option) {
	case 'w':
		return each_item("workloads", optarg, plan, take_workload);
	case 'c':
		return each_item("contenders", optarg, plan, take_contender);
	case 't':
		return options_members("threads", optarg, plan);
	case 'p':
		return each_item("placements", optarg, plan, take_placement);
	case 'r':
	case 'T':
	case 'j':
	case 'l':
		return take_number(option, plan);
	case 'P':
		plan->each.points = optarg;
		return true;
	case 'N':
		return each_item("neighbours", optarg, plan, take_condition);
	case 'q':
		plan->quiet = true;
		return true;
	case 'h':
		usage_text(stdout);
		exit(STATUS_GOOD);
	case '?':
		fprintf(stderr, "hbsbench: try --help\n");
		return false;
	default:
		return take_output(option, output);
	}
}

void options_default_members(struct plan *plan, unsigned int most)
{
	for (unsigned int members = 2; members < cpus_count(); members *= 2)
		add_members(plan, members);
	for (unsigned int each = 1; each <= most; each *= 2)
		add_members(plan, each * cpus_count());
}

bool options_members(const char *option, const char *text, struct plan *plan)
{
	return each_item(option, text, plan, take_members);
}

/* Whether any of the workloads has it; if none is named, whether any of all has it */
static bool is_default(const struct plan *plan, const struct contender *contender)
{
	for (size_t i = 0; i < plan->workload_count; i++)
		if (plan_takes(plan->workloads[i], contender))
			return true;
	return false;
}

static void take_defaults(struct plan *plan)
{
	/* rows of a workload are asked for with it */
	if (!plan->workload_count && plan->condition_count)
		take_workload(CONDITIONS_OF, plan);
	if (!plan->workload_count)
		for (size_t i = 0; workloads[i]; i++)
			if (!workloads[i]->hidden)
				plan->workloads[plan->workload_count++] = workloads[i];
	if (!plan->contender_count)
		for (size_t i = 0; contender_at(i) && plan->contender_count < CHOICES_MAX; i++)
			if (is_default(plan, contender_at(i)))
				plan->contenders[plan->contender_count++] = contender_at(i);
	if (!plan->placement_count) {
		take_placement("pinned", plan);
		take_placement("unpinned", plan);
	}
	plan->members_named = plan->members_count;
	if (!plan->members_count)
		options_default_members(plan, 4);
}

static bool takes_workload(const struct plan *plan, const char *name)
{
	for (size_t i = 0; i < plan->workload_count; i++)
		if (!strcmp(plan->workloads[i]->name, name))
			return true;
	return false;
}

/* An option that only one workload uses */
static bool has_use(const struct plan *plan, const char *option, const char *workload)
{
	if (takes_workload(plan, workload))
		return true;
	fprintf(stderr, "hbsbench: --%s is of use with the workload %s only\n", option, workload);
	return false;
}

bool options_sensible(const struct plan *plan, const struct output *output)
{
	return (!plan->each.points || takes_workload(plan, CONDITIONS_OF) ||
		has_use(plan, "points", "cluster")) &&
	       (!plan->jitter_given || has_use(plan, "jitter", "arrival")) &&
	       output_sensible(output);
}

/* Options that would be accepted but have no effect */
static bool conditions_sensible(const struct plan *plan, bool placements_named)
{
	size_t with = 0;

	for (size_t i = 0; i < plan->workload_count; i++)
		with += plan->workloads[i]->conditions != NULL;
	if (plan->condition_count && !with)
		fprintf(stderr, "hbsbench: --neighbours is of use with the workload %s only\n",
			CONDITIONS_OF);
	else if (placements_named && with == plan->workload_count)
		fprintf(stderr, "hbsbench: --placements: the rows of %s have their own\n",
			CONDITIONS_OF);
	else
		return true;
	return false;
}

bool options_run(int argc, char **argv, struct plan *plan, struct output *output)
{
	bool placements_named;
	int option;

	*plan = (struct plan){
		.each = { .jitter_ns = DEFAULT_JITTER_NS },
	};
	*output = (struct output){ .table = true };
	while ((option = getopt_long(argc, argv, "w:c:t:p:r:T:j:l:qh", long_options, NULL)) != -1)
		if (!take_option(option, plan, output))
			return false;
	if (optind < argc) {
		fprintf(stderr, "hbsbench: '%s' is neither a command nor an option; try --help\n",
			argv[optind]);
		return false;
	}
	placements_named = plan->placement_count;
	take_defaults(plan);
	return conditions_sensible(plan, placements_named);
}
