// SPDX-License-Identifier: GPL-2.0-or-later
/* The statistics, on data whose results are known */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "results.h"
#include "shared/random.h"
#include "statistics.h"

static void near(double a, double b)
{
	if (fabs(a - b) > 1e-6)
		fail_msg("%.9g is not %.9g", a, b);
}

static void test_quantiles(void **state)
{
	double values[] = { 5, 1, 4, 2, 3 }, even[] = { 4, 1, 3, 2 }, one[] = { 7 };

	(void)state;
	near(median(values, 5), 3);
	near(quantile(values, 5, 0), 1);
	near(quantile(values, 5, 1), 5);
	near(quantile(values, 5, 0.1), 1.4);
	near(quantile(values, 5, 0.99), 4.96);
	near(median(even, 4), 2.5);
	near(median(one, 1), 7);
	near(quantile(one, 1, 0.999), 7);
}

static void test_levels(void **state)
{
	(void)state;
	near(levels[LEVEL_MIN], 0);
	near(levels[LEVEL_MEDIAN], 0.5);
	near(levels[LEVEL_P99], 0.99);
	near(levels[LEVEL_P999], 0.999);
	near(levels[LEVEL_MAX], 1);
	for (int i = 1; i < LEVELS; i++)
		assert_true(levels[i] > levels[i - 1]);
}

/* By hand: of the 20 ways to choose 3 of 6 ranks, one sums to 6 and one to 15 */
static void test_rank_test_exact(void **state)
{
	double low[] = { 1, 2, 3 }, high[] = { 4, 5, 6 }, mixed[] = { 1, 4, 6 },
	       rest[] = { 2, 3, 5 };

	(void)state;
	near(rank_test(low, 3, high, 3), 0.1);
	near(rank_test(high, 3, low, 3), 0.1);
	/* sums 11 and 10, the two nearest to the middle */
	near(rank_test(mixed, 3, rest, 3), 1);
	near(rank_test_least(3, 3), 0.1);
	near(rank_test_least(9, 9), 2.0 / 48620);
	near(rank_test(low, 3, high, 0), 1);
}

/* By hand: ranks 1, 2.5, 2.5, 4; {1, 2.5} twice, {1, 4} and {2.5, 2.5}, {2.5, 4} twice */
static void test_rank_test_ties(void **state)
{
	double a[] = { 1, 2 }, b[] = { 2, 3 }, same[] = { 5, 5, 5 };

	(void)state;
	near(rank_test(a, 2, b, 2), 4.0 / 6);
	near(rank_test(same, 3, same, 3), 1);
}

/* For many values, by the tables of the normal distribution: (405 - 0.5) / 67.64 = 5.98 */
static void test_rank_test_many(void **state)
{
	double a[30], b[30];

	(void)state;
	for (int i = 0; i < 30; i++) {
		a[i] = i;
		b[i] = i + 20.5;
	}
	/* a is above b in 45 pairs of 900, 405 from the middle, and the deviation is 67.64 */
	assert_true(rank_test(a, 30, b, 30) > 2.1e-9);
	assert_true(rank_test(a, 30, b, 30) < 2.4e-9);
	near(rank_test(a, 30, a, 30), 1);
}

/* Without a difference, a chance below 5% has to come up in about 5% of all tests */
static void test_rank_test_false_alarms(void **state)
{
	uint64_t random = random_start(1);
	int alarms = 0;

	(void)state;
	for (int test = 0; test < 2000; test++) {
		double a[8], b[8];

		for (int i = 0; i < 8; i++) {
			a[i] = random_part(&random);
			b[i] = random_part(&random);
		}
		alarms += rank_test(a, 8, b, 8) < 0.05;
	}
	assert_in_range(alarms, 60, 130);
}

static void test_discoveries(void **state)
{
	/* 5 tests at 5%: limits 0.01, 0.02, 0.03, 0.04, 0.05 */
	double some[] = { 0.5, 0.001, 0.029, 0.025, 0.9 }, none[] = { 0.5, 0.2, 0.3, 0.011, 0.9 };

	(void)state;
	near(discoveries(some, 5, 0.05), 0.029);
	near(discoveries(none, 5, 0.05), -1);
	near(discoveries(some, 0, 0.05), -1);
}

/* The ratio is taken in the same repetition: a machine that gets slower does not change it */
static void test_ratio(void **state)
{
	struct results results = { 0 };
	struct row *rows[2];

	(void)state;
	results_add_row(&results);
	results_add_row(&results);
	for (int i = 0; i < 2; i++) {
		rows[i] = &results.rows[i];
		rows[i]->workload = text_copy("w");
		rows[i]->placement = text_copy("p");
		rows[i]->members = 2;
		for (int k = 1; k <= 3; k++)
			*row_add_repetition(rows[i]) = (struct repetition){
				.quantile[LEVEL_MEDIAN] = k * k * (i ? 4 : 1),
				.mean = k * (i ? 1 : 3),
				.cpu = UNKNOWN,
			};
	}
	rows[0]->ours = true;
	near(row_ratio(rows[0], rows[1], BY_MEDIAN), 0.25);
	near(row_ratio(rows[0], rows[1], BY_MEAN), 3);
	near(row_ratio(rows[0], rows[1], BY_CPU), UNKNOWN);
	assert_ptr_equal(row_best_peer(&results, rows[0], BY_MEDIAN), rows[1]);
	assert_null(row_best_peer(&results, rows[0], BY_CPU));
	near(row_quantile(rows[1], LEVEL_MEDIAN), 16);
	rows[1]->ideal = true;
	assert_null(row_best_peer(&results, rows[0], BY_MEDIAN));
	results_free(&results);
}

static struct row *add_row(struct results *results, const char *contender, double ns, bool ours)
{
	struct row *row = results_add_row(results);

	row->workload = text_copy("w");
	row->placement = text_copy("p");
	row->contender = text_copy(contender);
	row->members = 2;
	row->ours = ours;
	*row_add_repetition(row) = (struct repetition){ .mean = ns };
	return row;
}

/* Idle members are compared with the barriers of hbs that are in software, as they are */
static void test_own(void **state)
{
	struct results results = { 0 };
	const struct row *best;

	(void)state;
	add_row(&results, "hbs-idle", 1, true);
	add_row(&results, "peer", 2, false);
	add_row(&results, "hbs-card", 3, true);
	add_row(&results, "hbs", 5, true);
	add_row(&results, "hbs-active", 4, true)->policy_of = text_copy("hbs");
	best = row_best_other(&results, &results.rows[0], BY_MEAN, AMONG_OWN, "hbs-idle");
	assert_string_equal(best->contender, "hbs-active");
	best = row_best_other(&results, &results.rows[0], BY_MEAN, AMONG_ONE, "hbs");
	assert_string_equal(best->contender, "hbs");
	best = row_best_other(&results, &results.rows[0], BY_MEAN, AMONG_PEERS, "hbs");
	assert_string_equal(best->contender, "peer");
	best = row_best_other(&results, &results.rows[0], BY_MEAN, AMONG_POLICIES, "hbs");
	assert_string_equal(best->contender, "hbs-active");
	assert_null(row_best_other(&results, &results.rows[2], BY_MEAN, AMONG_OWN, "hbs-card"));
	assert_string_equal(row_best_peer(&results, &results.rows[3], BY_MEAN)->contender, "peer");
	results_free(&results);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quantiles),
		cmocka_unit_test(test_levels),
		cmocka_unit_test(test_rank_test_exact),
		cmocka_unit_test(test_rank_test_ties),
		cmocka_unit_test(test_rank_test_many),
		cmocka_unit_test(test_rank_test_false_alarms),
		cmocka_unit_test(test_discoveries),
		cmocka_unit_test(test_ratio),
		cmocka_unit_test(test_own),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
