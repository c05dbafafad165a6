// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>
#include <string.h>

#include "contender.h"
#include "hbs_algorithms.h"
#include "table.h"

static int digits_after_point(double value)
{
	if (value < 9.995)
		return 2;
	return value < 99.95 ? 1 : 0;
}

static const char *const units[] = { "ns", "us", "ms", "s" };

const char *table_time(double ns, char text[TIME_SIZE])
{
	int unit = 0;

	if (ns == UNKNOWN)
		return "-";
	while (ns >= 999.5 && unit < 3) {
		ns /= 1000;
		unit++;
	}
	snprintf(text, TIME_SIZE, "%.*f %s", digits_after_point(ns), ns, units[unit]);
	return text;
}

const char *table_mark(double ns, char text[TIME_SIZE])
{
	int unit = 0;

	while (ns >= 999.5 && unit < 3) {
		ns /= 1000;
		unit++;
	}
	snprintf(text, TIME_SIZE, "%g %s", ns, units[unit]);
	return text;
}

const char *table_bytes(double bytes, char text[TIME_SIZE])
{
	if (bytes == UNKNOWN)
		return "-";
	snprintf(text, TIME_SIZE, "%.0f", bytes);
	return text;
}

const char *table_percent(double part, char text[TIME_SIZE])
{
	if (part == UNKNOWN)
		return "-";
	snprintf(text, TIME_SIZE, "%.2f%%", part * 100);
	return text;
}

void table_write_facts(const struct results *results, FILE *file)
{
	for (size_t i = 0; i < results->fact_count; i++)
		fprintf(file, "%-19s %s\n", results->facts[i].name, results->facts[i].value);
}

void table_write_contestants(const struct results *results, FILE *file)
{
	char bytes[TIME_SIZE], each[TIME_SIZE], budget[TIME_SIZE], process[TIME_SIZE];

	fprintf(file, "\n%-19s %9s %9s %9s %9s  %s\n", "contender", "bytes", "a member", "budget",
		"process", "what it is");
	for (size_t i = 0; i < results->contestant_count; i++) {
		const struct contestant *contestant = &results->contestants[i];

		fprintf(file, "%-19s %9s %9s %9s %9s  %s", contestant->name,
			table_bytes(contestant->memory, bytes),
			table_bytes(contestant->memory_each, each),
			table_bytes(contestant->memory_budget, budget),
			table_bytes(contestant->memory_process, process), contestant->what);
		if (contestant->absent)
			fprintf(file, " (not measured: %s)\n", contestant->absent);
		else
			fprintf(file, "%s%s%s\n", contestant->version ? " (" : "",
				contestant->version ? contestant->version : "",
				contestant->version ? ")" : "");
	}
	if (results->contestant_count)
		fprintf(file,
			"bytes: of a group of %u members; a member: what another one adds; "
			"budget: what hbs may take; process: once, besides; -: not known\n",
			results->contestants[0].memory_members);
}

static void write_row(const struct results *results, const struct row *row, FILE *file)
{
	const struct row *best = row_good(row) ? row_best_peer(results, row, BY_MEDIAN) : NULL;
	char time[7][TIME_SIZE], burn[TIME_SIZE];

	fprintf(file, "  %-19s", row->contender);
	if (!row_good(row)) {
		fprintf(file, " %s\n", row->error ? row->error : "not measured");
		return;
	}
	fprintf(file, " %8s %8s %8s %8s %8s %8s %8s %8s %7s",
		table_time(row_quantile(row, LEVEL_MIN), time[6]),
		table_time(row_quantile(row, LEVEL_MEDIAN), time[0]),
		table_time(row_quantile(row, LEVEL_P99), time[1]),
		table_time(row_quantile(row, LEVEL_P999), time[2]),
		table_time(row_quantile(row, LEVEL_MAX), time[3]),
		table_time(row_mean(row), time[4]), table_time(row_cpu(row), time[5]),
		table_time(row_system(row), (char[TIME_SIZE]){ 0 }),
		table_percent(row_burn(row), burn));
	if (best && best != row)
		fprintf(file, " %7.2f", row_ratio(row, best, BY_MEDIAN));
	else
		fprintf(file, " %7s", best ? "best" : "-");
	if (row->means_little)
		fputs("  *", file);
	if (row_violations(row) > 0)
		fprintf(file, "  WRONG %.0f times", row_violations(row));
	if (row_misplaced(row) > 0)
		fprintf(file, "  %.0f members not where they were put", row_misplaced(row));
	fputc('\n', file);
}

void table_write_rows(const struct results *results, FILE *file)
{
	const struct row *last = NULL;
	bool starred = false;

	for (size_t i = 0; i < results->row_count; i++) {
		const struct row *row = &results->rows[i];

		/* these rows have a table of their own */
		if (row->condition)
			continue;
		if (!last || !rows_alike(last, row)) {
			fprintf(file, "\n%s, %u members, %s (time of a %s)\n", row->workload,
				row->members, row->placement, row->unit);
			fprintf(file, "  %-19s %8s %8s %8s %8s %8s %8s %8s %8s %7s %7s\n",
				"contender", "min", "median", "p99", "p99.9", "max", "mean", "cpu",
				"system", "burn", "to best");
		}
		write_row(results, row, file);
		starred |= row->means_little;
		last = row;
	}
	if (!last)
		return;
	fputs("\nmin, max: of all repetitions; of a workload that goes on and on, min is what its "
	      "barriers\n"
	      "can take at best, as papers give it\n"
	      "cpu, system: CPU time of all members for each barrier, and the part in the "
	      "kernel\n"
	      "burn: CPU time of a member that waits, as a part of the time\n"
	      "to best: to the best peer, the median over repetitions of the ratio of medians\n",
	      file);
	if (starred)
		fputs("*: more members than CPUs, and it only spins: the row means little\n", file);
}

static void write_ratio(double ratio, bool best, FILE *file)
{
	if (ratio == UNKNOWN)
		fprintf(file, " %9s      ", "-");
	else
		fprintf(file, " %9.3f %s", ratio, best ? "best " : "     ");
}

static bool is_idle(const struct row *row)
{
	return !strcmp(row->contender, CONTENDER_IDLE);
}

/* Of the barriers of hbs, with which idle members are compared; else NULL */
static const struct row *best_own(const struct results *results, const struct row *row,
				  enum measure_by by)
{
	return is_idle(row) ? row_best_other(results, row, by, AMONG_OWN, row->contender) : NULL;
}

/* The ratio of @row to @peer, in a line */
static void write_peer(const struct results *results, const struct row *row, const struct row *peer,
		       FILE *file)
{
	fprintf(file, "    %-19s", peer->contender);
	for (enum measure_by by = BY_MEDIAN; by <= BY_CPU; by++)
		write_ratio(row_ratio(row, peer, by),
			    peer == row_best_peer(results, row, by) ||
				    peer == best_own(results, row, by),
			    file);
	fprintf(file, "%s\n", peer->means_little ? "*" : "");
}

static bool is_drop_in_of(const struct row *row, const struct row *other)
{
	return !strcmp(row->contender, CONTENDER_DROP_IN) &&
	       !strcmp(other->contender, CONTENDER_HBS);
}

/* Whether idle members are compared with it */
static bool is_own(const struct row *row, const struct row *other)
{
	return is_idle(row) && other != row && other->ours &&
	       strncmp(other->contender, CONTENDER_CARD, strlen(CONTENDER_CARD));
}

static void write_ratios_of(const struct results *results, const struct row *row, FILE *file)
{
	fprintf(file, "  %s, %u members, %s: %s takes, of what these take\n", row->workload,
		row->members, row->placement, row->contender);
	fprintf(file, "    %-19s %9s       %9s       %9s\n", "", "median", "mean", "cpu");
	for (size_t i = 0; i < results->row_count; i++) {
		const struct row *peer = &results->rows[i];

		if (row_good(peer) && rows_alike(row, peer) && !peer->ideal &&
		    (!peer->ours || is_drop_in_of(row, peer) || is_own(row, peer)))
			write_peer(results, row, peer, file);
	}
}

/* Each algorithm's ratio to the best peer is in its row */
static bool has_ratios(const struct results *results, const struct row *row)
{
	struct algorithm_choice choice;

	return row->ours && !row->condition && row_good(row) &&
	       (row_best_peer(results, row, BY_MEDIAN) || best_own(results, row, BY_MEDIAN)) &&
	       !hbs_algorithm_named(row->contender, &choice);
}

void table_write_ratios(const struct results *results, FILE *file)
{
	bool any = false;

	for (size_t i = 0; i < results->row_count; i++) {
		if (!has_ratios(results, &results->rows[i]))
			continue;
		if (!any)
			fputs("\nratios, best: to the best peer, and of idle members to the best "
			      "barrier "
			      "of hbs\n",
			      file);
		any = true;
		write_ratios_of(results, &results->rows[i], file);
	}
}
