// SPDX-License-Identifier: GPL-2.0-or-later
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../context.h"
#include "../output.h"
#include "../usage_text.h"
#include "hbs_graph.h"
#include "profile.h"
#include "shared/number.h"
#include "show.h"
#include "tune.h"
#include "tuning.h"

/* Table 2 is of so many vertices */
#define VERTICES	(1u << 20)
#define VERTICES_LEAST	(1u << 10)
#define VERTICES_MOST	(1u << 26)
#define REPETITIONS	9
#define REPETITIONS_MAX 99

struct tune_options {
	unsigned long vertices;
	unsigned long threads;
	unsigned long repetitions;
	const char *profile;
	bool show;
	bool paper;
	struct hbs_attr attr;
};

/* Options without a letter */
enum { SHOW = 256, PAPER };

static const struct option long_options[] = {
	{ "vertices", required_argument, NULL, 'v' },
	{ "threads", required_argument, NULL, 't' },
	{ "repetitions", required_argument, NULL, 'r' },
	{ "profile", required_argument, NULL, 'p' },
	{ "backend", required_argument, NULL, 'b' },
	{ "device", required_argument, NULL, 'd' },
	{ "show", no_argument, NULL, SHOW },
	{ "paper", no_argument, NULL, PAPER },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static bool take_option(int option, struct tune_options *options)
{
	switch (option) {
	case 'v':
		return number_parse("vertices", optarg, VERTICES_LEAST, VERTICES_MOST,
				    &options->vertices);
	case 't':
		return number_parse("threads", optarg, 1, HBS_GRAPH_THREADS_MAX, &options->threads);
	case 'r':
		return number_parse("repetitions", optarg, 1, REPETITIONS_MAX,
				    &options->repetitions);
	case 'p':
		options->profile = optarg;
		return true;
	case 'b':
		return context_backend(optarg, &options->attr);
	case 'd':
		options->attr.device = optarg;
		return true;
	case SHOW:
		options->show = true;
		return true;
	case PAPER:
		options->paper = true;
		return true;
	case 'h':
		usage_text(stdout);
		exit(EXIT_SUCCESS);
	default:
		fprintf(stderr, "hbsgraph: try --help\n");
		return false;
	}
}

static bool take_options(int argc, char **argv, struct tune_options *options)
{
	int option;

	*options = (struct tune_options){ .vertices = VERTICES, .repetitions = REPETITIONS };
	while ((option = getopt_long(argc, argv, "v:t:r:p:b:d:h", long_options, NULL)) != -1)
		if (!take_option(option, options))
			return false;
	if (optind < argc)
		fprintf(stderr, "hbsgraph: tune: '%s' is too much: it takes options only\n",
			argv[optind]);
	else if (!(options->repetitions % 2))
		fprintf(stderr, "hbsgraph: --repetitions: %lu is not odd, so there is no median\n",
			options->repetitions);
	else if (options->show && options->paper)
		fprintf(stderr, "hbsgraph: --show and --paper are two things\n");
	else
		return true;
	return false;
}

static bool keep(const char *path, struct tuning *tuning)
{
	struct graph_profile profile = { .threads = tuning->threads };
	const char *why = NULL;
	bool good;

	profile.card = hbs_backend(tuning->hbs) == HBS_BACKEND_CARD;
	hbsi_profile_machine(profile.machine);
	good = tuning_classifier(tuning, NULL, &profile.classifier) &&
	       tuning_print(tuning, &profile.classifier);
	if (good)
		why = graph_profile_write(path, &profile);
	if (why)
		fprintf(stderr, "hbsgraph: %s: %s\n", path, why);
	else if (good)
		printf("the profile is in %s\n", path);
	graph_profile_free(&profile);
	return good && !why;
}

static int measure(const struct tune_options *options, const char *path)
{
	struct tuning tuning = {
		.hbs = context_open(&options->attr),
		.threads = (uint32_t)options->threads,
		.vertices = (uint32_t)options->vertices,
		.repetitions = (uint32_t)options->repetitions,
	};
	bool good;

	if (!tuning.hbs)
		return EXIT_ERROR;
	good = tuning_measure(&tuning) && keep(path, &tuning);
	hbs_close(tuning.hbs);
	return good ? EXIT_SUCCESS : EXIT_ERROR;
}

int tune(int argc, char **argv)
{
	struct tune_options options;
	char path[PATH_MAX];

	if (!take_options(argc, argv, &options))
		return EXIT_ERROR;
	if (options.paper)
		return show_paper();
	if (options.profile)
		snprintf(path, sizeof(path), "%s", options.profile);
	else if (!graph_profile_path(path)) {
		fprintf(stderr,
			"hbsgraph: there is no home for a profile: name a file by --profile\n");
		return EXIT_ERROR;
	}
	return options.show ? show_profile(path) : measure(&options, path);
}
