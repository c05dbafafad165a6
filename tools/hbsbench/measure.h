/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One repetition, in a process of its own */
#ifndef HBSBENCH_MEASURE_H
#define HBSBENCH_MEASURE_H

#include "child.h"
#include "results.h"
#include "workload.h"

/* How members are placed, and whether they are threads or processes */
struct placement {
	const char *name;
	bool pinned;
	bool processes;
};

/* All placements, ended by one without a name */
extern const struct placement placements[];

const struct placement *placement_find(const char *name);

/**
 * struct measure - what to measure
 * @time_ns: how long a repetition should take
 * @jitter_ns: members come up to this late, if the workload makes them late
 * @limit_s: how long a repetition may take
 * @points: the point set of the clustering, or NULL
 * @condition: what else goes on meanwhile, or NULL
 */
struct measure {
	const struct workload *workload;
	const struct contender *contender;
	const struct placement *placement;
	unsigned int members;
	double time_ns;
	double jitter_ns;
	unsigned int limit_s;
	const char *points;
	const struct condition *condition;
};

/* Return: whether it could be measured; if not, @error says why. */
bool measure_once(const struct measure *measure, struct repetition *repetition,
		  char error[CHILD_ERROR_SIZE]);

#endif /* HBSBENCH_MEASURE_H */
