/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HBSBENCH_STATISTICS_H
#define HBSBENCH_STATISTICS_H

#include <stddef.h>

/* Sort numbers, the smallest first */
void sort(double *values, size_t count);

/* The quantile @level, 0 to 1, of @count > 0 sorted values: by the line between neighbours */
double quantile(const double *sorted, size_t count, double level);

/* The median of @count > 0 values, which this sorts */
double median(double *values, size_t count);

/**
 * rank_test() - whether two sets of measurements could be of the same thing
 * @a: one set, of @a_count values
 * @b: the other set
 *
 * The test of Wilcoxon, Mann and Whitney: it ranks all values together, and sums the ranks
 * of the one set. If there is no difference, each choice of a_count ranks is as likely as
 * any other. The result is the chance of a sum that is as far from the middle: exact, also
 * with ties, for up to 40 values; by the normal distribution for more.
 *
 * Return: the chance, two-sided; 1 if there is nothing to compare or no memory.
 */
double rank_test(const double *a, size_t a_count, const double *b, size_t b_count);

/* The least that rank_test() can return for so many values, without ties */
double rank_test_least(size_t a_count, size_t b_count);

/**
 * discoveries() - which of many tests found something
 * @chances: the result of each test
 * @count: how many
 * @rate: the part of the discoveries that may be wrong, on average
 *
 * By the rule of Benjamini and Hochberg: in the sorted chances, find the last number k that is
 * at most k * rate / count; it and all before it are discoveries. If nothing differs at all, one
 * of 1/rate comparisons still finds something.
 *
 * Return: the largest chance that is a discovery; below 0 if none is.
 */
double discoveries(const double *chances, size_t count, double rate);

#endif /* HBSBENCH_STATISTICS_H */
