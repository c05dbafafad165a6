// SPDX-License-Identifier: GPL-2.0-or-later
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "cycles.h"
#include "options.h"
#include "shared/number.h"
#include "win.h"

#define CLOCK_MOST 1000
#define LANES_MOST 16

static const struct setting default_setting = { .clock = 250, .lanes = 8, .records = 1 };

static const struct list default_members = { { 2, 4, 8, 16, 28, 32, 64, 128, 256, 512, 1024 }, 11 };
static const struct list default_sockets = { { 1, 2, 4, 8 }, 4 };

static const struct option long_options[] = {
	{ "members", required_argument, NULL, 'm' },
	{ "sockets", required_argument, NULL, 's' },
	{ "clock", required_argument, NULL, 'c' },
	{ "lanes", required_argument, NULL, 'l' },
	{ "records", required_argument, NULL, 'r' },
	{ "reduce", no_argument, NULL, 'R' },
	{ "area", required_argument, NULL, 'a' },
	{ "plot", required_argument, NULL, 'p' },
	{ "sources", no_argument, NULL, 'S' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static void usage(void)
{
	printf("Usage: hbs-latency [OPTION]...\n"
	       "A model of how long barriers take whose members arrive at once: in software, on\n"
	       "the hbs card, on the hardware of the papers; and of the area of the hardware.\n"
	       "\n"
	       "  --members=N    2 to %d; may be given up to %d times (default: 28 and powers of "
	       "two)\n"
	       "  --sockets=N    that they are in, 1 to %d; likewise (default: 1, 2, 4 and 8)\n"
	       "\n"
	       "The hbs card:\n"
	       "  --clock=MHZ    1 to %d (default %u)\n"
	       "  --lanes=N      of its link, generation 3: 1, 2, 4, 8 or %d (default %u)\n"
	       "  --records=N    departure records of a group, 1 to %d (default %u)\n"
	       "  --reduce       the group reduces\n"
	       "\n"
	       "  --area=FILE    results of a synthesis; lines of: device configuration resource\n"
	       "                 used available\n"
	       "  --plot=FILE    write a plot (SVG) of times, and of where the card is faster\n"
	       "  --sources      print each number that the model takes from elsewhere, and from\n"
	       "                 where\n"
	       "  --help         print this\n"
	       "\n"
	       "Exit status: 0; 1 if the model is too far from what a paper prints; 2 if "
	       "something\n"
	       "else is wrong.\n",
	       MEMBERS_MOST, LIST_MOST, SOCKETS_MOST, CLOCK_MOST, default_setting.clock, LANES_MOST,
	       default_setting.lanes, RECORDS_MOST, default_setting.records);
}

static bool parse_small(const char *option, unsigned int least, unsigned int most,
			unsigned int *value)
{
	unsigned long number;

	if (!number_parse(option, optarg, least, most, &number))
		return false;
	*value = (unsigned int)number;
	return true;
}

static bool parse_list(const char *option, unsigned int least, unsigned int most, struct list *list)
{
	if (list->count == LIST_MOST) {
		fprintf(stderr, "hbs-latency: --%s: more than %d\n", option, LIST_MOST);
		return false;
	}
	return parse_small(option, least, most, &list->numbers[list->count++]);
}

static bool parse_lanes(unsigned int *lanes)
{
	if (!parse_small("lanes", 1, LANES_MOST, lanes))
		return false;
	if (!(*lanes & (*lanes - 1)))
		return true;
	fprintf(stderr, "hbs-latency: --lanes: '%s' is no power of two\n", optarg);
	return false;
}

static bool parse_option(int option, struct options *options)
{
	struct setting *setting = &options->setting;

	switch (option) {
	case 'm':
		return parse_list("members", 2, MEMBERS_MOST, &options->members);
	case 's':
		return parse_list("sockets", 1, SOCKETS_MOST, &options->sockets);
	case 'c':
		return parse_small("clock", 1, CLOCK_MOST, &setting->clock);
	case 'l':
		return parse_lanes(&setting->lanes);
	case 'r':
		return parse_small("records", 1, RECORDS_MOST, &setting->records);
	case 'R':
		setting->reduce = true;
		return true;
	case 'a':
		options->area = optarg;
		return true;
	case 'p':
		options->plot = optarg;
		return true;
	case 'S':
		options->sources = true;
		return true;
	case 'h':
		usage();
		exit(EXIT_SUCCESS);
	default:
		fprintf(stderr, "hbs-latency: try --help\n");
		return false;
	}
}

/* Whether there is a place with a member in each socket */
static bool sensible(const struct options *options)
{
	for (size_t i = 0; i < options->members.count; i++)
		for (size_t j = 0; j < options->sockets.count; j++)
			if (options->members.numbers[i] >= options->sockets.numbers[j])
				return true;
	fprintf(stderr, "hbs-latency: --members: fewer than sockets\n");
	return false;
}

bool options_parse(int argc, char **argv, struct options *options)
{
	int option;

	*options = (struct options){ .setting = default_setting };
	while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1)
		if (!parse_option(option, options))
			return false;
	if (optind < argc) {
		fprintf(stderr, "hbs-latency: '%s' is not an option; try --help\n", argv[optind]);
		return false;
	}
	if (!options->members.count)
		options->members = default_members;
	if (!options->sockets.count)
		options->sockets = default_sockets;
	return sensible(options);
}
