// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "html.h"
#include "plot.h"
#include "shared/gnuplot.h"
#include "table.h"

static void write_text(FILE *file, const char *text)
{
	for (; text && *text; text++) {
		switch (*text) {
		case '<':
			fputs("&lt;", file);
			break;
		case '>':
			fputs("&gt;", file);
			break;
		case '&':
			fputs("&amp;", file);
			break;
		case '"':
			fputs("&quot;", file);
			break;
		case '\'':
			fputs("&#39;", file);
			break;
		default:
			fputc(*text, file);
		}
	}
}

static void cell(FILE *file, const char *text)
{
	fputs("<td>", file);
	write_text(file, text);
	fputs("</td>", file);
}

static void cell_time(FILE *file, double ns)
{
	char text[TIME_SIZE];

	cell(file, table_time(ns, text));
}

static void write_facts(const struct results *results, FILE *file)
{
	fputs("<h2>Where and when</h2>\n<table>\n", file);
	for (size_t i = 0; i < results->fact_count; i++) {
		fputs("<tr>", file);
		cell(file, results->facts[i].name);
		cell(file, results->facts[i].value);
		fputs("</tr>\n", file);
	}
	fputs("</table>\n", file);
}

static void write_contestants(const struct results *results, FILE *file)
{
	char text[TIME_SIZE];

	fputs("<h2>What was measured</h2>\n<table>\n<tr><th>contender<th>what it is<th>version<th>"
	      "bytes of a group",
	      file);
	if (results->contestant_count)
		fprintf(file, " of %u", results->contestants[0].memory_members);
	fputs("<th>bytes of another member<th>budget<th>bytes of a process</tr>\n", file);
	for (size_t i = 0; i < results->contestant_count; i++) {
		const struct contestant *contestant = &results->contestants[i];

		fputs("<tr>", file);
		cell(file, contestant->name);
		cell(file, contestant->what);
		cell(file, contestant->absent ? contestant->absent : contestant->version);
		cell(file, table_bytes(contestant->memory, text));
		cell(file, table_bytes(contestant->memory_each, text));
		cell(file, table_bytes(contestant->memory_budget, text));
		cell(file, table_bytes(contestant->memory_process, text));
		fputs("</tr>\n", file);
	}
	fputs("</table>\n", file);
}

static void write_row(const struct results *results, const struct row *row, FILE *file)
{
	static const int chosen[] = { LEVEL_MIN, LEVEL_MEDIAN, LEVEL_P99, LEVEL_P999, LEVEL_MAX };
	const struct row *best;
	char text[40] = "";

	fputs(row->ours ? "<tr class=ours>" : "<tr>", file);
	cell(file, row->contender);
	if (!row_good(row)) {
		fputs("<td colspan=10>", file);
		write_text(file, row->error ? row->error : "not measured");
		fputs("</td></tr>\n", file);
		return;
	}
	for (size_t i = 0; i < sizeof(chosen) / sizeof(chosen[0]); i++)
		cell_time(file, row_quantile(row, chosen[i]));
	cell_time(file, row_mean(row));
	cell_time(file, row_cpu(row));
	cell_time(file, row_system(row));
	if (row_burn(row) != UNKNOWN)
		snprintf(text, sizeof(text), "%.2f%%", row_burn(row) * 100);
	cell(file, text);
	best = row_best_peer(results, row, BY_MEDIAN);
	snprintf(text, sizeof(text), "%s", best == row ? "best" : "");
	if (best && best != row)
		snprintf(text, sizeof(text), "%.3f", row_ratio(row, best, BY_MEDIAN));
	cell(file, text);
	*text = '\0';
	if (row_violations(row) > 0)
		snprintf(text, sizeof(text), "WRONG %.0f times", row_violations(row));
	else if (row->means_little)
		snprintf(text, sizeof(text), "spins without a CPU");
	cell(file, text);
	fputs("</tr>\n", file);
}

static void write_rows(const struct results *results, FILE *file)
{
	const struct row *last = NULL;

	fputs("<h2>Times</h2>\n<p>Median, p99 and p99.9: the median of those of all repetitions; "
	      "min and max: of all. Mean: without time stamps between, where there is such. CPU: "
	      "of all "
	      "members, for each barrier. Burn: CPU time of a member that waits. To best: to the "
	      "fastest peer, the median over repetitions of the ratio of medians.</p>\n",
	      file);
	for (size_t i = 0; i < results->row_count; i++) {
		const struct row *row = &results->rows[i];

		if (!last || !rows_alike(last, row)) {
			fprintf(file, "%s<h3>", last ? "</table>\n" : "");
			write_text(file, row->workload);
			fputs(row->condition ? " " : "", file);
			write_text(file, row->condition);
			fprintf(file, ", %u members, ", row->members);
			write_text(file, row->placement);
			fputs(": time of a ", file);
			write_text(file, row->unit);
			fputs("</"
			      "h3>\n<table>\n<tr><th>contender<th>min<th>median<th>p99<th>p99.9<th>"
			      "max<th>"
			      "mean<th>CPU<th>kernel<th>burn<th>to best<th></tr>\n",
			      file);
		}
		write_row(results, row, file);
		last = row;
	}
	if (last)
		fputs("</table>\n", file);
}

static bool write_plot(const struct plot *plot, void *arg)
{
	FILE *file = arg;
	char *picture = gnuplot_render("hbsbench", plot->script);
	const char *start = picture ? strstr(picture, "<svg") : NULL;

	if (start) {
		fprintf(file, "<figure id=\"%s\" aria-label=\"", plot->name);
		write_text(file, plot->title);
		fputs("\">\n", file);
		/* without the head of an XML file, which has no place inside HTML */
		fputs(start, file);
		fputs("</figure>\n", file);
	}
	free(picture);
	return start;
}

bool html_write(const struct results *results, bool all_lines, FILE *file)
{
	bool good;

	fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
	      "<title>hbsbench</title>\n<style>\n"
	      "body { font-family: sans-serif; max-width: 75em; margin: auto; padding: 1em }\n"
	      "table { border-collapse: collapse; margin-bottom: 1em }\n"
	      "td, th { border: 1px solid #ccc; padding: .2em .6em; text-align: left }\n"
	      ".ours { background: #eef6ff }\nfigure { margin: 1em 0 }\nsvg { max-width: 100% }\n"
	      "</style></head><body>\n<h1>Barriers, measured by hbsbench</h1>\n",
	      file);
	write_facts(results, file);
	write_contestants(results, file);
	write_rows(results, file);
	fputs("<h2>Plots</h2>\n", file);
	good = plots_each(results, all_lines, write_plot, file);
	fputs("</body></html>\n", file);
	return good;
}
