/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What else goes on during a barrier: the rows of the workload "neighbours" */
#ifndef HBSBENCH_CONDITION_H
#define HBSBENCH_CONDITION_H

#include <stdbool.h>

/* The most programs at once, including the measured one */
#define PROGRAMS_MAX 4

/* The part of one CPU that a quota leaves to all members together */
#define QUOTA_SHARE 0.4

/**
 * struct condition - what else goes on during a barrier
 * @name: the name by which users choose it, and which is printed
 * @what: the same in words
 * @unit: what its samples measure
 * @members: how many members take part, ended by 0; none: as many as there are CPUs, at
 *   least 2
 * @busy: busy loops that run beside the members
 * @programs: programs that do the same at once, each with its own barrier
 * @late_ms: how late the last member comes to each barrier
 * @one_cpu: each member pins itself to the first CPU, after the group was opened
 * @narrowed: another process takes half of the CPUs away while the barriers run
 * @quota: all members together get QUOTA_SHARE of a CPU
 * @cluster: the members cluster points; otherwise there is nothing between barriers
 */
struct condition {
	const char *name;
	const char *what;
	const char *unit;
	unsigned int members[4];
	unsigned int busy;
	unsigned int programs;
	unsigned int late_ms;
	bool one_cpu;
	bool narrowed;
	bool quota;
	bool cluster;
};

/* All there are, ended by one without a name */
extern const struct condition conditions[];

const struct condition *condition_find(const char *name);

/**
 * condition_start() - make what a condition needs before its row is measured
 *
 * Return: NULL, or why this machine does not have it. The text is static.
 */
const char *condition_start(const struct condition *condition);

/* Undo what condition_start() made */
void condition_end(const struct condition *condition);

#endif /* HBSBENCH_CONDITION_H */
