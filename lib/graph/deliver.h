/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HBS_GRAPH_DELIVER_H
#define HBS_GRAPH_DELIVER_H

#include "graph.h"

/* Along which messages go that follow each other: where each begins in the edges, and where it ends */
struct graph_slices {
	uint32_t count;
	uint32_t first[GRAPH_CHUNK];
	uint32_t end[GRAPH_CHUNK];
};

/*
 * Add one of the part, unless it is empty: then no vertex of the part receives its message. The caller leaves out such a
 * message, too, as those of a batch and of hbsi_graph_deliver() belong to the slices by their places.
 */
static inline void graph_slices_add(struct graph_slices *slices, uint32_t first, uint32_t end)
{
	slices->first[slices->count] = first;
	slices->end[slices->count] = end;
	slices->count += first < end;
}

/* Messages along slices of the worker's own part. Return: 0 or the error of a handler. */
int hbsi_graph_deliver(struct graph_worker *worker, const struct graph_slices *slices,
		       const char *messages);

#endif /* HBS_GRAPH_DELIVER_H */
