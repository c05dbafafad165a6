// SPDX-License-Identifier: GPL-2.0-or-later
/* What a barrier is: nobody leaves before all have arrived, and everybody leaves */
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>

#include "conformance.h"

static void order_by(struct context *context, int way, unsigned int epochs)
{
	for (unsigned int *n = context->threads; *n; n++) {
		struct steps steps = { .epochs = scaled(context, epochs), .way = way };
		struct hbs_group *group = make_group(context, *n);

		run_members(context, group, *n, take_steps, &steps);
		/* Everybody has left; exactly so often, by exactly so many arrivals */
		IS(barriers(group), 2 * steps.epochs);
		IS(arrivals(context, group, 2 * steps.epochs * *n), 2 * steps.epochs * *n);
	}
}

static void nobody_leaves_early(struct context *context)
{
	order_by(context, BY_BARWAIT, 2000);
}

static void every_way_is_the_same_barrier(struct context *context)
{
	for (int way = 0; way < WAYS; way++)
		order_by(context, way, 400);
	order_by(context, -1, 1000);
}

#define BLOCK 256

struct blocks {
	uint64_t data[MAX_THREADS][BLOCK];
	unsigned int epochs;
};

/* One writes, by turns, and all others read it after the barrier */
static int hand_on(struct part *part)
{
	struct blocks *blocks = part->shared;

	for (unsigned int epoch = 0; epoch < blocks->epochs; epoch++) {
		unsigned int writer = epoch % part->count;
		uint64_t *data = blocks->data[writer];

		if (part->index == writer)
			for (unsigned int i = 0; i < BLOCK; i++)
				data[i] = (uint64_t)epoch << 32 | i;
		CHECK_IS(hbs_barwait(part->me), 0);
		for (unsigned int i = 0; i < BLOCK; i++)
			CHECK_IS(data[i], (uint64_t)epoch << 32 | i);
		/* count epochs until this block is written again: one barrier is enough */
		CHECK_IS(hbs_barwait(part->me), 0);
	}
	return 0;
}

static void memory_before_is_visible_after(struct context *context)
{
	for (unsigned int *n = context->threads; *n; n++) {
		static struct blocks blocks;

		blocks.epochs = scaled(context, 1000);
		run_members(context, make_group(context, *n), *n, hand_on, &blocks);
	}
}

struct overtaking {
	atomic_ullong at[MAX_THREADS];
	unsigned int epochs;
};

/* One barrier an epoch: others can be in this epoch, or in the next, and nowhere else */
static int overtake(struct part *part)
{
	bool split = part->context->mode->features & SPLIT_PHASE;
	struct overtaking *overtaking = part->shared;

	for (uint64_t epoch = 1; epoch <= overtaking->epochs; epoch++) {
		uint64_t at;

		if (random_from(&part->seed) % 8 == 0)
			nap_us(random_from(&part->seed) % 200);
		atomic_store_explicit(&overtaking->at[part->index], epoch, memory_order_relaxed);
		if (split) {
			CHECK_IS(hbs_arrive(part->me), 0);
			/* slow to look: the others may be waiting for the next one by now */
			if (random_from(&part->seed) % 8 == 0)
				nap_us(random_from(&part->seed) % 200);
			CHECK_IS(hbs_wait(part->me), 0);
		} else {
			CHECK_IS(hbs_barwait(part->me), 0);
		}
		for (unsigned int i = 0; i < part->count; i++) {
			at = atomic_load_explicit(&overtaking->at[i], memory_order_relaxed);
			CHECK(at == epoch || at == epoch + 1);
		}
	}
	return 0;
}

static void fast_does_not_disturb_slow(struct context *context)
{
	for (unsigned int *n = context->threads; *n; n++) {
		struct overtaking overtaking = { .epochs = scaled(context, 2000) };

		run_members(context, make_group(context, *n), *n, overtake, &overtaking);
	}
}

/* The same, step by step: b sees the end of the first barrier, not of the second */
static void slow_departs_from_its_own_barrier(struct context *context)
{
	struct hbs_group *group = make_group(context, 2);
	struct hbs_member *m[2];

	join(group, m, 2);
	for (int i = 0; i < 10; i++) {
		struct hbs_member *fast = m[i % 2], *slow = m[1 - i % 2];

		IS(hbs_arrive(slow), 0);
		IS(hbs_arrive(fast), 0);
		IS(over(context, fast), 1);
		IS(hbs_arrive(fast), 0);
		IS(hbs_test(fast), 0);
		IS(hbs_arrive(slow), -EALREADY);
		IS(over(context, slow), 1);
		IS(hbs_test(slow), -EINVAL);
		IS(hbs_test(fast), 0);
		IS(hbs_arrive(slow), 0);
		IS(over(context, slow), 1);
		IS(over(context, fast), 1);
	}
	IS(barriers(group), 20);
	leave(m, 2);
}

static void alone_never_waits(struct context *context)
{
	struct hbs_group *group = make_group(context, 1);
	struct hbs_member *me;

	join(group, &me, 1);
	for (int i = 0; i < 100; i++)
		IS(hbs_barwait(me), 0);
	IS(barriers(group), 100);
	leave(&me, 1);
}

/* One member is always last: the others must not have left before it came */
static int last_comes(struct part *part)
{
	atomic_uint *came = part->shared;

	for (unsigned int epoch = 1; epoch <= 3 * part->count; epoch++) {
		if (epoch % part->count == part->index) {
			nap_us(3000);
			atomic_store(came, epoch);
		}
		CHECK_IS(hbs_barwait(part->me), 0);
		CHECK_IS(atomic_load(came), epoch);
		CHECK_IS(hbs_barwait(part->me), 0);
	}
	return 0;
}

static void all_wait_for_the_last(struct context *context)
{
	for (unsigned int *n = context->threads; *n; n++) {
		atomic_uint came = 0;

		run_members(context, make_group(context, *n), *n, last_comes, &came);
	}
}

/* Arrivals before others have joined count, and release nobody */
static void first_waits_for_all_seats(struct context *context)
{
	for (unsigned int *n = context->threads; *n; n++) {
		struct hbs_group *group = make_group(context, *n);
		struct early early[MAX_THREADS];
		struct hbs_member *m[MAX_THREADS];

		for (unsigned int i = 0; i < *n; i++) {
			join(group, &m[i], 1);
			for (unsigned int j = 0; j < i; j++)
				early_waits(&early[j]);
			if (i < *n - 1)
				early_arrives(context, &early[i], m[i]);
		}
		IS(hbs_barwait(m[*n - 1]), 0);
		for (unsigned int i = 0; i < *n - 1; i++)
			IS(early_departs(&early[i]), 0);
		IS(barriers(group), 1);
		leave(m, *n);
	}
}

static void more_threads_than_cpus(struct context *context)
{
	struct steps steps = { .epochs = scaled(context, 160), .way = -1 };
	unsigned int count = cpus() < 4 ? 4 * cpus() + 1 : 2 * cpus() + 1;

	if (count > 33)
		count = 33;
	run_members(context, make_group(context, count), count, take_steps, &steps);
}

/* Members of one group must not count in another, of the same thread or of other threads */
static int two_groups(struct part *part)
{
	bool split = part->context->mode->features & SPLIT_PHASE;
	struct hbs_group **groups = part->shared;
	struct hbs_member *odd;

	CHECK_IS(hbs_join(groups[part->index % 2], &odd), 0);
	for (int i = 0; i < 50; i++) {
		CHECK_IS(hbs_barwait(odd), 0);
		if (split)
			CHECK_IS(hbs_arrive(part->me), 0);
		CHECK_IS(hbs_barwait(odd), 0);
		CHECK_IS(split ? hbs_wait(part->me) : hbs_barwait(part->me), 0);
	}
	CHECK_IS(hbs_leave(odd), 0);
	return 0;
}

static void groups_do_not_mix(struct context *context)
{
	struct hbs_group *all = make_group(context, 4);
	struct hbs_group *halves[2] = { make_group(context, 2), make_group(context, 2) };

	run_members(context, all, 4, two_groups, halves);
	IS(barriers(all), 50);
	IS(barriers(halves[0]), 100);
	IS(barriers(halves[1]), 100);
}

/* Any number of members in a node, and any number left for the last one */
static void every_fan_in_is_the_same_barrier(struct context *context)
{
	static const uint32_t fan_ins[] = { 2, 3, 4, 5, 8, 64 };

	for (unsigned int i = 0; i < sizeof(fan_ins) / sizeof(fan_ins[0]); i++)
		for (unsigned int n = 1; n <= 9; n += n > 5 ? 3 : 1) {
			struct steps steps = { .epochs = scaled(context, 40), .way = -1 };
			struct hbs_group_attr attr =
				group_attr(context, &(struct hbs_group_attr){ .members = n });
			struct hbs_group *group;

			attr.fan_in = fan_ins[i];
			IS(hbs_group_create(context->hbs, &attr, &group), 0);
			run_members(context, group, n, take_steps, &steps);
			IS(barriers(group), 2 * steps.epochs);
			IS(hbs_group_close(group), 0);
		}
}

const struct test barrier_tests[] = {
	{ "nobody leaves before all have arrived", nobody_leaves_early, 0 },
	{ "every way to arrive and depart is the same barrier", every_way_is_the_same_barrier, 0 },
	{ "memory written before a barrier is visible after it", memory_before_is_visible_after,
	  0 },
	{ "a fast member in the next barrier does not disturb a slow one",
	  fast_does_not_disturb_slow, 0 },
	{ "a slow member departs from its own barrier", slow_departs_from_its_own_barrier,
	  SPLIT_PHASE },
	{ "a member alone never waits", alone_never_waits, 0 },
	{ "all wait for the last one", all_wait_for_the_last, 0 },
	{ "arrivals before all have joined count", first_waits_for_all_seats, 0 },
	{ "more threads than CPUs", more_threads_than_cpus, 0 },
	{ "every fan-in is the same barrier", every_fan_in_is_the_same_barrier, FAN_IN },
	{ "groups do not mix", groups_do_not_mix, 0 },
	{ 0 },
};
