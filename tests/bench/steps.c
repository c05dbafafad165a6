// SPDX-License-Identifier: GPL-2.0-or-later
/* What stepbench computes of its rounds, and what a member finds wrong in a step */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "report.h"
#include "step.h"

static void near(double a, double b)
{
	if (a < b - 1e-9 || a > b + 1e-9)
		fail_msg("%.9g is not %.9g", a, b);
}

static const struct way ours = { .name = "ours", .ours = true };
static const struct way peer = { .name = "peer" };

static void test_median_and_mean(void **state)
{
	struct line line = { .way = &peer, .ns = { 5, 1, 100, 2 }, .rounds = 4 };

	(void)state;
	near(line_median(&line), 3.5);
	near(line_mean(&line), 27);
	near(line.ns[0], 5);
}

/* The better one by the median need not be that by the mean */
static void test_best_peer(void **state)
{
	struct line lines[] = {
		{ .way = &ours, .is_here = true, .ns = { 1, 1, 1 }, .rounds = 3 },
		{ .way = &peer, .is_here = true, .ns = { 4, 4, 40 }, .rounds = 3 },
		{ .way = &peer, .is_here = true, .ns = { 5, 5, 5 }, .rounds = 3 },
		{ .way = &peer, .is_here = true, .ns = { 2 }, .rounds = 1, .error = "too long" },
		{ .way = &peer, .ns = { 2 }, .rounds = 1 },
		{ .way = &peer, .is_here = true },
	};

	(void)state;
	assert_ptr_equal(best_peer(lines, 6, line_median), &lines[1]);
	assert_ptr_equal(best_peer(lines, 6, line_mean), &lines[2]);
	assert_null(best_peer(lines, 1, line_mean));
	assert_null(best_peer(&lines[3], 3, line_mean));
}

/* Member 2 of 4 in step 9 receives from the others what they send, but for one change */
static bool is_right(uint64_t step, uint32_t first, uint32_t to, unsigned int spoilt, uint64_t size)
{
	struct step_tally tally = { .step = 9 };
	char error[STEP_ERROR_SIZE];

	for (uint32_t from = first; from < 4; from++) {
		uint64_t words[STEP_WORDS];

		step_fill(words, from ? 9 : step, from, to);
		if (spoilt < STEP_WORDS)
			words[spoilt]++;
		if (from != 2)
			step_take(&tally, words, size, from, 2);
	}
	return step_is_right(&tally, 4, error);
}

static void test_a_step(void **state)
{
	(void)state;
	assert_true(is_right(9, 0, 2, STEP_WORDS, STEP_BYTES));
	assert_false(is_right(8, 0, 2, STEP_WORDS, STEP_BYTES));
	assert_false(is_right(9, 1, 2, STEP_WORDS, STEP_BYTES));
	assert_false(is_right(9, 0, 1, STEP_WORDS, STEP_BYTES));
	assert_false(is_right(9, 0, 2, STEP_WORDS, STEP_BYTES - 8));
	for (unsigned int i = 0; i < STEP_WORDS; i++)
		assert_false(is_right(9, 0, 2, i, STEP_BYTES));
}

/* Of two messages of one sender, and none of another, both are the right number */
static void test_one_comes_twice(void **state)
{
	struct step_tally tally = { .step = 1 };
	uint64_t words[STEP_WORDS];
	char error[STEP_ERROR_SIZE];

	(void)state;
	step_fill(words, 1, 1, 0);
	step_take(&tally, words, STEP_BYTES, 1, 0);
	step_take(&tally, words, STEP_BYTES, 1, 0);
	assert_false(step_is_right(&tally, 3, error));
	assert_string_equal(error, "step 1: a member received 2 messages, of 2 others, "
				   "and 1 were wrong");
}

/* A message to itself is none of another member */
static void test_of_itself(void **state)
{
	struct step_tally tally = { .step = 1 };
	uint64_t words[STEP_WORDS];
	char error[STEP_ERROR_SIZE];

	(void)state;
	step_fill(words, 1, 0, 0);
	step_take(&tally, words, STEP_BYTES, 0, 0);
	assert_false(step_is_right(&tally, 2, error));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_median_and_mean), cmocka_unit_test(test_best_peer),
		cmocka_unit_test(test_a_step),		cmocka_unit_test(test_one_comes_twice),
		cmocka_unit_test(test_of_itself),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
