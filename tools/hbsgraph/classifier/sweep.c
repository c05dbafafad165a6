// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "sweep.h"

/* How many vertices before its turn one's edges are fetched into the cache */
#define AHEAD 8

bool sweep_begin(const struct neighbours *neighbours, struct sweep *sweep)
{
	*sweep = (struct sweep){
		.depth = malloc(((size_t)neighbours->vertices + 1) * sizeof(*sweep->depth)),
		.reached = malloc(((size_t)neighbours->vertices + 1) * sizeof(*sweep->reached)),
	};
	return sweep->depth && sweep->reached;
}

void sweep_end(struct sweep *sweep)
{
	free(sweep->depth);
	free(sweep->reached);
	*sweep = (struct sweep){ 0 };
}

void sweep_from(const struct neighbours *neighbours, uint32_t source, struct sweep *sweep)
{
	memset(sweep->depth, 0xff, neighbours->vertices * sizeof(*sweep->depth));
	sweep->source = source;
	sweep->depth[source] = 0;
	sweep->reached[0] = source;
	sweep->count = 1;
	for (uint32_t i = 0; i < sweep->count; i++) {
		uint32_t v = sweep->reached[i];

		if (i + AHEAD < sweep->count)
			__builtin_prefetch(
				&neighbours->to[neighbours->start[sweep->reached[i + AHEAD]]]);
		for (uint32_t e = neighbours->start[v]; e < neighbours->start[v + 1]; e++) {
			uint32_t to = neighbours->to[e];

			if (sweep->depth[to] != SWEEP_NEVER)
				continue;
			sweep->depth[to] = sweep->depth[v] + 1;
			sweep->reached[sweep->count++] = to;
		}
	}
}

uint32_t sweep_farthest(const struct sweep *sweep)
{
	return sweep->reached[sweep->count - 1];
}

uint32_t sweep_eccentricity(const struct sweep *sweep)
{
	return sweep->depth[sweep_farthest(sweep)];
}

/*
 * A neighbour that is one edge nearer: by turns the first one and the last one, so that the way through a
 * grid does not follow its border
 */
static uint32_t step_back(const struct neighbours *neighbours, const struct sweep *sweep,
			  uint32_t v)
{
	bool odd = sweep->depth[v] % 2;
	uint32_t e = odd ? neighbours->start[v] : neighbours->start[v + 1] - 1;

	while (sweep->depth[neighbours->to[e]] + 1 != sweep->depth[v])
		e += odd ? 1 : -1u;
	return neighbours->to[e];
}

uint32_t sweep_middle(const struct neighbours *neighbours, const struct sweep *sweep)
{
	uint32_t v = sweep_farthest(sweep), half = sweep_eccentricity(sweep) / 2;

	while (sweep->depth[v] > half)
		v = step_back(neighbours, sweep, v);
	return v;
}

/*
 * A radix heap: what is taken out never gets smaller, so what goes in is sorted only by the highest
 * bit in which it differs from what was taken out last.
 */
#define BUCKETS 65

struct entry {
	uint64_t distance;
	uint32_t vertex;
};

struct bucket {
	struct entry *entries;
	size_t count;
	size_t room;
};

struct heap {
	struct bucket buckets[BUCKETS];
	uint64_t last;
	bool failed;
};

static void put(struct heap *heap, struct entry entry)
{
	uint64_t differs = entry.distance ^ heap->last;
	struct bucket *bucket = &heap->buckets[differs ? 64 - __builtin_clzll(differs) : 0];

	if (bucket->count == bucket->room) {
		size_t room = bucket->room ? 2 * bucket->room : 64;
		struct entry *more = realloc(bucket->entries, room * sizeof(*more));

		heap->failed |= !more;
		if (!more)
			return;
		bucket->entries = more;
		bucket->room = room;
	}
	bucket->entries[bucket->count++] = entry;
}

/* Share out the entries of a bucket by their distances to the smallest of them */
static void share_out(struct heap *heap, struct bucket *bucket)
{
	struct bucket whole = *bucket;
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < whole.count; i++)
		if (whole.entries[i].distance < least)
			least = whole.entries[i].distance;
	heap->last = least;
	*bucket = (struct bucket){ 0 };
	for (size_t i = 0; i < whole.count; i++)
		put(heap, whole.entries[i]);
	free(whole.entries);
}

static bool take(struct heap *heap, struct entry *entry)
{
	struct bucket *first = heap->buckets;
	unsigned int i = 0;

	while (i < BUCKETS && !heap->buckets[i].count)
		i++;
	if (i == BUCKETS || heap->failed)
		return false;
	if (i)
		share_out(heap, &heap->buckets[i]);
	if (!first->count)
		return false;
	*entry = first->entries[--first->count];
	return true;
}

static void heap_free(struct heap *heap)
{
	for (unsigned int i = 0; i < BUCKETS; i++)
		free(heap->buckets[i].entries);
}

/* What is known of a vertex: @edges of its shortest path, and whether that one is final */
struct path {
	uint64_t distance;
	uint32_t edges;
	bool final;
};

static void relax(const struct neighbours *neighbours, struct heap *heap, struct path *paths,
		  uint32_t v)
{
	for (uint32_t e = neighbours->start[v]; e < neighbours->start[v + 1]; e++) {
		struct path *path = &paths[neighbours->to[e]];
		uint64_t distance = paths[v].distance + neighbours->weight[e];
		uint32_t edges = paths[v].edges + 1;

		if (path->final || distance > path->distance)
			continue;
		if (distance < path->distance) {
			*path = (struct path){ distance, edges, false };
			put(heap, (struct entry){ distance, neighbours->to[e] });
		} else if (edges < path->edges) {
			path->edges = edges;
		}
	}
}

bool sweep_detour(const struct neighbours *neighbours, const struct sweep *sweep, uint32_t most,
		  double *ratio)
{
	struct path *paths = malloc(((size_t)neighbours->vertices + 1) * sizeof(*paths));
	struct heap heap = { 0 };
	uint32_t by_weight = 0, by_edges = 0;
	struct entry entry;
	bool good;

	if (!paths)
		return false;
	for (uint32_t v = 0; v < neighbours->vertices; v++)
		paths[v] = (struct path){ UINT64_MAX, 0, false };
	paths[sweep->source].distance = 0;
	put(&heap, (struct entry){ 0, sweep->source });
	while (most && take(&heap, &entry)) {
		struct path *path = &paths[entry.vertex];

		/* an entry of a longer path than was found since */
		if (path->final || entry.distance > path->distance)
			continue;
		path->final = true;
		most--;
		if (path->edges > by_weight)
			by_weight = path->edges;
		if (sweep->depth[entry.vertex] > by_edges)
			by_edges = sweep->depth[entry.vertex];
		relax(neighbours, &heap, paths, entry.vertex);
	}
	*ratio = by_edges ? (double)by_weight / by_edges : 1;
	good = !heap.failed;
	heap_free(&heap);
	free(paths);
	return good;
}
