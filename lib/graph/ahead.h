/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What messages will need is fetched into the cache before their turn, for GRAPH_CHUNK messages at once:
 * where their slices are, then the edges of these. The states of the vertices that will receive them follow
 * in the loop of the handler recv. Most of a run is waiting for these three otherwise, one after the other.
 *
 * It loads, and does not prefetch: CPUs may drop a prefetch of a page whose translation they do not know, and
 * then it is of no use where it is needed most. Loads that do not depend on each other wait together.
 */
#ifndef HBS_GRAPH_AHEAD_H
#define HBS_GRAPH_AHEAD_H

#include "graph.h"

/* How many messages before its turn the states are fetched */
#define AHEAD_STATES 2

static inline void ahead_load(const void *what)
{
	(void)*(const volatile char *)what;
}

static inline void ahead_slice(const struct graph_part *part, uint32_t slice)
{
	ahead_load(&part->slices[(size_t)slice << part->slice_shift]);
}

/*
 * The edges of a slice; of many only the first and the last ones, after which the CPU expects the others
 * itself. Without a loop: its end would be guessed wrongly, and what is behind it would be fetched later.
 */
static inline void ahead_edges(const struct graph_part *part, uint32_t slice)
{
	size_t first = graph_slice(part, slice), end = graph_slice(part, slice + 1);
	const char *edge = (const char *)graph_edge(part, first);
	size_t last = (end - first) * part->vertices.edge_stride - 1;

	if (first == end)
		return;
	ahead_load(edge);
	ahead_load(edge + (GRAPH_LINE < last ? GRAPH_LINE : last));
	ahead_load(edge + (2 * GRAPH_LINE < last ? 2 * GRAPH_LINE : last));
	ahead_load(edge + last);
}

/* As many edges as @count, from those that a slice leads to on */
static inline const void *ahead_states(const struct graph_part *part, uint32_t slice,
				       uint32_t count)
{
	uint64_t first = graph_slice(part, slice), last = part->edge_end - count;

	return graph_edge(part, first < last ? first : last);
}

#endif /* HBS_GRAPH_AHEAD_H */
