// SPDX-License-Identifier: GPL-2.0-or-later
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "shared/number.h"

#define TIME_MAX     1000000
#define EPOCHS_MAX   1000000
#define MESSAGES_MAX 1000000

/* A board has no more memory than for so many threads */
#define ALL_THREADS_MAX (64 * 64 * 64)

static const struct config defaults = { .threads = 1024,
					.hop = 150,
					.gap = 4,
					.local = 20,
					.handling = 224,
					.epochs = 10,
					.messages = 8,
					.work = 1000,
					.seed = 1 };

/* A board, two meshes on the way to a box, and boxes of 3x2 boards up to the paper's cluster */
static const struct mesh_size default_meshes[] = { { 1, 1 }, { 2, 1 }, { 2, 2 }, { 3, 2 },
						   { 3, 4 }, { 6, 4 }, { 6, 6 }, { 6, 8 } };

static const struct option long_options[] = {
	{ "mesh", required_argument, NULL, 'm' },
	{ "protocol", required_argument, NULL, 'p' },
	{ "master", required_argument, NULL, 'M' },
	{ "threads", required_argument, NULL, 't' },
	{ "epochs", required_argument, NULL, 'e' },
	{ "messages", required_argument, NULL, 'n' },
	{ "work", required_argument, NULL, 'w' },
	{ "seed", required_argument, NULL, 's' },
	{ "hop", required_argument, NULL, 'H' },
	{ "gap", required_argument, NULL, 'G' },
	{ "local", required_argument, NULL, 'L' },
	{ "handling", required_argument, NULL, 'S' },
	{ "port", required_argument, NULL, 'P' },
	{ "late", required_argument, NULL, 'l' },
	{ "order", required_argument, NULL, 'o' },
	{ "fault", required_argument, NULL, 'f' },
	{ "plot", required_argument, NULL, 'g' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static void usage(void)
{
	printf("Usage: tdsim [OPTION]...\n"
	       "Simulate how boards in a mesh detect that all their threads wait and no message "
	       "is\n"
	       "in flight: by three phases in hardware, by a tree of threads in software, and as\n"
	       "hbs does it. An oracle that knows every message judges each detection.\n"
	       "\n"
	       "What to simulate:\n"
	       "  --mesh=WxH        boards, up to %dx%d; may be given up to %d times (default: "
	       "1x1\n"
	       "                    to 6x8)\n"
	       "  --protocol=NAME   three-phase, software or hbs (default: all)\n"
	       "  --master=NAME     corner or centre (default: both)\n"
	       "  --threads=N       threads of a board, 1 to %d (default %u)\n"
	       "  --epochs=N        synchronisations (default %u)\n"
	       "  --messages=N      that each board's threads begin an epoch with, also\n"
	       "                    below 1 (default %g)\n"
	       "  --work=CYCLES     threads work up to so long before they send, and\n"
	       "                    again before they wait (default %u)\n"
	       "  --seed=N          of all that is random (default 1)\n"
	       "\n"
	       "Times, in cycles:\n"
	       "  --hop=CYCLES      from board to board (default %u)\n"
	       "  --gap=CYCLES      for which a message keeps a link busy (default %u)\n"
	       "  --local=CYCLES    between two threads of a board (default %u)\n"
	       "  --handling=CYCLES software: for each packet that a thread takes or makes\n"
	       "                    (default %u)\n"
	       "  --port=CYCLES     hbs: between a thread and its card, one way (default 0)\n"
	       "  --late=CYCLES     hbs: one time of four that takes up to so much longer\n"
	       "                    (default 0)\n"
	       "  --order=NAME      three-phase: far, the farthest board has its token first, or\n"
	       "                    rows, one board after the other (default far)\n"
	       "\n"
	       "  --fault=NAME      plant a fault, which the oracle has to find: no-colour,\n"
	       "                    no-whitening, two-samples, no-freeze, no-withdraw, "
	       "no-readback\n"
	       "                    or no-stamp; in the protocols that have what it takes away\n"
	       "  --plot=FILE       write a plot (SVG) of round trips and synchronisations\n"
	       "  --help            print this\n"
	       "\n"
	       "Exit status: 0 no error found, 1 the oracle found one, 2 something else is "
	       "wrong.\n",
	       SIDE_MAX, SIDE_MAX, MESHES_MAX, THREADS_MAX, defaults.threads, defaults.epochs,
	       defaults.messages, defaults.work, defaults.hop, defaults.gap, defaults.local,
	       defaults.handling);
}

static bool parse_small(const char *option, const char *text, unsigned long min, unsigned long max,
			unsigned int *value)
{
	unsigned long number;

	if (!number_parse(option, text, min, max, &number))
		return false;
	*value = (unsigned int)number;
	return true;
}

static bool parse_messages(const char *text, double *value)
{
	char *end;

	*value = strtod(text, &end);
	if (*text >= '0' && *text <= '9' && !*end && *value <= MESSAGES_MAX)
		return true;
	fprintf(stderr, "tdsim: --messages: '%s' is no number from 0 to %d\n", text, MESSAGES_MAX);
	return false;
}

static bool parse_mesh(const char *text, struct options *options)
{
	struct mesh_size *size = &options->meshes[options->mesh_count];
	char *copy = strdup(text), *cross = copy ? strchr(copy, 'x') : NULL;
	bool good = false;

	if (options->mesh_count == MESHES_MAX) {
		fprintf(stderr, "tdsim: --mesh: more than %d\n", MESHES_MAX);
	} else if (cross) {
		*cross = '\0';
		good = parse_small("mesh", copy, 1, SIDE_MAX, &size->width) &&
		       parse_small("mesh", cross + 1, 1, SIDE_MAX, &size->height);
		options->mesh_count++;
	} else {
		fprintf(stderr, "tdsim: --mesh: '%s' is not of the form WxH\n", text);
	}
	free(copy);
	return good;
}

/* The number of a name, from @first on, or -1 */
static int parse_name(const char *option, const char *text, const char *const *names, int first,
		      int count)
{
	for (int i = first; i < count; i++)
		if (!strcmp(text, names[i]))
			return i;
	fprintf(stderr, "tdsim: --%s: '%s' is none of", option, text);
	for (int i = first; i < count; i++)
		fprintf(stderr, "%s %s", i == first ? "" : ",", names[i]);
	fputc('\n', stderr);
	return -1;
}

static bool parse_what(int option, struct options *options)
{
	int number;

	switch (option) {
	case 'm':
		return parse_mesh(optarg, options);
	case 'p':
		options->protocol = parse_name("protocol", optarg, protocol_names, 0, PROTOCOLS);
		return options->protocol >= 0;
	case 'M':
		options->master = parse_name("master", optarg, master_names, 0, MASTERS);
		return options->master >= 0;
	case 'o':
		number = parse_name("order", optarg, send_order_names, 0, SEND_ORDERS);
		options->config.order = number < 0 ? FAR_FIRST : (enum send_order)number;
		return number >= 0;
	case 'f':
		number = parse_name("fault", optarg, fault_names, FAULT_NONE + 1, FAULTS);
		options->config.fault = number < 0 ? FAULT_NONE : (enum fault)number;
		return number >= 0;
	case 'g':
		options->plot = optarg;
		return true;
	case 'h':
		usage();
		exit(EXIT_SUCCESS);
	default:
		fprintf(stderr, "tdsim: try --help\n");
		return false;
	}
}

static bool parse_option(int option, struct options *options)
{
	struct config *config = &options->config;
	unsigned long seed;

	switch (option) {
	case 't':
		return parse_small("threads", optarg, 1, THREADS_MAX, &config->threads);
	case 'e':
		return parse_small("epochs", optarg, 1, EPOCHS_MAX, &config->epochs);
	case 'n':
		return parse_messages(optarg, &config->messages);
	case 'w':
		return parse_small("work", optarg, 0, TIME_MAX, &config->work);
	case 's':
		if (!number_parse("seed", optarg, 0, ULONG_MAX, &seed))
			return false;
		config->seed = seed;
		return true;
	case 'H':
		return parse_small("hop", optarg, 1, TIME_MAX, &config->hop);
	case 'G':
		return parse_small("gap", optarg, 0, TIME_MAX, &config->gap);
	case 'L':
		return parse_small("local", optarg, 1, TIME_MAX, &config->local);
	case 'S':
		return parse_small("handling", optarg, 1, TIME_MAX, &config->handling);
	case 'P':
		return parse_small("port", optarg, 0, TIME_MAX, &config->port);
	case 'l':
		return parse_small("late", optarg, 0, TIME_MAX, &config->late);
	default:
		return parse_what(option, options);
	}
}

static bool sensible(const struct options *options)
{
	const struct config *config = &options->config;

	for (size_t i = 0; i < options->mesh_count; i++) {
		const struct mesh_size *size = &options->meshes[i];

		if (size->width * size->height * config->threads <= ALL_THREADS_MAX)
			continue;
		fprintf(stderr, "tdsim: --threads: %ux%u boards of %u have more threads than %d\n",
			size->width, size->height, config->threads, ALL_THREADS_MAX);
		return false;
	}
	if (options->protocol >= 0 &&
	    !fault_applies(config->fault, (enum protocol)options->protocol)) {
		fprintf(stderr, "tdsim: --fault: %s has nothing of the kind that %s takes away\n",
			protocol_names[options->protocol], fault_names[config->fault]);
		return false;
	}
	return true;
}

bool options_parse(int argc, char **argv, struct options *options)
{
	int option;

	*options = (struct options){ .config = defaults, .protocol = -1, .master = -1 };
	while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1)
		if (!parse_option(option, options))
			return false;
	if (optind < argc) {
		fprintf(stderr, "tdsim: '%s' is not an option; try --help\n", argv[optind]);
		return false;
	}
	if (!options->mesh_count) {
		options->mesh_count = sizeof(default_meshes) / sizeof(default_meshes[0]);
		memcpy(options->meshes, default_meshes, sizeof(default_meshes));
	}
	return sensible(options);
}

bool options_want(const struct options *options, enum protocol protocol, enum master master)
{
	return (options->protocol < 0 || options->protocol == (int)protocol) &&
	       (options->master < 0 || options->master == (int)master) &&
	       fault_applies(options->config.fault, protocol);
}
