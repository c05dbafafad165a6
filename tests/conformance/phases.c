// SPDX-License-Identifier: GPL-2.0-or-later
/* Arriving and departing as two calls, and dropping out */
#include <errno.h>

#include "conformance.h"

/* No second arrival counts, whichever call makes it */
static void double_arrival(struct context *context)
{
	struct hbs_group *group = make_group(context, 2);
	struct hbs_member *m[2];

	join(group, m, 2);
	for (int i = 1; i <= 3; i++) {
		IS(hbs_arrive(m[0]), 0);
		IS(hbs_arrive(m[0]), -EALREADY);
		IS(hbs_barwait(m[0]), -EALREADY);
		IS(hbs_test(m[0]), 0);
		IS(hbs_barwait(m[1]), 0);
		/* over, but not departed from */
		IS(hbs_arrive(m[0]), -EALREADY);
		IS(hbs_barwait(m[0]), -EALREADY);
		IS(hbs_wait(m[0]), 0);
		IS(barriers(group), i);
		IS(arrivals(context, group, 2 * i), 2 * i);
	}
	leave(m, 2);
}

static void departure_without_arrival(struct context *context)
{
	struct hbs_group *group = make_group(context, 2);
	struct hbs_member *m[2];

	join(group, m, 2);
	for (int i = 0; i < 2; i++) {
		IS(hbs_test(m[0]), -EINVAL);
		IS(hbs_wait(m[0]), -EINVAL);
		if (context->mode->features & DEADLINES) {
			IS(hbs_wait_for(m[0], 0), -EINVAL);
			IS(hbs_wait_for(m[0], 1000), -EINVAL);
		}
		IS(hbs_arrive(m[0]), 0);
		IS(hbs_test(m[1]), -EINVAL);
		IS(hbs_barwait(m[1]), 0);
		IS(hbs_test(m[1]), -EINVAL);
		IS(over(context, m[0]), 1);
	}
	IS(barriers(group), 2);
	leave(m, 2);
}

/* Neither arriving nor testing waits: one thread can do it for all members */
static void neither_waits(struct context *context)
{
	struct hbs_group *group = make_group(context, 4);
	struct hbs_member *m[4];

	join(group, m, 4);
	for (int epoch = 0; epoch < 5; epoch++) {
		for (int i = 0; i < 4; i++) {
			for (int j = 0; j < i; j++)
				IS(hbs_test(m[j]), 0);
			IS(hbs_arrive(m[i]), 0);
		}
		for (int i = 0; i < 4; i++)
			IS(i % 2 ? over(context, m[i]) : hbs_wait(m[i]) + 1, 1);
	}
	leave(m, 4);
}

/* A drop counts for the barrier in progress, and for none after it */
static void drop_counts_once(struct context *context)
{
	struct hbs_group *group = make_group(context, 3);
	struct hbs_member *m[3];

	join(group, m, 3);
	for (int i = 0; i < 3; i++)
		IS(hbs_arrive(m[i]), 0);
	for (int i = 0; i < 3; i++)
		IS(hbs_wait(m[i]), 0);
	IS(hbs_arrive(m[0]), 0);
	IS(hbs_arrive_and_drop(m[2]), 0);
	IS(hbs_test(m[0]), 0);
	IS(hbs_arrive(m[1]), 0);
	IS(over(context, m[0]), 1);
	IS(over(context, m[1]), 1);
	IS(barriers(group), 2);
	for (int i = 0; i < 5; i++) {
		IS(hbs_arrive(m[0]), 0);
		IS(hbs_test(m[0]), 0);
		IS(hbs_barwait(m[1]), 0);
		IS(hbs_wait(m[0]), 0);
	}
	/* its seat is free */
	IS(hbs_join(group, &m[2]), 0);
	IS(hbs_arrive(m[0]), 0);
	IS(hbs_arrive(m[1]), 0);
	IS(hbs_test(m[0]), 0);
	IS(hbs_barwait(m[2]), 0);
	IS(hbs_wait(m[0]), 0);
	IS(hbs_wait(m[1]), 0);
	leave(m, 3);
}

/* The last that is missed may be the one that drops */
static void drop_completes(struct context *context)
{
	struct hbs_group *group = make_group(context, 2);
	struct hbs_member *m[2];
	struct waiter waiter;

	join(group, m, 2);
	IS(hbs_arrive(m[0]), 0);
	IS(hbs_barwait(m[1]), 0);
	IS(hbs_wait(m[0]), 0);
	waiter_start(&waiter, m[0], hbs_barwait);
	IS(hbs_arrive_and_drop(m[1]), 0);
	IS(waiter_end(&waiter), 0);
	IS(barriers(group), 2);
	IS(hbs_arrive_and_drop(m[0]), 0);
}

static void drop_after_arrival(struct context *context)
{
	struct hbs_group *group = make_group(context, 2);
	struct hbs_member *m[2];

	join(group, m, 2);
	IS(hbs_arrive(m[0]), 0);
	IS(hbs_barwait(m[1]), 0);
	IS(hbs_wait(m[0]), 0);
	IS(hbs_arrive(m[0]), 0);
	IS(hbs_arrive_and_drop(m[0]), -EALREADY);
	/* it has left all the same */
	IS(hbs_barwait(m[1]), 0);
	IS(hbs_barwait(m[1]), 0);
	leave(&m[1], 1);
}

static void drop_from_a_broken_group(struct context *context)
{
	struct hbs_group *group = make_group(context, 2);
	struct hbs_member *m[2];

	join(group, m, 2);
	IS(hbs_group_destroy(group), 0);
	IS(hbs_arrive_and_drop(m[0]), -EIDRM);
	IS(hbs_arrive(m[1]), -EIDRM);
	leave(&m[1], 1);
}

struct dropping {
	uint64_t at[MAX_THREADS * LINE];
	struct hbs_group *all; /* that nobody drops from: it holds back the fast */
};

/* Each thread drops in an epoch of its own; the others must have waited for it */
static int drop_in_step(struct part *part)
{
	struct dropping *shared = part->shared;
	struct hbs_member *step;
	uint64_t last = part->index + 2;

	CHECK_IS(hbs_join(shared->all, &step), 0);
	for (uint64_t epoch = 1; epoch <= part->count + 2; epoch++) {
		if (epoch <= last)
			shared->at[part->index * LINE] = epoch;
		if (epoch == last) {
			CHECK_IS(hbs_arrive_and_drop(part->me), 0);
			part->me = NULL;
		} else if (epoch < last) {
			CHECK_IS(hbs_barwait(part->me), 0);
			for (unsigned int i = 0; i < part->count; i++)
				CHECK_IS(shared->at[i * LINE], epoch < i + 2 ? epoch : i + 2);
		}
		CHECK_IS(hbs_barwait(step), 0);
	}
	CHECK_IS(hbs_leave(step), 0);
	return 0;
}

static void drop_by_turns(struct context *context)
{
	for (unsigned int *n = context->threads; *n; n++) {
		struct hbs_group *group = make_group(context, *n);
		struct dropping dropping = { .all = make_group(context, *n) };

		run_members(context, group, *n, drop_in_step, &dropping);
		IS(barriers(group), *n + 1);
	}
}

const struct test phase_tests[] = {
	{ "a second arrival is refused, and does not count", double_arrival, SPLIT_PHASE },
	{ "departing without having arrived is refused", departure_without_arrival, SPLIT_PHASE },
	{ "neither arriving nor testing waits", neither_waits, SPLIT_PHASE },
	{ "a drop counts for the barrier in progress and for none after it", drop_counts_once,
	  DROP | SPLIT_PHASE },
	{ "a drop completes the barrier that only it held up", drop_completes, DROP | SPLIT_PHASE },
	{ "a drop after an arrival is told, and only leaves", drop_after_arrival,
	  DROP | SPLIT_PHASE },
	{ "a drop from a broken group is told", drop_from_a_broken_group, DROP },
	{ "members that drop one after the other", drop_by_turns, DROP },
	{ 0 },
};
