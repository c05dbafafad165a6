// SPDX-License-Identifier: GPL-2.0-or-later
/* Shortest paths from several vertices, which the user names */
#include <inttypes.h>

#include "available.h"
#include "many_paths.h"

static uint32_t count_of(const struct choice *choice)
{
	if (choice->sources.count)
		return choice->sources.count;
	return choice->vertices < SOURCES_DEFAULT ? choice->vertices : SOURCES_DEFAULT;
}

bool mssp_shape(struct edges *edges, struct choice *choice)
{
	uint32_t count = count_of(choice);

	return sources_fit(&choice->sources, edges->vertices) &&
	       available_suffices("mssp", many_paths_size(edges->vertices, 1, count, false),
				  "fewer sources take less");
}

bool mssp_prepare(struct hbs_graph *graph, const struct edges *edges, struct choice *choice)
{
	uint32_t count = count_of(choice);
	struct many_paths *many = many_paths_make(edges->vertices, 1, count, false);

	(void)graph;
	choice->aside = many;
	choice->shift = sssp_shift(edges);
	for (uint32_t s = 0; many && s < count; s++)
		many->source[s] = sources_vertex(&choice->sources, count, s, edges->vertices);
	return many;
}

void mssp_print(struct hbs_graph *graph, const struct edges *edges, const struct choice *choice,
		FILE *to)
{
	const struct many_paths *many = choice->aside;
	struct many_result result = { 0 };

	(void)graph;
	many_paths_add(many, edges, &result);
	fprintf(to, "sources          %" PRIu32 "\n", many->sources);
	many_paths_print(&result, to);
}

void mssp_write(struct hbs_graph *graph, const struct choice *choice, FILE *to)
{
	const struct many_paths *many = choice->aside;

	(void)graph;
	for (uint32_t v = 0; v < many->vertices; v++) {
		const uint32_t *distance =
			many_paths_distances(many, edges_place(choice->edges, v));

		fprintf(to, "%" PRIu32, v);
		for (uint32_t s = 0; s < many->sources; s++)
			many_paths_write(distance[s], to);
		fputc('\n', to);
	}
}
