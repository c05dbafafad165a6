// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The baseline: plain serial programs. Page rank is as the GAP benchmark defines it, by each vertex
 * asking those with an edge to it, which is also what the Tinsel paper compares with; shortest paths
 * are Dijkstra's with a binary heap.
 */
#include <string.h>

#include "lists.h"
#include "peer.h"

static uint32_t *degrees_of(const struct problem *problem)
{
	uint32_t *degree = peer_room(problem->vertices, sizeof(*degree));

	memset(degree, 0, problem->vertices * sizeof(*degree));
	for (uint64_t e = 0; e < problem->edges; e++)
		degree[problem->from[e]]++;
	return degree;
}

static void ranks(const struct problem *problem, struct answer *answer)
{
	struct lists lists = lists_make(problem, 1, 0);
	uint32_t *degree = degrees_of(problem);
	float *gives = peer_room(problem->vertices, sizeof(*gives)), *rank = answer->value;
	const float share = 1 / (float)problem->vertices, base = (float)(1 - DAMPING) * share;

	peer_has_built(answer);
	for (uint32_t v = 0; v < problem->vertices; v++)
		rank[v] = share;
	for (uint32_t i = 0; i < problem->iterations; i++) {
		for (uint32_t v = 0; v < problem->vertices; v++)
			gives[v] = degree[v] ? rank[v] / (float)degree[v] : 0;
		for (uint32_t v = 0; v < problem->vertices; v++) {
			float sum = 0;

			for (uint64_t e = lists.start[v]; e < lists.start[v + 1]; e++)
				sum += gives[lists.other[e]];
			rank[v] = base + (float)DAMPING * sum;
		}
	}
}

struct heap {
	struct entry {
		uint32_t distance;
		uint32_t vertex;
	} * entries;
	uint64_t count;
};

static void push(struct heap *heap, uint32_t distance, uint32_t vertex)
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
		child += child + 1 < heap->count &&
			 heap->entries[child + 1].distance < heap->entries[child].distance;
		if (heap->entries[child].distance >= last.distance)
			break;
		heap->entries[at] = heap->entries[child];
		at = child;
	}
	heap->entries[at] = last;
	return first;
}

/* A vertex may be in the heap several times; only the entry with its distance counts */
static void paths(const struct problem *problem, struct answer *answer)
{
	struct lists lists = lists_make(problem, 0, 1);
	struct heap heap = { peer_room(problem->edges + 1, sizeof(*heap.entries)), 0 };
	uint32_t *distance = answer->distance;

	peer_has_built(answer);
	for (uint32_t v = 0; v < problem->vertices; v++)
		distance[v] = UNREACHABLE;
	distance[problem->source] = 0;
	push(&heap, 0, problem->source);
	while (heap.count) {
		struct entry entry = pop(&heap);

		if (entry.distance != distance[entry.vertex])
			continue;
		for (uint64_t e = lists.start[entry.vertex]; e < lists.start[entry.vertex + 1];
		     e++) {
			uint32_t sum = entry.distance + lists.weight[e];

			if (sum >= distance[lists.other[e]])
				continue;
			distance[lists.other[e]] = sum;
			push(&heap, sum, lists.other[e]);
		}
	}
}

static void hops(const struct problem *problem, struct answer *answer)
{
	struct lists lists = lists_make(problem, 0, 0);
	uint32_t *queue = peer_room(problem->vertices, sizeof(*queue));
	uint32_t *distance = answer->distance, count = 1;

	peer_has_built(answer);
	for (uint32_t v = 0; v < problem->vertices; v++)
		distance[v] = UNREACHABLE;
	distance[problem->source] = 0;
	queue[0] = problem->source;
	for (uint32_t i = 0; i < count; i++)
		for (uint64_t e = lists.start[queue[i]]; e < lists.start[queue[i] + 1]; e++) {
			uint32_t v = lists.other[e];

			if (distance[v] != UNREACHABLE)
				continue;
			distance[v] = distance[queue[i]] + 1;
			queue[count++] = v;
		}
}

static void heat(const struct problem *problem, struct answer *answer)
{
	struct lists lists = lists_make(problem, 1, 1);
	float *now = answer->value, *next = peer_room(problem->vertices, sizeof(*next));
	float *part = peer_room(problem->vertices, sizeof(*part));

	for (uint32_t v = 0; v < problem->vertices; v++) {
		uint64_t sum = 0;

		for (uint64_t e = lists.start[v]; e < lists.start[v + 1]; e++)
			sum += lists.weight[e];
		part[v] = sum && v != problem->source ? (float)HEAT_PART / (float)sum : 0;
		now[v] = v == problem->source;
	}
	peer_has_built(answer);
	for (uint32_t i = 0; i < problem->iterations; i++) {
		for (uint32_t v = 0; v < problem->vertices; v++) {
			float sum = 0;

			for (uint64_t e = lists.start[v]; e < lists.start[v + 1]; e++)
				sum += now[lists.other[e]] * (float)lists.weight[e];
			next[v] = part[v] > 0 ? now[v] * (float)(1 - HEAT_PART) + part[v] * sum
					      : now[v];
		}
		memcpy(now, next, problem->vertices * sizeof(*now));
	}
}

const struct peer peer_serial = {
	.name = "serial",
	.what = "plain serial programs: GAP's page rank, Dijkstra with a binary heap",
	.solve = { ranks, paths, hops, heat },
};
