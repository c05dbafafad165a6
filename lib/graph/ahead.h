/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a message will need is fetched into the cache some messages before its turn: where its slice
 * is, then the edges of the slice, then the states of the vertices that will receive it, which the
 * loop of the handler recv does. Most of a run is waiting for these three otherwise, one after the
 * other.
 */
#ifndef HBS_GRAPH_AHEAD_H
#define HBS_GRAPH_AHEAD_H

#include "graph.h"

/* How many messages before its turn */
#define AHEAD_SLICE  12
#define AHEAD_EDGES  6
#define AHEAD_STATES 2

static inline void ahead_slice(const struct graph_part *part, uint32_t slice)
{
	__builtin_prefetch(&part->slices[slice]);
}

static inline void ahead_edges(const struct graph_part *part, uint32_t slice)
{
	size_t first = part->slices[slice];

	__builtin_prefetch(&part->to[first]);
	__builtin_prefetch(part->data + first * part->vertices.stride);
}

/* As many vertices as @count, from those that a slice leads to on */
static inline const uint32_t *ahead_states(const struct graph_part *part, uint32_t slice,
					   uint32_t count)
{
	uint32_t first = part->slices[slice], last = part->slices[part->slice_count] - count;

	return part->to + (first < last ? first : last);
}

#endif /* HBS_GRAPH_AHEAD_H */
