// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * METIS wants a graph whose edges go both ways, none of them twice: an edge's weight is how many
 * there are between its vertices, and what a vertex weighs is about what it costs in a run.
 */
#include <inttypes.h>
#include <metis.h>
#include <sched.h>
#include <stdlib.h>

#include "hbs_graph.h"
#include "mapping.h"
#include "shared/now.h"

struct metis_graph {
	idx_t vertices;
	idx_t *start; /* by vertex, and one more */
	idx_t *neighbour;
	idx_t *multiple; /* by edge */
	idx_t *weight;	 /* by vertex */
	idx_t *part;
};

static bool fail(const char *what)
{
	fprintf(stderr, "hbsgraph: --mapping=metis: %s\n", what);
	return false;
}

static uint32_t cpus(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) ? 1 : (uint32_t)CPU_COUNT(&set);
}

static bool allocate(struct metis_graph *graph, const struct edges *edges)
{
	size_t vertices = edges->vertices, both_ways = 2 * edges->count;

	if (2 * edges->count > IDX_MAX ||
	    edges->count + (uint64_t)HBS_GRAPH_VERTEX_COST * edges->vertices > IDX_MAX)
		return fail("the graph is too large for METIS");
	*graph = (struct metis_graph){
		.vertices = (idx_t)edges->vertices,
		.start = calloc(vertices + 2, sizeof(idx_t)),
		.neighbour = malloc((both_ways + 1) * sizeof(idx_t)),
		.multiple = malloc((both_ways + 1) * sizeof(idx_t)),
		.weight = malloc((vertices + 1) * sizeof(idx_t)),
		.part = calloc(vertices + 1, sizeof(idx_t)),
	};
	if (graph->start && graph->neighbour && graph->multiple && graph->weight && graph->part)
		return true;
	return fail("no memory");
}

static void release(struct metis_graph *graph)
{
	free(graph->start);
	free(graph->neighbour);
	free(graph->multiple);
	free(graph->weight);
	free(graph->part);
}

/* All edges both ways, by vertex; afterwards a vertex's begin where start[vertex + 1] was */
static void fill(struct metis_graph *graph, const struct edges *edges)
{
	idx_t *start = graph->start;

	for (idx_t v = 0; v < graph->vertices; v++)
		graph->weight[v] = HBS_GRAPH_VERTEX_COST;
	for (uint64_t e = 0; e < edges->count; e++) {
		graph->weight[edges->to[e]]++;
		if (edges->from[e] == edges->to[e])
			continue;
		start[edges->from[e] + 2]++;
		start[edges->to[e] + 2]++;
	}
	for (idx_t v = 1; v <= graph->vertices; v++)
		start[v + 1] += start[v];
	for (uint64_t e = 0; e < edges->count; e++) {
		uint32_t from = edges->from[e], to = edges->to[e];

		if (from == to)
			continue;
		graph->neighbour[start[from + 1]++] = (idx_t)to;
		graph->neighbour[start[to + 1]++] = (idx_t)from;
	}
}

/* Make one edge of all between the same two vertices. Return: false if there is no memory */
static bool merge(struct metis_graph *graph)
{
	/* by vertex: where the edge to it is, if that is not before the vertex in question */
	idx_t *at = calloc((size_t)graph->vertices + 1, sizeof(*at));
	idx_t old = 0, new = 0;

	for (idx_t v = 0; at && v < graph->vertices; v++) {
		idx_t first = new, end = graph->start[v + 1];

		for (; old < end; old++) {
			idx_t to = graph->neighbour[old];

			if (at[to] > first) {
				graph->multiple[at[to] - 1]++;
				continue;
			}
			graph->neighbour[new] = to;
			graph->multiple[new] = 1;
			at[to] = ++new;
		}
		graph->start[v] = first;
	}
	graph->start[graph->vertices] = new;
	free(at);
	return at || fail("no memory");
}

static bool divide(struct metis_graph *graph, uint32_t threads, struct mapping *mapping)
{
	idx_t constraints = 1, parts = (idx_t)threads, cut = 0;
	idx_t options[METIS_NOPTIONS];
	double begin = now_ns();
	int ret;

	METIS_SetDefaultOptions(options);
	options[METIS_OPTION_NUMBERING] = 0;
	ret = METIS_PartGraphKway(&graph->vertices, &constraints, graph->start, graph->neighbour,
				  graph->weight, NULL, graph->multiple, &parts, NULL, NULL, options,
				  &cut, graph->part);
	mapping->ns = now_ns() - begin;
	mapping->cut = (uint64_t)cut;
	if (ret == METIS_OK)
		return true;
	return fail(ret == METIS_ERROR_MEMORY ? "METIS has no memory" : "METIS failed");
}

/* Where parts begin, and how well they are balanced. Parts without a vertex are left out */
static bool set_blocks(const struct metis_graph *graph, uint32_t threads, struct mapping *mapping,
		       uint32_t *number)
{
	uint64_t *weights = calloc(threads, sizeof(*weights)), all = 0, most = 0;
	uint32_t sum = 0;

	mapping->first = calloc((size_t)threads + 1, sizeof(*mapping->first));
	mapping->threads = 0;
	if (!weights || !mapping->first) {
		free(weights);
		return fail("no memory");
	}
	for (idx_t v = 0; v < graph->vertices; v++) {
		number[graph->part[v]]++;
		weights[graph->part[v]] += (uint64_t)graph->weight[v];
	}
	for (uint32_t part = 0; part < threads; part++) {
		uint32_t size = number[part];

		number[part] = sum;
		sum += size;
		if (size)
			mapping->first[++mapping->threads] = sum;
		all += weights[part];
		if (weights[part] > most)
			most = weights[part];
	}
	mapping->imbalance = all ? (double)most * mapping->threads / (double)all : 1;
	free(weights);
	return true;
}

/* @number: by part: the number of its first vertex */
static bool renumber(const struct metis_graph *graph, uint32_t *number, struct edges *edges)
{
	edges->place = malloc(((size_t)edges->vertices + 1) * sizeof(*edges->place));
	edges->name = malloc(((size_t)edges->vertices + 1) * sizeof(*edges->name));
	if (!edges->place || !edges->name)
		return fail("no memory");
	for (uint32_t v = 0; v < edges->vertices; v++) {
		edges->place[v] = number[graph->part[v]]++;
		edges->name[edges->place[v]] = v;
	}
	for (uint64_t e = 0; e < edges->count; e++) {
		edges->from[e] = edges->place[edges->from[e]];
		edges->to[e] = edges->place[edges->to[e]];
	}
	return true;
}

static bool apply(const struct metis_graph *graph, uint32_t threads, struct edges *edges,
		  struct mapping *mapping)
{
	uint32_t *number = calloc(threads, sizeof(*number));
	bool good = number ? set_blocks(graph, threads, mapping, number) &&
				     renumber(graph, number, edges)
			   : fail("no memory");

	free(number);
	return good;
}

bool mapping_by_metis(struct edges *edges, uint32_t threads, struct mapping *mapping)
{
	struct metis_graph graph = { 0 };
	bool good;

	*mapping = (struct mapping){ .imbalance = 1 };
	if (!threads)
		threads = cpus();
	if (threads > edges->vertices)
		threads = edges->vertices;
	/* with one part, or none, there is nothing to find */
	if (threads < 2)
		return true;
	good = allocate(&graph, edges);
	if (good)
		fill(&graph, edges);
	good = good && merge(&graph) && divide(&graph, threads, mapping) &&
	       apply(&graph, threads, edges, mapping);
	release(&graph);
	return good;
}

void mapping_free(struct mapping *mapping)
{
	free(mapping->first);
}

void mapping_print(const struct mapping *mapping, uint64_t edges, FILE *to)
{
	if (!mapping->first)
		return;
	fprintf(to,
		"mapping          %" PRIu64 " of %" PRIu64 " edges between threads, by METIS in "
		"%.3f s; the largest part is %.3f of the mean\n",
		mapping->cut, edges, mapping->ns * 1e-9, mapping->imbalance);
}
