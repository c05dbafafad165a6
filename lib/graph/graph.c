// SPDX-License-Identifier: LGPL-2.1-or-later
/* Graphs: what a caller may ask for, and what it gets to know */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"

#define DEFAULT_SLOT  HBS_MESSAGES_SLOT_MAX
#define DEFAULT_DEPTH 32

static bool is_zero(const uint64_t *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (words[i])
			return false;
	return true;
}

/* How messages reach the handler recv */
static bool way_is_good(const struct hbs_graph_type *type)
{
	if (type->send_order == HBS_SEND_ROUNDS)
		return type->turn && type->gather && !type->recv && !type->combine &&
		       type->pins <= 1;
	return type->send_order <= HBS_SEND_ORDERED && type->recv && !type->turn && !type->gather;
}

static bool type_is_good(const struct hbs_graph_type *type)
{
	return type && type->state && type->message && type->message <= HBS_GRAPH_MESSAGE_MAX &&
	       type->init && type->send && type->step && type->finish &&
	       type->pins <= HBS_GRAPH_PINS_MAX && type->step_when <= HBS_STEP_WOKEN &&
	       way_is_good(type) &&
	       is_zero(type->reserved, sizeof(type->reserved) / sizeof(type->reserved[0]));
}

/* An edge's vertex, then its datum, at addresses that are multiples of 4. In rounds these are apart. */
static bool record_is_good(const struct hbs_graph_type *type)
{
	if (type->send_order == HBS_SEND_ROUNDS)
		return true;
	return type->record % sizeof(uint32_t) == 0 && type->datum_at >= sizeof(uint32_t) &&
	       type->datum_at < type->record && type->edge <= type->record - type->datum_at;
}

static bool queues_are_good(const struct hbs_graph_attr *attr)
{
	uint32_t slot = attr->slot ? attr->slot : DEFAULT_SLOT;
	uint32_t depth = attr->depth ? attr->depth : DEFAULT_DEPTH;

	return slot <= HBS_MESSAGES_SLOT_MAX && slot % GRAPH_LINE == 0 &&
	       hbsi_graph_capacity(slot - HBS_MESSAGES_HEADER, attr->type->message) &&
	       depth <= HBS_MESSAGES_DEPTH_MAX && !(depth & (depth - 1));
}

/* Slices are numbered by 32 bits: one for each vertex and pin, and up to one for each edge */
static bool slices_are_good(const struct hbs_graph_attr *attr)
{
	uint64_t pins = attr->type->pins ? attr->type->pins : 1;

	return attr->vertices * pins + attr->edges < UINT32_MAX;
}

/* A vertex at least for each thread, unless there is no vertex at all */
static bool blocks_are_good(const struct hbs_graph_attr *attr)
{
	if (!attr->first)
		return true;
	if (!attr->threads || attr->first[0] || attr->first[attr->threads] != attr->vertices)
		return false;
	for (uint32_t t = 0; attr->threads > 1 && t < attr->threads; t++)
		if (attr->first[t] >= attr->first[t + 1])
			return false;
	return true;
}

static bool attr_is_good(const struct hbs_graph_attr *attr)
{
	return attr && type_is_good(attr->type) && attr->vertices <= HBS_GRAPH_VERTICES_MAX &&
	       attr->edges <= HBS_GRAPH_EDGES_MAX && (!attr->edges || (attr->from && attr->to)) &&
	       slices_are_good(attr) && attr->threads <= HBS_GRAPH_THREADS_MAX &&
	       blocks_are_good(attr) && queues_are_good(attr) &&
	       (!attr->data || (attr->type->edge && !attr->datum && record_is_good(attr->type))) &&
	       is_zero(attr->reserved, sizeof(attr->reserved) / sizeof(attr->reserved[0]));
}

static uint32_t threads_of(const struct hbs_graph_attr *attr)
{
	uint32_t threads = attr->threads ? attr->threads : hbsi_graph_cpus();

	if (threads > HBS_GRAPH_THREADS_MAX)
		threads = HBS_GRAPH_THREADS_MAX;
	if (threads > attr->vertices)
		threads = attr->vertices;
	return threads ? threads : 1;
}

/* Bytes of all queues, those of threads to themselves included */
static uint64_t queues_size(const struct hbs_graph *graph, uint32_t depth)
{
	return (uint64_t)graph->threads * graph->threads * graph->slot * depth;
}

/* Very many threads have shorter queues, by default: a message space cannot be larger */
static int choose_queues(struct hbs_graph *graph, const struct hbs_graph_attr *attr)
{
	graph->slot = attr->slot ? attr->slot : DEFAULT_SLOT;
	graph->depth = attr->depth ? attr->depth : DEFAULT_DEPTH;
	while (!attr->depth && graph->depth > 1 &&
	       queues_size(graph, graph->depth) > HBS_MESSAGES_BYTES_MAX / 2)
		graph->depth /= 2;
	return queues_size(graph, graph->depth) > HBS_MESSAGES_BYTES_MAX / 2 ? -EINVAL : 0;
}

static void free_graph(struct hbs_graph *graph)
{
	for (uint32_t p = 0; graph->parts && p < graph->threads; p++) {
		struct graph_part *part = &graph->parts[p];

		hbsi_graph_free(part->lists);
		hbsi_graph_free(part->first_route);
		hbsi_graph_free(part->routes);
		/* of one or two parts, these are in what the graph has */
		if (graph->table)
			continue;
		hbsi_graph_free(part->slices);
		hbsi_graph_free(part->edges);
	}
	hbsi_graph_free(graph->table);
	hbsi_graph_free(graph->edges);
	hbsi_graph_free(graph->parts);
	hbsi_graph_free(graph->pull.start);
	hbsi_graph_free(graph->pull.from);
	hbsi_graph_free(graph->pull.data);
	hbsi_graph_free(graph->pull.messages);
	hbsi_graph_free(graph->pull.sent);
	hbsi_graph_free(graph->first);
	hbsi_graph_free(graph->datum);
	hbsi_graph_free(graph->states);
	free(graph);
}

static int fill_graph(struct hbs_graph *graph, const struct hbs_graph_attr *attr)
{
	graph->states = hbsi_graph_zeros(graph->vertex_count, graph->type.state);
	graph->datum = hbsi_graph_zeros(1, graph->type.edge);
	graph->first = hbsi_graph_zeros((uint64_t)graph->threads + 1, sizeof(*graph->first));
	graph->parts = hbsi_graph_zeros(graph->threads, sizeof(*graph->parts));
	if (!graph->states || !graph->datum || !graph->first || !graph->parts)
		return -ENOMEM;
	graph->vertex_bytes = (uint64_t)graph->vertex_count * graph->type.state;
	if (attr->datum)
		memcpy(graph->datum, attr->datum, graph->type.edge);
	return graph->type.send_order == HBS_SEND_ROUNDS ? hbsi_graph_pull_map(graph, attr)
							 : hbsi_graph_map(graph, attr);
}

int hbs_graph_create(const struct hbs_graph_attr *attr, struct hbs_graph **graph)
{
	struct hbs_graph *new;
	int ret;

	if (!graph || !attr_is_good(attr))
		return -EINVAL;
	new = calloc(1, sizeof(*new));
	if (!new)
		return -ENOMEM;
	new->type = *attr->type;
	if (!new->type.pins)
		new->type.pins = 1;
	new->vertex_count = attr->vertices;
	new->edge_count = attr->edges;
	new->threads = threads_of(attr);
	new->has_data = attr->data;
	new->record = attr->data ? new->type.record : sizeof(uint32_t);
	ret = choose_queues(new, attr);
	if (!ret)
		ret = fill_graph(new, attr);
	if (ret) {
		free_graph(new);
		return ret;
	}
	*graph = new;
	return 0;
}

void *hbs_graph_state(struct hbs_graph *graph, uint32_t vertex)
{
	if (!graph || vertex >= graph->vertex_count)
		return NULL;
	return graph->states + (size_t)vertex * graph->type.state;
}

int hbs_graph_info(const struct hbs_graph *graph, struct hbs_graph_info *info)
{
	if (!graph || !info)
		return -EINVAL;
	*info = (struct hbs_graph_info){
		.edges = graph->edge_count,
		.vertices = graph->vertex_count,
		.threads = graph->threads,
		.edge_bytes = graph->edge_bytes,
		.vertex_bytes = graph->vertex_bytes,
	};
	/* none to a thread itself */
	info->queue_bytes =
		(uint64_t)graph->threads * (graph->threads - 1) * graph->slot * graph->depth;
	return 0;
}

int hbs_graph_close(struct hbs_graph *graph)
{
	if (!graph)
		return -EINVAL;
	if (atomic_flag_test_and_set(&graph->runs))
		return -EBUSY;
	free_graph(graph);
	return 0;
}
