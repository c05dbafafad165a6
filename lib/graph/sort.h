/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HBS_GRAPH_SORT_H
#define HBS_GRAPH_SORT_H

#include <stdint.h>

struct hbs_graph;
struct hbs_graph_attr;

/* The edges in the order of their keys; a key is a vertex with a pin */
struct sorted {
	uint64_t keys;
	uint32_t *start; /* by key, and one more */
	uint32_t *to;
	char *data;
};

/* Sort the edges. Return: 0, or an error; the caller frees the result in both cases. */
int hbsi_graph_sort(const struct hbs_graph *graph, const struct hbs_graph_attr *attr,
		    struct sorted *sorted);

void hbsi_graph_sorted_free(struct sorted *sorted);

#endif /* HBS_GRAPH_SORT_H */
