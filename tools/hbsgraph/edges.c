// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "edges.h"
#include "hbs_graph.h"

#define FIRST_ROOM 1024

static bool grow(uint32_t **array, uint64_t room)
{
	uint32_t *larger = realloc(*array, room * sizeof(**array));

	if (larger)
		*array = larger;
	return larger;
}

static bool make_room(struct edges *edges)
{
	uint64_t room = edges->room ? edges->room * 2 : FIRST_ROOM;

	if (edges->count < edges->room)
		return true;
	if (edges->count >= HBS_GRAPH_EDGES_MAX || !grow(&edges->from, room) ||
	    !grow(&edges->to, room) || (edges->weighted && !grow(&edges->weight, room)))
		return false;
	edges->room = room;
	return true;
}

void edges_add(struct edges *edges, uint32_t from, uint32_t to, uint32_t weight)
{
	edges->failed |= !make_room(edges);
	if (edges->failed)
		return;
	edges->from[edges->count] = from;
	edges->to[edges->count] = to;
	if (edges->weighted)
		edges->weight[edges->count] = weight;
	edges->count++;
}

void edges_add_both(struct edges *edges, uint32_t a, uint32_t b, uint32_t weight)
{
	edges_add(edges, a, b, weight);
	edges_add(edges, b, a, weight);
}

bool edges_good(const struct edges *edges, const char *what)
{
	if (!edges->failed)
		return true;
	if (edges->too_many)
		fprintf(stderr, "hbsgraph: %s: more than %u vertices\n", what,
			HBS_GRAPH_VERTICES_MAX);
	else if (edges->count >= HBS_GRAPH_EDGES_MAX)
		fprintf(stderr, "hbsgraph: %s: more than %u edges\n", what, HBS_GRAPH_EDGES_MAX);
	else
		fprintf(stderr, "hbsgraph: %s: no memory for more than %llu edges\n", what,
			(unsigned long long)edges->count);
	return false;
}

static uint32_t *copy_of(const uint32_t *array, uint64_t count)
{
	uint32_t *copy = malloc((count + 1) * sizeof(*copy));

	if (copy)
		memcpy(copy, array, count * sizeof(*copy));
	return copy;
}

void edges_own(struct edges *edges)
{
	void *file = edges->file;

	if (!file)
		return;
	edges->from = copy_of(edges->from, edges->count);
	edges->to = copy_of(edges->to, edges->count);
	edges->weight = edges->weight ? copy_of(edges->weight, edges->count) : NULL;
	edges->failed |= !edges->from || !edges->to || (edges->weighted && !edges->weight);
	edges->room = edges->count;
	edges->file = NULL;
	munmap(file, edges->file_size);
}

void edges_free(struct edges *edges)
{
	if (edges->file) {
		munmap(edges->file, edges->file_size);
	} else {
		free(edges->from);
		free(edges->to);
		free(edges->weight);
	}
	free(edges->place);
	free(edges->name);
	*edges = (struct edges){ 0 };
}
