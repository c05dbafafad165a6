// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Divides the vertices into blocks that take as long as each other. It counts edges by where they end, for
 * some vertices with numbers next to each other at once, so that the counts stay in the cache. Of many
 * edges it takes a sample.
 */
#include <errno.h>

#include "graph.h"

/* So many counts at most; a part gets several of them */
#define BINS 8192
_Static_assert(BINS >= 4 * HBS_GRAPH_THREADS_MAX, "no part is much larger than the others");

/*
 * A sample has so many pieces for each part, up to so many, of so many edges, which are a line of the cache.
 * With few parts, what one of them has differs by less than 1 % from what the sample says.
 */
#define PART_PIECES 4096
#define PIECES_MAX  32768
#define PIECE	    (GRAPH_LINE / sizeof(uint32_t))

/* How many pieces before its turn one is fetched */
#define PIECES_AHEAD 16

struct dividing {
	const struct hbs_graph *graph;
	uint32_t shift; /* of a vertex, to its bin */
	uint32_t bins;
	uint64_t counted; /* edges */
	uint32_t ending[BINS];
};

static void count(struct dividing *dividing, const uint32_t *to, uint64_t edges)
{
	for (uint64_t e = 0; e < edges; e++)
		/* sorting refuses those of vertices that there are not */
		if (to[e] < dividing->graph->vertex_count)
			dividing->ending[to[e] >> dividing->shift]++;
	dividing->counted += edges;
}

/* A piece begins anywhere in its section of the edges: they may have a pattern */
static uint64_t piece_begin(uint64_t section, uint64_t piece)
{
	return piece * section + (piece * 0x9e3779b97f4a7c15U >> 32) % section;
}

static void count_sample(struct dividing *dividing, const uint32_t *to, uint64_t pieces)
{
	uint64_t edges = dividing->graph->edge_count, section = edges / pieces;

	for (uint64_t p = 0; p < pieces; p++) {
		uint64_t begin = piece_begin(section, p);

		if (p + PIECES_AHEAD < pieces)
			__builtin_prefetch(to + piece_begin(section, p + PIECES_AHEAD));
		count(dividing, to + begin, begin + PIECE <= edges ? PIECE : edges - begin);
	}
}

/* What the vertices of a bin take, in edges */
static double cost_of(const struct dividing *dividing, uint32_t bin)
{
	const struct hbs_graph *graph = dividing->graph;
	uint64_t first = (uint64_t)bin << dividing->shift, end = first + (1UL << dividing->shift);
	double weight =
		dividing->counted ? (double)graph->edge_count / (double)dividing->counted : 0;

	end = end < graph->vertex_count ? end : graph->vertex_count;
	return dividing->ending[bin] * weight + (double)(end - first) * HBS_GRAPH_VERTEX_COST;
}

/* Whole bins for each part, one at least */
static void make_blocks(const struct dividing *dividing, uint32_t *first)
{
	const struct hbs_graph *graph = dividing->graph;
	double all =
		(double)graph->edge_count + (double)graph->vertex_count * HBS_GRAPH_VERTEX_COST;
	double sum = 0;
	uint32_t bin = 0;

	for (uint32_t part = 1; part < graph->threads; part++) {
		uint32_t last = dividing->bins - (graph->threads - part);

		do
			sum += cost_of(dividing, bin++);
		while (bin < last && sum < all * part / graph->threads);
		first[part] = bin << dividing->shift;
	}
}

int hbsi_graph_divide(struct hbs_graph *graph, const uint32_t *to)
{
	uint64_t pieces = graph->threads * PART_PIECES;
	struct dividing *dividing;

	graph->first[graph->threads] = graph->vertex_count;
	if (graph->threads == 1)
		return 0;
	dividing = hbsi_graph_zeros(1, sizeof(*dividing));
	if (!dividing)
		return -ENOMEM;
	dividing->graph = graph;
	while ((graph->vertex_count - 1) >> dividing->shift >= BINS)
		dividing->shift++;
	dividing->bins = ((graph->vertex_count - 1) >> dividing->shift) + 1;
	if (pieces > PIECES_MAX)
		pieces = PIECES_MAX;
	if (graph->edge_count / pieces > 2 * PIECE)
		count_sample(dividing, to, pieces);
	else
		count(dividing, to, graph->edge_count);
	make_blocks(dividing, graph->first);
	hbsi_graph_free(dividing);
	return 0;
}
