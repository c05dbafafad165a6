/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef GRAPHBENCH_TRIAL_H
#define GRAPHBENCH_TRIAL_H

#include "check.h"
#include "report.h"

/* What trials share */
struct trials {
	struct problem problem;
	struct wanted wanted;
	struct answer *answer; /* of the trial, from answer_make() */
	unsigned int limit_s;
};

/* An answer in memory that children share */
struct answer *answer_make(const struct problem *problem);

/*
 * Have a contender solve a task, in a child, and check what it finds. Return: false, with the line's
 * error, if that failed; else its times are added to the line, unless it is only to warm up.
 */
bool trial_run(struct trials *trials, enum task task, struct line *line, bool is_warm_up);

#endif /* GRAPHBENCH_TRIAL_H */
