// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Which thread has which vertices and edges. With one or two threads, edges are sorted right into their
 * parts. With more, they are sorted by the vertex and the pin at their beginnings; then one pass counts
 * what each part gets from each other, and a second one fills the parts. Threads share the work by the
 * parts that edges begin in: what they write is apart.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"
#include "sort.h"

/* Vertices of a table of their parts have the same number but for some bits */
#define TABLE 4096

/* What a part gets from another one, or from itself; then where the next of it goes */
struct portion {
	uint64_t edges;
	uint32_t slices;
};

/* While the parts are counted and filled */
struct mapping {
	struct hbs_graph *graph;
	struct sorted sorted;
	uint32_t shift;
	uint16_t part_of
		[TABLE]; /* by number without these bits: the part of the first such vertex */
	struct portion *portions; /* by part that edges begin in, by part that they end in */
	uint64_t *edge_bytes;	  /* by part */
	uint64_t *vertex_bytes;
};

/* The parts that edges of one key end in, which are few */
struct owners {
	bool *here; /* by part */
	uint32_t *list;
	uint32_t count;
};

static int mapping_begin(struct mapping *mapping)
{
	const struct hbs_graph *graph = mapping->graph;
	uint32_t part = 0;

	while (graph->vertex_count >> mapping->shift >= TABLE)
		mapping->shift++;
	for (uint64_t i = 0; i < TABLE && i << mapping->shift < graph->vertex_count; i++) {
		while (graph->first[part + 1] <= i << mapping->shift)
			part++;
		mapping->part_of[i] = (uint16_t)part;
	}
	mapping->portions = hbsi_graph_zeros((uint64_t)graph->threads * graph->threads,
					     sizeof(*mapping->portions));
	mapping->edge_bytes = hbsi_graph_zeros(graph->threads, sizeof(*mapping->edge_bytes));
	mapping->vertex_bytes = hbsi_graph_zeros(graph->threads, sizeof(*mapping->vertex_bytes));
	return mapping->portions && mapping->edge_bytes && mapping->vertex_bytes ? 0 : -ENOMEM;
}

static void mapping_end(struct mapping *mapping)
{
	hbsi_graph_free(mapping->portions);
	hbsi_graph_free(mapping->edge_bytes);
	hbsi_graph_free(mapping->vertex_bytes);
	hbsi_graph_sorted_free(&mapping->sorted);
}

static bool owners_begin(struct owners *owners, const struct hbs_graph *graph)
{
	owners->here = hbsi_graph_zeros(graph->threads, sizeof(*owners->here));
	owners->list = hbsi_graph_room(graph->threads, sizeof(*owners->list));
	return owners->here && owners->list;
}

static void owners_end(struct owners *owners)
{
	hbsi_graph_free(owners->here);
	hbsi_graph_free(owners->list);
}

static inline void owners_add(struct owners *owners, uint32_t part)
{
	if (owners->here[part])
		return;
	owners->here[part] = true;
	owners->list[owners->count++] = part;
}

static void owners_forget(struct owners *owners)
{
	while (owners->count)
		owners->here[owners->list[--owners->count]] = false;
}

/* By a table, since a search would take longer than all else that is done with an edge */
static inline uint32_t part_of(const struct mapping *mapping, uint32_t vertex)
{
	uint32_t part = mapping->part_of[vertex >> mapping->shift];

	while (mapping->graph->first[part + 1] <= vertex)
		part++;
	return part;
}

static inline uint32_t *sorted_edge(const struct mapping *mapping, size_t edge)
{
	return (uint32_t *)(void *)(mapping->sorted.edges + edge * mapping->graph->record);
}

static uint64_t first_key(const struct mapping *mapping, uint32_t part)
{
	return (uint64_t)mapping->graph->first[part] * mapping->graph->type.pins;
}

static struct portion *portions_of(const struct mapping *mapping, uint32_t part)
{
	return mapping->portions + (size_t)part * mapping->graph->threads;
}

/* What each part gets of the edges that begin in one part */
static int count_part(void *arg, uint32_t p)
{
	struct mapping *mapping = arg;
	const struct sorted *sorted = &mapping->sorted;
	struct portion *portions = portions_of(mapping, p);
	uint64_t end = first_key(mapping, p + 1);
	struct owners owners = { 0 };
	uint32_t routes = 0;

	if (!owners_begin(&owners, mapping->graph)) {
		owners_end(&owners);
		return -ENOMEM;
	}
	for (uint64_t k = first_key(mapping, p); k < end; k++) {
		for (uint32_t e = sorted->start[k]; e < sorted->start[k + 1]; e++) {
			uint32_t part = part_of(mapping, *sorted_edge(mapping, e));

			portions[part].edges++;
			owners_add(&owners, part);
		}
		for (uint32_t i = 0; i < owners.count; i++) {
			portions[owners.list[i]].slices++;
			routes += owners.list[i] != p;
		}
		owners_forget(&owners);
	}
	/* those to other parts */
	mapping->graph->parts[p].route_count = routes;
	owners_end(&owners);
	return 0;
}

/*
 * A part's own edges come first, with a slice for each of its keys; then those from other parts. Turn the
 * numbers of edges and slices into places. The last place of a part is how many it has.
 */
static void place_portions(struct mapping *mapping)
{
	struct hbs_graph *graph = mapping->graph;

	for (uint32_t owner = 0; owner < graph->threads; owner++) {
		struct portion *own = &portions_of(mapping, owner)[owner];
		uint64_t keys = first_key(mapping, owner + 1) - first_key(mapping, owner);
		struct portion next = { .edges = own->edges, .slices = (uint32_t)keys };

		*own = (struct portion){ 0 };
		for (uint32_t p = 0; p < graph->threads; p++) {
			struct portion *portion = &portions_of(mapping, p)[owner];
			struct portion size = *portion;

			if (p == owner)
				continue;
			*portion = next;
			next.edges += size.edges;
			next.slices += size.slices;
		}
		graph->parts[owner].edge_count = next.edges;
		graph->parts[owner].slice_count = next.slices;
	}
}

/* Memory that counts as that of vertices, or of edges */
static void *take(uint64_t *sum, uint64_t count, size_t size)
{
	*sum += count * size;
	return hbsi_graph_zeros(count, size);
}

/* So many bytes, and up to the next cache line */
static uint64_t lines(uint64_t bytes)
{
	return (bytes + GRAPH_LINE - 1) / GRAPH_LINE * GRAPH_LINE;
}

/* The lists of a part that its type needs. What steps write comes when they do so. */
static int make_lists(const struct hbs_graph *graph, struct graph_part *part, uint64_t *sum)
{
	struct hbs_vertices *vertices = &part->vertices;
	uint64_t wants = lines((uint64_t)vertices->count * sizeof(*vertices->wants));
	uint64_t list = lines((uint64_t)vertices->count * sizeof(*vertices->queue));
	bool is_ordered = graph->type.send_order == HBS_SEND_ORDERED;
	bool is_woken = graph->type.step_when == HBS_STEP_WOKEN;
	uint64_t size = wants + list * (1 + 2 * is_ordered + 2 * is_woken);
	char *next = hbsi_graph_room(size, 1);

	part->lists = next;
	if (!next)
		return -ENOMEM;
	*sum += size;
	hbsi_graph_populate(next, size - 2 * list * is_woken);
	vertices->wants = (uint16_t *)(void *)next;
	vertices->queue = (uint32_t *)(void *)(next += wants);
	if (is_ordered) {
		vertices->later = (uint32_t *)(void *)(next += list);
		vertices->order = (uint32_t *)(void *)(next += list);
	}
	if (is_woken) {
		vertices->woken = (uint32_t *)(void *)(next += list);
		part->also_woken = (uint32_t *)(void *)(next + list);
	}
	return 0;
}

static int make_edges(const struct hbs_graph *graph, struct graph_part *part, uint64_t *sum)
{
	*sum += part->edge_count * graph->record;
	part->edges = hbsi_graph_edges(part->edge_count, graph->record);
	part->edge_end = part->edge_count;
	return part->edges ? 0 : -ENOMEM;
}

/* Slices by vertex and pin count as the vertices', those of other parts' vertices as the edges' */
static int make_slices(const struct hbs_graph *graph, struct graph_part *part, uint64_t *vertex_sum,
		       uint64_t *edge_sum)
{
	uint64_t keys = (uint64_t)part->vertices.count * graph->type.pins;

	part->slices = hbsi_graph_zeros((uint64_t)part->slice_count + 1, sizeof(*part->slices));
	*vertex_sum += (keys + 1) * sizeof(*part->slices);
	*edge_sum += (part->slice_count - keys) * sizeof(*part->slices);
	part->first_route = take(vertex_sum, keys + 1, sizeof(*part->first_route));
	part->routes = take(edge_sum, part->route_count, sizeof(*part->routes));
	return part->slices && part->first_route && part->routes ? 0 : -ENOMEM;
}

/* The part of the vertices of a thread, without its edges */
static int make_vertices(struct mapping *mapping, uint32_t p)
{
	struct hbs_graph *graph = mapping->graph;
	struct graph_part *part = &graph->parts[p];

	part->vertices.count = graph_part_size(graph, p);
	part->vertices.first = graph->first[p];
	part->vertices.edge_stride = graph->record;
	part->vertices.stride = graph->has_data ? graph->record : 0;
	part->states = graph->states + (size_t)graph->first[p] * graph->type.state;
	return make_lists(graph, part, &mapping->vertex_bytes[p]);
}

static int make_part(void *arg, uint32_t p)
{
	struct mapping *mapping = arg;
	struct hbs_graph *graph = mapping->graph;
	struct graph_part *part = &graph->parts[p];
	int ret = make_vertices(mapping, p);

	if (!ret)
		ret = make_edges(graph, part, &mapping->edge_bytes[p]);
	return ret ? ret
		   : make_slices(graph, part, &mapping->vertex_bytes[p], &mapping->edge_bytes[p]);
}

static inline uint32_t *edge_of(const struct hbs_graph *graph, const struct graph_part *part,
				uint64_t edge)
{
	return (uint32_t *)(void *)(part->edges + edge * graph->record);
}

static inline void put_edge(const struct mapping *mapping, uint32_t edge, uint32_t owner,
			    uint64_t at)
{
	const struct hbs_graph *graph = mapping->graph;
	const uint32_t *sorted = sorted_edge(mapping, edge);
	uint32_t *put = edge_of(graph, &graph->parts[owner], at);

	*put = *sorted - graph->first[owner];
	if (graph->has_data)
		memcpy(put + 1, sorted + 1, graph->record - sizeof(*put));
}

/* The slices of one key, counted in its part, end here in all parts */
static void end_slices(struct mapping *mapping, uint32_t p, uint64_t key, struct owners *owners,
		       uint32_t *route)
{
	struct portion *portions = portions_of(mapping, p);
	struct graph_part *from = &mapping->graph->parts[p];

	for (uint32_t i = 0; i < owners->count; i++) {
		uint32_t owner = owners->list[i];
		struct graph_part *part = &mapping->graph->parts[owner];
		struct portion *portion = &portions[owner];

		*edge_of(mapping->graph, part, portion->edges - 1) |= SORT_MARK;
		if (owner == p)
			continue;
		from->routes[(*route)++] = (struct graph_route){ owner, portion->slices };
		part->slices[++portion->slices] = (uint32_t)portion->edges;
	}
	owners_forget(owners);
	/* each key has a slice in its own part, which may be empty */
	from->slices[++portions[p].slices] = (uint32_t)portions[p].edges;
	from->first_route[key + 1] = *route;
}

/* Place the edges that begin in a part */
static int fill_part(void *arg, uint32_t p)
{
	struct mapping *mapping = arg;
	const struct sorted *sorted = &mapping->sorted;
	struct portion *portions = portions_of(mapping, p);
	uint64_t first = first_key(mapping, p), end = first_key(mapping, p + 1);
	struct owners owners = { 0 };
	uint32_t route = 0;

	if (!owners_begin(&owners, mapping->graph)) {
		owners_end(&owners);
		return -ENOMEM;
	}
	for (uint64_t k = first; k < end; k++) {
		for (uint32_t e = sorted->start[k]; e < sorted->start[k + 1]; e++) {
			uint32_t owner = part_of(mapping, *sorted_edge(mapping, e));

			put_edge(mapping, e, owner, portions[owner].edges++);
			owners_add(&owners, owner);
		}
		end_slices(mapping, p, k - first, &owners, &route);
	}
	owners_end(&owners);
	return 0;
}

/* Of one or two parts, each is a way of the sorted edges */
static int adopt(void *arg, uint32_t p)
{
	struct mapping *mapping = arg;
	struct hbs_graph *graph = mapping->graph;
	struct graph_part *part = &graph->parts[p];
	uint64_t keys = mapping->sorted.keys;
	uint32_t ways = graph->threads;
	const uint32_t *ends = graph->table + keys * ways;

	part->slices = graph->table + p;
	part->slice_shift = ways - 1;
	part->slice_count = (uint32_t)keys;
	part->own_slice = (uint32_t)first_key(mapping, p);
	part->away = ways == 2 ? graph->table + !p : NULL;
	part->edges = graph->edges;
	part->edge_end = ends[p];
	part->edge_count = p ? ends[1] - ends[0] : ends[0];
	mapping->edge_bytes[p] = part->edge_count * graph->record;
	mapping->vertex_bytes[p] = (keys + 1) * sizeof(*part->slices);
	return make_vertices(mapping, p);
}

/* Sort the edges into one or two parts */
static int make_few(struct mapping *mapping, const struct hbs_graph_attr *attr)
{
	struct hbs_graph *graph = mapping->graph;
	struct sorted *sorted = &mapping->sorted;
	int ret;

	sorted->ways = graph->threads;
	sorted->is_marked = true;
	ret = hbsi_graph_sort(graph, attr, sorted);
	if (ret)
		return ret;
	graph->table = sorted->start;
	graph->edges = sorted->edges;
	sorted->start = NULL;
	sorted->edges = NULL;
	return hbsi_graph_crew(graph->threads, graph->threads, adopt, mapping);
}

/* Sort them, count what each part gets, and share the edges out */
static int make_many(struct mapping *mapping, const struct hbs_graph_attr *attr)
{
	uint32_t threads = mapping->graph->threads;
	int ret;

	mapping->sorted.ways = 1;
	ret = hbsi_graph_sort(mapping->graph, attr, &mapping->sorted);
	if (!ret)
		ret = hbsi_graph_crew(threads, threads, count_part, mapping);
	if (ret)
		return ret;
	place_portions(mapping);
	ret = hbsi_graph_crew(threads, threads, make_part, mapping);
	return ret ? ret : hbsi_graph_crew(threads, threads, fill_part, mapping);
}

/* Whether places of edges have a bit left for the mark */
static bool has_few(const struct hbs_graph *graph)
{
	return graph->threads <= 2 && graph->edge_count < SORT_MARK;
}

static int make_parts(struct mapping *mapping, const struct hbs_graph_attr *attr)
{
	struct hbs_graph *graph = mapping->graph;
	uint32_t threads = graph->threads;
	int ret = 0;

	if (attr->first)
		memcpy(graph->first, attr->first, (threads + 1UL) * sizeof(*attr->first));
	else
		ret = hbsi_graph_divide(graph, attr->to);
	if (!ret)
		ret = mapping_begin(mapping);
	if (!ret)
		ret = has_few(graph) ? make_few(mapping, attr) : make_many(mapping, attr);
	for (uint32_t p = 0; !ret && p < threads; p++) {
		graph->edge_bytes += mapping->edge_bytes[p];
		graph->vertex_bytes += mapping->vertex_bytes[p];
	}
	return ret;
}

int hbsi_graph_map(struct hbs_graph *graph, const struct hbs_graph_attr *attr)
{
	struct mapping mapping = { .graph = graph };
	int ret = make_parts(&mapping, attr);

	mapping_end(&mapping);
	return ret;
}
