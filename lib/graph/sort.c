// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Sorts edges by their keys, which are the vertex and the pin at their beginnings. Each thread counts the
 * keys of a share of the edges, and then places these: so edges of one key stay in their order.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"
#include "sort.h"

/* How many edges before its turn an edge's place is fetched */
#define AHEAD 12

/* With fewer edges for each, threads take longer to start than to sort */
#define EDGES_WORTH_A_THREAD 65536

/* Each share has a number for each key: more of them would take much memory, and gain little */
#define SHARES_MAX 8

struct sorting {
	const struct hbs_graph *graph;
	const struct hbs_graph_attr *attr;
	struct sorted *sorted;
	uint32_t shares;
	uint32_t *ends
		[SHARES_MAX]; /* by key: where edges of this share end; those of the first are the result */
};

static uint64_t key_of(const struct sorting *sorting, uint64_t edge)
{
	const struct hbs_graph_attr *attr = sorting->attr;

	return (uint64_t)attr->from[edge] * sorting->graph->type.pins +
	       (attr->pin ? attr->pin[edge] : 0);
}

static uint64_t share_begin(const struct sorting *sorting, uint32_t share)
{
	uint64_t edges = sorting->graph->edge_count, shares = sorting->shares;

	return edges / shares * share + edges % shares * share / shares;
}

static bool is_good(const struct sorting *sorting, uint64_t edge)
{
	const struct hbs_graph_attr *attr = sorting->attr;
	uint32_t vertices = sorting->graph->vertex_count;

	return attr->from[edge] < vertices && attr->to[edge] < vertices &&
	       (!attr->pin || attr->pin[edge] < sorting->graph->type.pins);
}

static int count_share(void *arg, uint32_t share)
{
	struct sorting *sorting = arg;
	uint64_t end = share_begin(sorting, share + 1);
	uint32_t *counts = hbsi_graph_zeros(sorting->sorted->keys + 1, sizeof(*counts));

	sorting->ends[share] = counts;
	if (!counts)
		return -ENOMEM;
	for (uint64_t e = share_begin(sorting, share); e < end; e++) {
		if (!is_good(sorting, e))
			return -ERANGE;
		counts[key_of(sorting, e)]++;
	}
	return 0;
}

/* The end of each key in each share, which filling moves to its beginning */
static void add_up(struct sorting *sorting)
{
	uint64_t keys = sorting->sorted->keys;
	uint32_t sum = 0;

	for (uint64_t k = 0; k < keys; k++) {
		for (uint32_t s = 0; s < sorting->shares; s++) {
			sum += sorting->ends[s][k];
			sorting->ends[s][k] = sum;
		}
	}
	sorting->ends[0][keys] = sum;
}

/* Fetch where an edge will go, before its turn: edges may come in any order */
static void look_ahead(const struct sorting *sorting, const uint32_t *ends, uint64_t edge,
		       uint64_t begin)
{
	const struct sorted *sorted = sorting->sorted;

	if (edge >= begin + 2 * AHEAD)
		__builtin_prefetch(&ends[key_of(sorting, edge - 2 * AHEAD)], 1);
	if (edge >= begin + AHEAD) {
		size_t at = ends[key_of(sorting, edge - AHEAD)];

		__builtin_prefetch(&sorted->to[at - !!at], 1);
		__builtin_prefetch(sorted->data + (at - !!at) * sorting->graph->stride, 1);
	}
}

/* From the last to the first, so that edges of one key stay in their order */
static int fill_share(void *arg, uint32_t share)
{
	struct sorting *sorting = arg;
	struct sorted *sorted = sorting->sorted;
	const struct hbs_graph_attr *attr = sorting->attr;
	uint64_t begin = share_begin(sorting, share);
	uint32_t *ends = sorting->ends[share];
	size_t size = sorting->graph->stride;

	for (uint64_t e = share_begin(sorting, share + 1); e-- > begin;) {
		uint32_t at;

		look_ahead(sorting, ends, e, begin);
		at = --ends[key_of(sorting, e)];
		sorted->to[at] = attr->to[e];
		if (size)
			memcpy(sorted->data + at * size, (const char *)attr->data + e * size, size);
	}
	return 0;
}

static uint32_t shares_of(const struct hbs_graph *graph)
{
	uint64_t worth = graph->edge_count / EDGES_WORTH_A_THREAD;
	uint32_t shares = graph->threads < SHARES_MAX ? graph->threads : SHARES_MAX;

	if (shares > worth)
		shares = (uint32_t)worth;
	return shares ? shares : 1;
}

int hbsi_graph_sort(const struct hbs_graph *graph, const struct hbs_graph_attr *attr,
		    struct sorted *sorted)
{
	struct sorting sorting = {
		.graph = graph,
		.attr = attr,
		.sorted = sorted,
		.shares = shares_of(graph),
	};
	int ret;

	sorted->keys = (uint64_t)graph->vertex_count * graph->type.pins;
	sorted->to = hbsi_graph_room(graph->edge_count, sizeof(*sorted->to));
	sorted->data = hbsi_graph_room(graph->edge_count, graph->stride);
	ret = sorted->to && sorted->data ? 0 : -ENOMEM;
	if (!ret)
		ret = hbsi_graph_crew(sorting.shares, sorting.shares, count_share, &sorting);
	if (!ret) {
		add_up(&sorting);
		ret = hbsi_graph_crew(sorting.shares, sorting.shares, fill_share, &sorting);
	}
	sorted->start = sorting.ends[0];
	for (uint32_t s = 1; s < sorting.shares; s++)
		free(sorting.ends[s]);
	return ret;
}

void hbsi_graph_sorted_free(struct sorted *sorted)
{
	free(sorted->start);
	free(sorted->to);
	free(sorted->data);
	*sorted = (struct sorted){ 0 };
}
