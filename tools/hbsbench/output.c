// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "csv.h"
#include "html.h"
#include "json.h"
#include "neighbours_table.h"
#include "output.h"
#include "plot.h"
#include "table.h"

static bool is_stdout(const char *path)
{
	return !strcmp(path, "-");
}

static FILE *open_file(const char *path, const char *mode)
{
	FILE *file = is_stdout(path) ? stdout : fopen(path, mode);

	if (!file)
		fprintf(stderr, "hbsbench: %s: %s\n", path, strerror(errno));
	return file;
}

static bool close_file(FILE *file, const char *path)
{
	bool good = !ferror(file) && !fflush(file);

	if (file != stdout && fclose(file))
		good = false;
	if (!good)
		fprintf(stderr, "hbsbench: %s: could not write all of it\n", path);
	return good;
}

static bool can_write(const char *path)
{
	FILE *file;

	if (!path)
		return true;
	/* what is there stays as it is until there is something to write */
	file = open_file(path, "ae");
	return file && close_file(file, path);
}

bool output_possible(const struct output *output)
{
	return can_write(output->json) && can_write(output->csv) && can_write(output->html);
}

static void write_table(const struct results *results)
{
	table_write_facts(results, stdout);
	table_write_contestants(results, stdout);
	table_write_rows(results, stdout);
	neighbours_table(results, stdout);
	table_write_ratios(results, stdout);
}

static bool write_json(const struct results *results, const char *path)
{
	FILE *file = open_file(path, "we");
	bool good;

	if (!file)
		return false;
	good = json_write(results, file, path);
	return close_file(file, path) && good;
}

static bool write_csv(const struct results *results, const char *path)
{
	FILE *file = open_file(path, "we");

	if (!file)
		return false;
	csv_write(results, file);
	return close_file(file, path);
}

static bool write_html(const struct results *results, const char *path)
{
	FILE *file = open_file(path, "we");
	bool good;

	if (!file)
		return false;
	good = html_write(results, file);
	return close_file(file, path) && good;
}

bool output_write(const struct output *output, const struct results *results)
{
	bool good = true;

	if (output->table)
		write_table(results);
	/* the rest, whatever becomes of one */
	if (output->json)
		good &= write_json(results, output->json);
	if (output->csv)
		good &= write_csv(results, output->csv);
	if (output->html)
		good &= write_html(results, output->html);
	if (output->plots)
		good &= plots_write(results, output->plots);
	return good;
}
