/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shortest paths from many vertices in one run: what mssp and apsp share. A vertex knows its distance
 * from each source, and sends what has changed, of as many sources as a message has room for.
 *
 * In steps and without weights, the step tells the distance. So a message is a set of sources, as in
 * the papers: a bit for each of them. Otherwise it has sources with their distances. In mode async, short
 * distances are told first, mostly.
 *
 * There may be several copies of a graph, one after the other, each with sources of its own.
 */
#ifndef HBSGRAPH_MANY_PATHS_H
#define HBSGRAPH_MANY_PATHS_H

#include <stddef.h>

#include "app.h"
#include "sssp.h"

#define MANY_NOBODY UINT32_MAX

/* A message of HBS_GRAPH_MESSAGE_MAX bytes */
#define MANY_SETS    13 /* of 32 sources each */
#define MANY_CHANGES 7

/* What has changed since the last time, and what is known at all: a bit for each source */
enum many_set { MANY_REACHED, MANY_UNTOLD, MANY_LEARNED, MANY_SET_COUNT };

/* Of all pairs of a source and a vertex */
struct many_result {
	uint64_t pairs;
	uint64_t reached;
	uint64_t too_far; /* of those that are reached, and in neither of these: */
	uint64_t sum;	  /* stays at UINT64_MAX */
	uint32_t farthest;
};

struct many_paths {
	uint32_t vertices; /* of a copy */
	uint32_t copies;
	uint32_t sources; /* of a copy */
	uint32_t words;	  /* of a set of them */
	uint32_t *source; /* by copy and place: a vertex of the copy, or MANY_NOBODY */
	uint32_t *distance;
	uint32_t *sets;
	/* for apsp */
	uint32_t runs;
	struct many_result result;
	uint32_t *kept; /* by vertex: from each other one; NULL if they are not kept */
};

/* Bytes that many_paths_make() takes */
double many_paths_size(uint32_t vertices, uint32_t copies, uint32_t sources, bool keeps);

/* In one block, which free() frees; no source is set. NULL if there is no memory. */
struct many_paths *many_paths_make(uint32_t vertices, uint32_t copies, uint32_t sources,
				   bool keeps);

/* The distances of a vertex, which counts on through all copies, from each source of its copy */
static inline uint32_t *many_paths_distances(const struct many_paths *many, uint32_t vertex)
{
	return many->distance + (size_t)vertex * many->sources;
}

/* Add what a run has found */
void many_paths_add(const struct many_paths *many, const struct edges *edges,
		    struct many_result *result);

void many_paths_print(const struct many_result *result, FILE *to);

/* A distance as text, after a space */
void many_paths_write(uint32_t distance, FILE *to);

/* mssp.c and apsp.c: what differs */
bool mssp_shape(struct edges *edges, struct choice *choice);
bool mssp_prepare(struct hbs_graph *graph, const struct edges *edges, struct choice *choice);
void mssp_print(struct hbs_graph *graph, const struct edges *edges, const struct choice *choice,
		FILE *to);
void mssp_write(struct hbs_graph *graph, const struct choice *choice, FILE *to);
bool apsp_shape(struct edges *edges, struct choice *choice);
bool apsp_prepare(struct hbs_graph *graph, const struct edges *edges, struct choice *choice);
int apsp_run(struct hbs_graph *graph, struct hbs *hbs, struct choice *choice,
	     struct hbs_graph_stats *stats);
void apsp_print(struct hbs_graph *graph, const struct edges *edges, const struct choice *choice,
		FILE *to);
void apsp_write(struct hbs_graph *graph, const struct choice *choice, FILE *to);

#endif /* HBSGRAPH_MANY_PATHS_H */
