/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times, and the tables of them */
#ifndef GRAPHBENCH_REPORT_H
#define GRAPHBENCH_REPORT_H

#include <stddef.h>

#include "child.h"
#include "peer.h"

#define ROUNDS_MAX 99

/* What is measured in a round, in ns */
enum column { COLUMN_ALL, COLUMN_RUN, COLUMNS };

struct series {
	double ns[ROUNDS_MAX];
	size_t count;
};

/* A contender and its times for one task on one graph */
struct line {
	const struct peer *peer;
	struct series columns[COLUMNS];
	char error[CHILD_ERROR_SIZE]; /* why it was not measured; empty if it was */
};

double series_median(const struct series *series);
double series_mean(const struct series *series);

/* The table of a task: medians and means, and how they are to hbs's */
void report_task(enum task task, const struct problem *problem, const struct line *lines,
		 size_t count);

/* Two threads of hbs beside one */
void report_threads(const struct line *lines, size_t count, unsigned int threads);

#endif /* GRAPHBENCH_REPORT_H */
