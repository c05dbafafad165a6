// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Which thread has which vertices and edges. The edges are sorted by the vertex and the pin at their
 * beginnings; then one pass counts what each part gets, and a second one fills the parts.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"

/* What a vertex costs besides its edges, in edges, for parts that take as long as each other */
#define VERTEX_COST 4

/* How many edges before its turn an edge's place is fetched */
#define AHEAD 12

/* The edges in the order of their keys; a key is a vertex with a pin */
struct sorted {
	uint64_t keys;
	uint32_t *start; /* by key, and one more */
	uint32_t *to;
	char *data;
};

static uint64_t key_of(const struct hbs_graph *graph, const struct hbs_graph_attr *attr,
		       uint64_t edge)
{
	return (uint64_t)attr->from[edge] * graph->type.pins + (attr->pin ? attr->pin[edge] : 0);
}

static void free_sorted(struct sorted *sorted)
{
	free(sorted->start);
	free(sorted->to);
	free(sorted->data);
}

static bool is_good(const struct hbs_graph *graph, const struct hbs_graph_attr *attr, uint64_t edge)
{
	return attr->from[edge] < graph->vertex_count && attr->to[edge] < graph->vertex_count &&
	       (!attr->pin || attr->pin[edge] < graph->type.pins);
}

static int count_keys(const struct hbs_graph *graph, const struct hbs_graph_attr *attr,
		      struct sorted *sorted)
{
	uint32_t sum = 0;

	for (uint64_t e = 0; e < graph->edge_count; e++) {
		if (!is_good(graph, attr, e))
			return -ERANGE;
		sorted->start[key_of(graph, attr, e)]++;
	}
	/* the end of each key, which filling moves to its beginning */
	for (uint64_t k = 0; k <= sorted->keys; k++) {
		sum += sorted->start[k];
		sorted->start[k] = sum;
	}
	return 0;
}

/* Fetch where an edge will go, before its turn: edges may come in any order */
static void look_ahead(const struct hbs_graph *graph, const struct hbs_graph_attr *attr,
		       const struct sorted *sorted, uint64_t edge)
{
	if (edge >= 2 * AHEAD)
		__builtin_prefetch(&sorted->start[key_of(graph, attr, edge - 2 * AHEAD)], 1);
	if (edge >= AHEAD) {
		size_t at = sorted->start[key_of(graph, attr, edge - AHEAD)];

		__builtin_prefetch(&sorted->to[at - !!at], 1);
		__builtin_prefetch(sorted->data + (at - !!at) * graph->stride, 1);
	}
}

/* From the last to the first, so that edges of one key stay in their order */
static void fill_keys(const struct hbs_graph *graph, const struct hbs_graph_attr *attr,
		      struct sorted *sorted)
{
	size_t size = graph->stride;

	for (uint64_t e = graph->edge_count; e--;) {
		uint32_t at;

		look_ahead(graph, attr, sorted, e);
		at = --sorted->start[key_of(graph, attr, e)];

		sorted->to[at] = attr->to[e];
		if (size)
			memcpy(sorted->data + at * size, (const char *)attr->data + e * size, size);
	}
}

static int sort_edges(const struct hbs_graph *graph, const struct hbs_graph_attr *attr,
		      struct sorted *sorted)
{
	int ret;

	sorted->keys = (uint64_t)graph->vertex_count * graph->type.pins;
	sorted->start = hbsi_graph_zeros(sorted->keys + 1, sizeof(*sorted->start));
	sorted->to = hbsi_graph_room(graph->edge_count, sizeof(*sorted->to));
	sorted->data = hbsi_graph_room(graph->edge_count, graph->stride);
	if (!sorted->start || !sorted->to || !sorted->data)
		return -ENOMEM;
	ret = count_keys(graph, attr, sorted);
	if (!ret)
		fill_keys(graph, attr, sorted);
	return ret;
}

/* Blocks of vertices that take as long as each other, none of them empty */
static int divide(struct hbs_graph *graph, const struct sorted *sorted)
{
	uint32_t *ending = hbsi_graph_zeros(graph->vertex_count, sizeof(*ending));
	uint64_t all = graph->edge_count + (uint64_t)graph->vertex_count * VERTEX_COST;
	uint64_t sum = 0;
	uint32_t v = 0;

	if (!ending)
		return -ENOMEM;
	for (uint64_t e = 0; e < graph->edge_count; e++)
		ending[sorted->to[e]]++;
	for (uint32_t part = 1; part < graph->threads; part++) {
		/* the parts after this one need a vertex each */
		uint32_t last = graph->vertex_count - (graph->threads - part);

		do
			sum += VERTEX_COST + ending[v++];
		while (v < last && sum < all * part / graph->threads);
		graph->first[part] = v;
	}
	graph->first[graph->threads] = graph->vertex_count;
	free(ending);
	return 0;
}

/* Vertices of a table of their parts have the same number but for some bits */
#define TABLE 4096

/* While the parts are counted and filled */
struct filling {
	uint32_t shift;
	uint16_t part_of
		[TABLE];  /* by number without these bits: the part of the first such vertex */
	uint64_t *edges;  /* by part: so many until now */
	uint32_t *slices; /* likewise */
	uint32_t *here;	  /* by part: edges of this key */
	uint32_t *parts;  /* those that have any, which are few */
	uint32_t part_count;
	uint32_t *owner; /* by edge of this key: its part */
};

static uint64_t longest(const struct sorted *sorted)
{
	uint32_t most = 0;

	for (uint64_t k = 0; k < sorted->keys; k++)
		if (sorted->start[k + 1] - sorted->start[k] > most)
			most = sorted->start[k + 1] - sorted->start[k];
	return most;
}

static int filling_begin(struct filling *filling, const struct hbs_graph *graph,
			 const struct sorted *sorted)
{
	uint32_t part = 0;

	while (graph->vertex_count >> filling->shift >= TABLE)
		filling->shift++;
	for (uint64_t i = 0; i < TABLE && i << filling->shift < graph->vertex_count; i++) {
		while (graph->first[part + 1] <= i << filling->shift)
			part++;
		filling->part_of[i] = (uint16_t)part;
	}
	filling->edges = hbsi_graph_zeros(graph->threads, sizeof(*filling->edges));
	filling->slices = hbsi_graph_zeros(graph->threads, sizeof(*filling->slices));
	filling->here = hbsi_graph_zeros(graph->threads, sizeof(*filling->here));
	filling->parts = hbsi_graph_room(graph->threads, sizeof(*filling->parts));
	filling->owner = hbsi_graph_room(longest(sorted), sizeof(*filling->owner));
	return filling->edges && filling->slices && filling->here && filling->parts &&
			       filling->owner
		       ? 0
		       : -ENOMEM;
}

static void filling_end(struct filling *filling)
{
	free(filling->edges);
	free(filling->slices);
	free(filling->here);
	free(filling->parts);
	free(filling->owner);
}

/* By a table, since a search would take longer than all else that is done with an edge */
static uint32_t part_of(const struct filling *filling, const struct hbs_graph *graph,
			uint32_t vertex)
{
	uint32_t part = filling->part_of[vertex >> filling->shift];

	while (graph->first[part + 1] <= vertex)
		part++;
	return part;
}

/* Find to which parts the edges of a key go */
static void look_at_key(struct filling *filling, const struct hbs_graph *graph,
			const struct sorted *sorted, uint64_t key)
{
	filling->part_count = 0;
	for (uint32_t e = sorted->start[key]; e < sorted->start[key + 1]; e++) {
		uint32_t part = part_of(filling, graph, sorted->to[e]);

		if (!filling->here[part]++)
			filling->parts[filling->part_count++] = part;
		filling->owner[e - sorted->start[key]] = part;
	}
}

static void count_parts(struct filling *filling, const struct hbs_graph *graph,
			const struct sorted *sorted)
{
	for (uint32_t p = 0; p < graph->threads; p++) {
		uint64_t end = (uint64_t)graph->first[p + 1] * graph->type.pins;
		uint32_t routes = 0;

		for (uint64_t k = (uint64_t)graph->first[p] * graph->type.pins; k < end; k++) {
			look_at_key(filling, graph, sorted, k);
			for (uint32_t i = 0; i < filling->part_count; i++) {
				uint32_t part = filling->parts[i];

				filling->edges[part] += filling->here[part];
				filling->here[part] = 0;
				if (part == p)
					continue;
				filling->slices[part]++;
				routes++;
			}
		}
		/* for now; filling counts them again */
		graph->parts[p].slice_count = routes;
	}
}

/* Memory that counts as that of vertices, or of edges */
static void *take(uint64_t *sum, uint64_t count, size_t size)
{
	*sum += count * size;
	return hbsi_graph_zeros(count, size);
}

/* The lists of a part that its type needs */
static int make_lists(const struct hbs_graph *graph, struct graph_part *part, uint64_t *sum)
{
	struct hbs_vertices *vertices = &part->vertices;
	uint64_t size = vertices->count;
	bool good;

	vertices->wants = take(sum, size, sizeof(*vertices->wants));
	vertices->queue = take(sum, size, sizeof(*vertices->queue));
	good = vertices->wants && vertices->queue;
	if (graph->type.send_order == HBS_SEND_ORDERED) {
		vertices->later = take(sum, size, sizeof(*vertices->later));
		vertices->order = take(sum, size, sizeof(*vertices->order));
		good = good && vertices->later && vertices->order;
	}
	if (graph->type.step_when == HBS_STEP_WOKEN) {
		vertices->woken = take(sum, size, sizeof(*vertices->woken));
		part->also_woken = take(sum, size, sizeof(*part->also_woken));
		good = good && vertices->woken && part->also_woken;
	}
	return good ? 0 : -ENOMEM;
}

static int make_edges(struct hbs_graph *graph, struct graph_part *part, uint64_t edges)
{
	part->to = take(&graph->edge_bytes, edges, sizeof(*part->to));
	part->data = graph->stride ? take(&graph->edge_bytes, edges, graph->stride) : graph->datum;
	return part->to && part->data ? 0 : -ENOMEM;
}

/* Slices by vertex and pin count as the vertices', those of other parts' vertices as the edges' */
static int make_slices(struct hbs_graph *graph, struct graph_part *part, uint32_t others)
{
	uint64_t keys = (uint64_t)part->vertices.count * graph->type.pins;
	uint32_t routes = part->slice_count;

	part->slices = hbsi_graph_zeros(keys + others + 1, sizeof(*part->slices));
	graph->vertex_bytes += (keys + 1) * sizeof(*part->slices);
	graph->edge_bytes += others * sizeof(*part->slices);
	if (graph->threads > 1) {
		part->first_route =
			take(&graph->vertex_bytes, keys + 1, sizeof(*part->first_route));
		part->routes = take(&graph->edge_bytes, routes, sizeof(*part->routes));
		if (!part->first_route || !part->routes)
			return -ENOMEM;
	}
	return part->slices ? 0 : -ENOMEM;
}

static int make_part(struct hbs_graph *graph, uint32_t p, const struct filling *filling)
{
	struct graph_part *part = &graph->parts[p];
	int ret;

	part->vertices.count = graph_part_size(graph, p);
	part->vertices.first = graph->first[p];
	part->vertices.stride = graph->stride;
	part->states = graph->states + (size_t)graph->first[p] * graph->type.state;
	ret = make_lists(graph, part, &graph->vertex_bytes);
	if (!ret)
		ret = make_edges(graph, part, filling->edges[p]);
	return ret ? ret : make_slices(graph, part, filling->slices[p]);
}

static void put_edge(const struct hbs_graph *graph, const struct sorted *sorted, uint32_t edge,
		     uint32_t owner, uint64_t at)
{
	struct graph_part *part = &graph->parts[owner];

	part->to[at] = sorted->to[edge] - graph->first[owner];
	if (graph->stride)
		memcpy((char *)part->data + at * graph->stride,
		       sorted->data + (size_t)edge * graph->stride, graph->stride);
}

/*
 * The slices of other parts' vertices come after those of a part's own, which are in the order of
 * keys: so a first pass over all keys places the edges inside of parts, and a second one the others.
 */
static void fill_key(struct filling *filling, struct hbs_graph *graph, const struct sorted *sorted,
		     uint32_t p, uint64_t key, bool inside)
{
	struct graph_part *from = &graph->parts[p];

	look_at_key(filling, graph, sorted, key);
	for (uint32_t i = 0; i < filling->part_count; i++) {
		uint32_t owner = filling->parts[i];
		struct graph_part *part = &graph->parts[owner];

		filling->here[owner] = 0;
		if ((owner == p) != inside)
			continue;
		if (!inside) {
			uint32_t route =
				from->first_route[key -
						  (uint64_t)graph->first[p] * graph->type.pins +
						  1]++;

			from->routes[route] = (struct graph_route){ owner, part->slice_count };
		}
		for (uint32_t e = sorted->start[key]; e < sorted->start[key + 1]; e++)
			if (filling->owner[e - sorted->start[key]] == owner)
				put_edge(graph, sorted, e, owner, filling->edges[owner]++);
		part->to[filling->edges[owner] - 1] |= ~HBS_EDGE_VERTEX_;
		if (!inside)
			part->slices[++part->slice_count] = (uint32_t)filling->edges[owner];
	}
}

static void fill_parts(struct filling *filling, struct hbs_graph *graph,
		       const struct sorted *sorted)
{
	for (uint32_t p = 0; p < graph->threads; p++) {
		struct graph_part *part = &graph->parts[p];
		uint64_t first = (uint64_t)graph->first[p] * graph->type.pins;
		uint64_t end = (uint64_t)graph->first[p + 1] * graph->type.pins;

		filling->edges[p] = 0;
		for (uint64_t k = first; k < end; k++) {
			fill_key(filling, graph, sorted, p, k, true);
			part->slices[k - first + 1] = (uint32_t)filling->edges[p];
		}
		part->slice_count = (uint32_t)(end - first);
	}
	for (uint32_t p = 0; graph->threads > 1 && p < graph->threads; p++) {
		struct graph_part *part = &graph->parts[p];
		uint64_t first = (uint64_t)graph->first[p] * graph->type.pins;
		uint64_t end = (uint64_t)graph->first[p + 1] * graph->type.pins;

		for (uint64_t k = first; k < end; k++) {
			part->first_route[k - first + 1] = part->first_route[k - first];
			fill_key(filling, graph, sorted, p, k, false);
		}
	}
}

static int make_parts(struct hbs_graph *graph, const struct hbs_graph_attr *attr,
		      const struct sorted *sorted)
{
	struct filling filling = { 0 };
	int ret = 0;

	if (attr->first)
		memcpy(graph->first, attr->first, (graph->threads + 1UL) * sizeof(*attr->first));
	else
		ret = divide(graph, sorted);
	if (!ret)
		ret = filling_begin(&filling, graph, sorted);
	if (!ret)
		count_parts(&filling, graph, sorted);
	for (uint32_t p = 0; !ret && p < graph->threads; p++)
		ret = make_part(graph, p, &filling);
	if (!ret)
		fill_parts(&filling, graph, sorted);
	filling_end(&filling);
	return ret;
}

int hbsi_graph_map(struct hbs_graph *graph, const struct hbs_graph_attr *attr)
{
	struct sorted sorted = { 0 };
	int ret = sort_edges(graph, attr, &sorted);

	if (!ret)
		ret = make_parts(graph, attr, &sorted);
	free_sorted(&sorted);
	return ret;
}
