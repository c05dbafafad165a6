// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph_test.h"
#include "serial.h"

/* The edges by where they begin */
struct lists {
	uint64_t *start;
	uint64_t *edge;
};

static void *need(uint64_t count, size_t size)
{
	void *memory = calloc(count ? count : 1, size);

	assert_non_null(memory);
	return memory;
}

static struct lists make_lists(const struct edges *edges)
{
	struct lists lists = { need((uint64_t)edges->vertices + 1, sizeof(uint64_t)),
			       need(edges->count, sizeof(uint64_t)) };

	for (uint64_t e = 0; e < edges->count; e++)
		lists.start[edges->from[e] + 1]++;
	for (uint32_t v = 0; v < edges->vertices; v++)
		lists.start[v + 1] += lists.start[v];
	for (uint64_t e = 0; e < edges->count; e++)
		lists.edge[lists.start[edges->from[e]]++] = e;
	for (uint32_t v = edges->vertices; v; v--)
		lists.start[v] = lists.start[v - 1];
	lists.start[0] = 0;
	return lists;
}

static void free_lists(struct lists *lists)
{
	free(lists->start);
	free(lists->edge);
}

static uint64_t weight_of(const struct edges *edges, uint64_t edge)
{
	return edges->weight ? edges->weight[edge] : 1;
}

/* A heap of vertices by their distances, which may have a vertex several times */
struct heap {
	struct entry {
		uint64_t distance;
		uint32_t vertex;
	} * entries;
	uint64_t count;
};

static void push(struct heap *heap, uint64_t distance, uint32_t vertex)
{
	uint64_t at = heap->count++;

	for (; at && heap->entries[(at - 1) / 2].distance > distance; at = (at - 1) / 2)
		heap->entries[at] = heap->entries[(at - 1) / 2];
	heap->entries[at] = (struct entry){ distance, vertex };
}

static struct entry pop(struct heap *heap)
{
	struct entry first = heap->entries[0], last = heap->entries[--heap->count];
	uint64_t at = 0, child;

	while ((child = 2 * at + 1) < heap->count) {
		if (child + 1 < heap->count &&
		    heap->entries[child + 1].distance < heap->entries[child].distance)
			child++;
		if (heap->entries[child].distance >= last.distance)
			break;
		heap->entries[at] = heap->entries[child];
		at = child;
	}
	heap->entries[at] = last;
	return first;
}

/* Dijkstra's algorithm */
uint64_t *serial_paths(const struct edges *edges, uint32_t source)
{
	struct lists lists = make_lists(edges);
	struct heap heap = { need(edges->count + 1, sizeof(*heap.entries)), 0 };
	uint64_t *distances = need(edges->vertices, sizeof(*distances));

	for (uint32_t v = 0; v < edges->vertices; v++)
		distances[v] = UINT64_MAX;
	if (edges->vertices) {
		distances[source] = 0;
		push(&heap, 0, source);
	}
	while (heap.count) {
		struct entry entry = pop(&heap);

		if (entry.distance > distances[entry.vertex])
			continue;
		for (uint64_t i = lists.start[entry.vertex]; i < lists.start[entry.vertex + 1];
		     i++) {
			uint64_t edge = lists.edge[i];
			uint64_t sum = entry.distance + weight_of(edges, edge);

			if (sum >= distances[edges->to[edge]])
				continue;
			distances[edges->to[edge]] = sum;
			push(&heap, sum, edges->to[edge]);
		}
	}
	free(heap.entries);
	free_lists(&lists);
	return distances;
}

uint32_t serial_depth(const struct edges *edges, uint32_t source)
{
	struct edges plain = *edges;
	uint64_t *distances, deepest = 0;

	plain.weight = NULL;
	distances = serial_paths(&plain, source);
	for (uint32_t v = 0; v < edges->vertices; v++)
		if (distances[v] != UINT64_MAX && distances[v] > deepest)
			deepest = distances[v];
	free(distances);
	return (uint32_t)deepest;
}

double *serial_ranks(const struct edges *edges, uint32_t iterations)
{
	uint32_t vertices = edges->vertices;
	uint32_t *degrees = need(vertices, sizeof(*degrees));
	double *ranks = need(vertices, sizeof(*ranks)), *next = need(vertices, sizeof(*next));
	bool changes = true;

	for (uint64_t e = 0; e < edges->count; e++)
		degrees[edges->from[e]]++;
	for (uint32_t v = 0; v < vertices; v++)
		ranks[v] = 1.0 / vertices;
	for (uint32_t i = 0; iterations ? i < iterations : changes; i++) {
		changes = false;
		for (uint32_t v = 0; v < vertices; v++)
			next[v] = 0;
		for (uint64_t e = 0; e < edges->count; e++)
			next[edges->to[e]] += ranks[edges->from[e]] / degrees[edges->from[e]];
		for (uint32_t v = 0; v < vertices; v++) {
			double rank = 0.15 / vertices + 0.85 * next[v];

			changes |= rank > ranks[v] * (1 + 1e-13) || rank < ranks[v] * (1 - 1e-13);
			ranks[v] = rank;
		}
	}
	free(degrees);
	free(next);
	return ranks;
}

double *serial_heat(const struct edges *edges, uint32_t source, uint32_t iterations)
{
	uint32_t vertices = edges->vertices;
	double *now = need(vertices, sizeof(*now)), *next = need(vertices, sizeof(*next));
	double *weights = need(vertices, sizeof(*weights));

	if (vertices)
		now[source] = 1;
	for (uint64_t e = 0; e < edges->count; e++)
		weights[edges->to[e]] += (double)weight_of(edges, e);
	for (uint32_t i = 0; i < iterations; i++) {
		for (uint32_t v = 0; v < vertices; v++)
			next[v] = 0;
		for (uint64_t e = 0; e < edges->count; e++)
			next[edges->to[e]] += now[edges->from[e]] * (double)weight_of(edges, e);
		for (uint32_t v = 0; v < vertices; v++)
			if (weights[v] > 0 && v != source)
				now[v] += 0.5 * (next[v] / weights[v] - now[v]);
	}
	free(next);
	free(weights);
	return now;
}

uint32_t serial_most_ending(const struct edges *edges)
{
	uint32_t *ending = need(edges->vertices, sizeof(*ending)), most = 0;

	for (uint64_t e = 0; e < edges->count; e++)
		if (++ending[edges->to[e]] > most)
			most = ending[edges->to[e]];
	free(ending);
	return most;
}
