/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What messages will need is fetched into the cache before their turn, for GRAPH_CHUNK messages at once:
 * where their slices are, then the edges of these. The states of the vertices that will receive them follow
 * in the loop of the handler recv. Most of a run is waiting for these three otherwise, one after the other.
 */
#ifndef HBS_GRAPH_AHEAD_H
#define HBS_GRAPH_AHEAD_H

#include "graph.h"

/* Lines of the edges of a message that are fetched, also if there are not so many */
#define AHEAD_LINES 3

/* Into the cache, and nobody waits. There need not be anything at that address. */
INLINE void ahead_fetch(const void *what)
{
	__builtin_prefetch(what);
}

/*
 * The same, to be written: another thread has had it last. On x86, GCC's prefetch for writing is one for reading, unless
 * it is told of a CPU. Then a store has to wait for the other thread's cache, and so do all stores after it. CPUs of
 * 2006 and later that do nothing here take it for no operation.
 */
INLINE void ahead_own(const void *what)
{
#ifdef __x86_64__
	__asm__ __volatile__("prefetchw %0" : : "m"(*(const char *)what));
#else
	__builtin_prefetch(what, 1);
#endif
}

/* For what comes next: loads that do not depend on each other wait together */
static inline void ahead_load(const void *what)
{
	(void)*(const volatile char *)what;
}

static inline const void *ahead_place(const struct graph_part *part, uint32_t slice)
{
	return &part->slices[(size_t)slice << part->slice_shift];
}

/*
 * The edges of a slice: its first lines, whether it has so many or not, and the last one, without a branch that the
 * CPU would guess wrongly
 */
INLINE void ahead_edges(const struct graph_part *part, uint32_t first, uint32_t end)
{
	const char *edge = (const char *)graph_edge(part, first);

	for (uint32_t i = 0; i < AHEAD_LINES; i++)
		ahead_fetch(edge + (size_t)i * GRAPH_LINE);
	ahead_fetch((const char *)graph_edge(part, end) - 1);
}

#endif /* HBS_GRAPH_AHEAD_H */
