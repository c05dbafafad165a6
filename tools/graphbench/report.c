// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "report.h"
#include "statistics.h"

double series_median(const struct series *series)
{
	double sorted[ROUNDS_MAX];

	memcpy(sorted, series->ns, series->count * sizeof(*sorted));
	return median(sorted, series->count);
}

double series_mean(const struct series *series)
{
	double sum = 0;

	for (size_t i = 0; i < series->count; i++)
		sum += series->ns[i];
	return sum / (double)series->count;
}

static bool is_measured(const struct line *line)
{
	return line->columns[COLUMN_ALL].count && !*line->error;
}

static const struct line *find(const struct line *lines, size_t count, const struct peer *peer)
{
	for (size_t i = 0; i < count; i++)
		if (lines[i].peer == peer && is_measured(&lines[i]))
			return &lines[i];
	return NULL;
}

static void print_title(enum task task, const struct problem *problem)
{
	static const char *const names[TASKS] = { "page rank", "shortest paths", "fewest edges",
						  "heat" };

	printf("\n%s", names[task]);
	if (task == TASK_RANKS || task == TASK_HEAT)
		printf(", %u steps", problem->iterations);
	printf("\n  %-13s %29s   %29s\n  %-13s", "", "s from the edges to the result",
	       "s of the run alone", "contender");
	for (int i = 0; i < COLUMNS; i++)
		printf(" %9s %9s %9s%s", "median", "mean", "hbs / it",
		       i + 1 < COLUMNS ? "  " : "\n");
}

static void print_ratio(const struct line *line, const struct line *ours, enum column column)
{
	if (!ours || line == ours)
		printf(" %9s", "");
	else
		printf(" %9.3f", series_median(&ours->columns[column]) /
					 series_median(&line->columns[column]));
}

static void print_line(const struct line *line, const struct line *ours)
{
	printf("  %-13s", line->peer->name);
	if (!is_measured(line)) {
		printf(" not measured: %s\n", line->error);
		return;
	}
	for (enum column column = 0; column < COLUMNS; column++) {
		printf(" %9.4f %9.4f", series_median(&line->columns[column]) * 1e-9,
		       series_mean(&line->columns[column]) * 1e-9);
		print_ratio(line, ours, column);
		fputs(column + 1 < COLUMNS ? "  " : "\n", stdout);
	}
}

void report_task(enum task task, const struct problem *problem, const struct line *lines,
		 size_t count)
{
	const struct line *ours = find(lines, count, &peer_hbs);

	print_title(task, problem);
	for (size_t i = 0; i < count; i++)
		if (lines[i].peer->solve[task])
			print_line(&lines[i], ours);
}

void report_threads(const struct line *lines, size_t count, unsigned int threads)
{
	const struct line *many = find(lines, count, &peer_hbs);
	const struct line *one = find(lines, count, &peer_hbs_alone);

	if (!many || !one || threads < 2)
		return;
	printf("  %u threads of hbs are %.2f times as fast as one from the edges to the result, "
	       "%.2f in the run alone\n",
	       threads,
	       series_median(&one->columns[COLUMN_ALL]) / series_median(&many->columns[COLUMN_ALL]),
	       series_median(&one->columns[COLUMN_RUN]) /
		       series_median(&many->columns[COLUMN_RUN]));
}
