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
	ahead_load(&part->slices[slice]);
}

/* Both ends of the edges of a slice, which are mostly in two cache lines */
static inline void ahead_edges(const struct graph_part *part, uint32_t slice)
{
	size_t first = part->slices[slice], end = part->slices[slice + 1];

	if (first == end)
		return;
	ahead_load(&part->to[first]);
	ahead_load(&part->to[end - 1]);
	ahead_load(part->data + first * part->vertices.stride);
	ahead_load(part->data + (end - 1) * part->vertices.stride);
}

/* As many vertices as @count, from those that a slice leads to on */
static inline const uint32_t *ahead_states(const struct graph_part *part, uint32_t slice,
					   uint32_t count)
{
	uint32_t first = part->slices[slice], last = part->slices[part->slice_count] - count;

	return part->to + (first < last ? first : last);
}

#endif /* HBS_GRAPH_AHEAD_H */
