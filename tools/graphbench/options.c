// SPDX-License-Identifier: GPL-2.0-or-later
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpus.h"
#include "hbs_graph.h"
#include "options.h"
#include "report.h"
#include "shared/number.h"

static void usage(void)
{
	printf("usage: graphbench [OPTION]... [GRAPH]...\n"
	       "How long hbs and libraries of graphs take for the same tasks: page rank, shortest "
	       "paths,\n"
	       "paths with the fewest edges, and heat. All results are checked.\n"
	       "  GRAPH            one that hbsgraph can make (default normal:625000x8,\n"
	       "                   grid4:1000x1000 and scale-free:625000x8)\n"
	       "  --weights=LOW-HIGH of edges (default 10-1000)\n"
	       "  --rounds=N       of all contenders in turn, after one to warm up (default 5)\n"
	       "  --threads=N      of hbs, and of others that have threads (default: one for each "
	       "CPU)\n"
	       "  --iterations=N   of page rank and heat (default 20)\n"
	       "  --limit=SECONDS  that a contender may take for a task (default 60)\n"
	       "Exit status: 0; 1 if a result was wrong or hbs could not be measured; 2 for wrong\n"
	       "options, or output that could not be written.\n");
}

static bool take_weights(const char *text, struct weights *weights)
{
	unsigned int low, high;
	char more;

	if (sscanf(text, "%u-%u%c", &low, &high, &more) == 2 && low <= high && high <= 1000000) {
		*weights = (struct weights){ low, high };
		return true;
	}
	fprintf(stderr, "graphbench: --weights: '%s' is not of the form LOW-HIGH, up to 1000000\n",
		text);
	return false;
}

static bool take_option(int option, struct options *options)
{
	switch (option) {
	case 'w':
		return take_weights(optarg, &options->weights);
	case 'r':
		return number_parse("rounds", optarg, 1, ROUNDS_MAX, &options->rounds);
	case 't':
		return number_parse("threads", optarg, 1, HBS_GRAPH_THREADS_MAX, &options->threads);
	case 'i':
		return number_parse("iterations", optarg, 1, 1000, &options->iterations);
	case 'l':
		return number_parse("limit", optarg, 1, 3600, &options->limit_s);
	case 'h':
		usage();
		exit(EXIT_GOOD);
	}
	return false;
}

static bool take_graphs(int argc, char **argv, struct options *options)
{
	if (argc - optind > GRAPHS_MAX) {
		fprintf(stderr, "graphbench: more than %d graphs\n", GRAPHS_MAX);
		return false;
	}
	for (; optind < argc; optind++) {
		if (!generate_is_named(argv[optind])) {
			fprintf(stderr, "graphbench: '%s' is no graph that hbsgraph makes\n",
				argv[optind]);
			return false;
		}
		options->graphs[options->graph_count++] = argv[optind];
	}
	return true;
}

bool options_parse(int argc, char **argv, struct options *options)
{
	static const struct option known[] = {
		{ "weights", required_argument, NULL, 'w' },
		{ "rounds", required_argument, NULL, 'r' },
		{ "threads", required_argument, NULL, 't' },
		{ "iterations", required_argument, NULL, 'i' },
		{ "limit", required_argument, NULL, 'l' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	static const char *const defaults[] = { "normal:625000x8", "grid4:1000x1000",
						"scale-free:625000x8" };
	int option;

	*options = (struct options){
		.weights = { 10, 1000 }, .rounds = 5, .iterations = 20, .limit_s = 60
	};
	while ((option = getopt_long(argc, argv, "", known, NULL)) != -1)
		if (!take_option(option, options))
			return false;
	if (!take_graphs(argc, argv, options))
		return false;
	if (!options->graph_count) {
		options->graph_count = sizeof(defaults) / sizeof(defaults[0]);
		memcpy(options->graphs, defaults, sizeof(defaults));
	}
	return true;
}
