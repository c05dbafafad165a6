// SPDX-License-Identifier: GPL-2.0-or-later
/* Compare two runs */
#include <getopt.h>
#include <stdio.h>

#include "commands.h"
#include "compare.h"
#include "json.h"
#include "options.h"
#include "shared/number.h"
#include "usage_text.h"

#define DEFAULT_LEAST_PERCENT 5

static const struct option long_options[] = {
	{ "relative", required_argument, NULL, 'r' },
	{ "least", required_argument, NULL, 'l' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int compare_files(const char *before_path, const char *after_path, const char *relative,
			 unsigned long least)
{
	struct results before = { 0 }, after = { 0 };
	int changed = -1;

	if (json_read(&before, before_path) && json_read(&after, after_path)) {
		changed = compare(&before, &after, relative, (double)least / 100);
		if (changed < 0)
			fprintf(stderr, "hbsbench: compare: %s and %s have no row in common%s%s\n",
				before_path, after_path, relative ? " with one of " : "",
				relative ? relative : "");
	}
	results_free(&before);
	results_free(&after);
	if (changed < 0)
		return STATUS_ERROR;
	return changed ? STATUS_FOUND : STATUS_GOOD;
}

int command_compare(int argc, char **argv)
{
	unsigned long least = DEFAULT_LEAST_PERCENT;
	const char *relative = NULL;
	int option;

	while ((option = getopt_long(argc, argv, "r:l:h", long_options, NULL)) != -1) {
		switch (option) {
		case 'r':
			relative = optarg;
			break;
		case 'l':
			if (!number_parse("least", optarg, 0, 1000, &least))
				return STATUS_ERROR;
			break;
		case 'h':
			usage_text(stdout);
			return STATUS_GOOD;
		default:
			fprintf(stderr, "hbsbench: try --help\n");
			return STATUS_ERROR;
		}
	}
	if (optind != argc - 2) {
		fprintf(stderr, "hbsbench: compare takes two files; try --help\n");
		return STATUS_ERROR;
	}
	return compare_files(argv[optind], argv[optind + 1], relative, least);
}
