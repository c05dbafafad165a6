// SPDX-License-Identifier: GPL-2.0-or-later
/* What members note of their waits: the long ones, and nothing else */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "software/software.h"
#include "threads.h"

#define LATE_NS	 20000000
#define BARRIERS 10
#define MEMBERS	 3

static const enum hbs_algorithm algorithms[] = { HBS_ALGORITHM_CENTRAL, HBS_ALGORITHM_COUNTING,
						 HBS_ALGORITHM_DISSEMINATION, HBS_ALGORITHM_MCS,
						 HBS_ALGORITHM_SCAN };

static struct hbs *open_waiting(enum hbs_wait_policy wait)
{
	struct hbs_attr attr = { .backend = HBS_BACKEND_SOFTWARE, .wait_policy = wait };
	struct hbs *hbs;

	assert_int_equal(hbs_open(&hbs, &attr), 0);
	return hbs;
}

static struct hbs_group *create(struct hbs *hbs, enum hbs_algorithm algorithm, uint32_t members)
{
	struct hbs_group_attr attr = { .members = members,
				       .algorithm = algorithm,
				       .promise = HBS_PROMISE_FIXED };
	struct hbs_group *group;

	assert_int_equal(hbs_group_create(hbs, &attr, &group), 0);
	return group;
}

static struct waits *waits_of(struct hbs_member *member)
{
	return soft_waits(soft_of(member->group), member->seat_number);
}

static uint64_t count(const struct waits *waits)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < WAITS_BUCKETS; i++)
		sum += waits->counts[i];
	return sum;
}

/* Waits of so many ns or more, rounded down to a step */
static uint64_t count_from(const struct waits *waits, uint64_t ns)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < WAITS_BUCKETS; i++)
		if (2ULL << (WAITS_SHIFT + i) > ns)
			sum += waits->counts[i];
	return sum;
}

static void sleep_ns(long ns)
{
	nanosleep(&(struct timespec){ .tv_nsec = ns }, NULL);
}

struct run {
	struct hbs_group *group;
	struct waits waits[MEMBERS];
	struct hbs_member_stats stats[MEMBERS];
};

/* The last member is late at each barrier */
static int be_member(void *shared, unsigned int index)
{
	struct run *run = shared;
	struct hbs_member *me;

	CHECK(!hbs_join(run->group, &me));
	for (unsigned int i = 0; i < BARRIERS; i++) {
		if (index == MEMBERS - 1)
			sleep_ns(LATE_NS);
		CHECK(!hbs_barwait(me));
	}
	memcpy(&run->waits[index], waits_of(me), sizeof(run->waits[index]));
	CHECK(!hbs_member_stats(me, &run->stats[index]));
	/* with some algorithms nobody may leave before the others have what they came for */
	CHECK(!hbs_barwait(me));
	CHECK(!hbs_leave(me));
	return 0;
}

static void late_member(enum hbs_wait_policy wait, enum hbs_algorithm algorithm)
{
	struct hbs *hbs = open_waiting(wait);
	struct run run = { .group = create(hbs, algorithm, MEMBERS) };

	assert_int_equal(run_threads(MEMBERS, be_member, &run), 0);
	for (unsigned int i = 0; i < MEMBERS - 1; i++) {
		const struct waits *waits = &run.waits[i];

		/* others may come late, too, by what else the machine does */
		assert_true(count_from(waits, LATE_NS) >= BARRIERS / 2);
		assert_true(count(waits) <= BARRIERS);
		assert_true(waits->waited_ns >= BARRIERS / 2 * (uint64_t)LATE_NS);
		if (wait == HBS_WAIT_ACTIVE)
			assert_int_equal(waits->slept, 0);
		else if (wait == HBS_WAIT_PASSIVE)
			assert_true(waits->slept >= BARRIERS / 2);
	}
	for (unsigned int i = 0; i < MEMBERS; i++) {
		const struct hbs_member_stats *stats = &run.stats[i];

		assert_int_equal(stats->epochs, BARRIERS);
		assert_int_equal(stats->waited_ns, run.waits[i].waited_ns);
		assert_int_equal(stats->slept, run.waits[i].slept);
		assert_int_equal(stats->waits[0], BARRIERS - count(&run.waits[i]));
		for (unsigned int j = 0; j < WAITS_BUCKETS; j++)
			assert_int_equal(stats->waits[1 + j], run.waits[i].counts[j]);
	}
	assert_true(count_from(&run.waits[MEMBERS - 1], LATE_NS) < BARRIERS / 2);
	assert_true(run.waits[MEMBERS - 1].waited_ns < run.waits[0].waited_ns);
	close_all(hbs, run.group);
}

static void who_is_late(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(algorithms) / sizeof(algorithms[0]); i++)
		late_member(HBS_WAIT_DEFAULT, algorithms[i]);
}

static void who_is_late_asleep(void **state)
{
	(void)state;
	late_member(HBS_WAIT_PASSIVE, HBS_ALGORITHM_CENTRAL);
}

/* They let others run again and again, and it is one wait */
static void who_is_late_awake(void **state)
{
	(void)state;
	late_member(HBS_WAIT_ACTIVE, HBS_ALGORITHM_CENTRAL);
}

/* Who finds the release at once writes nothing at all */
static void short_waits(void **state)
{
	static const struct waits nothing;
	struct hbs *hbs = open_waiting(HBS_WAIT_DEFAULT);
	struct hbs_group *group = create(hbs, HBS_ALGORITHM_CENTRAL, 1);
	struct hbs_member *member;

	(void)state;
	assert_int_equal(hbs_join(group, &member), 0);
	for (unsigned int i = 0; i < 1000; i++)
		assert_int_equal(hbs_barwait(member), 0);
	assert_memory_equal(waits_of(member), &nothing, sizeof(nothing));
	assert_int_equal(hbs_leave(member), 0);
	close_all(hbs, group);
}

/* What a wait that has given up began, the next one for the same barrier ends */
static void deadlines(void **state)
{
	struct hbs *hbs = open_waiting(HBS_WAIT_PASSIVE);
	struct hbs_group *group = create(hbs, HBS_ALGORITHM_CENTRAL, 2);
	struct hbs_member *member, *late;
	pthread_t thread;
	uint64_t since;
	void *ret;

	(void)state;
	assert_int_equal(hbs_join(group, &member), 0);
	assert_int_equal(hbs_join(group, &late), 0);
	assert_int_equal(hbs_arrive(member), 0);
	assert_int_equal(hbs_wait_for(member, 1000000), -ETIMEDOUT);
	since = waits_of(member)->since_ns;
	assert_true(since && since < hbsi_clock_ns());
	assert_int_equal(waits_of(member)->epoch, member->word >> HBS_WORD_EPOCH_SHIFT);
	assert_int_equal(count(waits_of(member)), 0);
	sleep_ns(LATE_NS);
	assert_int_equal(hbs_wait_for(member, 1000000), -ETIMEDOUT);
	assert_int_equal(waits_of(member)->since_ns, since);
	assert_int_equal(pthread_create(&thread, NULL, barwait_in_thread, late), 0);
	assert_int_equal(hbs_wait(member), 0);
	assert_int_equal(pthread_join(thread, &ret), 0);
	assert_null(ret);
	/* the other thread may have come before this one waited, which is no wait then */
	if (count(waits_of(member)))
		assert_int_equal(count_from(waits_of(member), LATE_NS), 1);
	assert_int_equal(hbs_leave(member), 0);
	assert_int_equal(hbs_leave(late), 0);
	close_all(hbs, group);
}

/* A wait that ends with an error is none of an epoch */
static void errors(void **state)
{
	struct hbs *hbs = open_waiting(HBS_WAIT_PASSIVE);
	struct hbs_group_attr attr = { .members = 2, .timeout_ns = LATE_NS };
	struct hbs_group *group;
	struct hbs_member *member, *late;

	(void)state;
	assert_int_equal(hbs_group_create(hbs, &attr, &group), 0);
	assert_int_equal(hbs_join(group, &member), 0);
	assert_int_equal(hbs_join(group, &late), 0);
	assert_int_equal(hbs_barwait(member), -ETIMEDOUT);
	assert_int_equal(count(waits_of(member)), 0);
	assert_int_equal(waits_of(member)->waited_ns, 0);
	assert_int_equal(hbs_leave(member), 0);
	assert_int_equal(hbs_leave(late), 0);
	close_all(hbs, group);
}

static void *arrive_late(void *member)
{
	sleep_ns(LATE_NS);
	return barwait_in_thread(member);
}

static void wait_once(struct hbs_member *member, struct hbs_member *late)
{
	pthread_t thread;
	void *ret;

	assert_int_equal(pthread_create(&thread, NULL, arrive_late, late), 0);
	assert_int_equal(hbs_barwait(member), 0);
	assert_int_equal(pthread_join(thread, &ret), 0);
	assert_null(ret);
}

/* A new member of a seat does not go on with what the former one has noted */
static void new_members(void **state)
{
	struct hbs *hbs = open_waiting(HBS_WAIT_PASSIVE);
	struct hbs_group *group = create(hbs, HBS_ALGORITHM_CENTRAL, 2);
	struct hbs_member *member, *late;
	struct hbs_member_stats stats;
	uint32_t seat;

	(void)state;
	assert_int_equal(hbs_join(group, &member), 0);
	assert_int_equal(hbs_join(group, &late), 0);
	wait_once(member, late);
	wait_once(member, late);
	assert_int_equal(count(waits_of(member)), 2);
	seat = member->seat_number;
	assert_int_equal(hbs_leave(member), 0);
	assert_int_equal(hbs_join(group, &member), 0);
	assert_int_equal(member->seat_number, seat);
	assert_int_not_equal(waits_of(member)->joined, member->joined);
	assert_int_equal(hbs_member_stats(member, &stats), 0);
	assert_int_equal(stats.epochs, 0);
	assert_int_equal(stats.waited_ns, 0);
	wait_once(member, late);
	assert_int_equal(waits_of(member)->joined, member->joined);
	assert_int_equal(count(waits_of(member)), 1);
	assert_int_equal(hbs_leave(member), 0);
	assert_int_equal(hbs_leave(late), 0);
	close_all(hbs, group);
}

/* A count that is full makes room for all, and the sum says as much as before */
static void full_counts(void **state)
{
	struct hbs *hbs = open_waiting(HBS_WAIT_PASSIVE);
	struct hbs_group *group = create(hbs, HBS_ALGORITHM_CENTRAL, 2);
	struct hbs_member *member, *late;
	unsigned int more = 0;
	struct waits *waits;

	(void)state;
	assert_int_equal(hbs_join(group, &member), 0);
	assert_int_equal(hbs_join(group, &late), 0);
	wait_once(member, late);
	waits = waits_of(member);
	for (unsigned int i = 0; i < WAITS_BUCKETS; i++)
		waits->counts[i] = UINT32_MAX;
	for (unsigned int i = 0; i < 20; i++)
		wait_once(member, late);
	assert_int_equal(waits->scale, 1);
	assert_in_range(waits->slept, 1, 19);
	for (unsigned int i = 0; i < WAITS_BUCKETS; i++) {
		assert_in_range(waits->counts[i], UINT32_MAX / 2, UINT32_MAX / 2 + 19);
		more += waits->counts[i] - UINT32_MAX / 2;
	}
	/* about half of them, after the one that found its count full */
	assert_in_range(more, 1, 19);
	assert_int_equal(hbs_leave(member), 0);
	assert_int_equal(hbs_leave(late), 0);
	close_all(hbs, group);
}

static void no_stats(void **state)
{
	struct hbs *hbs = open_waiting(HBS_WAIT_PASSIVE);
	struct hbs_group_attr attr = { .members = 1, .type = HBS_REFUTABLE };
	struct hbs_member_stats stats;
	struct hbs_member *member;
	struct hbs_group *group;

	(void)state;
	assert_int_equal(hbs_group_create(hbs, &attr, &group), 0);
	assert_int_equal(hbs_join(group, &member), 0);
	assert_int_equal(hbs_member_stats(member, NULL), -EINVAL);
	assert_int_equal(hbs_member_stats(member, &stats), -EOPNOTSUPP);
	assert_int_equal(hbs_leave(member), 0);
	close_all(hbs, group);
}

/* The lines lie within the file, and apart from each other and from all else */
static void lines_of_seats(void **state)
{
	static const uint32_t sizes[] = { 1, 2, 7, 8, 63, 64, 1000 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (int a = HBS_ALGORITHM_AUTO + 1; a <= HBS_ALGORITHM_SCAN; a++) {
			struct hbs *hbs = open_waiting(HBS_WAIT_DEFAULT);
			struct hbs_group *group = create(hbs, (enum hbs_algorithm)a, sizes[i]);
			struct software *software = soft_of(group);
			char *start = group->page, *end = start + group->map_size;
			char *behind = (char *)soft_seat(software, soft_capacity(software) - 1) +
				       sizeof(struct soft_seat);
			char *first = (char *)soft_waits(software, 0);

			if (soft_algorithm(software)->bytes)
				behind += soft_algorithm(software)->bytes(sizes[i], group->fan_in);
			assert_true(first >= behind);
			assert_int_equal((uintptr_t)first % WAITS_SIZE, 0);
			assert_ptr_equal(soft_waits(software, soft_capacity(software)), end);
			close_all(hbs, group);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_is_late),	     cmocka_unit_test(who_is_late_asleep),
		cmocka_unit_test(who_is_late_awake), cmocka_unit_test(short_waits),
		cmocka_unit_test(deadlines),	     cmocka_unit_test(errors),
		cmocka_unit_test(new_members),	     cmocka_unit_test(full_counts),
		cmocka_unit_test(no_stats),	     cmocka_unit_test(lines_of_seats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
