/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef STEPBENCH_REPORT_H
#define STEPBENCH_REPORT_H

#include <stddef.h>

#include "way.h"

#define ROUNDS_MAX 99

/**
 * struct line - what is known of a way
 * @is_here: it could be run at all; if not, @absent says why
 * @ns: of a step, in each of @rounds rounds
 * @error: why it was not measured, or not further
 */
struct line {
	const struct way *way;
	bool is_here;
	char absent[CHILD_ERROR_SIZE];
	double ns[ROUNDS_MAX];
	size_t rounds;
	char error[CHILD_ERROR_SIZE];
};

/* Of all rounds */
double line_median(const struct line *line);
double line_mean(const struct line *line);

/* The best of those that are not of hbs; NULL if none was measured in all its rounds */
const struct line *best_peer(const struct line *lines, size_t count,
			     double (*by)(const struct line *line));

/* Which ways there are, and why others are not */
void report_ways(const struct line *lines, size_t count);

/* The times of all, and what those of hbs take of the best peer's */
void report_lines(const struct line *lines, size_t count, unsigned int members);

#endif /* STEPBENCH_REPORT_H */
