/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ways to do a step, which take turns: a file for each kind */
#ifndef STEPBENCH_WAY_H
#define STEPBENCH_WAY_H

#include <stdbool.h>

#include "child.h"

/* How the error of a trial begins that took more than its limit; child_run() says so too */
#define TOO_LONG "took more than"

/**
 * struct trial - one way in one round
 * @members: how many
 * @steps: how many steps are measured, after those of the warm-up
 * @pinned: member i is on CPU i modulo their number
 * @limit_s: the trial fails if it takes longer
 */
struct trial {
	unsigned int members;
	unsigned long steps;
	bool pinned;
	unsigned int limit_s;
};

/**
 * struct way - a way to do a step
 * @name: printed
 * @what: one line about it
 * @ours: it belongs to hbs, and is compared with the others
 * @detail: for its file
 * @version: of what it uses, or NULL
 * @run: run a trial. Return: ns for a step; below 0 if that failed, and then @error says why
 */
struct way {
	const char *name;
	const char *what;
	bool ours;
	int detail;
	const char *(*version)(void);
	double (*run)(const struct way *self, const struct trial *trial,
		      char error[CHILD_ERROR_SIZE]);
};

extern const struct way way_hbs_threads, way_hbs_processes, way_mpi_spin, way_mpi_yield;

#endif /* STEPBENCH_WAY_H */
