/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a message will need is fetched into the cache some messages before its turn: where its slice
 * is, then the edges of the slice, then the states of the vertices that will receive it. Most
 * of a run is waiting for these three otherwise, one after the other.
 */
#ifndef HBS_GRAPH_AHEAD_H
#define HBS_GRAPH_AHEAD_H

#include "graph.h"

/* How many messages before its turn */
#define AHEAD_SLICE  12
#define AHEAD_EDGES  6
#define AHEAD_STATES 2

/* Edges of a slice whose ends are fetched: more than these the cache would lose again */
#define AHEAD_MOST 64

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

static inline void ahead_states(const struct graph_part *part, uint32_t slice, size_t state)
{
	uint32_t first = part->slices[slice], end = part->slices[slice + 1];

	if (end - first > AHEAD_MOST)
		end = first + AHEAD_MOST;
	for (; first < end; first++)
		__builtin_prefetch(part->states + part->to[first] * state, 1);
}

#endif /* HBS_GRAPH_AHEAD_H */
