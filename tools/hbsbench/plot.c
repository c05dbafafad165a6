// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hbs_algorithms.h"
#include "plot.h"

/* The places of quantiles on an axis of nines; the maximum has none */
#define NINES_OF_MAX 4.0

/* What gnuplot takes for a name */
static void make_symbol(char *name)
{
	for (; *name; name++)
		if (strchr("-.", *name))
			*name = '_';
}

static void begin(FILE *script, const char *name, const char *title)
{
	fprintf(script,
		"set terminal svg name '%s' size 800,480 dynamic background 'white' "
		"font 'sans-serif,12'\n"
		"set title \"%s\" noenhanced\nset grid\nset key outside right noenhanced\n"
		"set logscale y\n",
		name, title);
}

/* A line of a plot; its data is the block $d of the same number */
struct line {
	const char *title;
	bool ours;
};

static void plot_lines(FILE *script, const struct line *lines, size_t count, const char *extra)
{
	fprintf(script, "plot %s", extra);
	for (size_t i = 0; i < count; i++)
		fprintf(script, "%s$d%zu using 1:2 with linespoints linewidth %d title '%s'",
			i ? ", " : "", i, lines[i].ours ? 3 : 1, lines[i].title);
	fputc('\n', script);
}

static bool same_plot(const struct row *a, const struct row *b)
{
	return !strcmp(a->workload, b->workload) && !strcmp(a->placement, b->placement);
}

static bool first_of_plot(const struct results *results, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (same_plot(&results->rows[i], &results->rows[index]))
			return false;
	return true;
}

static bool first_alike(const struct results *results, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (rows_alike(&results->rows[i], &results->rows[index]))
			return false;
	return true;
}

/* A plot of a value over members, a line for each contender */
struct over_members {
	const struct results *results;
	const struct row *like;
	const char *ours; /* the ratio to whose row is drawn, or NULL for the time itself */
};

static const struct row *row_of(const struct results *results, const struct row *like,
				const char *contender)
{
	for (size_t i = 0; i < results->row_count; i++)
		if (rows_alike(&results->rows[i], like) &&
		    !strcmp(results->rows[i].contender, contender))
			return &results->rows[i];
	return NULL;
}

/* Is there a point of @row in the plot, and where? */
static bool value_of(const struct over_members *plot, const struct row *row, double *value)
{
	const struct row *ours;

	if (!row_good(row) || !same_plot(row, plot->like))
		return false;
	if (!plot->ours) {
		*value = row_quantile(row, LEVEL_MEDIAN);
		return *value > 0;
	}
	ours = row_of(plot->results, row, plot->ours);
	if (row->ours || row->ideal || !ours || !row_good(ours))
		return false;
	*value = row_ratio(ours, row, BY_MEDIAN);
	return isfinite(*value) && *value > 0;
}

static size_t write_over_members(const struct over_members *plot, struct line *lines, FILE *script)
{
	size_t count = 0;

	for (size_t c = 0; c < plot->results->contestant_count; c++) {
		const struct contestant *contestant = &plot->results->contestants[c];
		bool any = false;

		for (size_t i = 0; i < plot->results->row_count; i++) {
			const struct row *row = &plot->results->rows[i];
			double value;

			if (strcmp(row->contender, contestant->name) ||
			    !value_of(plot, row, &value))
				continue;
			if (!any)
				fprintf(script, "$d%zu << EOD\n", count);
			any = true;
			fprintf(script, "%u %.9g\n", row->members, value);
		}
		if (!any)
			continue;
		fputs("EOD\n", script);
		lines[count++] = (struct line){ contestant->name, contestant->ours };
	}
	return count;
}

/* A script that is being written, and the lines of its plot */
struct sheet {
	char *text;
	size_t size;
	FILE *script;
	struct line *lines;
};

static void sheet_open(struct sheet *sheet, size_t lines)
{
	sheet->script = open_memstream(&sheet->text, &sheet->size);
	sheet->lines = calloc(lines + 1, sizeof(*sheet->lines));
	if (sheet->script && sheet->lines)
		return;
	fprintf(stderr, "hbsbench: out of memory\n");
	exit(2);
}

static bool sheet_close(struct sheet *sheet, size_t lines, const char *name, const char *title,
			plot_fn each, void *arg)
{
	bool more;

	fclose(sheet->script);
	more = !lines || each(name, title, sheet->text, arg);
	free(sheet->text);
	free(sheet->lines);
	return more;
}

static bool plot_over_members(const struct over_members *plot, plot_fn each, void *arg)
{
	const struct row *like = plot->like;
	struct sheet sheet;
	char name[200], title[200];
	size_t count;

	snprintf(name, sizeof(name), "%s%s-%s-%s", plot->ours ? "ratio-" : "latency",
		 plot->ours ? plot->ours : "", like->workload, like->placement);
	if (plot->ours)
		snprintf(title, sizeof(title), "%s, %s: time of %s to that of its peers",
			 like->workload, like->placement, plot->ours);
	else
		snprintf(title, sizeof(title), "%s, %s: median time of a %s", like->workload,
			 like->placement, like->unit);
	sheet_open(&sheet, plot->results->contestant_count);
	make_symbol(name);
	begin(sheet.script, name, title);
	fprintf(sheet.script, "set logscale x 2\nset xlabel 'members'\nset ylabel '%s'\n",
		plot->ours ? "ratio; below 1 is faster than the peer" : "ns");
	count = write_over_members(plot, sheet.lines, sheet.script);
	plot_lines(sheet.script, sheet.lines, count,
		   plot->ours ? "1 with lines dashtype 2 linecolor 'black' notitle, " : "");
	return sheet_close(&sheet, count, name, title, each, arg);
}

static double nines(double level)
{
	return level < 1 ? -log10(1 - level) : NINES_OF_MAX;
}

static size_t write_distributions(const struct results *results, const struct row *like,
				  struct line *lines, FILE *script)
{
	size_t count = 0;

	for (size_t i = 0; i < results->row_count; i++) {
		const struct row *row = &results->rows[i];

		if (!row_good(row) || !rows_alike(row, like))
			continue;
		fprintf(script, "$d%zu << EOD\n", count);
		for (int level = 0; level < LEVELS; level++)
			fprintf(script, "%.6g %.9g\n", nines(levels[level]),
				row_quantile(row, level));
		fputs("EOD\n", script);
		lines[count++] = (struct line){ row->contender, row->ours };
	}
	return count;
}

static bool plot_distribution(const struct results *results, const struct row *like, plot_fn each,
			      void *arg)
{
	struct sheet sheet;
	char name[200], title[200];
	size_t count;

	snprintf(name, sizeof(name), "distribution-%s-%s-%u", like->workload, like->placement,
		 like->members);
	snprintf(title, sizeof(title), "%s, %s, %u members: times of a %s", like->workload,
		 like->placement, like->members, like->unit);
	sheet_open(&sheet, results->row_count);
	make_symbol(name);
	begin(sheet.script, name, title);
	fputs("set xlabel 'part of all that took no longer'\nset ylabel 'ns'\n"
	      "set xtics ('0' 0, '50%%' 0.301, '90%%' 1, '99%%' 2, '99.9%%' 3, 'all' 4)\n",
	      sheet.script);
	count = write_distributions(results, like, sheet.lines, sheet.script);
	plot_lines(sheet.script, sheet.lines, count, "");
	return sheet_close(&sheet, count, name, title, each, arg);
}

static bool plot_ratios(const struct results *results, const struct row *like, plot_fn each,
			void *arg)
{
	struct algorithm_choice choice;

	for (size_t i = 0; i < results->contestant_count; i++) {
		const struct contestant *ours = &results->contestants[i];
		struct over_members plot = { results, like, ours->name };

		/* one algorithm of many has no plot of its own */
		if (ours->ours && !hbs_algorithm_named(ours->name, &choice) &&
		    !plot_over_members(&plot, each, arg))
			return false;
	}
	return true;
}

bool plots_each(const struct results *results, plot_fn each, void *arg)
{
	for (size_t i = 0; i < results->row_count; i++) {
		const struct row *row = &results->rows[i];
		struct over_members plot = { results, row, NULL };

		/* conditions are no points of a line */
		if (!row->condition && first_of_plot(results, i) &&
		    (!plot_over_members(&plot, each, arg) || !plot_ratios(results, row, each, arg)))
			return false;
	}
	for (size_t i = 0; i < results->row_count; i++) {
		const struct row *row = &results->rows[i];

		if (row->distribution && first_alike(results, i) &&
		    !plot_distribution(results, row, each, arg))
			return false;
	}
	return true;
}

/* In the child: gnuplot reads @in and writes @out */
static _Noreturn void run_gnuplot(FILE *in, FILE *out)
{
	if (dup2(fileno(in), STDIN_FILENO) >= 0 && dup2(fileno(out), STDOUT_FILENO) >= 0)
		execlp("gnuplot", "gnuplot", "-", (char *)NULL);
	_exit(127);
}

bool plot_render(const char *script, FILE *file)
{
	FILE *in = tmpfile();
	int status = -1;
	pid_t pid;

	fflush(NULL);
	if (!in || fputs(script, in) < 0 || fflush(in) || fseek(in, 0, SEEK_SET)) {
		fprintf(stderr, "hbsbench: a script for gnuplot: %s\n", strerror(errno));
		if (in)
			fclose(in);
		return false;
	}
	pid = fork();
	if (!pid)
		run_gnuplot(in, file);
	fclose(in);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!status)
		return true;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		fprintf(stderr, "hbsbench: gnuplot is not here (package gnuplot-nox)\n");
	else
		fprintf(stderr, "hbsbench: gnuplot failed\n");
	return false;
}

static bool write_plot(const char *name, const char *title, const char *script, void *arg)
{
	char path[PATH_MAX];
	FILE *file;
	bool good;

	(void)title;
	snprintf(path, sizeof(path), "%s/%s.svg", (const char *)arg, name);
	file = fopen(path, "we");
	if (!file) {
		fprintf(stderr, "hbsbench: %s: %s\n", path, strerror(errno));
		return false;
	}
	good = plot_render(script, file);
	return !fclose(file) && good;
}

bool plots_write(const struct results *results, const char *folder)
{
	char copy[PATH_MAX];

	if (mkdir(folder, 0777) && errno != EEXIST) {
		fprintf(stderr, "hbsbench: %s: %s\n", folder, strerror(errno));
		return false;
	}
	snprintf(copy, sizeof(copy), "%s", folder);
	return plots_each(results, write_plot, copy);
}
