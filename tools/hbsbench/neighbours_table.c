// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>
#include <string.h>

#include "condition.h"
#include "contender.h"
#include "neighbours_table.h"
#include "table.h"

/* A contender that waits by default, the others that it is compared with, and what it may take */
struct subject {
	const char *contender;
	enum row_among among;
	const char *of;
	double limit;
	const char *title;
};

static const struct subject subjects[] = {
	{ CONTENDER_HBS, AMONG_PEERS, CONTENDER_HBS, NEIGHBOURS_LIMIT,
	  "hbs takes, of what the best takes of its peers and of its own fixed ways to wait" },
	{ CONTENDER_DROP_IN, AMONG_PEERS, CONTENDER_HBS, NEIGHBOURS_LIMIT,
	  "hbs-pthread takes, of what the best of the same takes" },
	{ CONTENDER_IDLE, AMONG_ONE, CONTENDER_HBS, NEIGHBOURS_IDLE_LIMIT,
	  "hbs-idle takes, of what hbs takes" },
	{ CONTENDER_IDLE, AMONG_OWN, CONTENDER_IDLE, NEIGHBOURS_IDLE_LIMIT,
	  "hbs-idle takes, of what the best barrier of hbs takes, whatever its way to wait" },
	{ CONTENDER_CARD, AMONG_PEERS, CONTENDER_CARD, NEIGHBOURS_LIMIT,
	  "hbs-card takes, of what the best takes of the peers and of its own fixed ways" },
	{ CONTENDER_CARD, AMONG_POLICIES, CONTENDER_CARD, NEIGHBOURS_LIMIT,
	  "hbs-card takes, of what the best takes of its own fixed ways to wait" },
};

static const char *load(double cpus, char text[TIME_SIZE])
{
	if (cpus == UNKNOWN)
		return "-";
	snprintf(text, TIME_SIZE, "%.2f", cpus);
	return text;
}

static void write_row(const struct row *row, FILE *file)
{
	char times[7][TIME_SIZE], burn[TIME_SIZE], cpus[TIME_SIZE];

	fprintf(file, "  %-19s", row->contender);
	if (!row_good(row)) {
		fprintf(file, " %s\n", row->error ? row->error : "not measured");
		return;
	}
	fprintf(file, " %8s %8s %8s %8s %8s %8s %8s %7s %5s %9.0f %4zu",
		table_time(row_quantile(row, LEVEL_MIN), times[0]),
		table_time(row_quantile(row, LEVEL_MEDIAN), times[1]),
		table_time(row_mean(row), times[2]), table_time(row_mean_of_all(row), times[3]),
		table_time(row_worst(row), times[4]), table_time(row_cpu(row), times[5]),
		table_time(row_system(row), times[6]), table_percent(row_burn(row), burn),
		load(row_load(row), cpus), row_barriers(row), row->count);
	if (row_violations(row) > 0)
		fprintf(file, "  WRONG %.0f times", row_violations(row));
	fputc('\n', file);
}

static void write_head(const struct row *row, FILE *file)
{
	const struct condition *condition = condition_find(row->condition);

	fprintf(file, "\n%s %s, %u members: %s (time of a %s)\n", row->workload, row->condition,
		row->members, condition ? condition->what : "not known here", row->unit);
	fprintf(file, "  %-19s %8s %8s %8s %8s %8s %8s %8s %7s %5s %9s %4s\n", "contender", "min",
		"median", "mean", "of all", "worst", "cpu", "system", "burn", "load", "barriers",
		"reps");
}

static bool write_rows(const struct results *results, FILE *file)
{
	const struct row *last = NULL;

	for (size_t i = 0; i < results->row_count; i++) {
		const struct row *row = &results->rows[i];

		if (!row->condition)
			continue;
		if (!last || !rows_alike(last, row))
			write_head(row, file);
		write_row(row, file);
		last = row;
	}
	if (last)
		fputs("\nmean: of all barriers of a repetition, and the median of repetitions; of "
		      "all: their mean;\nworst: the repetition whose mean is greatest\n"
		      "cpu, system: CPU time of all members for each barrier, and the part in the "
		      "kernel\n"
		      "burn: CPU time of a member that waits for the late one, as a part of the "
		      "time\n"
		      "load: CPUs that the neighbours took; reps: repetitions that were measured\n",
		      file);
	return last;
}

static void write_best(const struct results *results, const struct row *row,
		       const struct subject *subject, enum measure_by by, FILE *file)
{
	const struct row *best = row_best_other(results, row, by, subject->among, subject->of);

	if (best)
		fprintf(file, " %8.3f of %-19s", row_ratio(row, best, by), best->contender);
	else
		fprintf(file, " %8s    %-19s", "-", "");
}

/* Rows of a subject */
struct tally {
	unsigned int rows;
	unsigned int within;
	unsigned int within_of_all;
	unsigned int late;
	unsigned int cheap;
};

static bool is_within(const struct results *results, const struct row *row,
		      const struct subject *subject, enum measure_by by)
{
	const struct row *best = row_best_other(results, row, by, subject->among, subject->of);

	return best && row_ratio(row, best, by) <= subject->limit;
}

static bool has_other(const struct results *results, const struct row *row,
		      const struct subject *subject)
{
	return row_best_other(results, row, BY_MEAN, subject->among, subject->of);
}

static void write_ratio(const struct results *results, const struct row *row,
			const struct subject *subject, struct tally *tally, FILE *file)
{
	char burn[TIME_SIZE];
	bool within;

	fprintf(file, "  %-13s %4u", row->condition, row->members);
	if (!row_good(row)) {
		fprintf(file, "  %s\n", row->error ? row->error : "not measured");
		return;
	}
	within = is_within(results, row, subject, BY_MEAN);
	write_best(results, row, subject, BY_MEAN, file);
	write_best(results, row, subject, BY_MEAN_OF_ALL, file);
	write_best(results, row, subject, BY_MEDIAN, file);
	write_best(results, row, subject, BY_CPU, file);
	fprintf(file, " %7s", table_percent(row_burn(row), burn));
	fprintf(file, "%s\n", has_other(results, row, subject) && !within ? "  *" : "");
	tally->within += within;
	tally->within_of_all += is_within(results, row, subject, BY_MEAN_OF_ALL);
	if (row_burn(row) == UNKNOWN)
		return;
	tally->late++;
	tally->cheap += row_burn(row) <= NEIGHBOURS_BURN_LIMIT;
}

static void write_ratios(const struct results *results, const struct subject *subject, FILE *file)
{
	struct tally tally = { 0 };

	for (size_t i = 0; i < results->row_count; i++) {
		const struct row *row = &results->rows[i];

		if (!row->condition || strcmp(row->contender, subject->contender))
			continue;
		if (!tally.rows++)
			fprintf(file, "\n%s\n  %-13s %4s %-32s %-32s %-32s %-32s %7s\n",
				subject->title, "", "", "  by mean", "  by mean of all",
				"  by median", "  by CPU time", "burn");
		write_ratio(results, row, subject, &tally, file);
	}
	if (tally.rows)
		fprintf(file,
			"  by mean at most %.1f in %u of %u rows (others: *), by mean of all in "
			"%u\n",
			subject->limit, tally.within, tally.rows, tally.within_of_all);
	if (tally.late)
		fprintf(file,
			"  a late member costs each other one at most %.0f%% in %u of %u rows\n",
			NEIGHBOURS_BURN_LIMIT * 100, tally.cheap, tally.late);
}

void neighbours_table(const struct results *results, FILE *file)
{
	bool any = write_rows(results, file);

	for (size_t i = 0; any && i < sizeof(subjects) / sizeof(subjects[0]); i++)
		write_ratios(results, &subjects[i], file);
	for (size_t i = 0; i < results->fact_count; i++)
		if (!strcmp(results->facts[i].name, NOT_MEASURED))
			fprintf(file, "%s: %s\n", NOT_MEASURED, results->facts[i].value);
}
