// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A group in software breaks while the last of its members arrives: either all get 0 for
 * that barrier or none does. Only an arrival that is still in a store buffer, for some ns,
 * could make them differ. So the test starts both at the same time, and learns from each
 * try which one was late.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "software/software.h"
#include "ticks.h"
#include "threads.h"

#define TRIES	   8000
#define JITTER	   20
#define TIMEOUT_NS 500000000 /* long, so that two calls take less */
#define GIVE_UP_NS 10000000000ULL

/* The one that is late; its own line, so that nothing but the try is between the two */
struct race {
	_Alignas(64) atomic_uint go;
	_Alignas(64) atomic_uint done;
	struct hbs_member *last;
	long delay;
	int ret;
	bool over;
};

static void *arrive_last(void *argument)
{
	struct race *race = argument;

	for (unsigned int try = 1;; try++) {
		while (atomic_load(&race->go) != try)
			ticks_pause();
		if (race->over)
			return NULL;
		for (volatile long i = 0; i < race->delay; i++)
			;
		race->ret = hbs_barwait(race->last);
		atomic_store(&race->done, try);
	}
}

/* The result of the first member; race->ret says whether the last one passes its barrier */
static int try_once(struct race *race, struct hbs *hbs, uint32_t algorithm, unsigned int try)
{
	struct hbs_group_attr attr = { .members = 2, .algorithm = algorithm };
	struct hbs_member *first;
	struct hbs_group *group;
	int ret;

	assert_int_equal(hbs_group_create(hbs, &attr, &group), 0);
	assert_int_equal(hbs_join(group, &race->last), 0);
	assert_int_equal(hbs_join(group, &first), 0);
	/* not by hbs_arrive(): for two, nobody needs its help any more */
	assert_int_equal(hbsi_arrive(first, 0), 0);
	atomic_store(&race->go, try);
	assert_int_equal(hbs_group_destroy(group), 0);
	while (atomic_load(&race->done) != try)
		ticks_pause();
	ret = hbs_wait(first);
	assert_int_equal(hbs_leave(first), 0);
	assert_int_equal(hbs_leave(race->last), 0);
	assert_int_equal(hbs_group_close(group), 0);
	return ret;
}

static void all_or_none(uint32_t algorithm)
{
	struct race race = { 0 };
	uint64_t start = hbsi_clock_ns();
	unsigned int try, passed = 0;
	struct hbs *hbs;
	pthread_t thread;
	long base = 0;

	assert_int_equal(hbs_open(&hbs, &(struct hbs_attr){ .backend = HBS_BACKEND_SOFTWARE }), 0);
	assert_int_equal(pthread_create(&thread, NULL, arrive_last, &race), 0);
	for (try = 1; try <= scaled(TRIES) && hbsi_clock_ns() - start < GIVE_UP_NS; try++) {
		int ret;

		race.delay = base + try * 7 % JITTER;
		ret = try_once(&race, hbs, algorithm, try);
		assert_int_equal(ret, race.ret);
		assert_true(!ret || ret == -EIDRM);
		passed += !ret;
		base += ret ? -(base > 0) : 1;
	}
	race.over = true;
	atomic_store(&race.go, try);
	assert_int_equal(pthread_join(thread, NULL), 0);
	print_message("# %s: %u of %u barriers were over before the group broke\n",
		      hbs_algorithm_name(algorithm), passed, try - 1);
	assert_int_equal(hbs_close(hbs), 0);
}

/* An arrival is a compare-and-swap of the word that breaks the group */
static void full(void **state)
{
	(void)state;
	all_or_none(HBS_ALGORITHM_CENTRAL);
}

/* An arrival is plain stores */
static void flags(void **state)
{
	(void)state;
	all_or_none(HBS_ALGORITHM_PAIRWISE);
}

/* The time is over when the last has said that it arrives, and is not counted yet */
static void arrives_as_time_ends(void **state)
{
	static const uint32_t algorithms[] = { HBS_ALGORITHM_CENTRAL, HBS_ALGORITHM_COUNTING };
	struct hbs *hbs;

	(void)state;
	assert_int_equal(hbs_open(&hbs, &(struct hbs_attr){ .backend = HBS_BACKEND_SOFTWARE }), 0);
	for (size_t i = 0; i < sizeof(algorithms) / sizeof(algorithms[0]); i++) {
		struct hbs_group_attr attr = { .members = 2,
					       .timeout_ns = TIMEOUT_NS,
					       .algorithm = algorithms[i] };
		struct hbs_member *first, *last;
		struct hbs_group *group;

		assert_int_equal(hbs_group_create(hbs, &attr, &group), 0);
		assert_int_equal(hbs_join(group, &first), 0);
		assert_int_equal(hbs_join(group, &last), 0);
		assert_int_equal(hbs_arrive(first), 0);
		atomic_store(&last->seat->arrived_ns, hbsi_clock_ns());
		atomic_store(&last->seat->arrived, last->word + HBS_WORD_EPOCH_ONE);
		assert_int_equal(hbs_wait(first), 0);
		assert_int_equal(hbs_barwait(last), 0);
		/* that barrier is over, and nobody is late for the next one */
		assert_int_equal(hbs_arrive(first), 0);
		assert_int_equal(hbs_barwait(last), 0);
		assert_int_equal(hbs_wait(first), 0);
		assert_int_equal(hbs_leave(first), 0);
		assert_int_equal(hbs_leave(last), 0);
		assert_int_equal(hbs_group_close(group), 0);
	}
	assert_int_equal(hbs_close(hbs), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(full),
		cmocka_unit_test(flags),
		cmocka_unit_test(arrives_as_time_ends),
	};

	return cmocka_run_group_tests_name("agreement", tests, NULL, NULL);
}
