// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "html.h"
#include "json.h"
#include "neighbours_table.h"
#include "output.h"
#include "plot.h"
#include "shared/gnuplot.h"
#include "table.h"

const char *const output_options[OUTPUT_KINDS] = { "json", "csv", "html" };

static bool is_stdout(const char *path)
{
	return !strcmp(path, "-");
}

static bool fail(const char *option, const char *path, const char *why)
{
	fprintf(stderr, "hbsbench: --%s: %s: %s\n", option, path, why);
	return false;
}

/* If two outputs went to one file, it would have only one of them, or both mixed */
static bool same_place(const struct output *output, size_t a, size_t b)
{
	if (!output->paths[a] || !output->paths[b])
		return false;
	if (is_stdout(output->paths[a]) || is_stdout(output->paths[b]))
		return !strcmp(output->paths[a], output->paths[b]);
	return !strcmp(output->files[a].path, output->files[b].path);
}

static bool prepare_one(struct output *output, size_t kind)
{
	const char *path = output->paths[kind], *why = NULL;

	if (!path)
		return true;
	if (!is_stdout(path))
		why = replace_prepare(&output->files[kind], path);
	if (why)
		return fail(output_options[kind], path, why);
	for (size_t i = 0; i < kind; i++) {
		if (!same_place(output, i, kind))
			continue;
		fprintf(stderr, "hbsbench: --%s: %s: goes where --%s goes\n", output_options[kind],
			path, output_options[i]);
		return false;
	}
	return true;
}

bool output_sensible(const struct output *output)
{
	if (!output->all_lines || output->plots || output->paths[OUTPUT_HTML])
		return true;
	fprintf(stderr, "hbsbench: --all-lines is of use with --plots or --html only\n");
	return false;
}

bool output_prepare(struct output *output)
{
	for (size_t i = 0; i < OUTPUT_KINDS; i++) {
		output->files[i].fd = -1;
		if (!prepare_one(output, i))
			return false;
		if (output->paths[i] && is_stdout(output->paths[i]))
			output->table = false;
	}
	if ((output->plots || output->paths[OUTPUT_HTML]) && !gnuplot_possible("hbsbench"))
		return false;
	return !output->plots || plots_prepare(output->plots);
}

static void write_table(const struct results *results)
{
	table_write_facts(results, stdout);
	table_write_contestants(results, stdout);
	table_write_rows(results, stdout);
	neighbours_table(results, stdout);
	table_write_ratios(results, stdout);
}

static bool render(const struct output *output, size_t kind, const struct results *results,
		   FILE *file)
{
	switch (kind) {
	case OUTPUT_JSON:
		return json_write(results, file);
	case OUTPUT_CSV:
		csv_write(results, file);
		return true;
	default:
		return html_write(results, output->all_lines, file);
	}
}

/* The output is complete in memory before any of it is written */
static bool write_one(struct output *output, size_t kind, const struct results *results)
{
	const char *path = output->paths[kind], *why = NULL;
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	bool good = file && render(output, kind, results, file);

	if (file && (ferror(file) | fclose(file)))
		good = false;
	if (!good)
		why = "it could not be made, and what was there is left";
	else if (!is_stdout(path))
		why = replace_write(&output->files[kind], text, size);
	else if (fwrite(text, 1, size, stdout) != size)
		why = "could not write all of it";
	replace_forget(&output->files[kind]);
	free(text);
	return why ? fail(output_options[kind], path, why) : true;
}

bool output_write(struct output *output, const struct results *results)
{
	bool good = true;

	if (output->table)
		write_table(results);
	for (size_t i = 0; i < OUTPUT_KINDS; i++)
		if (output->paths[i])
			good &= write_one(output, i, results);
	if (output->plots)
		good &= plots_write(results, output->all_lines, output->plots);
	return good;
}
