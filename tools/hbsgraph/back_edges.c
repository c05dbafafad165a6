// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "back_edges.h"

/* By vertex: the vertices at the other ends of its edges */
struct ends {
	uint64_t *start; /* and one more */
	uint32_t *end;
};

static bool find_ends(struct ends *ends, uint32_t vertices, uint64_t count, const uint32_t *here,
		      const uint32_t *there)
{
	ends->start = calloc(vertices + 1UL, sizeof(*ends->start));
	ends->end = calloc(count + 1, sizeof(*ends->end));
	if (!ends->start || !ends->end)
		return false;
	for (uint64_t e = 0; e < count; e++)
		ends->start[here[e]]++;
	for (uint32_t v = 0; v < vertices; v++)
		ends->start[v + 1] += ends->start[v];
	/* from the last one down, which leaves each start where it belongs */
	for (uint64_t e = count; e--;)
		ends->end[--ends->start[here[e]]] = there[e];
	return true;
}

static void free_ends(struct ends *ends)
{
	free(ends->start);
	free(ends->end);
}

/* The others have weights as well, then: theirs is 1 */
static void weigh(struct edges *edges)
{
	if (edges->weighted || edges->failed)
		return;
	edges->weight = malloc((edges->room + 1) * sizeof(*edges->weight));
	edges->weighted = edges->weight;
	edges->failed = !edges->weight;
	for (uint64_t e = 0; edges->weight && e < edges->count; e++)
		edges->weight[e] = 1;
}

/* @led: by vertex: the last one that has an edge to it, and one more; so no list is cleared */
static void add_of_vertex(struct edges *edges, const struct ends *outs, const struct ends *ins,
			  uint32_t *led, uint32_t vertex)
{
	for (uint64_t i = outs->start[vertex]; i < outs->start[vertex + 1]; i++)
		led[outs->end[i]] = vertex + 1;
	for (uint64_t i = ins->start[vertex]; i < ins->start[vertex + 1]; i++) {
		uint32_t to = ins->end[i];

		if (led[to] == vertex + 1)
			continue;
		led[to] = vertex + 1;
		weigh(edges);
		edges_add(edges, vertex, to, 0);
		edges->back++;
	}
}

void back_edges_add(struct edges *edges)
{
	struct ends outs = { 0 }, ins = { 0 };
	uint32_t *led = calloc(edges->vertices + 1UL, sizeof(*led));

	if (led && find_ends(&outs, edges->vertices, edges->count, edges->from, edges->to) &&
	    find_ends(&ins, edges->vertices, edges->count, edges->to, edges->from)) {
		for (uint32_t v = 0; v < edges->vertices && !edges->failed; v++)
			add_of_vertex(edges, &outs, &ins, led, v);
	} else {
		edges->failed = true;
	}
	free_ends(&outs);
	free_ends(&ins);
	free(led);
}
