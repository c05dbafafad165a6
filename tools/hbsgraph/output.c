// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"

static int complain(const char *path, const char *wrong)
{
	fprintf(stderr, "hbsgraph: --output: %s: %s\n", path, wrong);
	return EXIT_ERROR;
}

bool output_prepare(struct replacement *output, const char *path)
{
	const char *wrong = replace_prepare(output, path);

	if (wrong)
		complain(path, wrong);
	return !wrong;
}

static void print_all(FILE *to, const struct app *app, struct hbs_graph *graph,
		      const struct edges *edges, const struct choice *choice)
{
	char text[APP_VALUE];

	if (app->write)
		app->write(graph, choice, to);
	for (uint32_t v = 0; app->value && v < choice->vertices; v++) {
		app->value(hbs_graph_state(graph, edges_place(edges, v)), text);
		fprintf(to, "%" PRIu32 " %s\n", v, text);
	}
}

int output_write(struct replacement *output, const struct options *options, struct hbs_graph *graph,
		 const struct edges *edges, const struct choice *choice)
{
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);
	const char *wrong = NULL;

	if (stream)
		print_all(stream, options->app, graph, edges, choice);
	if (!stream || ferror(stream) | fclose(stream))
		wrong = strerror(ENOMEM);
	else
		wrong = replace_write(output, text, size);
	free(text);
	return wrong ? complain(options->output, wrong) : EXIT_SUCCESS;
}
