/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Searches from one vertex of a graph: how far away others are, in edges and by weights */
#ifndef HBSGRAPH_SWEEP_H
#define HBSGRAPH_SWEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "neighbours.h"

#define SWEEP_NEVER UINT32_MAX

/* A search by edges: breadth first */
struct sweep {
	uint32_t source;
	uint32_t *depth;   /* by vertex: edges from the source; SWEEP_NEVER: not reached */
	uint32_t *reached; /* those that were reached, the nearest ones first */
	uint32_t count;	   /* of them */
};

/* Memory for sweeps of one graph. Return: false if there is none. */
bool sweep_begin(const struct neighbours *neighbours, struct sweep *sweep);
void sweep_end(struct sweep *sweep);

/* Search from @source, in time proportional to the number of edges */
void sweep_from(const struct neighbours *neighbours, uint32_t source, struct sweep *sweep);

/* The vertex that the last sweep has reached last, and how many edges away it is */
uint32_t sweep_farthest(const struct sweep *sweep);
uint32_t sweep_eccentricity(const struct sweep *sweep);

/* A vertex in the middle of a way to the farthest one, if all edges go both ways */
uint32_t sweep_middle(const struct neighbours *neighbours, const struct sweep *sweep);

/**
 * sweep_detour() - how many more edges shortest paths have if their lengths are sums of weights
 * @neighbours: the graph
 * @sweep: a sweep; the search begins where it began
 * @most: so many vertices are looked at, those with the shortest paths
 * @ratio: out: the greatest number of edges of a shortest path by weights, divided by that of one by
 *         edges, to the same vertices; 1 if there are none
 *
 * Where paths are equally short, that with the fewest edges counts. The vertices to be looked at wait in a
 * radix heap, so the time is proportional to the number of their edges.
 *
 * Return: false if there is no memory.
 */
bool sweep_detour(const struct neighbours *neighbours, const struct sweep *sweep, uint32_t most,
		  double *ratio);

#endif /* HBSGRAPH_SWEEP_H */
