// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One thread takes the steps of all members, in thousands of orders, each made from a
 * seed. Nobody may leave before all have arrived, and all must leave when they have.
 */
#include <stdlib.h>

#include "members.h"

#define EPOCHS 3

#ifdef __SANITIZE_ADDRESS__
#define SCHEDULES    100
#define MOST_MEMBERS 4097
#else
#define SCHEDULES    1000
#define MOST_MEMBERS 65535
#endif

/*
 * Steps of random members until all have arrived at the last epoch. Some members are
 * lazier than others, so that others get ahead of them as far as they can.
 */
static void random_steps(struct members *members)
{
	uint32_t count = members->group->members;
	uint32_t lazy = members_random(members, count + 1), laziness = members_random(members, 8);

	for (uint64_t steps = 0; members->arrived[EPOCHS] < count; steps++) {
		uint32_t rank = members_random(members, count);

		if (steps == (uint64_t)MOST_STEPS * EPOCHS * count)
			fail_msg("%u members do not get on (seed %lu)", count,
				 (unsigned long)members->seed);
		if (rank < lazy && members_random(members, laziness + 1))
			continue;
		members_step(members, rank, EPOCHS);
	}
	members_all_leave(members, EPOCHS);
}

static void random_orders(void **state)
{
	for (const uint32_t *count = member_counts; *count; count++) {
		struct group group;
		struct members members;

		group_make(&group, *state, *count, AT_END);
		members_start(&members, &group, 0);
		/* fewer of them where each is long */
		for (uint64_t seed = *count > 17 ? SCHEDULES * 3 / 4 : 0; seed < SCHEDULES;
		     seed++) {
			members_restart(&members, seed * 0x9e3779b97f4a7c15);
			random_steps(&members);
			for (int epoch = 1; epoch <= EPOCHS; epoch++)
				assert_int_equal(members.left[epoch], *count);
		}
		members_free(&members);
		group_free(&group);
	}
}

/*
 * All but one arrive, and look until nothing can change any more: nobody may leave. Then
 * the last one arrives, and all must.
 */
static void wait_for_last(struct members *members, uint32_t last, uint64_t epoch)
{
	uint32_t count = members->group->members, start = members_random(members, count);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t rank = (start + i) % count;

		if (rank == last)
			continue;
		members_arrive(members, rank);
		/* some look while others have not arrived */
		if (members_random(members, 2))
			members_look(members, rank);
	}
	for (uint32_t sweeps = group_most_sweeps(members->group); sweeps; sweeps--)
		members_sweep(members);
	assert_int_equal(members->left[epoch], 0);
	members_arrive(members, last);
	members_all_leave(members, epoch);
}

static void each_last(const struct kind *kind, uint32_t count, uint32_t stride)
{
	struct group group;
	struct members members;

	group_make(&group, kind, count, AT_END);
	members_start(&members, &group, 0);
	for (uint32_t last = 0; last < count; last += stride) {
		members_restart(&members, last);
		for (uint64_t epoch = 1; epoch <= EPOCHS; epoch++)
			wait_for_last(&members, (last + (epoch - 1) * (count / 3 + 1)) % count,
				      epoch);
	}
	members_free(&members);
	group_free(&group);
}

static void the_last_one(void **state)
{
	for (const uint32_t *count = member_counts; *count; count++)
		each_last(*state, *count, 1);
}

static void many_members(void **state)
{
	static const uint32_t counts[] = { 127, 128, 129, 1000, 4097 };

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		each_last(*state, counts[i], counts[i] / 2);
	/* one order: this takes long */
	each_last(*state, MOST_MEMBERS, MOST_MEMBERS);
}

int main(void)
{
	static const CMUnitTestFunction tests[] = { random_orders, the_last_one, many_members };
	static const char *const names[] = { "random orders", "the last one", "many members" };

	return run_kinds("schedules", tests, names, sizeof(tests) / sizeof(tests[0]));
}
