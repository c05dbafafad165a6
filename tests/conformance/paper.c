// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the paper on hardware barrier synchronization promises of its calls, each by
 * its name there: create_barrier, barinit, barwait and its exception.
 * Documentation/architecture.rst says what became of them.
 */
#include <errno.h>
#include <stdatomic.h>

#include "conformance.h"

#define MS 1000000ull

/* create_barrier: the kernel vets the time-out that is asked for, and makes the group */
static void create_vets_the_timeout(struct context *context)
{
	static const uint64_t refused[] = { 1, UINT64_MAX, 1ULL << 62 };
	struct hbs_group *group = NULL;
	struct hbs_member *m[2];

	for (int i = 0; i < 3; i++) {
		struct hbs_group_attr attr =
			group_attr(context, &(struct hbs_group_attr){ .members = 2,
								      .timeout_ns = refused[i] });

		IS(hbs_group_create(context->hbs, &attr, &group), -ERANGE);
		assert_null(group);
	}
	group = make_group_of(context,
			      &(struct hbs_group_attr){ .members = 2, .timeout_ns = 1000 * MS });
	join(group, m, 2);
	pass_all(context, m, 2);
	leave(m, 2);
}

/* create_barrier: an unused barrier is found, as long as there is one */
static void create_finds_an_unused_one(struct context *context)
{
	struct hbs_group_attr attr = group_attr(context, &(struct hbs_group_attr){ .members = 1 });
	struct hbs_group *groups[200];
	unsigned int n, first = 0;
	int ret;

	for (int round = 0; round < 2; round++) {
		for (n = 0; n < 200; n++) {
			ret = hbs_group_create(context->hbs, &attr, &groups[n]);
			if (ret)
				break;
		}
		if (n < 200)
			IS(ret, -ENOSPC);
		if (!round)
			first = n;
		IS(n, first);
		for (unsigned int i = 0; i < n; i++) {
			struct hbs_member *me;

			IS(hbs_join(groups[i], &me), 0);
			IS(hbs_barwait(me), 0);
			IS(hbs_leave(me), 0);
			IS(barriers(groups[i]), 1);
		}
		while (n)
			IS(hbs_group_close(groups[--n]), 0);
	}
	assert_true(first > 1);
}

/* create_barrier: any subset of the processors may form a group */
struct subsets {
	struct hbs_group *groups[2];
	atomic_uint at[4];
};

static int in_a_subset(struct part *part)
{
	struct subsets *subsets = part->shared;
	/* 0 and 2, 1 and 3: no neighbours */
	unsigned int half = part->index % 2, partner = (part->index + 2) % 4;
	struct hbs_member *me;

	CHECK_IS(hbs_join(subsets->groups[half], &me), 0);
	/* one half passes many more barriers than the other */
	for (unsigned int i = 1; i <= (half ? 100 : 10); i++) {
		atomic_store(&subsets->at[part->index], i);
		CHECK_IS(hbs_barwait(me), 0);
		CHECK_IS(atomic_load(&subsets->at[partner]), i);
		CHECK_IS(hbs_barwait(me), 0);
	}
	CHECK_IS(hbs_leave(me), 0);
	return 0;
}

static void subsets_are_groups(struct context *context)
{
	struct subsets subsets = { .groups = { make_group(context, 2), make_group(context, 2) } };

	run_threads(context, 4, in_a_subset, &subsets);
	IS(barriers(subsets.groups[0]), 20);
	IS(barriers(subsets.groups[1]), 200);
}

/* Several groups are active at once, with members in common */
static int in_several_groups(struct part *part)
{
	bool split = part->context->mode->features & SPLIT_PHASE;
	struct hbs_group **groups = part->shared;
	struct hbs_member *with_next, *with_previous;
	unsigned int next = part->index, previous = (part->index + part->count - 1) % part->count;

	CHECK_IS(hbs_join(groups[next], &with_next), 0);
	CHECK_IS(hbs_join(groups[previous], &with_previous), 0);
	for (int i = 0; i < 30; i++) {
		if (!split) {
			/* in an order in which nobody waits for a neighbour that waits for it */
			CHECK_IS(hbs_barwait(part->index % 2 ? with_next : with_previous), 0);
			CHECK_IS(hbs_barwait(part->index % 2 ? with_previous : with_next), 0);
			CHECK_IS(hbs_barwait(part->me), 0);
			continue;
		}
		CHECK_IS(hbs_arrive(with_next), 0);
		CHECK_IS(hbs_arrive(with_previous), 0);
		CHECK_IS(hbs_barwait(part->me), 0);
		/* all have arrived everywhere, so these are over */
		CHECK_IS(hbs_wait(with_previous), 0);
		CHECK_IS(hbs_wait(with_next), 0);
	}
	CHECK_IS(hbs_leave(with_next), 0);
	CHECK_IS(hbs_leave(with_previous), 0);
	return 0;
}

static void several_groups_at_once(struct context *context)
{
	struct hbs_group *ring[4];

	for (int i = 0; i < 4; i++)
		ring[i] = make_group(context, 2);
	run_members(context, make_group(context, 4), 4, in_several_groups, ring);
	for (int i = 0; i < 4; i++)
		IS(barriers(ring[i]), 30);
}

/* barinit: each processor readies itself for the first use; here that is joining */
static int init_and_use(struct part *part)
{
	atomic_uint *ready = part->shared;

	nap_us(2000 * part->index);
	atomic_fetch_add(ready, 1);
	CHECK_IS(hbs_barwait(part->me), 0);
	CHECK_IS(atomic_load(ready), part->count);
	return 0;
}

static void init_is_join(struct context *context)
{
	for (unsigned int *n = context->threads; *n; n++) {
		atomic_uint ready = 0;

		run_members(context, make_group(context, *n), *n, init_and_use, &ready);
	}
}

/* barinit again: the barrier's state is as before its first use, whatever it was */
static void init_again_is_reset(struct context *context)
{
	struct hbs_group *group = make_group(context, 3);
	struct hbs_member *m[3];

	for (int use = 0; use < 3; use++) {
		join(group, m, 3);
		for (int epoch = 0; epoch < 2; epoch++) {
			IS(hbs_arrive(m[0]), 0);
			IS(hbs_arrive(m[1]), 0);
			IS(hbs_barwait(m[2]), 0);
			IS(hbs_wait(m[0]), 0);
			IS(hbs_wait(m[1]), 0);
		}
		/* left in the middle of a barrier */
		IS(hbs_arrive(m[use]), 0);
		IS(hbs_group_reset(group), 0);
		leave(m, 3);
	}
}

/* barwait: returns when all have called it, and not before */
struct blocking {
	atomic_uint called, returned;
};

static int call_barwait(struct part *part)
{
	struct blocking *blocking = part->shared;

	for (unsigned int epoch = 0; epoch < 5; epoch++) {
		bool last = part->index == epoch % part->count;

		if (last) {
			/* all others have called it, or are about to, and none is back */
			while (atomic_load(&blocking->called) < (epoch + 1) * part->count - 1)
				nap_us(100);
			nap_us(3000);
			CHECK_IS(atomic_load(&blocking->returned), epoch * part->count);
		}
		atomic_fetch_add(&blocking->called, 1);
		CHECK_IS(hbs_barwait(part->me), 0);
		CHECK(atomic_load(&blocking->called) >= (epoch + 1) * part->count);
		atomic_fetch_add(&blocking->returned, 1);
		while (atomic_load(&blocking->returned) < (epoch + 1) * part->count)
			nap_us(100);
	}
	return 0;
}

static void barwait_blocks(struct context *context)
{
	for (unsigned int *n = context->threads; *n; n++) {
		struct blocking blocking = { 0 };

		run_members(context, make_group(context, *n), *n, call_barwait, &blocking);
		IS(blocking.returned, 5 * *n);
	}
}

/* The exception: barwait of every participant returns it when the time is over */
static int get_the_exception(struct part *part)
{
	CHECK_IS(hbs_barwait(part->me), 0);
	/* one member did not come; it gets the exception when it comes */
	if (!part->index)
		nap_us(900000);
	CHECK_IS(hbs_barwait(part->me), -ETIMEDOUT);
	return 0;
}

static void exception_to_every_participant(struct context *context)
{
	for (unsigned int *n = context->threads; *n; n++)
		run_members(
			context,
			make_group_of(context, &(struct hbs_group_attr){ .members = *n,
									 .timeout_ns = 600 * MS }),
			*n, get_the_exception, NULL);
}

/* Or the members are to wait on, and the late one finds them waiting */
static int wait_on(struct part *part)
{
	for (int i = 0; i < 2; i++) {
		if (part->index == (unsigned int)i)
			nap_us(300000);
		CHECK_IS(hbs_barwait(part->me), 0);
	}
	return 0;
}

static void waiting_on_after_the_timeout(struct context *context)
{
	for (unsigned int *n = context->threads; *n; n++) {
		struct hbs_group_attr attr = { .members = *n,
					       .policy = HBS_ON_TIMEOUT_NOTIFY,
					       .timeout_ns = 100 * MS };
		struct hbs_group *group = make_group_of(context, &attr);

		run_members(context, group, *n, wait_on, NULL);
		IS(barriers(group), 2);
	}
}

/* After the exception the barrier is made ready anew, and works */
static void ready_after_the_exception(struct context *context)
{
	struct hbs_group *group = make_group_of(
		context, &(struct hbs_group_attr){ .members = 2, .timeout_ns = 600 * MS });
	struct hbs_member *m[2];

	join(group, m, 2);
	IS(hbs_barwait(m[0]), -ETIMEDOUT);
	IS(hbs_barwait(m[1]), -ETIMEDOUT);
	leave(m, 2);
	IS(hbs_group_reset(group), 0);
	join(group, m, 2);
	pass_all(context, m, 2);
	IS(hbs_barwait(m[1]), -ETIMEDOUT);
	leave(m, 2);
}

const struct test paper_tests[] = {
	{ "paper: create_barrier has its time-out vetted", create_vets_the_timeout,
	  TIMEOUTS | LIMITS },
	{ "paper: create_barrier finds an unused barrier", create_finds_an_unused_one, 0 },
	{ "paper: create_barrier makes groups of any subset", subsets_are_groups, 0 },
	{ "paper: several groups are active at once", several_groups_at_once, 0 },
	{ "paper: barinit makes ready for the first use", init_is_join, 0 },
	{ "paper: barinit again makes ready anew", init_again_is_reset, RESET | SPLIT_PHASE },
	{ "paper: barwait blocks until all have called it", barwait_blocks, 0 },
	{ "paper: barwait returns the time-out exception to every participant",
	  exception_to_every_participant, TIMEOUTS },
	{ "paper: the members may wait on after the time-out", waiting_on_after_the_timeout,
	  TIMEOUTS },
	{ "paper: barinit makes ready after the exception", ready_after_the_exception,
	  TIMEOUTS | RESET },
	{ 0 },
};
