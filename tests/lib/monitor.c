// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Waiting by the CPU's own means: on a CPU that has none, or the other ones, a signal
 * handler does what the instructions do, and sees how they are used.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "fake_card.h"
#include "fake_monitor.h"
#include "internal.h"
#include "threads.h"

#define MEMBERS	    3
#define BARRIERS    12
#define WORD(epoch) ((uint64_t)(epoch) << HBS_WORD_EPOCH_SHIFT)

static const enum monitor kinds[] = { MONITOR_WAITPKG, MONITOR_MWAITX };

static void nap(long us)
{
	nanosleep(&(struct timespec){ .tv_nsec = us * 1000 }, NULL);
}

static int has_flag(const char *line, const char *flag)
{
	const char *at = strstr(line, flag);

	return at && at[-1] == ' ' && (at[strlen(flag)] == ' ' || at[strlen(flag)] == '\n');
}

/* As the kernel says, which also asks the CPU */
static void found(void **state)
{
	enum monitor expected = MONITOR_NONE;
	static char line[8192];
	FILE *file = fopen("/proc/cpuinfo", "r");

	(void)state;
	assert_non_null(file);
	while (fgets(line, sizeof(line), file) && strncmp(line, "flags", 5))
		;
	fclose(file);
	assert_int_equal(strncmp(line, "flags", 5), 0);
	if (has_flag(line, "waitpkg"))
		expected = MONITOR_WAITPKG;
	else if (has_flag(line, "mwaitx"))
		expected = MONITOR_MWAITX;
	hbsi_monitor_find();
	assert_int_equal(hbsi_monitor, expected);
}

static void slow(void *arg)
{
	(void)arg;
	nap(1000);
}

/* @pause: ticks before the CPU monitors, or 0 for the library's */
static struct hbs *open_spinning(uint64_t pause)
{
	struct hbs_attr attr = { .backend = HBS_BACKEND_SOFTWARE, .spin_ns = 1000000000 };
	struct hbs *hbs;

	assert_int_equal(hbs_open(&hbs, &attr), 0);
	if (pause)
		hbs->spin.watch_after = pause;
	return hbs;
}

static void check_use(int faked)
{
	assert_int_equal(fake_monitor.unarmed, 0);
	assert_int_equal(fake_monitor.malformed, 0);
	if (faked)
		assert_in_range(fake_monitor.waits, 1, fake_monitor.arms);
}

static void run(struct hbs_group_attr attr, enum monitor kind, int patient)
{
	int faked = fake_monitor_start(kind, patient);
	struct hbs *hbs = open_spinning(patient);
	struct lateness lateness = { .members = MEMBERS, .barriers = BARRIERS };

	attr.members = MEMBERS;
	assert_int_equal(hbs_group_create(hbs, &attr, &lateness.group), 0);
	assert_int_equal(run_threads(MEMBERS, be_late_in_turn, &lateness), 0);
	close_all(hbs, lateness.group);
	fake_monitor_stop();
	check_use(faked);
	/* all by stores, and none only because its time was over */
	if (patient)
		assert_int_equal(fake_monitor.times, 0);
	if (faked && patient)
		assert_true(fake_monitor.stores);
}

/* For each algorithm: a store to the line that it waits for ends the wait */
static void ended_by_a_store(void **state)
{
	(void)state;
	for (unsigned int kind = 0; kind < 2; kind++)
		for (uint32_t i = 1; hbs_algorithm_name(i); i++)
			run((struct hbs_group_attr){ .algorithm = i }, kinds[kind], 1);
}

/* Nothing is stored to a line when a completion function ends */
static void in_a_completion(void **state)
{
	(void)state;
	for (uint32_t i = 1; hbs_algorithm_name(i); i++)
		run((struct hbs_group_attr){ .algorithm = i, .completion = slow }, kinds[i % 2], 1);
}

static void for_a_time(void **state)
{
	(void)state;
	for (unsigned int kind = 0; kind < 2; kind++)
		run((struct hbs_group_attr){ 0 }, kinds[kind], 0);
}

struct broken {
	struct hbs_group *group;
	atomic_uint joined;
};

static int break_it(void *shared, unsigned int index)
{
	struct broken *broken = shared;
	struct hbs_member *me;

	CHECK(!hbs_join(broken->group, &me));
	atomic_fetch_add(&broken->joined, 1);
	while (atomic_load(&broken->joined) < MEMBERS)
		nap(100);
	if (!index) {
		nap(5000);
		CHECK(!hbs_group_destroy(broken->group));
	} else {
		CHECK(hbs_barwait(me) == -EIDRM);
	}
	CHECK(!hbs_leave(me));
	return 0;
}

/* That the group breaks is not stored to the line of most algorithms */
static void broken(void **state)
{
	(void)state;
	for (uint32_t i = 1; hbs_algorithm_name(i); i++) {
		int faked = fake_monitor_start(kinds[i % 2], 0);
		struct hbs *hbs = open_spinning(0);
		struct hbs_group_attr attr = { .members = MEMBERS, .algorithm = i };
		struct broken broken = { 0 };

		assert_int_equal(hbs_group_create(hbs, &attr, &broken.group), 0);
		assert_int_equal(run_threads(MEMBERS, break_it, &broken), 0);
		close_all(hbs, broken.group);
		fake_monitor_stop();
		check_use(faked);
	}
}

/* HBS_WAIT_ACTIVE is for programs that want the quickest wait; a spin of no time needs none */
static void not_used(void **state)
{
	static const struct hbs_attr attrs[] = {
		{ .backend = HBS_BACKEND_SOFTWARE, .wait_policy = HBS_WAIT_ACTIVE },
		{ .backend = HBS_BACKEND_SOFTWARE, .wait_policy = HBS_WAIT_PASSIVE },
		{ .backend = HBS_BACKEND_SOFTWARE, .spin_ns = HBS_SPIN_NONE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(attrs) / sizeof(attrs[0]); i++) {
		int faked = fake_monitor_start(kinds[i % 2], 0);
		struct lateness lateness = { .members = MEMBERS, .barriers = BARRIERS };
		struct hbs *hbs;

		assert_int_equal(hbs_open(&hbs, &attrs[i]), 0);
		lateness.group = create_group(hbs, MEMBERS);
		assert_int_equal(run_threads(MEMBERS, be_late_in_turn, &lateness), 0);
		close_all(hbs, lateness.group);
		fake_monitor_stop();
		if (faked)
			assert_int_equal(fake_monitor.arms, 0);
	}
}

struct card_wait {
	struct hbs_member *me;
	uint32_t depart_by;
	int counted; /* the member's wait in the monitor */
};

/* Once the member waits, or after a time in which it has begun to where that is not seen */
static void release(const struct card_wait *wait, volatile uint64_t *where)
{
	nap(5000);
	for (int i = 0; wait->counted && !atomic_load(&fake_monitor.waits) && i < 60000; i++)
		nap(1000);
	*where = WORD(8);
}

static int wait_or_release(void *shared, unsigned int index)
{
	struct card_wait *wait = shared;

	if (index) {
		void *where =
			wait->depart_by == HBS_DEPART_BY_CSR
				? (void *)(uintptr_t)(fake_lane(0, 0) + HBS_LANE_DEPARTURE / 8)
				: (void *)(uintptr_t)fake.records[0];

		release(wait, where);
		return 0;
	}
	CHECK(!hbs_barwait(wait->me));
	return 0;
}

/* A card's record is memory, and its registers are not */
static void of_a_card(void **state)
{
	static const uint32_t ways[] = { HBS_DEPART_BY_RECORD, HBS_DEPART_BY_CSR };

	(void)state;
	for (int i = 0; i < 2; i++) {
		int patient = ways[i] == HBS_DEPART_BY_RECORD;
		int faked = fake_monitor_start(MONITOR_WAITPKG, patient);
		struct hbs_attr card = { .backend = HBS_BACKEND_CARD, .spin_ns = 1000000000 };
		struct hbs_group_attr attr = { .members = 2, .depart_by = ways[i] };
		struct card_wait wait = { .depart_by = ways[i], .counted = faked && patient };
		struct hbs_group *group;
		struct hbs *hbs;

		fake_reset();
		fake.words[0] = WORD(7);
		assert_int_equal(hbs_open(&hbs, &card), 0);
		assert_int_equal(hbs_group_create(hbs, &attr, &group), 0);
		assert_int_equal(hbs_join(group, &wait.me), 0);
		if (!patient)
			fake_lane(0, 0)[HBS_LANE_DEPARTURE / 8] = WORD(7);
		else
			fake.records[0][0] = WORD(7);
		assert_int_equal(run_threads(2, wait_or_release, &wait), 0);
		assert_int_equal(hbs_leave(wait.me), 0);
		close_all(hbs, group);
		fake_monitor_stop();
		assert_int_equal(fake_monitor.times, 0);
		if (faked)
			assert_int_equal(fake_monitor.stores, patient);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(found),	   cmocka_unit_test(ended_by_a_store),
		cmocka_unit_test(in_a_completion), cmocka_unit_test(for_a_time),
		cmocka_unit_test(broken),	   cmocka_unit_test(not_used),
		cmocka_unit_test(of_a_card),
	};

	return cmocka_run_group_tests_name("monitor", tests, NULL, NULL);
}
