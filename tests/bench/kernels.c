// SPDX-License-Identifier: GPL-2.0-or-later
/* The programs that are measured, on inputs whose results are known */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "clustering.h"
#include "interpreter.h"

static void alone(unsigned int member)
{
	(void)member;
}

static uint64_t digest_of(const struct instruction *program)
{
	struct interpreter *machine = interpreter_make(1);

	interpreter_run(machine, program, 0, alone);
	return interpreter_digest(machine);
}

/* Two ways to compute the same: the sum of 0..255 is 32640, the scan of ones is the index */
static void test_interpreter(void **state)
{
	static const struct instruction
		sum[] = { { OP_INDEX, 0 }, { OP_SUM, 0 }, { OP_END, 0 } },
		constant[] = { { OP_CONST, 32640 }, { OP_END, 0 } },
		scan[] = { { OP_CONST, 1 }, { OP_SCAN, 0 }, { OP_END, 0 } },
		index[] = { { OP_INDEX, 0 }, { OP_END, 0 } },
		twice[] = { { OP_INDEX, 0 }, { OP_REVERSE, 0 }, { OP_REVERSE, 0 }, { OP_END, 0 } },
		product[] = { { OP_CONST, 160 }, { OP_CONST, 204 }, { OP_MUL, 0 }, { OP_END, 0 } },
		loop[] = { { OP_CONST, 0 }, { OP_CONST, 8159 }, { OP_COPY, 1 },
			   { OP_CONST, 4 }, { OP_ADD, 0 },	{ OP_PUT, 2 },
			   { OP_LOOP, -4 }, { OP_POP, 0 },	{ OP_END, 0 } };

	(void)state;
	assert_int_equal(digest_of(sum), digest_of(constant));
	assert_int_equal(digest_of(product), digest_of(constant));
	assert_int_equal(digest_of(loop), digest_of(constant));
	assert_int_equal(digest_of(scan), digest_of(index));
	assert_int_equal(digest_of(twice), digest_of(index));
	assert_int_not_equal(digest_of(index), digest_of(constant));
}

/* Two heaps far apart: each point ends in the cluster of its heap, whatever the centres are */
static void test_clustering(void **state)
{
	struct point point[40];
	struct points points = { 40, point };
	struct clustering *clustering;
	unsigned int centre[40];

	(void)state;
	for (int i = 0; i < 40; i++)
		point[i] = (struct point){ { i % 2 ? 90000 + i : i, i, 0 } };
	clustering = clustering_make(&points, 1);
	for (int i = 0; i < 90; i++)
		clustering_step(clustering, 0, alone);
	clustering_centres(clustering, centre);
	for (int i = 2; i < 40; i++)
		assert_int_equal(centre[i], centre[i % 2]);
	assert_int_not_equal(centre[0], centre[1]);
}

/* This program's places are there, and a file's content becomes points */
static void test_points(void **state)
{
	struct points points;

	(void)state;
	assert_null(points_load(NULL, &points));
	assert_int_equal(points.count, PLACES);
	for (unsigned int i = 0; i < points.count; i++) {
		int64_t square = 0;

		for (int k = 0; k < DIMENSIONS; k++)
			square += (int64_t)points.point[i].at[k] * points.point[i].at[k];
		assert_in_range(square, 99960000, 100040000);
	}
	free(points.point);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_interpreter),
		cmocka_unit_test(test_clustering),
		cmocka_unit_test(test_points),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
