// SPDX-License-Identifier: GPL-2.0-or-later
/* Waits with a deadline: they end in time, and withdraw nothing */
#include <errno.h>

#include "conformance.h"

#define MS 1000000u

static void withdraws_nothing(struct context *context)
{
	struct hbs_group *group = make_group(context, 2);
	struct hbs_member *m[2];

	join(group, m, 2);
	for (int i = 1; i <= 3; i++) {
		IS(hbs_arrive(m[0]), 0);
		for (int j = 0; j < 3; j++) {
			IS(hbs_wait_for(m[0], MS), -ETIMEDOUT);
			IS(hbs_test(m[0]), 0);
			/* the arrival stands */
			IS(hbs_arrive(m[0]), -EALREADY);
			IS(hbs_barwait(m[0]), -EALREADY);
		}
		IS(arrivals(context, group, 2 * i - 1), 2 * i - 1);
		IS(hbs_barwait(m[1]), 0);
		IS(i == 1   ? hbs_wait(m[0])
		   : i == 2 ? hbs_wait_for(m[0], 2000 * MS)
			    : over(context, m[0]) - 1,
		   0);
		IS(barriers(group), i);
		IS(arrivals(context, group, 2 * i), 2 * i);
	}
	leave(m, 2);
}

static void is_kept(struct context *context)
{
	static const unsigned int times[] = { 1, 10, 100 };
	struct hbs_group *group = make_group(context, 2);
	struct hbs_member *m[2];

	join(group, m, 2);
	IS(hbs_arrive(m[0]), 0);
	for (int i = 0; i < 3; i++) {
		double start = seconds(), took;

		IS(hbs_wait_for(m[0], (uint64_t)times[i] * MS), -ETIMEDOUT);
		took = seconds() - start;
		assert_true(took >= times[i] * 1e-3);
		/* generous, for a busy host */
		assert_true(took < times[i] * 1e-3 + 2);
	}
	leave(m, 2);
}

static int wait_not(struct hbs_member *member)
{
	return hbs_wait_for(member, 0);
}

static void zero_is_a_test(struct context *context)
{
	struct hbs_group *group = make_group(context, 2);
	struct hbs_member *m[2];

	join(group, m, 2);
	IS(hbs_arrive(m[0]), 0);
	IS(hbs_wait_for(m[0], 0), -ETIMEDOUT);
	IS(hbs_arrive(m[1]), 0);
	IS(soon(context, m[0], wait_not, -ETIMEDOUT), 0);
	IS(soon(context, m[1], wait_not, -ETIMEDOUT), 0);
	IS(hbs_wait_for(m[1], 0), -EINVAL);
	leave(m, 2);
}

static int wait_longest(struct hbs_member *member)
{
	return hbs_wait_for(member, UINT64_MAX);
}

static void release_comes_first(struct context *context)
{
	struct hbs_group *group = make_group(context, 2);
	struct hbs_member *m[2];
	struct waiter waiter;

	join(group, m, 2);
	for (int i = 0; i < 2; i++) {
		IS(hbs_arrive(m[0]), 0);
		waiter_start(&waiter, m[0], i ? wait_long : wait_longest);
		IS(hbs_barwait(m[1]), 0);
		IS(waiter_end(&waiter), 0);
	}
	leave(m, 2);
}

static void error_comes_first(struct context *context)
{
	struct hbs_group *group = make_group(context, 2);
	struct hbs_member *m[2];
	struct waiter waiter;

	join(group, m, 2);
	IS(hbs_arrive(m[0]), 0);
	waiter_start(&waiter, m[0], wait_long);
	IS(hbs_group_destroy(group), 0);
	IS(waiter_end(&waiter), -EIDRM);
	leave(m, 2);
}

/* Deadlines that are too short, over and over: no barrier is lost or early */
static void many_short_ones(struct context *context)
{
	for (unsigned int *n = context->threads; *n; n++) {
		struct steps steps = { .epochs = scaled(context, 1000), .way = BY_WAIT_FOR };
		struct hbs_group *group = make_group(context, *n);

		run_members(context, group, *n, take_steps, &steps);
		IS(barriers(group), 2 * steps.epochs);
		IS(arrivals(context, group, 2 * steps.epochs * *n), 2 * steps.epochs * *n);
	}
}

#define NEEDS (DEADLINES | SPLIT_PHASE)

const struct test deadline_tests[] = {
	{ "a deadline of a wait withdraws nothing", withdraws_nothing, NEEDS },
	{ "a deadline of a wait is kept", is_kept, NEEDS },
	{ "a wait for no time at all is a test", zero_is_a_test, NEEDS },
	{ "a wait with a far deadline ends with its barrier", release_comes_first, NEEDS },
	{ "a wait with a far deadline ends with its group", error_comes_first, NEEDS },
	{ "many deadlines that are too short", many_short_ones, NEEDS },
	{ 0 },
};
