/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What contenders should find, and whether they have found it */
#ifndef GRAPHBENCH_CHECK_H
#define GRAPHBENCH_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "peer.h"

struct wanted {
	uint32_t *distance[TASKS]; /* of paths and hops */
	double *ranks[RANKS_AT_END + 1];
	double *heat;
};

/* Compute all of it, by serial programs with doubles; ends the program if there is no memory */
struct wanted wanted_make(const struct problem *problem);

void wanted_free(struct wanted *wanted);

/**
 * check() - compare an answer
 * @wanted: what it should be
 * @problem: of it
 * @peer: whose it is
 * @task: of which
 * @answer: it
 * @wrong: out: what is wrong, with room for @size bytes
 *
 * Distances have to be the same. Ranks and temperatures are floats: a single one may differ by a hundredth
 * of it, and all together by 1e-4 of their sum.
 *
 * Return: whether it is right.
 */
bool check(const struct wanted *wanted, const struct problem *problem, const struct peer *peer,
	   enum task task, const struct answer *answer, char *wrong, size_t size);

#endif /* GRAPHBENCH_CHECK_H */
