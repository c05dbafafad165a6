// SPDX-License-Identifier: GPL-2.0-or-later
/* Shortest paths from all vertices: as many of them in a run as the scale says, until all are done */
#include <inttypes.h>

#include "available.h"
#include "many_paths.h"

/* Of an edge in the list, where it is sorted, and in the graph; and of a vertex of the graph */
#define EDGE_BYTES   52
#define VERTEX_BYTES 48

/* The text of --output is copied into more room, twice as much, when there is too little */
#define TEXT_TIMES 3

/* Digits of a number, and the space before it */
static double digits(double number)
{
	double count = 2;

	while (number >= 10) {
		number /= 10;
		count++;
	}
	return count;
}

static double text_size(const struct edges *edges)
{
	double vertices = edges->vertices;

	return vertices * vertices * digits(edges->weighted ? UINT32_MAX : vertices) * TEXT_TIMES;
}

/* The other copies of a graph, after the first */
static void add_copies(struct edges *edges, uint32_t copies)
{
	uint64_t count = edges->count;

	for (uint32_t c = 1; c < copies; c++)
		for (uint64_t e = 0; e < count && !edges->failed; e++)
			edges_add(edges, c * edges->vertices + edges->from[e],
				  c * edges->vertices + edges->to[e],
				  edges->weighted ? edges->weight[e] : 1);
	edges->vertices *= copies;
}

bool apsp_shape(struct edges *edges, struct choice *choice)
{
	struct scale scale = scale_fit(&choice->scale, edges->vertices);
	double bytes = many_paths_size(edges->vertices, scale.copies, scale.data, choice->is_kept);

	choice->scale = scale;
	if ((uint64_t)edges->vertices * scale.copies > HBS_GRAPH_VERTICES_MAX ||
	    edges->count * scale.copies > HBS_GRAPH_EDGES_MAX) {
		fprintf(stderr,
			"hbsgraph: --scale: %" PRIu32 " clones have more than %u vertices or %u "
			"edges together\n",
			scale.copies, HBS_GRAPH_VERTICES_MAX, HBS_GRAPH_EDGES_MAX);
		return false;
	}
	bytes += ((double)edges->count * EDGE_BYTES + (double)edges->vertices * VERTEX_BYTES) *
		 scale.copies;
	if (choice->is_kept)
		bytes += text_size(edges);
	if (!available_suffices("apsp", bytes,
				choice->is_kept
					? "without --output, or with smaller numbers in --scale, "
					  "it takes less"
					: "smaller numbers in --scale take less"))
		return false;
	add_copies(edges, scale.copies);
	return edges_good(edges, "--scale");
}

bool apsp_prepare(struct hbs_graph *graph, const struct edges *edges, struct choice *choice)
{
	(void)graph;
	choice->shift = sssp_shift(edges);
	choice->aside = many_paths_make(choice->vertices, choice->scale.copies, choice->scale.data,
					choice->is_kept);
	return choice->aside;
}

/* The sources of a run, from one on */
static void set_sources(struct many_paths *many, uint64_t first)
{
	uint64_t count = (uint64_t)many->copies * many->sources;

	for (uint64_t s = 0; s < count; s++)
		many->source[s] = first + s < many->vertices ? (uint32_t)(first + s) : MANY_NOBODY;
}

static void keep(struct many_paths *many, const struct edges *edges)
{
	for (uint32_t v = 0; v < many->copies * many->vertices; v++) {
		const uint32_t *distance = many_paths_distances(many, edges_place(edges, v));
		const uint32_t *source =
			many->source + (size_t)(v / many->vertices) * many->sources;
		uint32_t *row = many->kept + (size_t)(v % many->vertices) * many->vertices;

		for (uint32_t s = 0; s < many->sources; s++)
			if (source[s] != MANY_NOBODY)
				row[source[s]] = distance[s];
	}
}

static void add_stats(struct hbs_graph_stats *sum, const struct hbs_graph_stats *more)
{
	sum->ns += more->ns;
	sum->steps += more->steps;
	sum->sent += more->sent;
	sum->received += more->received;
	sum->copies += more->copies;
	sum->batches += more->batches;
}

int apsp_run(struct hbs_graph *graph, struct hbs *hbs, struct choice *choice,
	     struct hbs_graph_stats *stats)
{
	struct many_paths *many = choice->aside;
	struct hbs_graph_stats one;
	int ret;

	*stats = (struct hbs_graph_stats){ 0 };
	for (uint64_t first = 0; first < many->vertices;
	     first += (uint64_t)many->copies * many->sources) {
		set_sources(many, first);
		ret = hbs_graph_run(graph, hbs, choice, &one);
		if (ret)
			return ret;
		add_stats(stats, &one);
		many_paths_add(many, choice->edges, &many->result);
		if (many->kept)
			keep(many, choice->edges);
		many->runs++;
	}
	return 0;
}

void apsp_print(struct hbs_graph *graph, const struct edges *edges, const struct choice *choice,
		FILE *to)
{
	const struct many_paths *many = choice->aside;

	(void)graph;
	(void)edges;
	fprintf(to,
		"scale            %" PRIu32 " sources in each of %" PRIu32 " clones, in %" PRIu32
		" runs\n",
		many->sources, many->copies, many->runs);
	many_paths_print(&many->result, to);
}

void apsp_write(struct hbs_graph *graph, const struct choice *choice, FILE *to)
{
	const struct many_paths *many = choice->aside;

	(void)graph;
	for (uint32_t v = 0; v < many->vertices; v++) {
		const uint32_t *row = many->kept + (size_t)v * many->vertices;

		fprintf(to, "%" PRIu32, v);
		for (uint32_t s = 0; s < many->vertices; s++)
			many_paths_write(row[s], to);
		fputc('\n', to);
	}
}
