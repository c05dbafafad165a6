// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The sampler thins out its samples: which ones it keeps, and that it loses no time of the
 * totals
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "sampler.h"

#define ROOM 10

static struct sampler start(uint64_t *samples)
{
	return (struct sampler){ .samples = samples, .room = ROOM };
}

static void test_all_fit(void **state)
{
	static const uint64_t times[] = { 5, 3, 9 }, expected[] = { 5, 3, 9, 3, 9 };
	uint64_t samples[ROOM];
	struct sampler sampler = start(samples);

	(void)state;
	for (size_t i = 0; i < 3; i++)
		sampler_add(&sampler, times[i]);
	sampler_finish(&sampler);
	assert_int_equal(sampler.count, 5);
	assert_memory_equal(samples, expected, sizeof(expected));
}

/* Of 1 to 1000 as many below the middle as above it, from first to last, and both ends */
static void test_even(void **state)
{
	uint64_t samples[ROOM], apart;
	struct sampler sampler = start(samples);

	(void)state;
	for (uint64_t time = 1; time <= 1000; time++)
		sampler_add(&sampler, time);
	sampler_finish(&sampler);
	assert_in_range(sampler.count, ROOM / 2, ROOM);
	apart = samples[1] - samples[0];
	assert_int_equal(samples[0], apart);
	for (uint32_t i = 1; i < sampler.count - 2; i++)
		assert_int_equal(samples[i] - samples[i - 1], apart);
	assert_true(samples[sampler.count - 3] + apart > 1000);
	assert_int_equal(samples[sampler.count - 2], 1);
	assert_int_equal(samples[sampler.count - 1], 1000);
}

/* For any number, the samples fit into the room, and the least and greatest are among them */
static void test_any_number(void **state)
{
	(void)state;
	for (uint64_t number = 1; number < 500; number++) {
		/* beyond the room something that would show */
		uint64_t samples[ROOM + 1] = { [ROOM] = 77777 };
		struct sampler sampler = start(samples);

		for (uint64_t i = 0; i < number; i++)
			sampler_add(&sampler, i == number / 3	? 1
					      : i == number / 2 ? 9000
								: 100 + i);
		sampler_finish(&sampler);
		assert_int_equal(samples[ROOM], 77777);
		assert_in_range(sampler.count, 3, ROOM);
		assert_int_equal(samples[sampler.count - 2], 1);
		if (number / 3 != number / 2)
			assert_int_equal(samples[sampler.count - 1], 9000);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_fit),
		cmocka_unit_test(test_even),
		cmocka_unit_test(test_any_number),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
