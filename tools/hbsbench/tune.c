// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "cpus.h"
#include "hbs.h"
#include "hbs_algorithms.h"
#include "interrupt.h"
#include "software/algorithm.h"
#include "tune.h"

#define REPETITIONS 5
#define LIMIT_S	    10

/* How long a repetition takes with its start, as a multiple of the time that it measures */
#define OVERHEAD 2.5

/* Fan-ins besides the algorithms' own, which is 4, the best one by the survey */
static const uint32_t fan_ins[] = { 2, 8, 16 };

static void add(struct plan *plan, const struct contender *contender)
{
	if (contender && plan->contender_count < CHOICES_MAX)
		plan->contenders[plan->contender_count++] = contender;
}

/* A node that all members fit into makes no tree; it is tried once */
static bool is_worth_trying(uint32_t fan_in, uint32_t own, unsigned int members)
{
	return fan_in < members || (own < members && fan_in / 2 < members);
}

static void add_algorithm(struct plan *plan, uint32_t algorithm, unsigned int members)
{
	uint32_t own = hbsi_algorithm(algorithm)->fan_in;

	add(plan, hbs_algorithm_contender((struct algorithm_choice){ algorithm, 0 }));
	for (size_t i = 0; own && i < sizeof(fan_ins) / sizeof(fan_ins[0]); i++)
		if (is_worth_trying(fan_ins[i], own, members))
			add(plan, hbs_algorithm_contender(
					  (struct algorithm_choice){ algorithm, fan_ins[i] }));
}

static bool has_card(void)
{
	struct plan plan = { 0 };
	struct results probed = { 0 };

	add(&plan, contender_find("hbs-card"));
	plan_probe(&plan, &probed);
	results_free(&probed);
	return plan.contender_count;
}

static void take_contenders(struct plan *plan, unsigned int members, bool card)
{
	plan->contender_count = 0;
	for (uint32_t i = HBS_ALGORITHM_AUTO + 1; hbsi_algorithm(i); i++)
		add_algorithm(plan, i, members);
	if (card)
		add(plan, contender_find("hbs-card"));
}

static bool is_crowded(unsigned int members)
{
	return members > cpus_count();
}

/* What is measured for one number of members */
static void make_plan(struct plan *plan, unsigned int members, bool card)
{
	plan->members[0] = members;
	plan->placements[0] = placement_find(is_crowded(members) ? "unpinned" : "pinned");
	take_contenders(plan, members, card);
}

static void add_row(struct profile *profile, const struct row *row)
{
	struct algorithm_choice choice = { HBS_ALGORITHM_AUTO, 0 };
	bool crowded = is_crowded(row->members);
	double ns;

	if (!row_good(row) || profile->count == PROFILE_ROWS_MAX)
		return;
	hbs_algorithm_named(row->contender, &choice);
	ns = crowded ? row_mean(row) : row_quantile(row, LEVEL_MEDIAN);
	if (ns > PROFILE_NS_MAX)
		return;
	profile->rows[profile->count++] = (struct profile_row){
		.members = row->members,
		.placement = crowded ? PROFILE_OVERSUBSCRIBED : PROFILE_PINNED,
		.algorithm = choice.algorithm,
		.fan_in = choice.fan_in,
		.ns = (uint64_t)(ns + 0.5),
	};
}

void tune(const unsigned int *members, size_t count, unsigned int time_s, bool quiet,
	  struct profile *profile)
{
	struct plan plan = {
		.workloads = { workload_find("back-to-back") },
		.workload_count = 1,
		.members_count = 1,
		.placement_count = 1,
		.repetitions = REPETITIONS,
		.each = { .limit_s = LIMIT_S },
		.quiet = quiet,
	};
	struct results results = { 0 };
	bool card = has_card();
	size_t complete = 0;

	for (size_t i = 0; i < count && !interrupted(); i++) {
		make_plan(&plan, members[i], card);
		plan.each.time_ns = 1e9 * time_s / OVERHEAD / REPETITIONS /
				    (double)(count * plan.contender_count);
		plan_run(&plan, &results);
		if (!interrupted())
			complete = results.row_count;
	}
	profile->count = 0;
	/* an algorithm that was measured less often than others cannot be compared with them */
	if (interrupted())
		results_drop_rows(&results, complete);
	for (size_t i = 0; i < results.row_count; i++)
		add_row(profile, &results.rows[i]);
	results_free(&results);
}
