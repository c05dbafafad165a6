// SPDX-License-Identifier: GPL-2.0-or-later
/* The scripts of all plots */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hbs_algorithms.h"
#include "plot.h"
#include "plot_choice.h"
#include "table.h"

/* The places of quantiles on an axis of nines; the maximum has none */
#define NINES_OF_MAX 4.0

/* With more decades than these, only powers of ten have marks */
#define FINE_DECADES 2

#define HBS_COLOUR "#0050d0"

/* A plot that is being made */
struct sheet {
	const struct results *results;
	const struct row *like;
	bool all_lines;
	const char *ours; /* the ratio to whose row is drawn, or NULL for the time itself */
	struct line *lines;
	size_t count;
	double least;
	double most;
	char *name;
	char *title;
	char *data;
	size_t data_size;
	FILE *out;
};

static void *must(void *memory)
{
	if (memory)
		return memory;
	fprintf(stderr, "hbsbench: out of memory\n");
	exit(2);
}

/* A name that gnuplot accepts, and that is no path in a file system */
static void make_symbol(char *name)
{
	for (; *name; name++)
		if (!isascii((unsigned char)*name) || !isalnum((unsigned char)*name))
			*name = '_';
}

/*
 * A string for gnuplot. All but letters and blanks is written as its number, so that nothing in
 * it can end the string, run a command, or name a value. A digit is, too, since gnuplot would
 * take it as part of the number before. gnuplot writes "]]>" as it is, which XML does not allow.
 */
static void write_string(FILE *script, const char *text)
{
	fputc('"', script);
	for (const char *at = text; *at; at++) {
		unsigned char byte = (unsigned char)*at;

		if (*at == '>' && at - text >= 2 && !strncmp(at - 2, "]]", 2))
			fputc(' ', script);
		if (isalpha(byte) || byte == ' ' || byte >= 0x80)
			fputc(byte, script);
		else
			fprintf(script, "\\%03o", byte);
	}
	fputc('"', script);
}

static bool same_plot(const struct row *a, const struct row *b)
{
	return !strcmp(a->workload, b->workload) && !strcmp(a->placement, b->placement);
}

static const struct row *row_of(const struct results *results, const struct row *like,
				const char *contender)
{
	for (size_t i = 0; i < results->row_count; i++)
		if (rows_alike(&results->rows[i], like) &&
		    !strcmp(results->rows[i].contender, contender))
			return &results->rows[i];
	return NULL;
}

static void note(struct sheet *sheet, double value)
{
	if (!sheet->least || value < sheet->least)
		sheet->least = value;
	if (value > sheet->most)
		sheet->most = value;
}

static void begin(FILE *script, const struct sheet *sheet, size_t peers)
{
	fprintf(script,
		"set terminal svg name '%s' size 800,480 dynamic background 'white' "
		"font 'sans-serif,12'\nset title ",
		sheet->name);
	write_string(script, sheet->title);
	if (peers)
		fprintf(script, " . \"\\n(the best %zu peers; none that spins without a CPU)\"",
			peers);
	fputs(" noenhanced\nset grid linecolor '#dddddd'\nset border 3\nset tics nomirror\n"
	      "set key outside right top Left reverse invert noenhanced\nset logscale y\n",
	      script);
}

/* Marks at 1, 2 and 5 of each decade, or at 1 only, as people write them */
static void write_marks(FILE *script, const struct sheet *sheet)
{
	static const double fine[] = { 1, 2, 5 };
	int low = (int)floor(log10(sheet->least)), high = (int)ceil(log10(sheet->most));
	size_t each = high - low > FINE_DECADES ? 1 : 3;
	double bottom = pow(10, low), top = pow(10, high);
	const char *comma = "";
	char text[TIME_SIZE];

	fputs("set ytics (", script);
	for (int decade = low; decade <= high; decade++) {
		for (size_t i = 0; i < each; i++) {
			double mark = fine[i] * pow(10, decade);

			if (mark <= sheet->least)
				bottom = mark;
			if (mark >= sheet->most && mark < top)
				top = mark;
			if (sheet->ours)
				fprintf(script, "%s'%g' %.9g", comma, mark, mark);
			else
				fprintf(script, "%s'%s' %.9g", comma, table_mark(mark, text), mark);
			comma = ", ";
		}
	}
	if (top <= bottom)
		top = bottom * 10;
	fprintf(script, ")\nset yrange [%.9g:%.9g]\n", bottom, top);
}

/* No two lines are alike: each style has its colour and dash, and hbs looks like no other */
static void write_style(FILE *script, const struct line *line)
{
	static const char *const colours[] = { "#e67700", "#2b8a3e", "#c92a2a",
					       "#7048a8", "#7b4b2a", "#d6409f",
					       "#808000", "#0c8599", "#111111" };
	static const char *const dashes[] = { "1", "2", "4", "5" };
	static const int points[] = { 4, 6, 8, 10, 12, 1, 2, 14, 3 };
	const size_t count = sizeof(colours) / sizeof(colours[0]);

	switch (line->kind) {
	case LINE_MARKED:
		fprintf(script, "linecolor '" HBS_COLOUR "' linewidth 4 pointtype 7 pointsize 1.1");
		break;
	case LINE_IDEAL:
		fprintf(script,
			"linecolor '#999999' linewidth 1 dashtype 3 pointtype 7 pointsize 0.3");
		break;
	default:
		fprintf(script, "linecolor '%s' linewidth 1.5 dashtype %s pointtype %d",
			colours[line->style % count], dashes[line->style / count % 4],
			points[(line->style + line->style / count) % count]);
	}
}

static void write_lines(FILE *script, const struct sheet *sheet, const char *extra)
{
	fprintf(script, "plot %s", extra);
	for (size_t i = 0; i < sheet->count; i++) {
		fprintf(script, "%s$d%zu using 1:2 with linespoints ", i ? ", " : "", i);
		write_style(script, &sheet->lines[i]);
		fputs(" title ", script);
		write_string(script, sheet->lines[i].contender);
	}
	fputc('\n', script);
}

static void sheet_open(struct sheet *sheet)
{
	sheet->lines = must(calloc(sheet->results->contestant_count + 1, sizeof(*sheet->lines)));
	sheet->out = must(open_memstream(&sheet->data, &sheet->data_size));
}

/* Say how many peers of hbs are left out, if any are */
static size_t count_best(const struct sheet *sheet)
{
	size_t shown = 0, there = 0;

	for (size_t i = 0; i < sheet->results->contestant_count; i++)
		there += !sheet->results->contestants[i].ours &&
			 !sheet->results->contestants[i].ideal &&
			 !sheet->results->contestants[i].absent;
	for (size_t i = 0; i < sheet->count; i++)
		shown += sheet->lines[i].kind == LINE_PEER;
	return !sheet->all_lines && shown < there ? shown : 0;
}

/* @axes: what is set beside the y axis; the data is complete */
static bool sheet_close(struct sheet *sheet, const char *axes, const char *extra, plot_fn each,
			void *arg)
{
	char *text = NULL;
	size_t size = 0;
	FILE *script;
	bool more = true;

	fclose(sheet->out);
	make_symbol(sheet->name);
	if (sheet->count) {
		script = must(open_memstream(&text, &size));
		begin(script, sheet, count_best(sheet));
		fputs(axes, script);
		write_marks(script, sheet);
		fputs(sheet->data, script);
		write_lines(script, sheet, extra);
		fclose(script);
		more = each(&(struct plot){ sheet->name, sheet->title, text }, arg);
	}
	free(text);
	free(sheet->data);
	free(sheet->lines);
	free(sheet->name);
	free(sheet->title);
	return more;
}

static char *format(const char *format, ...) __attribute__((format(printf, 1, 2)));

static char *format(const char *format, ...)
{
	char *text;
	va_list list;

	va_start(list, format);
	if (vasprintf(&text, format, list) < 0)
		text = must(NULL);
	va_end(list);
	return text;
}

/* Whether the plot has a point for @row, and where */
static bool value_of(const struct sheet *sheet, const struct row *row, double *value)
{
	const struct row *ours;

	if (!plot_row_counts(row, sheet->all_lines) || !same_plot(row, sheet->like))
		return false;
	if (!sheet->ours) {
		*value = row_quantile(row, LEVEL_MEDIAN);
		return true;
	}
	ours = row_of(sheet->results, row, sheet->ours);
	if (row->ours || row->ideal || !ours || !row_good(ours))
		return false;
	*value = row_ratio(ours, row, BY_MEDIAN);
	return isfinite(*value) && *value > 0;
}

/* The block of data of each line; lines without any are dropped */
static void write_over_members(struct sheet *sheet)
{
	size_t kept = 0;

	for (size_t c = 0; c < sheet->count; c++) {
		struct line line = sheet->lines[c];
		bool any = false;

		for (size_t i = 0; i < sheet->results->row_count; i++) {
			const struct row *row = &sheet->results->rows[i];
			double value;

			if (strcmp(row->contender, line.contender) || !value_of(sheet, row, &value))
				continue;
			if (!any)
				fprintf(sheet->out, "$d%zu << EOD\n", kept);
			any = true;
			note(sheet, value);
			fprintf(sheet->out, "%u %.9g\n", row->members, value);
		}
		if (!any)
			continue;
		fputs("EOD\n", sheet->out);
		sheet->lines[kept++] = line;
	}
	sheet->count = kept;
}

/* Marks at the numbers of members that were measured, and room beside the outermost */
static char *members_axis(const struct sheet *sheet)
{
	unsigned int fewest = 0, most = 0;
	char *text = NULL;
	size_t size = 0;
	FILE *file = must(open_memstream(&text, &size));

	fputs("set logscale x 2\nset xlabel 'members'\nset xtics (", file);
	for (size_t i = 0; i < sheet->results->row_count; i++) {
		const struct row *row = &sheet->results->rows[i];

		if (!same_plot(row, sheet->like))
			continue;
		fprintf(file, "%s%u", fewest ? ", " : "", row->members);
		fewest = !fewest || row->members < fewest ? row->members : fewest;
		most = row->members > most ? row->members : most;
	}
	fprintf(file, ")\nset xrange [%g:%g]\nset ylabel '%s'\n", fewest / 1.15, most * 1.15,
		sheet->ours ? "below 1 it is faster than the peer" : "");
	fclose(file);
	return text;
}

static bool plot_over_members(struct sheet sheet, plot_fn each, void *arg)
{
	const struct row *like = sheet.like;
	char *axes;
	bool more;

	sheet_open(&sheet);
	sheet.name = format("%s%s-%s-%s", sheet.ours ? "ratio-" : "latency",
			    sheet.ours ? sheet.ours : "", like->workload, like->placement);
	if (sheet.ours)
		sheet.title = format("%s, %s: time of %s, divided by that of its peers",
				     like->workload, like->placement, sheet.ours);
	else
		sheet.title = format("%s, %s: median time of a %s", like->workload, like->placement,
				     like->unit);
	sheet.count = plot_choose(sheet.results, like, same_plot, sheet.all_lines, sheet.lines);
	write_over_members(&sheet);
	/* there is room above the line of the peers */
	if (sheet.ours)
		note(&sheet, 1.1);
	axes = members_axis(&sheet);
	more = sheet_close(&sheet, axes,
			   sheet.ours ? "1 with lines linewidth 2 linecolor 'black' notitle, " : "",
			   each, arg);
	free(axes);
	return more;
}

static double nines(double level)
{
	return level < 1 ? -log10(1 - level) : NINES_OF_MAX;
}

static void write_distributions(struct sheet *sheet)
{
	for (size_t i = 0; i < sheet->count; i++) {
		const struct row *row =
			row_of(sheet->results, sheet->like, sheet->lines[i].contender);

		fprintf(sheet->out, "$d%zu << EOD\n", i);
		for (int level = 0; level < LEVELS; level++) {
			double ns = row_quantile(row, level);

			/* a logarithmic axis has no place for 0 */
			if (ns <= 0)
				continue;
			note(sheet, ns);
			fprintf(sheet->out, "%.6g %.9g\n", nines(levels[level]), ns);
		}
		fputs("EOD\n", sheet->out);
	}
}

static bool plot_distribution(struct sheet sheet, plot_fn each, void *arg)
{
	const struct row *like = sheet.like;

	sheet_open(&sheet);
	sheet.name =
		format("distribution-%s-%s-%u", like->workload, like->placement, like->members);
	sheet.title = format("%s, %s, %u members: times of a %s", like->workload, like->placement,
			     like->members, like->unit);
	sheet.count = plot_choose(sheet.results, like, rows_alike, sheet.all_lines, sheet.lines);
	write_distributions(&sheet);
	return sheet_close(&sheet,
			   "set xlabel 'part of all that took no longer'\n"
			   "set xtics ('0' 0, '50%%' 0.301, '90%%' 1, '99%%' 2, '99.9%%' 3, "
			   "'max' 4)\nset xrange [-0.1:4.1]\n",
			   "", each, arg);
}

/* Without all lines, plot only hbs; one algorithm of many never has a plot of its own */
static bool has_ratios(const struct sheet *sheet, const struct contestant *contestant)
{
	struct line *lines = must(calloc(sheet->results->contestant_count + 1, sizeof(*lines)));
	size_t count = plot_choose(sheet->results, sheet->like, same_plot, false, lines);
	struct algorithm_choice choice;
	bool marked = count && lines[count - 1].kind == LINE_MARKED &&
		      !strcmp(lines[count - 1].contender, contestant->name);

	free(lines);
	return contestant->ours &&
	       (marked || (sheet->all_lines && !hbs_algorithm_named(contestant->name, &choice)));
}

static bool plot_ratios(struct sheet sheet, plot_fn each, void *arg)
{
	for (size_t i = 0; i < sheet.results->contestant_count; i++) {
		const struct contestant *contestant = &sheet.results->contestants[i];

		if (!has_ratios(&sheet, contestant))
			continue;
		sheet.ours = contestant->name;
		if (!plot_over_members(sheet, each, arg))
			return false;
	}
	return true;
}

static bool is_first(const struct results *results, size_t index,
		     bool (*alike)(const struct row *a, const struct row *b))
{
	for (size_t i = 0; i < index; i++)
		if (alike(&results->rows[i], &results->rows[index]))
			return false;
	return true;
}

bool plots_each(const struct results *results, bool all_lines, plot_fn each, void *arg)
{
	struct sheet sheet = { .results = results, .all_lines = all_lines };

	for (size_t i = 0; i < results->row_count; i++) {
		sheet.like = &results->rows[i];
		/* conditions are not points of a line */
		if (!sheet.like->condition && is_first(results, i, same_plot) &&
		    (!plot_over_members(sheet, each, arg) || !plot_ratios(sheet, each, arg)))
			return false;
	}
	for (size_t i = 0; i < results->row_count; i++) {
		sheet.like = &results->rows[i];
		if (sheet.like->distribution && is_first(results, i, rows_alike) &&
		    !plot_distribution(sheet, each, arg))
			return false;
	}
	return true;
}
