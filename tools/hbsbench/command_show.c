// SPDX-License-Identifier: GPL-2.0-or-later
/* Show the results of an earlier run */
#include <getopt.h>
#include <stdio.h>

#include "commands.h"
#include "json.h"
#include "output.h"
#include "usage_text.h"

static const struct option long_options[] = {
	{ "csv", required_argument, NULL, 'C' },
	{ "html", required_argument, NULL, 'H' },
	{ "plots", required_argument, NULL, 'S' },
	{ "all-lines", no_argument, NULL, 'A' },
	{ "quiet", no_argument, NULL, 'q' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static bool take_option(int option, struct output *output)
{
	switch (option) {
	case 'C':
		output->paths[OUTPUT_CSV] = optarg;
		return true;
	case 'H':
		output->paths[OUTPUT_HTML] = optarg;
		return true;
	case 'S':
		output->plots = optarg;
		return true;
	case 'A':
		output->all_lines = true;
		return true;
	case 'q':
		output->table = false;
		return true;
	default:
		fprintf(stderr, "hbsbench: try --help\n");
		return false;
	}
}

int command_show(int argc, char **argv)
{
	struct output output = { .table = true };
	struct results results = { 0 };
	bool good;
	int option;

	while ((option = getopt_long(argc, argv, "qh", long_options, NULL)) != -1) {
		if (option == 'h') {
			usage_text(stdout);
			return STATUS_GOOD;
		}
		if (!take_option(option, &output))
			return STATUS_ERROR;
	}
	if (optind != argc - 1) {
		fprintf(stderr, "hbsbench: show takes one file; try --help\n");
		return STATUS_ERROR;
	}
	if (!output_sensible(&output) || !output_prepare(&output) ||
	    !json_read(&results, argv[optind]))
		return STATUS_ERROR;
	good = output_write(&output, &results);
	results_free(&results);
	return good ? STATUS_GOOD : STATUS_ERROR;
}
