// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "statistics.h"

#define EXACT_MAX 40

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void sort(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), compare);
}

double quantile(const double *sorted, size_t count, double level)
{
	double place = level * (double)(count - 1);
	size_t below = (size_t)place;

	if (below + 1 >= count)
		return sorted[count - 1];
	return sorted[below] + (place - (double)below) * (sorted[below + 1] - sorted[below]);
}

double median(double *values, size_t count)
{
	sort(values, count);
	return quantile(values, count, 0.5);
}

/* Twice the rank of @value in @sorted: equal ones share the middle of their ranks */
static size_t double_rank(const double *sorted, size_t count, double value)
{
	size_t first = 0, after;

	while (first < count && sorted[first] < value)
		first++;
	after = first;
	while (after < count && sorted[after] == value)
		after++;
	return first + after + 1;
}

/*
 * ways[k][s]: how many choices of k ranks have doubles that add up to s. Each rank in turn
 * is either chosen or not.
 */
static double exact_chance(const size_t *ranks, size_t count, size_t chosen, size_t sum)
{
	size_t width = count * (count + 1) + 1, middle = chosen * (count + 1);
	size_t apart = sum > middle ? sum - middle : middle - sum;
	double *ways = calloc((chosen + 1) * width, sizeof(*ways));
	double all = 0, extreme = 0;

	if (!ways)
		return 1;
	ways[0] = 1;
	for (size_t i = 0; i < count; i++)
		for (size_t k = chosen; k > 0; k--)
			for (size_t s = ranks[i]; s < width; s++)
				ways[k * width + s] += ways[(k - 1) * width + s - ranks[i]];
	for (size_t s = 0; s < width; s++) {
		double here = ways[chosen * width + s];

		all += here;
		if ((s > middle ? s - middle : middle - s) >= apart)
			extreme += here;
	}
	free(ways);
	return extreme / all;
}

static double normal_chance(const size_t *ranks, size_t count, size_t chosen, size_t sum)
{
	double n = (double)count, middle = (double)(chosen * (count + 1)), variance = 0, apart;

	/* of a sum of ranks, which are drawn without replacement */
	for (size_t i = 0; i < count; i++)
		variance += ((double)ranks[i] - n - 1) * ((double)ranks[i] - n - 1) / n;
	variance *= (double)chosen * (double)(count - chosen) / (n - 1);
	/* one half of a rank, since sums are whole */
	apart = fabs((double)sum - middle) - 1;
	if (variance <= 0 || apart <= 0)
		return 1;
	return erfc(apart / sqrt(2 * variance));
}

double rank_test(const double *a, size_t a_count, const double *b, size_t b_count)
{
	size_t count = a_count + b_count, sum = 0;
	double *sorted = calloc(count + 1, sizeof(*sorted));
	size_t *ranks = calloc(count + 1, sizeof(*ranks));
	double chance = 1;

	if (a_count && b_count && sorted && ranks) {
		memcpy(sorted, a, a_count * sizeof(*a));
		memcpy(sorted + a_count, b, b_count * sizeof(*b));
		sort(sorted, count);
		for (size_t i = 0; i < count; i++)
			ranks[i] = double_rank(sorted, count, sorted[i]);
		for (size_t i = 0; i < a_count; i++)
			sum += double_rank(sorted, count, a[i]);
		chance = count <= EXACT_MAX ? exact_chance(ranks, count, a_count, sum)
					    : normal_chance(ranks, count, a_count, sum);
	}
	free(sorted);
	free(ranks);
	return chance;
}

double rank_test_least(size_t a_count, size_t b_count)
{
	double choices = 1;

	for (size_t i = 1; i <= a_count; i++)
		choices *= (double)(b_count + i) / (double)i;
	return choices > 2 ? 2 / choices : 1;
}

double discoveries(const double *chances, size_t count, double rate)
{
	double *sorted = calloc(count + 1, sizeof(*sorted));
	double last = -1;

	if (!sorted)
		return last;
	memcpy(sorted, chances, count * sizeof(*sorted));
	sort(sorted, count);
	for (size_t i = 0; i < count; i++)
		if (sorted[i] <= (double)(i + 1) * rate / (double)count)
			last = sorted[i];
	free(sorted);
	return last;
}
