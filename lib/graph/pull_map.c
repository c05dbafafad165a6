// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Graphs whose vertices send in rounds: the edges in the order of where they end, so that each thread has
 * those that end at its vertices next to each other. Each thread counts the ends of a share of the edges, and
 * then places these: so edges that end at one vertex stay in their order.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"

struct pulling {
	struct hbs_graph *graph;
	const struct hbs_graph_attr *attr;
	uint32_t shares;
	/* by vertex, and one more: how many edges of the share end at the vertex before; then where the
	   next one goes; at the end, those of the last share are where the edges of each vertex begin */
	uint32_t *places[GRAPH_SHARES_MAX];
};

static uint64_t share_begin(const struct pulling *pulling, uint32_t share)
{
	return graph_share(pulling->graph->edge_count, pulling->shares, share);
}

static int count_share(void *arg, uint32_t share)
{
	struct pulling *pulling = arg;
	const uint32_t *to = pulling->attr->to, vertices = pulling->graph->vertex_count;
	uint64_t end = share_begin(pulling, share + 1);
	uint32_t *counts = hbsi_graph_zeros(vertices + 1UL, sizeof(*counts));

	pulling->places[share] = counts;
	if (!counts)
		return -ENOMEM;
	for (uint64_t e = share_begin(pulling, share); e < end; e++) {
		if (to[e] >= vertices)
			return -ERANGE;
		counts[to[e] + 1]++;
	}
	return 0;
}

/* Each is one place later than its vertex, so that filling leaves where the next vertex begins */
static void add_up(struct pulling *pulling)
{
	uint32_t sum = 0;

	for (uint64_t v = 1; v <= pulling->graph->vertex_count; v++) {
		for (uint32_t s = 0; s < pulling->shares; s++) {
			uint32_t count = pulling->places[s][v];

			pulling->places[s][v] = sum;
			sum += count;
		}
	}
}

/* A datum is a number mostly: a call of memcpy would take longer than the copy */
static inline void copy_datum(char *to, const char *from, size_t size)
{
	if (size == sizeof(uint32_t))
		memcpy(to, from, sizeof(uint32_t));
	else
		memcpy(to, from, size);
}

static int fill_share(void *arg, uint32_t share)
{
	struct pulling *pulling = arg;
	const struct hbs_graph_attr *attr = pulling->attr;
	struct graph_pull *pull = &pulling->graph->pull;
	uint64_t end = share_begin(pulling, share + 1);
	uint32_t *places = pulling->places[share];
	const uint32_t vertices = pulling->graph->vertex_count;
	const size_t size = graph_datum_size(pulling->graph);

	for (uint64_t e = share_begin(pulling, share); e < end; e++) {
		uint32_t from = attr->from[e], at = places[attr->to[e] + 1]++;

		if (from >= vertices || (attr->pin && attr->pin[e]))
			return -ERANGE;
		pull->from[at] = from;
		if (size)
			copy_datum(pull->data + at * size, (const char *)attr->data + e * size,
				   size);
	}
	return 0;
}

static int sort(struct hbs_graph *graph, const struct hbs_graph_attr *attr)
{
	struct pulling pulling = { .graph = graph,
				   .attr = attr,
				   .shares = hbsi_graph_shares(graph) };
	int ret = hbsi_graph_crew(pulling.shares, pulling.shares, count_share, &pulling);

	if (!ret) {
		add_up(&pulling);
		ret = hbsi_graph_crew(pulling.shares, pulling.shares, fill_share, &pulling);
	}
	graph->pull.start = pulling.places[pulling.shares - 1];
	for (uint32_t s = 0; s + 1 < pulling.shares; s++)
		hbsi_graph_free(pulling.places[s]);
	return ret;
}

/* The first vertex before which there is so much to do */
static uint32_t vertex_at(const struct hbs_graph *graph, uint64_t work)
{
	uint32_t low = 0, high = graph->vertex_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (graph->pull.start[middle] + (uint64_t)middle * HBS_GRAPH_VERTEX_COST_ROUNDS <
		    work)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Blocks of vertices that take as long as each other, none of them empty */
static void divide(struct hbs_graph *graph)
{
	uint64_t all =
		graph->edge_count + (uint64_t)graph->vertex_count * HBS_GRAPH_VERTEX_COST_ROUNDS;

	for (uint32_t part = 1; part < graph->threads; part++) {
		uint32_t least = graph->first[part - 1] + 1;
		/* this part and those after it need a vertex each */
		uint32_t most = graph->vertex_count - (graph->threads - part);
		uint32_t v = vertex_at(graph, all * part / graph->threads);

		graph->first[part] = v < least ? least : v > most ? most : v;
	}
	graph->first[graph->threads] = graph->vertex_count;
}

static int make_edges(struct hbs_graph *graph)
{
	struct graph_pull *pull = &graph->pull;
	uint32_t size = graph_datum_size(graph);

	pull->from = hbsi_graph_room(graph->edge_count, sizeof(*pull->from));
	graph->edge_bytes += graph->edge_count * (sizeof(*pull->from) + size);
	if (!size)
		return pull->from ? 0 : -ENOMEM;
	pull->data = hbsi_graph_room(graph->edge_count, size);
	return pull->from && pull->data ? 0 : -ENOMEM;
}

static int make_messages(struct hbs_graph *graph)
{
	struct graph_pull *pull = &graph->pull;
	uint64_t vertices = graph->vertex_count;

	pull->messages = hbsi_graph_room(vertices, graph->type.message);
	pull->sent = hbsi_graph_room(vertices, sizeof(*pull->sent));
	graph->vertex_bytes += vertices * (graph->type.message + sizeof(*pull->sent)) +
			       (vertices + 1) * sizeof(*pull->start);
	return pull->messages && pull->sent ? 0 : -ENOMEM;
}

/* A run has no queue */
static int make_lists(struct hbs_graph *graph, struct graph_part *part)
{
	struct hbs_vertices *vertices = &part->vertices;
	uint64_t list = vertices->count * sizeof(*vertices->woken);
	bool is_woken = graph->type.step_when == HBS_STEP_WOKEN;
	uint64_t size = 2 * list * is_woken + vertices->count * sizeof(*vertices->wants);
	char *lists = hbsi_graph_room(size, 1);

	part->lists = lists;
	if (!lists)
		return -ENOMEM;
	graph->vertex_bytes += size;
	if (is_woken) {
		vertices->woken = (uint32_t *)(void *)lists;
		part->also_woken = (uint32_t *)(void *)(lists + list);
	}
	vertices->wants = (uint16_t *)(void *)(lists + 2 * list * is_woken);
	return 0;
}

static int make_part(struct hbs_graph *graph, uint32_t p)
{
	struct graph_part *part = &graph->parts[p];

	part->vertices.count = graph_part_size(graph, p);
	part->vertices.first = graph->first[p];
	part->vertices.stride = graph_datum_size(graph);
	part->states = graph->states + (size_t)graph->first[p] * graph->type.state;
	part->edge_count =
		graph->pull.start[graph->first[p + 1]] - graph->pull.start[graph->first[p]];
	return make_lists(graph, part);
}

int hbsi_graph_pull_map(struct hbs_graph *graph, const struct hbs_graph_attr *attr)
{
	int ret = make_edges(graph);

	if (!ret)
		ret = sort(graph, attr);
	if (!ret)
		ret = make_messages(graph);
	if (ret)
		return ret;
	if (attr->first)
		memcpy(graph->first, attr->first, (graph->threads + 1UL) * sizeof(*attr->first));
	else
		divide(graph);
	for (uint32_t p = 0; !ret && p < graph->threads; p++)
		ret = make_part(graph, p);
	return ret;
}
