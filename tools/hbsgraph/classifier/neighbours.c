// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "shared/random.h"
#include "neighbours.h"

/* The weights that the paper's weighted graphs have */
#define WEIGHT_LOW  10
#define WEIGHT_HIGH 1000

static uint64_t mix(uint64_t a, uint64_t b)
{
	uint64_t state = random_start(a * 0x9fb21c651e98df25ULL ^ b);

	/* the first numbers of neighbouring states are alike */
	random_next(&state);
	return random_next(&state);
}

static uint32_t weight_of(const struct edges *edges, uint64_t edge)
{
	uint32_t a = edges->from[edge], b = edges->to[edge];

	if (edges->weight)
		return edges->weight[edge];
	return WEIGHT_LOW +
	       (uint32_t)(mix(a < b ? a : b, a < b ? b : a) % (WEIGHT_HIGH - WEIGHT_LOW + 1));
}

/*
 * Whether edges and those that would go back have the same sum of a random number for each: then they
 * are the same ones, but for one graph in 2^64. To search for each one would take longer.
 */
static bool go_both_ways(const struct edges *edges)
{
	uint64_t there = 0, back = 0;

	for (uint64_t e = 0; e < edges->count; e++) {
		uint64_t from = edges->from[e], to = edges->to[e];
		uint64_t weight = edges->weight ? edges->weight[e] : 1;

		there += mix(from << 32 | to, weight);
		back += mix(to << 32 | from, weight);
	}
	return there == back;
}

bool neighbours_find(const struct edges *edges, struct neighbours *neighbours)
{
	uint32_t sum = 0;

	*neighbours = (struct neighbours){
		.vertices = edges->vertices,
		.edges = edges->count,
		.start = calloc((size_t)edges->vertices + 1, sizeof(*neighbours->start)),
		.to = calloc(edges->count + 1, sizeof(*neighbours->to)),
		.weight = calloc(edges->count + 1, sizeof(*neighbours->weight)),
		.both_ways = go_both_ways(edges),
	};
	if (!neighbours->start || !neighbours->to || !neighbours->weight)
		return false;
	for (uint64_t e = 0; e < edges->count; e++)
		neighbours->start[edges->from[e]]++;
	/* the end of each vertex's edges, which filling moves to their beginning */
	for (uint64_t v = 0; v <= edges->vertices; v++) {
		sum += neighbours->start[v];
		neighbours->start[v] = sum;
	}
	for (uint64_t e = edges->count; e--;) {
		uint32_t at = --neighbours->start[edges->from[e]];

		neighbours->to[at] = edges->to[e];
		neighbours->weight[at] = weight_of(edges, e);
	}
	return true;
}

void neighbours_free(struct neighbours *neighbours)
{
	free(neighbours->start);
	free(neighbours->to);
	free(neighbours->weight);
	*neighbours = (struct neighbours){ 0 };
}
