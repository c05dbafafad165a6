// SPDX-License-Identifier: GPL-2.0-or-later
/* igraph, whose own functions do each of the tasks but heat */
#include <igraph.h>
#include <math.h>

#include "peer.h"

static void must(const char *what, igraph_error_t ret)
{
	if (ret != IGRAPH_SUCCESS)
		peer_fails(what, igraph_strerror(ret));
}

static void make(const struct problem *problem, igraph_t *graph)
{
	igraph_vector_int_t ends;

	must("igraph_vector_int_init",
	     igraph_vector_int_init(&ends, (igraph_integer_t)(2 * problem->edges)));
	for (uint64_t e = 0; e < problem->edges; e++) {
		VECTOR(ends)[2 * e] = problem->from[e];
		VECTOR(ends)[2 * e + 1] = problem->to[e];
	}
	must("igraph_create", igraph_create(graph, &ends, problem->vertices, IGRAPH_DIRECTED));
	igraph_vector_int_destroy(&ends);
}

static void ranks(const struct problem *problem, struct answer *answer)
{
	igraph_vector_t rank;
	igraph_real_t value;
	igraph_t graph;

	make(problem, &graph);
	peer_has_built(answer);
	must("igraph_vector_init", igraph_vector_init(&rank, 0));
	must("igraph_pagerank",
	     igraph_pagerank(&graph, IGRAPH_PAGERANK_ALGO_PRPACK, &rank, &value, igraph_vss_all(),
			     IGRAPH_DIRECTED, DAMPING, NULL, NULL));
	for (uint32_t v = 0; v < problem->vertices; v++)
		answer->value[v] = (float)VECTOR(rank)[v];
}

static void take_row(const struct problem *problem, struct answer *answer,
		     const igraph_matrix_t *found)
{
	for (uint32_t v = 0; v < problem->vertices; v++) {
		double distance = MATRIX(*found, 0, v);

		answer->distance[v] = isinf(distance) ? UNREACHABLE : (uint32_t)distance;
	}
}

static void paths(const struct problem *problem, struct answer *answer)
{
	igraph_vector_t weights;
	igraph_matrix_t found;
	igraph_t graph;

	make(problem, &graph);
	must("igraph_vector_init", igraph_vector_init(&weights, (igraph_integer_t)problem->edges));
	for (uint64_t e = 0; e < problem->edges; e++)
		VECTOR(weights)[e] = problem->weight[e];
	peer_has_built(answer);
	must("igraph_matrix_init", igraph_matrix_init(&found, 0, 0));
	must("igraph_distances_dijkstra",
	     igraph_distances_dijkstra(&graph, &found, igraph_vss_1(problem->source),
				       igraph_vss_all(), &weights, IGRAPH_OUT));
	take_row(problem, answer, &found);
}

static void hops(const struct problem *problem, struct answer *answer)
{
	igraph_matrix_t found;
	igraph_t graph;

	make(problem, &graph);
	peer_has_built(answer);
	must("igraph_matrix_init", igraph_matrix_init(&found, 0, 0));
	must("igraph_distances", igraph_distances(&graph, &found, igraph_vss_1(problem->source),
						  igraph_vss_all(), IGRAPH_OUT));
	take_row(problem, answer, &found);
}

static const char *version(void)
{
	const char *text;

	igraph_version(&text, NULL, NULL, NULL);
	return text;
}

const struct peer peer_igraph = {
	.name = "igraph",
	.what = "igraph_pagerank() (PRPACK: until it changes no more), igraph_distances...()",
	.version = version,
	.ranks = RANKS_AT_END,
	.solve = { ranks, paths, hops },
};
