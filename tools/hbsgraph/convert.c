// SPDX-License-Identifier: GPL-2.0-or-later
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "binary.h"
#include "convert.h"
#include "load.h"
#include "options.h"
#include "output.h"
#include "shared/standard.h"

/* Those of a run that say what the graph is */
static const struct option long_options[] = {
	{ "graph", required_argument, NULL, 'g' },
	{ "format", required_argument, NULL, OPTION_FORMAT },
	{ "both-ways", no_argument, NULL, OPTION_BOTH_WAYS },
	{ "weights", required_argument, NULL, 'w' },
	{ "seed", required_argument, NULL, 's' },
	{ "output", required_argument, NULL, 'o' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static bool parse(int argc, char **argv, struct options *options)
{
	const char *wrong = NULL;
	int option;

	*options = (struct options)OPTIONS_DEFAULT;
	while ((option = getopt_long(argc, argv, "g:w:s:o:h", long_options, NULL)) != -1)
		if (!options_take(option, options))
			return false;
	if (optind < argc)
		wrong = "it takes options only";
	else if (!options->graph)
		wrong = "--graph is missing";
	else if (!options->output)
		wrong = "--output is missing";
	if (wrong)
		fprintf(stderr, "hbsgraph: convert: %s\n", wrong);
	return !wrong;
}

static int write_graph(struct replacement *output, const struct options *options,
		       const struct edges *edges)
{
	const char *wrong = binary_write(output, edges);

	if (!wrong)
		return EXIT_SUCCESS;
	fprintf(stderr, "hbsgraph: --output: %s: %s\n", options->output, wrong);
	return EXIT_ERROR;
}

int convert(int argc, char **argv)
{
	struct replacement output = { .fd = -1 };
	struct options options;
	struct edges edges;
	int ret = EXIT_ERROR;

	if (!parse(argc, argv, &options) || !output_prepare(&output, options.output))
		return EXIT_ERROR;
	if (load(&options, &edges))
		ret = write_graph(&output, &options, &edges);
	edges_free(&edges);
	replace_forget(&output);
	return ret;
}
