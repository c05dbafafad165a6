/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The edges by one of their vertices, as the serial baseline and the references have them */
#ifndef GRAPHBENCH_LISTS_H
#define GRAPHBENCH_LISTS_H

#include "problem.h"

struct lists {
	uint64_t *start; /* by vertex, and one more */
	uint32_t *other; /* by edge: the vertex at its other end */
	uint32_t *weight;
};

/* By where edges end, or else by where they begin; with their weights or not */
struct lists lists_make(const struct problem *problem, int by_end, int with_weights);

void lists_free(struct lists *lists);

#endif /* GRAPHBENCH_LISTS_H */
