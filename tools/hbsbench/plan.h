/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What to measure, and measuring it: contenders take turns, and the order changes */
#ifndef HBSBENCH_PLAN_H
#define HBSBENCH_PLAN_H

#include <stdbool.h>

#include "measure.h"
#include "results.h"

#define CHOICES_MAX	64
#define MEMBERS_MAX	1024
#define REPETITIONS_MAX 100

/**
 * struct plan - what to measure: each of the first four lists with each of the others
 * @workloads_named: they were chosen by name
 * @contenders_named: they were chosen by name, and not because each workload has its own
 * @members_named: the same of members
 * @conditions: those that were chosen, for workloads that have some; none: all
 * @repetitions: 0: as many as the workload has it
 * @jitter_given: the jitter of @each is none of the defaults
 * @each: what is the same for all; its workload, contender, placement, members and condition do
 *        not count, and times of 0 are as the workload has them
 */
struct plan {
	const struct workload *workloads[CHOICES_MAX];
	size_t workload_count;
	bool workloads_named;
	const struct contender *contenders[CHOICES_MAX];
	size_t contender_count;
	bool contenders_named;
	const struct placement *placements[CHOICES_MAX];
	size_t placement_count;
	unsigned int members[CHOICES_MAX];
	size_t members_count;
	bool members_named;
	const struct condition *conditions[CHOICES_MAX];
	size_t condition_count;
	unsigned int repetitions;
	struct measure each;
	bool jitter_given;
	bool quiet;
};

/* Find out which contenders this machine has; the others get their reason into the results */
void plan_probe(struct plan *plan, struct results *results);

/* What is the same for all of a workload, with the times that are not 0 */
struct measure plan_measure(const struct plan *plan, const struct workload *workload);

unsigned int plan_repetitions(const struct plan *plan, const struct workload *workload);

/* Does the workload have the contender, if none was chosen? */
bool plan_takes(const struct workload *workload, const struct contender *contender);

/*
 * Measure all; rows that fail say why. An interrupt ends it, and is among the facts then; rows
 * that it had not come to are left out.
 */
void plan_run(const struct plan *plan, struct results *results);

#endif /* HBSBENCH_PLAN_H */
