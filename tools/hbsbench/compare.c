// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "statistics.h"
#include "table.h"

/* The part of reported changes that may be wrong */
#define FALSE_RATE 0.01

struct pair {
	const struct row *before;
	const struct row *after;
	double *values_before;
	double *values_after;
	size_t count_before;
	size_t count_after;
	double chance;
	double ratio;
};

static const struct row *find(const struct results *results, const struct row *like,
			      const char *contender)
{
	for (size_t i = 0; i < results->row_count; i++) {
		const struct row *row = &results->rows[i];

		if (row_good(row) && rows_alike(row, like) && !strcmp(row->contender, contender))
			return row;
	}
	return NULL;
}

/*
 * The time of each repetition of a row, or its ratio to @relative's; NULL if that is missing. In
 * an interrupted run one of the two may have a repetition that the other lacks.
 */
static double *values(const struct results *results, const struct row *row, const char *relative,
		      size_t *count)
{
	const struct row *base = relative ? find(results, row, relative) : NULL;
	double *list;

	if (relative && !base)
		return NULL;
	*count = base && base->count < row->count ? base->count : row->count;
	list = calloc(*count, sizeof(*list));
	for (size_t i = 0; list && i < *count; i++) {
		list[i] = row->repetitions[i].quantile[LEVEL_MEDIAN];
		if (base)
			list[i] /= base->repetitions[i].quantile[LEVEL_MEDIAN];
	}
	return list;
}

/* The change: the median of all ratios of a value after to a value before */
static double shift(const struct pair *pair)
{
	size_t count = 0;
	double *ratios = calloc(pair->count_before * pair->count_after, sizeof(*ratios));
	double result;

	if (!ratios)
		return 1;
	for (size_t i = 0; i < pair->count_before; i++)
		for (size_t k = 0; k < pair->count_after; k++)
			ratios[count++] = pair->values_after[k] / pair->values_before[i];
	result = median(ratios, count);
	free(ratios);
	return result;
}

static bool make_pair(struct pair *pair, const struct results *before, const struct row *row,
		      const struct results *after, const char *relative)
{
	*pair = (struct pair){ .before = row, .after = find(after, row, row->contender) };
	if (!row_good(row) || !pair->after || (relative && !strcmp(row->contender, relative)))
		return false;
	pair->values_before = values(before, row, relative, &pair->count_before);
	pair->values_after = values(after, pair->after, relative, &pair->count_after);
	if (!pair->values_before || !pair->values_after) {
		free(pair->values_before);
		free(pair->values_after);
		return false;
	}
	pair->chance = rank_test(pair->values_before, pair->count_before, pair->values_after,
				 pair->count_after);
	pair->ratio = shift(pair);
	return true;
}

static void print(const struct pair *pair)
{
	const struct row *row = pair->before;
	char before[TIME_SIZE], after[TIME_SIZE];

	printf("%s%s%s, %u members, %s, %s: %s, was %s, is %s: %+.1f%% (chance %.2g)\n",
	       row->workload, row->condition ? " " : "", row->condition ? row->condition : "",
	       row->members, row->placement, row->contender, pair->ratio > 1 ? "slower" : "faster",
	       table_time(row_quantile(row, LEVEL_MEDIAN), before),
	       table_time(row_quantile(pair->after, LEVEL_MEDIAN), after), (pair->ratio - 1) * 100,
	       pair->chance);
}

/* With few repetitions even the clearest change of a few rows could be chance */
static void warn_of_few(const struct pair *pairs, size_t count)
{
	double least = 0;
	size_t rows;

	for (size_t i = 0; i < count; i++) {
		double here = rank_test_least(pairs[i].count_before, pairs[i].count_after);

		least = here > least ? here : least;
	}
	rows = (size_t)ceil(least * (double)count / FALSE_RATE);
	if (rows > count)
		printf("too few repetitions: no change at all would show\n");
	else if (rows > 1)
		printf("few repetitions: changes of fewer than %zu rows do not show\n", rows);
}

static int report(const struct pair *pairs, size_t count, double least)
{
	double *chances = calloc(count, sizeof(*chances));
	double limit;
	int changed = 0;

	if (!chances)
		return -1;
	for (size_t i = 0; i < count; i++)
		chances[i] = pairs[i].chance;
	limit = discoveries(chances, count, FALSE_RATE);
	free(chances);
	for (size_t i = 0; i < count; i++) {
		double part = pairs[i].ratio > 1 ? pairs[i].ratio - 1 : 1 - pairs[i].ratio;

		if (pairs[i].chance > limit || part < least)
			continue;
		print(&pairs[i]);
		changed++;
	}
	warn_of_few(pairs, count);
	printf("%d of %zu rows changed\n", changed, count);
	return changed;
}

int compare(const struct results *before, const struct results *after, const char *relative,
	    double least)
{
	struct pair *pairs = calloc(before->row_count + 1, sizeof(*pairs));
	size_t count = 0;
	int changed = -1;

	for (size_t i = 0; pairs && i < before->row_count; i++)
		count += make_pair(&pairs[count], before, &before->rows[i], after, relative);
	if (count)
		changed = report(pairs, count, least);
	for (size_t i = 0; i < count; i++) {
		free(pairs[i].values_before);
		free(pairs[i].values_after);
	}
	free(pairs);
	return changed;
}
