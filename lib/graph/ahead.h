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
 * The edges of a slice: its first lines, whether it has so many or not, and the last one. Without a branch for
 * that, which the CPU would guess wrongly, it goes on with the next slice meanwhile.
 */
static inline void ahead_edges(const struct graph_part *part, uint32_t slice)
{
	size_t first = graph_slice(part, slice), end = graph_slice(part, slice + 1);
	const char *edge = (const char *)graph_edge(part, first);

	if (first == end)
		return;
	for (uint32_t i = 0; i < GRAPH_LINES_AHEAD; i++)
		ahead_load(edge + (size_t)i * GRAPH_LINE);
	ahead_load((const char *)graph_edge(part, end) - 1);
}

/* As many edges as @count, from those that a slice leads to on */
static inline const void *ahead_states(const struct graph_part *part, uint32_t slice,
				       uint32_t count)
{
	uint64_t first = graph_slice(part, slice), last = part->edge_end - count;

	return graph_edge(part, first < last ? first : last);
}

#endif /* HBS_GRAPH_AHEAD_H */
