// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "options.h"
#include "shared/number.h"
#include "usage_text.h"

static const struct option long_options[] = {
	{ "graph", required_argument, NULL, 'g' },
	{ "format", required_argument, NULL, OPTION_FORMAT },
	{ "both-ways", no_argument, NULL, OPTION_BOTH_WAYS },
	{ "weights", required_argument, NULL, 'w' },
	{ "seed", required_argument, NULL, 's' },
	{ "mode", required_argument, NULL, 'm' },
	{ "profile", required_argument, NULL, OPTION_PROFILE },
	{ "mapping", required_argument, NULL, OPTION_MAPPING },
	{ "threads", required_argument, NULL, 't' },
	{ "source", required_argument, NULL, 'f' },
	{ "sources", required_argument, NULL, OPTION_SOURCES },
	{ "scale", required_argument, NULL, OPTION_SCALE },
	{ "iterations", required_argument, NULL, 'n' },
	{ "tolerance", required_argument, NULL, 'e' },
	{ "output", required_argument, NULL, 'o' },
	{ "backend", required_argument, NULL, 'b' },
	{ "device", required_argument, NULL, 'd' },
	{ "slot", required_argument, NULL, OPTION_SLOT },
	{ "depth", required_argument, NULL, OPTION_DEPTH },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static bool take_weights(const char *text, struct weights *weights)
{
	char *copy = strdup(text), *dash = copy ? strchr(copy, '-') : NULL;
	unsigned long low = 0, high = 0;
	bool good = false;

	if (dash) {
		*dash = '\0';
		good = number_parse("weights", copy, 0, UINT32_MAX, &low) &&
		       number_parse("weights", dash + 1, low, UINT32_MAX, &high);
	} else {
		fprintf(stderr, "hbsgraph: --weights: '%s' is not of the form LOW-HIGH\n", text);
	}
	free(copy);
	*weights = (struct weights){ (uint32_t)low, (uint32_t)high };
	return good;
}

/* One of @count names; @what they are, for the message */
static bool take_name(const char *option, const char *const *names, uint32_t count,
		      const char *what, uint32_t *number)
{
	for (*number = 0; *number < count; ++*number)
		if (!strcmp(optarg, names[*number]))
			return true;
	fprintf(stderr, "hbsgraph: --%s: '%s' is not %s\n", option, optarg, what);
	return false;
}

static bool take_mode(struct options *options)
{
	uint32_t number = MODES;

	if (strcmp(optarg, "auto") &&
	    !take_name("mode", mode_names, MODES, "sync, async, gals or auto", &number))
		return false;
	options->mode = (enum mode)number;
	return true;
}

static bool take_format(struct options *options)
{
	static const char *const names[] = {
		[READ_AUTO] = "auto", [READ_EDGES] = "edges", [READ_METIS] = "metis"
	};
	uint32_t number;

	if (!take_name("format", names, READ_FORMATS, "auto, edges or metis", &number))
		return false;
	options->format = (enum read_format)number;
	return true;
}

static bool take_mapping(struct options *options)
{
	static const char *const names[] = {
		[MAPPING_DIRECT] = "direct", [MAPPING_METIS] = "metis"
	};
	uint32_t number;

	if (!take_name("mapping", names, MAPPINGS, "direct or metis", &number))
		return false;
	options->mapping = (enum mapping_kind)number;
	return true;
}

static bool take_tolerance(struct options *options)
{
	char *end;

	errno = 0;
	options->tolerance = strtod(optarg, &end);
	if (*optarg && !*end && !errno && options->tolerance >= 0 && options->tolerance <= 1)
		return true;
	fprintf(stderr, "hbsgraph: --tolerance: '%s' is no number from 0 to 1\n", optarg);
	return false;
}

static bool take_queue_option(int option, struct options *options)
{
	if (option == OPTION_DEPTH)
		return number_parse("depth", optarg, 1, 32768, &options->depth);
	return number_parse("slot", optarg, 64, 4096, &options->slot);
}

bool options_take(int option, struct options *options)
{
	switch (option) {
	case 'g':
		options->graph = optarg;
		return true;
	case OPTION_FORMAT:
		return take_format(options);
	case OPTION_BOTH_WAYS:
		options->both_ways = true;
		return true;
	case 'w':
		return take_weights(optarg, &options->weights);
	case 's':
		return number_parse("seed", optarg, 0, ULONG_MAX, &options->seed);
	case 'm':
		return take_mode(options);
	case OPTION_MAPPING:
		return take_mapping(options);
	case OPTION_PROFILE:
		options->profile = optarg;
		return true;
	case 't':
		return number_parse("threads", optarg, 1, HBS_GRAPH_THREADS_MAX, &options->threads);
	case 'f':
		return number_parse("source", optarg, 0, HBS_GRAPH_VERTICES_MAX - 1,
				    &options->source);
	case OPTION_SOURCES:
		return sources_parse(optarg, &options->sources);
	case OPTION_SCALE:
		return scale_parse(optarg, &options->scale);
	case 'n':
		return number_parse("iterations", optarg, 1, UINT32_MAX, &options->iterations);
	case 'e':
		return take_tolerance(options);
	case 'o':
		options->output = optarg;
		return true;
	case 'b':
		return context_backend(optarg, &options->attr);
	case 'd':
		options->attr.device = optarg;
		return true;
	case OPTION_SLOT:
	case OPTION_DEPTH:
		return take_queue_option(option, options);
	case 'h':
		usage_text(stdout);
		exit(EXIT_SUCCESS);
	default:
		fprintf(stderr, "hbsgraph: try --help\n");
		return false;
	}
}

static bool take_app(int argc, char **argv, struct options *options)
{
	if (optind == argc) {
		fprintf(stderr, "hbsgraph: run needs an application; hbsgraph list lists them\n");
		return false;
	}
	options->app = app_find(argv[optind]);
	if (!options->app)
		fprintf(stderr,
			"hbsgraph: there is no application '%s'; hbsgraph list lists them\n",
			argv[optind]);
	else if (optind + 1 < argc)
		fprintf(stderr, "hbsgraph: '%s' is too much: run takes one application\n",
			argv[optind + 1]);
	return options->app && optind + 1 == argc;
}

/* An option that would do nothing is a mistake */
static bool fit(struct options *options)
{
	const struct app *app = options->app;
	const char *wrong = NULL;

	if (options->mode == MODES) {
		options->mode = app->type[MODE_ASYNC] ? MODE_ASYNC : MODE_SYNC;
		options->chooses = app->is_modelled;
	}
	if (!options->graph)
		wrong = "--graph is missing";
	else if (!app->type[options->mode])
		wrong = "--mode: this application has no such mode";
	else if (options->iterations && (!app->iterations || options->mode == MODE_ASYNC))
		wrong = "--iterations: this application has none in this mode";
	else if (options->tolerance >= 0 && app->tolerance[MODE_ASYNC] <= 0)
		wrong = "--tolerance: this application has none";
	else if (options->tolerance >= 0 && options->mode == MODE_GALS)
		wrong = "--tolerance: this application has none in this mode";
	else if (options->source && !app->uses_source)
		wrong = "--source: this application has none";
	else if (options->sources.count && !app->uses_sources)
		wrong = "--sources: this application has none";
	else if ((options->scale.data || options->scale.copies) && !app->uses_scale)
		wrong = "--scale: this application has none";
	else if (options->profile && !options->chooses)
		wrong = "--profile: there is no mode to choose";
	else if (options->attr.device && options->attr.backend == HBS_BACKEND_SOFTWARE)
		wrong = "--device is no use with --backend=software";
	if (wrong)
		fprintf(stderr, "hbsgraph: %s: %s\n", app->name, wrong);
	if (!options->iterations)
		options->iterations = app->iterations;
	if (options->tolerance < 0)
		options->tolerance = app->tolerance[options->mode];
	return !wrong;
}

bool options_parse(int argc, char **argv, struct options *options)
{
	int option;

	*options = (struct options)OPTIONS_DEFAULT;
	while ((option = getopt_long(argc, argv, "g:w:s:m:t:f:n:e:o:b:d:h", long_options, NULL)) !=
	       -1)
		if (!options_take(option, options))
			return false;
	return take_app(argc, argv, options) && fit(options);
}
