// SPDX-License-Identifier: GPL-2.0-or-later
/* hbs-latency: a model of how long barriers take, and of their area */
#include <stdio.h>

#include "area.h"
#include "options.h"
#include "papers.h"
#include "plot.h"
#include "report.h"
#include "shared/gnuplot.h"
#include "shared/standard.h"

enum { EXIT_GOOD = 0, EXIT_WRONG = 1, EXIT_ERROR = 2 };

/* Before anything is printed */
static bool prepare_plot(const char *path, struct replacement *plot)
{
	const char *why;

	if (!path)
		return true;
	if (!gnuplot_possible("hbs-latency"))
		return false;
	why = replace_prepare(plot, path);
	if (why)
		fprintf(stderr, "hbs-latency: --plot: %s: %s\n", path, why);
	return !why;
}

static int report(const struct options *options, struct replacement *plot)
{
	bool good;

	report_times(options);
	report_wins(options);
	putchar('\n');
	good = papers_print();
	papers_print_software();
	if (!area_print(options->area))
		return EXIT_ERROR;
	if (options->plot && !plot_write(options, plot))
		return EXIT_ERROR;
	if (good)
		return EXIT_GOOD;
	fprintf(stderr, "hbs-latency: the model is too far from what a paper prints\n");
	return EXIT_WRONG;
}

int main(int argc, char **argv)
{
	struct replacement plot = { .fd = -1 };
	struct options options;
	int status = EXIT_GOOD;

	standard_start("hbs-latency", EXIT_ERROR);
	if (!options_parse(argc, argv, &options) || !prepare_plot(options.plot, &plot))
		return EXIT_ERROR;
	if (options.sources)
		report_sources();
	else
		status = report(&options, &plot);
	replace_forget(&plot);
	return status;
}
