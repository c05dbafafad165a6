// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hbs_graph.h"
#include "shared/number.h"
#include "sources.h"

static bool parse_list(char *text, struct sources *sources)
{
	uint32_t room = 1;

	for (const char *c = text; *c; c++)
		room += *c == ',';
	sources->list = calloc(room, sizeof(*sources->list));
	for (char *word; sources->list && (word = strsep(&text, ",")); sources->count++) {
		unsigned long vertex;

		/* one comma may be the last: then the list has one vertex */
		if (!*word && !text && sources->count)
			break;
		if (!number_parse("sources", word, 0, HBS_GRAPH_VERTICES_MAX - 1, &vertex))
			return false;
		sources->list[sources->count] = (uint32_t)vertex;
	}
	return sources->list;
}

bool sources_parse(const char *text, struct sources *sources)
{
	unsigned long count;
	char *copy;
	bool good;

	sources_free(sources);
	if (!strchr(text, ',')) {
		if (!number_parse("sources", text, 1, HBS_GRAPH_VERTICES_MAX, &count))
			return false;
		sources->count = (uint32_t)count;
		return true;
	}
	copy = strdup(text);
	good = copy && parse_list(copy, sources);
	free(copy);
	return good;
}

bool sources_fit(const struct sources *sources, uint32_t vertices)
{
	for (uint32_t i = 0; sources->list && i < sources->count; i++) {
		if (sources->list[i] < vertices)
			continue;
		fprintf(stderr,
			"hbsgraph: --sources: the graph has no vertex %" PRIu32 ", but %" PRIu32
			" vertices from 0\n",
			sources->list[i], vertices);
		return false;
	}
	if (!sources->list && sources->count > vertices) {
		fprintf(stderr,
			"hbsgraph: --sources: %" PRIu32 " is more than the %" PRIu32
			" vertices of the graph\n",
			sources->count, vertices);
		return false;
	}
	return true;
}

uint32_t sources_vertex(const struct sources *sources, uint32_t count, uint32_t number,
			uint32_t vertices)
{
	if (sources->list)
		return sources->list[number];
	return (uint32_t)((uint64_t)number * vertices / count);
}

void sources_free(struct sources *sources)
{
	free(sources->list);
	*sources = (struct sources){ 0 };
}
