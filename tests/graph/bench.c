// SPDX-License-Identifier: GPL-2.0-or-later
/* What graphbench compares results with, and the graphs that it makes simple */
#include <math.h>

#include "check.h"
#include "graph_test.h"
#include "report.h"
#include "simple.h"

/* A path 0 - 1 - 2 with weights 5 and 7, an edge 0 - 2 with weight 20, and vertex 3 alone */
static const uint32_t from[] = { 0, 1, 1, 2, 0, 2 }, to[] = { 1, 0, 2, 1, 2, 0 };
static const uint32_t weight[] = { 5, 5, 7, 7, 20, 20 };
static const struct problem problem = {
	.vertices = 4, .edges = 6, .from = from, .to = to, .weight = weight, .iterations = 20
};

static const struct peer share = { .ranks = RANKS_FROM_SHARE };
static const struct peer square = { .ranks = RANKS_FROM_SQUARE };
static const struct peer end = { .ranks = RANKS_AT_END };

static bool is_right(const struct wanted *wanted, const struct peer *peer, enum task task,
		     const void *found)
{
	struct answer answer = { .distance = (uint32_t *)(uintptr_t)found,
				 .value = (float *)(uintptr_t)found };
	char wrong[CHILD_ERROR_SIZE] = "";
	bool right = check(wanted, &problem, peer, task, &answer, wrong, sizeof(wrong));

	assert_true(right || !strncmp(wrong, "wrong: ", strlen("wrong: ")));
	return right;
}

static void distances(void **state)
{
	struct wanted wanted = wanted_make(&problem);
	uint32_t paths[] = { 0, 5, 12, UNREACHABLE }, hops[] = { 0, 1, 1, UNREACHABLE };

	(void)state;
	assert_true(is_right(&wanted, &share, TASK_PATHS, paths));
	assert_true(is_right(&wanted, &share, TASK_HOPS, hops));
	assert_false(is_right(&wanted, &share, TASK_HOPS, paths));
	for (int v = 0; v < 4; v++) {
		paths[v]++;
		assert_false(is_right(&wanted, &share, TASK_PATHS, paths));
		paths[v]--;
		hops[v]--;
		assert_false(is_right(&wanted, &share, TASK_HOPS, hops));
		hops[v]++;
	}
	wanted_free(&wanted);
}

static void near(const struct wanted *wanted, const struct peer *peer, enum task task,
		 const double *value)
{
	float found[4];

	for (int v = 0; v < 4; v++)
		found[v] = (float)value[v];
	assert_true(is_right(wanted, peer, task, found));
	for (int v = 0; v < 4; v++) {
		float right = found[v];

		found[v] = right + 0.01f;
		assert_false(is_right(wanted, peer, task, found));
		found[v] = right - 1e-3f;
		assert_false(is_right(wanted, peer, task, found));
		found[v] = NAN;
		assert_false(is_right(wanted, peer, task, found));
		found[v] = right;
	}
}

/* In a triangle all ranks are the same: so is what is left of the first ones after 20 steps, 0.85^20 */
static void values(void **state)
{
	struct wanted wanted = wanted_make(&problem);
	const double rest = pow(0.85, 20);
	double of_share = 0.25, of_square = 1 - rest * 0.75, alone = 0.15 / 4;
	double heat[4] = { 1, 0, 0, 0 };

	(void)state;
	near(&wanted, &share, TASK_RANKS, (const double[]){ of_share, of_share, of_share, alone });
	near(&wanted, &square, TASK_RANKS,
	     (const double[]){ of_square, of_square, of_square, 0.15 });
	near(&wanted, &end, TASK_RANKS,
	     (const double[]){ 0.25 / 0.7875, 0.25 / 0.7875, 0.25 / 0.7875, alone / 0.7875 });
	for (int i = 0; i < 20; i++) {
		double one = (5 * 1 + 7 * heat[2]) / 12, two = (20 * 1 + 7 * heat[1]) / 27;

		heat[1] += (one - heat[1]) / 2;
		heat[2] += (two - heat[2]) / 2;
	}
	near(&wanted, &share, TASK_HEAT, heat);
	wanted_free(&wanted);
}

static void simple(void **state)
{
	static const uint32_t given[][3] = { { 0, 1, 5 }, { 1, 0, 6 }, { 0, 0, 1 }, { 0, 1, 4 },
					     { 2, 2, 9 }, { 0, 2, 3 }, { 1, 0, 6 }, { 2, 0, 3 } };
	static const uint32_t kept[][3] = { { 0, 1, 5 }, { 1, 0, 6 }, { 0, 2, 3 }, { 2, 0, 3 } };
	struct edges edges = { .vertices = 3, .weighted = true };

	(void)state;
	for (size_t e = 0; e < sizeof(given) / sizeof(given[0]); e++)
		edges_add(&edges, given[e][0], given[e][1], given[e][2]);
	assert_true(simple_make(&edges));
	assert_int_equal(edges.count, 4);
	for (size_t e = 0; e < 4; e++) {
		assert_int_equal(edges.from[e], kept[e][0]);
		assert_int_equal(edges.to[e], kept[e][1]);
		assert_int_equal(edges.weight[e], kept[e][2]);
	}
	edges_free(&edges);
}

static void statistics(void **state)
{
	struct series series = { .ns = { 5, 1, 9, 2 }, .count = 4 };

	(void)state;
	assert_true(fabs(series_mean(&series) - 4.25) < 1e-9);
	assert_true(fabs(series_median(&series) - 3.5) < 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distances),
		cmocka_unit_test(values),
		cmocka_unit_test(simple),
		cmocka_unit_test(statistics),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
