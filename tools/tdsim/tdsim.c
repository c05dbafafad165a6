// SPDX-License-Identifier: GPL-2.0-or-later
/* tdsim: simulates termination detection among boards in a mesh, the papers' and ours */
#include <stdio.h>
#include <stdlib.h>

#include "memory.h"
#include "options.h"
#include "plot.h"
#include "report.h"
#include "shared/gnuplot.h"
#include "shared/standard.h"

enum { EXIT_GOOD = 0, EXIT_WRONG = 1 };

/* Return: whether the oracle found nothing */
static bool judge(const struct row *row)
{
	const struct config *config = &row->config;

	if (!row->result.error)
		return true;
	fprintf(stderr, "tdsim: %ux%u, %s, %s: cycle %llu: %s\n", config->width, config->height,
		protocol_names[config->protocol], master_names[config->master],
		(unsigned long long)row->result.error_at, row->result.error);
	return false;
}

/* All simulations, up to the first error. Return: whether there was none. */
static bool simulate_all(const struct options *options, struct row *rows, size_t *count)
{
	report_start(&options->config);
	for (size_t i = 0; i < options->mesh_count; i++) {
		for (int kind = 0; kind < PROTOCOLS * MASTERS; kind++) {
			struct row *row = &rows[*count];

			row->config = options->config;
			row->config.protocol = (enum protocol)(kind / MASTERS);
			row->config.master = (enum master)(kind % MASTERS);
			row->config.width = options->meshes[i].width;
			row->config.height = options->meshes[i].height;
			if (!options_want(options, row->config.protocol, row->config.master))
				continue;
			simulate(&row->config, &row->result);
			if (!judge(row))
				return false;
			report_row(rows, (*count)++);
		}
	}
	report_papers(rows, *count);
	return true;
}

static int simulate_and_plot(const struct options *options, struct replacement *plot)
{
	struct row *rows = memory_new(options->mesh_count * PROTOCOLS * MASTERS, sizeof(*rows));
	size_t count = 0;
	int status = EXIT_GOOD;

	if (!simulate_all(options, rows, &count))
		status = EXIT_WRONG;
	else if (options->plot && !plot_write(rows, count, options->plot, plot))
		status = EXIT_ERROR;
	free(rows);
	return status;
}

/* Before any simulation */
static bool prepare_plot(const char *path, struct replacement *plot)
{
	const char *why;

	if (!path)
		return true;
	if (!gnuplot_possible("tdsim"))
		return false;
	why = replace_prepare(plot, path);
	if (why)
		fprintf(stderr, "tdsim: --plot: %s: %s\n", path, why);
	return !why;
}

int main(int argc, char **argv)
{
	struct replacement plot = { .fd = -1 };
	struct options options;
	int status;

	standard_start("tdsim", EXIT_ERROR);
	if (!options_parse(argc, argv, &options) || !prepare_plot(options.plot, &plot))
		return EXIT_ERROR;
	status = simulate_and_plot(&options, &plot);
	replace_forget(&plot);
	return status;
}
