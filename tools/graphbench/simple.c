// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "simple.h"

/* Edges in the order of where they begin; @start: by vertex, and two more */
static void sort(const struct edges *edges, uint64_t *start, uint64_t *sorted)
{
	for (uint64_t e = 0; e < edges->count; e++)
		start[edges->from[e] + 2]++;
	for (uint32_t v = 0; v < edges->vertices; v++)
		start[v + 2] += start[v + 1];
	for (uint64_t e = 0; e < edges->count; e++)
		sorted[start[edges->from[e] + 1]++] = e;
}

/* Mark edges to leave out by a vertex that there is not, where they end */
static void mark(struct edges *edges, const uint64_t *start, const uint64_t *sorted, uint32_t *last)
{
	for (uint32_t v = 0; v < edges->vertices; v++) {
		for (uint64_t i = start[v]; i < start[v + 1]; i++) {
			uint32_t *to = &edges->to[sorted[i]];

			/* one more than a vertex, since 0 is nobody */
			if (*to == v || last[*to] == v + 1)
				*to = edges->vertices;
			else
				last[*to] = v + 1;
		}
	}
}

static void leave_out(struct edges *edges)
{
	uint64_t kept = 0;

	for (uint64_t e = 0; e < edges->count; e++) {
		if (edges->to[e] == edges->vertices)
			continue;
		edges->from[kept] = edges->from[e];
		edges->to[kept] = edges->to[e];
		if (edges->weighted)
			edges->weight[kept] = edges->weight[e];
		kept++;
	}
	edges->count = kept;
}

bool simple_make(struct edges *edges)
{
	uint64_t *start = calloc(edges->vertices + 3UL, sizeof(*start));
	uint64_t *sorted = malloc((edges->count + 1) * sizeof(*sorted));
	uint32_t *last = calloc(edges->vertices + 1UL, sizeof(*last));
	bool good = start && sorted && last;

	if (good) {
		sort(edges, start, sorted);
		mark(edges, start, sorted, last);
		leave_out(edges);
	}
	free(start);
	free(sorted);
	free(last);
	return good;
}
