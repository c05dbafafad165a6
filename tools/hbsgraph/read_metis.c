// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files of METIS: "VERTICES EDGES [FORMAT [WEIGHTS]]", and a line for each vertex with its neighbours,
 * which count from 1. FORMAT has three digits: whether vertices have sizes, whether they have weights
 * (WEIGHTS of them, 1 if that is left out), and whether edges have weights, which follow the neighbour.
 * An edge is in the lines of both of its vertices. Blank lines are vertices without neighbours, and
 * lines that begin with % are comments.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "hbs_graph.h"
#include "read_file.h"

#define VERTEX_WEIGHTS_MAX 64

struct metis {
	uint64_t vertices;
	uint64_t edges;	  /* each of them counts once */
	uint64_t skipped; /* numbers before the neighbours of a vertex */
	bool has_weights;
	uint64_t fingerprint; /* of edges in one direction, less that of edges in the other */
};

static bool read_digits(struct metis *metis, uint64_t digits, uint64_t weights)
{
	bool has_sizes = digits / 100, vertices_weigh = digits / 10 % 10;

	metis->has_weights = digits % 10;
	metis->skipped = has_sizes + (vertices_weigh ? weights : 0);
	return digits / 100 <= 1 && digits / 10 % 10 <= 1 && digits % 10 <= 1;
}

static bool read_header(struct file *file, struct metis *metis)
{
	uint64_t digits = 0, weights = 1;
	const char *at = file->line;

	if (!file_number(&at, UINT64_MAX, &metis->vertices) ||
	    !file_number(&at, UINT64_MAX, &metis->edges) ||
	    (*at && !file_number(&at, UINT64_MAX, &digits)) ||
	    (*at && !file_number(&at, VERTEX_WEIGHTS_MAX, &weights)) || *at)
		return file_wrong(file, "not of the form VERTICES EDGES [FORMAT [WEIGHTS]]");
	if (metis->vertices > HBS_GRAPH_VERTICES_MAX || metis->edges > HBS_GRAPH_EDGES_MAX / 2)
		return file_wrong(file, "more than %u vertices or %u edges", HBS_GRAPH_VERTICES_MAX,
				  HBS_GRAPH_EDGES_MAX / 2);
	if (!read_digits(metis, digits, weights))
		return file_wrong(file, "the digits of the format are 0 or 1");
	file->edges->vertices = (uint32_t)metis->vertices;
	return true;
}

static uint64_t mixed(uint64_t word)
{
	word ^= word >> 32;
	word *= 0xd6e8feb86659fd93;
	word ^= word >> 32;
	word *= 0xd6e8feb86659fd93;
	return word ^ word >> 32;
}

/* Two sums over all edges, of numbers as good as random: they are only equal if the edges are so */
static void add_fingerprint(struct metis *metis, uint64_t from, uint64_t to, uint64_t weight)
{
	uint64_t low = from < to ? from : to, high = from < to ? to : from;
	uint64_t print = mixed(mixed(low << 32 | high) + weight);

	metis->fingerprint += from < to ? print : -print;
}

static bool read_neighbour(struct file *file, struct metis *metis, const char **at, uint64_t vertex)
{
	uint64_t neighbour, weight = 1;

	if (!file_number(at, UINT64_MAX, &neighbour) ||
	    (metis->has_weights && !file_number(at, UINT32_MAX, &weight)))
		return file_wrong(file, "vertex %" PRIu64 ": the neighbours are not of the form %s",
				  vertex + 1,
				  metis->has_weights ? "NEIGHBOUR WEIGHT ..." : "NEIGHBOUR ...");
	if (!neighbour || neighbour > metis->vertices)
		return file_wrong(file, "vertex %" PRIu64 ": a neighbour is 1 to %" PRIu64,
				  vertex + 1, metis->vertices);
	if (neighbour - 1 == vertex)
		return file_wrong(file, "vertex %" PRIu64 " is a neighbour of itself", neighbour);
	add_fingerprint(metis, vertex, neighbour - 1, weight);
	return file_edge(file, vertex, neighbour - 1, weight);
}

static bool read_vertex(struct file *file, struct metis *metis, uint64_t vertex)
{
	const char *at = file->line + strspn(file->line, " \t");
	uint64_t skipped;

	for (uint64_t i = 0; i < metis->skipped; i++)
		if (!file_number(&at, UINT64_MAX, &skipped))
			return file_wrong(file,
					  "vertex %" PRIu64 " has no %" PRIu64
					  " numbers before its neighbours",
					  vertex + 1, metis->skipped);
	while (*at)
		if (!read_neighbour(file, metis, &at, vertex))
			return false;
	return true;
}

static bool read_vertices(struct file *file, struct metis *metis)
{
	uint64_t vertex = 0;
	bool good;

	while (file_line(file, &good)) {
		if (*file->line == '%')
			continue;
		if (vertex < metis->vertices && !read_vertex(file, metis, vertex))
			return false;
		if (vertex == metis->vertices && file->line[strspn(file->line, " \t")])
			return file_wrong(file, "more than %" PRIu64 " vertices", vertex);
		vertex += vertex < metis->vertices;
	}
	if (good && vertex < metis->vertices)
		return file_wrong(file,
				  "the file is cut short: %" PRIu64 " of %" PRIu64 " vertices",
				  vertex, metis->vertices);
	if (good && file->edges->count != 2 * metis->edges)
		return file_wrong(
			file, "%" PRIu64 " neighbours instead of %" PRIu64 ", two for each edge",
			file->edges->count, 2 * metis->edges);
	return good;
}

/* An edge as one of the lines of its vertices has it */
struct half {
	uint32_t low; /* the vertices */
	uint32_t high;
	uint32_t weight;
};

static int compare_ends(const struct half *a, const struct half *b)
{
	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	return a->high < b->high ? -1 : a->high > b->high;
}

static int compare(const void *a, const void *b)
{
	const struct half *left = a, *right = b;
	int ends = compare_ends(left, right);

	return ends ? ends : left->weight < right->weight ? -1 : left->weight > right->weight;
}

/* All edges of the lines of their lower vertices, or of the higher ones, sorted */
static struct half *sorted_halves(const struct edges *edges, bool from_lower, uint64_t *count)
{
	struct half *halves = malloc((edges->count + 1) * sizeof(*halves));

	*count = 0;
	for (uint64_t e = 0; halves && e < edges->count; e++) {
		uint32_t from = edges->from[e], to = edges->to[e];

		if ((from < to) == from_lower)
			halves[(*count)++] =
				(struct half){ from_lower ? from : to, from_lower ? to : from,
					       edges->weighted ? edges->weight[e] : 1 };
	}
	if (halves)
		qsort(halves, *count, sizeof(*halves), compare);
	return halves;
}

/* Of two edges that differ, one each from the lines of lower and of higher vertices, or NULL */
static void say_difference(const struct file *file, const struct half *up, const struct half *down)
{
	int order = !up ? 1 : !down ? -1 : compare_ends(up, down);

	if (order < 0)
		file_wrong(file,
			   "vertex %" PRIu32 " has the neighbour %" PRIu32
			   ", but not the other way round",
			   up->low + 1, up->high + 1);
	else if (order > 0)
		file_wrong(file,
			   "vertex %" PRIu32 " has the neighbour %" PRIu32
			   ", but not the other way round",
			   down->high + 1, down->low + 1);
	else
		file_wrong(file,
			   "vertices %" PRIu32 " and %" PRIu32 " have weights %" PRIu32
			   " and %" PRIu32 " for the edge between them",
			   up->low + 1, up->high + 1, up->weight, down->weight);
}

/* Name an edge that the lines of its vertices do not agree on */
static void say_which(const struct file *file)
{
	uint64_t up_count = 0, down_count = 0, i = 0;
	struct half *up = sorted_halves(file->edges, true, &up_count);
	struct half *down = sorted_halves(file->edges, false, &down_count);

	while (up && down && i < up_count && i < down_count && !compare(&up[i], &down[i]))
		i++;
	if (up && down)
		say_difference(file, i < up_count ? &up[i] : NULL,
			       i < down_count ? &down[i] : NULL);
	else
		file_wrong(file, "the lines of two vertices do not agree on the edge between them");
	free(up);
	free(down);
}

bool read_metis(struct file *file)
{
	struct metis metis = { 0 };
	bool good;

	if (file->both_ways)
		return file_wrong(file, "--both-ways: a file of METIS has both ways anyway");
	while (file->line && *file->line == '%')
		if (!file_next(file, &good))
			break;
	if (!file->line || !*file->line)
		return file_wrong(file, "the file is cut short: its first line is missing");
	if (!read_header(file, &metis) || !read_vertices(file, &metis))
		return false;
	if (metis.fingerprint)
		say_which(file);
	return !metis.fingerprint;
}
