// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "report.h"
#include "statistics.h"

double line_median(const struct line *line)
{
	double sorted[ROUNDS_MAX];

	memcpy(sorted, line->ns, line->rounds * sizeof(*sorted));
	return median(sorted, line->rounds);
}

double line_mean(const struct line *line)
{
	double sum = 0;

	for (size_t i = 0; i < line->rounds; i++)
		sum += line->ns[i];
	return sum / (double)line->rounds;
}

/* One that took too long in some rounds has only its better rounds to show */
static bool is_measured(const struct line *line)
{
	return line->is_here && line->rounds && !*line->error;
}

const struct line *best_peer(const struct line *lines, size_t count,
			     double (*by)(const struct line *line))
{
	const struct line *best = NULL;

	for (size_t i = 0; i < count; i++)
		if (!lines[i].way->ours && is_measured(&lines[i]) &&
		    (!best || by(&lines[i]) < by(best)))
			best = &lines[i];
	return best;
}

void report_ways(const struct line *lines, size_t count)
{
	printf("\n%-15s %s\n", "contender", "what it is");
	for (size_t i = 0; i < count; i++) {
		const struct way *way = lines[i].way;
		const char *version;

		if (!way)
			continue;
		version = lines[i].is_here ? way->version() : NULL;
		printf("%-15s %s", way->name, way->what);
		if (!lines[i].is_here)
			printf(" (not measured: %s)", lines[i].absent);
		else if (version)
			printf(" (%s)", version);
		putchar('\n');
	}
}

static void report_times(const struct line *line)
{
	double least = line->ns[0], worst = line->ns[0];

	printf("  %-15s", line->way->name);
	for (size_t i = 1; i < line->rounds; i++) {
		least = line->ns[i] < least ? line->ns[i] : least;
		worst = line->ns[i] > worst ? line->ns[i] : worst;
	}
	if (is_measured(line))
		printf(" %9.0f %9.0f %9.0f %9.0f %6zu\n", line_median(line), line_mean(line), least,
		       worst, line->rounds);
	else
		printf(" not measured: %s\n", *line->error ? line->error : "not reached");
}

static void report_ratio(const struct line *line, const struct line *peer, const char *by,
			 double (*value)(const struct line *line))
{
	if (!peer)
		return;
	printf(", by %s %.3f of %s (%.1f times as fast)", by, value(line) / value(peer),
	       peer->way->name, value(peer) / value(line));
}

void report_lines(const struct line *lines, size_t count, unsigned int members)
{
	const struct line *by_median = best_peer(lines, count, line_median);
	const struct line *by_mean = best_peer(lines, count, line_mean);

	printf("\n%u members, ns of a step in a round\n  %-15s %9s %9s %9s %9s %6s\n", members,
	       "contender", "median", "mean", "least", "worst", "rounds");
	for (size_t i = 0; i < count; i++)
		if (lines[i].is_here)
			report_times(&lines[i]);
	for (size_t i = 0; i < count; i++) {
		if (!lines[i].way->ours || !is_measured(&lines[i]))
			continue;
		printf("  %s takes", lines[i].way->name);
		report_ratio(&lines[i], by_median, "median", line_median);
		report_ratio(&lines[i], by_mean, "mean", line_mean);
		puts(by_median ? ""
			       : " a time that is compared with nothing: no peer was measured");
	}
}
