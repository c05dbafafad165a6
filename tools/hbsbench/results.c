// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contender.h"
#include "results.h"
#include "statistics.h"
#include "text.h"

const double levels[LEVELS] = { 0,   0.001, 0.01, 0.05, 0.1, 0.2,  0.25, 0.3,	0.4,   0.5,
				0.6, 0.7,   0.75, 0.8,	0.9, 0.95, 0.99, 0.995, 0.999, 1 };

static void *must(void *memory)
{
	if (memory)
		return memory;
	fprintf(stderr, "hbsbench: out of memory\n");
	exit(2);
}

/* Make room for one more, which is 0 */
static void *add(void **array, size_t *count, size_t size)
{
	char *item;

	*array = must(reallocarray(*array, *count + 1, size));
	item = (char *)*array + *count * size;
	memset(item, 0, size);
	++*count;
	return item;
}

char *text_copy(const char *text)
{
	return text ? must(strdup(text)) : NULL;
}

void results_add_fact(struct results *results, const char *name, const char *format, ...)
{
	struct fact *fact = add((void **)&results->facts, &results->fact_count, sizeof(*fact));
	va_list list;

	fact->name = text_copy(name);
	va_start(list, format);
	if (vasprintf(&fact->value, format, list) < 0)
		must(NULL);
	va_end(list);
	text_clean(fact->value);
}

struct contestant *results_add_contestant(struct results *results)
{
	return add((void **)&results->contestants, &results->contestant_count,
		   sizeof(*results->contestants));
}

struct row *results_add_row(struct results *results)
{
	return add((void **)&results->rows, &results->row_count, sizeof(*results->rows));
}

struct repetition *row_add_repetition(struct row *row)
{
	return add((void **)&row->repetitions, &row->count, sizeof(*row->repetitions));
}

static void free_row(struct row *row)
{
	free(row->workload);
	free(row->condition);
	free(row->policy_of);
	free(row->unit);
	free(row->contender);
	free(row->placement);
	free(row->error);
	free(row->repetitions);
}

void results_drop_rows(struct results *results, size_t kept)
{
	while (results->row_count > kept)
		free_row(&results->rows[--results->row_count]);
}

void results_free(struct results *results)
{
	for (size_t i = 0; i < results->fact_count; i++) {
		free(results->facts[i].name);
		free(results->facts[i].value);
	}
	for (size_t i = 0; i < results->contestant_count; i++) {
		free(results->contestants[i].name);
		free(results->contestants[i].what);
		free(results->contestants[i].version);
		free(results->contestants[i].absent);
	}
	results_drop_rows(results, 0);
	free(results->facts);
	free(results->contestants);
	free(results->rows);
	*results = (struct results){ 0 };
}

/* The median of a number that is at @offset in each repetition */
static double of_all(const struct row *row, size_t offset)
{
	double *values = must(calloc(row->count, sizeof(*values)));
	double result;

	for (size_t i = 0; i < row->count; i++)
		values[i] = *(const double *)((const char *)&row->repetitions[i] + offset);
	result = median(values, row->count);
	free(values);
	return result;
}

#define OF_ALL(row, member) of_all(row, offsetof(struct repetition, member))

double row_quantile(const struct row *row, int level)
{
	double result = row->repetitions[0].quantile[level];

	if (level != LEVEL_MIN && level != LEVEL_MAX)
		return of_all(row, offsetof(struct repetition, quantile) +
					   (size_t)level * sizeof(double));
	for (size_t i = 1; i < row->count; i++) {
		double value = row->repetitions[i].quantile[level];

		if (level == LEVEL_MIN ? value < result : value > result)
			result = value;
	}
	return result;
}

double row_mean(const struct row *row)
{
	return OF_ALL(row, mean);
}

double row_cpu(const struct row *row)
{
	return OF_ALL(row, cpu);
}

double row_system(const struct row *row)
{
	return OF_ALL(row, system);
}

double row_burn(const struct row *row)
{
	return OF_ALL(row, burn);
}

double row_load(const struct row *row)
{
	return OF_ALL(row, load);
}

double row_mean_of_all(const struct row *row)
{
	double sum = 0;

	for (size_t i = 0; i < row->count; i++)
		sum += row->repetitions[i].mean;
	return sum / (double)row->count;
}

double row_worst(const struct row *row)
{
	double worst = row->repetitions[0].mean;

	for (size_t i = 1; i < row->count; i++)
		if (row->repetitions[i].mean > worst)
			worst = row->repetitions[i].mean;
	return worst;
}

double row_barriers(const struct row *row)
{
	double sum = 0;

	for (size_t i = 0; i < row->count; i++)
		sum += row->repetitions[i].barriers;
	return sum;
}

double row_violations(const struct row *row)
{
	double sum = 0;

	for (size_t i = 0; i < row->count; i++)
		sum += row->repetitions[i].violations;
	return sum;
}

double row_misplaced(const struct row *row)
{
	double sum = 0;

	for (size_t i = 0; i < row->count; i++)
		sum += row->repetitions[i].misplaced;
	return sum;
}

bool row_good(const struct row *row)
{
	return !row->error && row->count;
}

bool text_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

bool rows_alike(const struct row *a, const struct row *b)
{
	return a->members == b->members && !strcmp(a->workload, b->workload) &&
	       !strcmp(a->placement, b->placement) && text_same(a->condition, b->condition);
}

static double taken(const struct repetition *repetition, enum measure_by by)
{
	switch (by) {
	case BY_MEAN:
		return repetition->mean;
	case BY_CPU:
		return repetition->cpu;
	default:
		return repetition->quantile[LEVEL_MEDIAN];
	}
}

static double row_taken(const struct row *row, enum measure_by by)
{
	switch (by) {
	case BY_MEAN:
		return row_mean(row);
	case BY_MEAN_OF_ALL:
		return row_mean_of_all(row);
	case BY_CPU:
		return row_cpu(row);
	default:
		return row_quantile(row, LEVEL_MEDIAN);
	}
}

/* The median of the ratios in each repetition */
static double median_ratio(const struct row *row, const struct row *peer, enum measure_by by)
{
	size_t count = row->count < peer->count ? row->count : peer->count;
	double *ratios = must(calloc(count, sizeof(*ratios)));
	double result = 0;

	for (size_t i = 0; i < count && result != UNKNOWN; i++) {
		double ours = taken(&row->repetitions[i], by);
		double theirs = taken(&peer->repetitions[i], by);

		if (ours <= 0 || theirs <= 0)
			result = UNKNOWN;
		else
			ratios[i] = ours / theirs;
	}
	if (result != UNKNOWN)
		result = median(ratios, count);
	free(ratios);
	return result;
}

double row_ratio(const struct row *row, const struct row *peer, enum measure_by by)
{
	if (by == BY_MEAN_OF_ALL)
		return row_mean_of_all(row) / row_mean_of_all(peer);
	return median_ratio(row, peer, by);
}

static bool is_peer(const struct row *row)
{
	return !row->ours && !row->ideal;
}

static bool is_on_card(const struct row *row)
{
	return !strncmp(row->contender, CONTENDER_CARD, strlen(CONTENDER_CARD));
}

static bool is_among(const struct row *other, const struct row *row, enum row_among among,
		     const char *contender)
{
	switch (among) {
	case AMONG_PEERS:
		return is_peer(other) || text_same(other->policy_of, contender);
	case AMONG_POLICIES:
		return text_same(other->policy_of, contender);
	case AMONG_ONE:
		return text_same(other->contender, contender);
	case AMONG_OWN:
		return other->ours && is_on_card(other) == is_on_card(row) &&
		       !text_same(other->contender, contender);
	}
	return false;
}

const struct row *row_best_other(const struct results *results, const struct row *row,
				 enum measure_by by, enum row_among among, const char *contender)
{
	const struct row *best = NULL;

	for (size_t i = 0; i < results->row_count; i++) {
		const struct row *other = &results->rows[i];

		if (!is_among(other, row, among, contender) || !row_good(other) ||
		    !rows_alike(row, other) || row_taken(other, by) <= 0)
			continue;
		if (!best || row_taken(other, by) < row_taken(best, by))
			best = other;
	}
	return best;
}

const struct row *row_best_peer(const struct results *results, const struct row *row,
				enum measure_by by)
{
	/* "" has no variants */
	return row_best_other(results, row, by, AMONG_PEERS, "");
}
