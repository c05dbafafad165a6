/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HBS_GRAPH_SORT_H
#define HBS_GRAPH_SORT_H

#include <stdbool.h>
#include <stdint.h>

#include "graph.h"

/* In the number of a vertex: the last edge of its key and way. More edges than that have no such mark. */
#define SORT_MARK ((uint32_t)~HBS_EDGE_VERTEX_)

/*
 * The edges by their ways, and in there in the order of their keys. A key is a vertex with a pin, where
 * they begin. With two ways, one has those that end at a vertex of the first part, the other those of the second.
 */
struct sorted {
	uint64_t keys;
	uint32_t ways; /* 1 or 2 */
	bool is_marked; /* the last edge of each key and way, and vertices count from the first of their part */
	uint32_t *start; /* by key and way, and a row more, which is where the ways end */
	char *edges;	 /* records */
};

/* Sort the edges. Return: 0, or an error; the caller frees the result in both cases. */
int hbsi_graph_sort(const struct hbs_graph *graph, const struct hbs_graph_attr *attr,
		    struct sorted *sorted);

void hbsi_graph_sorted_free(struct sorted *sorted);

#endif /* HBS_GRAPH_SORT_H */
