/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A graph by its vertices: which edges begin at each of them */
#ifndef HBSGRAPH_NEIGHBOURS_H
#define HBSGRAPH_NEIGHBOURS_H

#include <stdbool.h>
#include <stdint.h>

#include "../edges.h"

struct neighbours {
	uint32_t vertices;
	uint64_t edges;
	uint32_t *start; /* by vertex, and one more: the number of its first edge */
	uint32_t *to;	 /* by edge */
	uint32_t *weight;
	bool both_ways; /* each edge has one of the same weight that goes back */
};

/**
 * neighbours_find() - sort edges by where they begin
 * @edges: the graph; one without weights gets some at random, from 10 to 1000
 * @neighbours: out; neighbours_free() frees it also if this fails
 *
 * This takes time in proportion to the number of edges.
 *
 * Return: false if there is no memory.
 */
bool neighbours_find(const struct edges *edges, struct neighbours *neighbours);

void neighbours_free(struct neighbours *neighbours);

#endif /* HBSGRAPH_NEIGHBOURS_H */
