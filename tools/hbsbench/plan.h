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
 * struct plan - what to measure: all combinations of the first four lists
 * @workloads_named: the user chose the workloads by name
 * @contenders_named: the user chose the contenders by name; else each workload has its own
 * @members_named: the user chose the numbers of members
 * @conditions: the chosen ones, for workloads that have conditions; none: all
 * @repetitions: 0: as many as the workload says
 * @jitter_given: the user gave the jitter of @each
 * @each: what is the same for all; its workload, contender, placement, members and condition do
 *        not count, and a time of 0 means the workload's own
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

/* Find out which contenders this machine has; the results say why the others are missing */
void plan_probe(struct plan *plan, struct results *results);

/* The values for all measurements of a workload, with no time left at 0 */
struct measure plan_measure(const struct plan *plan, const struct workload *workload);

unsigned int plan_repetitions(const struct plan *plan, const struct workload *workload);

/* Whether the workload has the contender, if the user chose none */
bool plan_takes(const struct workload *workload, const struct contender *contender);

/*
 * Measure all; a row that fails says why. An interrupt ends the measuring, and the facts say
 * so then; rows that were not reached are left out.
 */
void plan_run(const struct plan *plan, struct results *results);

#endif /* HBSBENCH_PLAN_H */
