// SPDX-License-Identifier: GPL-2.0-or-later
/* Joining and leaving: early, late, and in the middle of a barrier */
#include <errno.h>
#include <stdatomic.h>

#include "conformance.h"

static void seats(struct context *context)
{
	struct hbs_group *group = make_group(context, 2);
	struct hbs_member *m[2], *more = NULL;

	join(group, m, 2);
	IS(hbs_join(group, &more), -ENOSPC);
	assert_null(more);
	IS(hbs_leave(m[0]), 0);
	IS(hbs_join(group, &m[0]), 0);
	IS(hbs_join(group, &more), -ENOSPC);
	leave(m, 2);
}

/* Also for a seat that was taken and given up before the start */
static void first_waits_for_all_seats(struct context *context)
{
	struct hbs_group *group = make_group(context, 3);
	struct hbs_member *m[3];

	join(group, m, 2);
	IS(hbs_arrive(m[0]), 0);
	IS(hbs_arrive(m[1]), 0);
	IS(hbs_test(m[0]), 0);
	IS(hbs_leave(m[1]), 0);
	IS(hbs_test(m[0]), 0);
	join(group, &m[1], 2);
	IS(hbs_arrive(m[1]), 0);
	IS(hbs_test(m[0]), 0);
	IS(hbs_barwait(m[2]), 0);
	IS(hbs_wait(m[0]), 0);
	IS(hbs_wait(m[1]), 0);
	IS(barriers(group), 1);
	leave(m, 3);
}

/* Asleep, spinning and polling members go on when the last one that is missing leaves */
static void leave_releases(struct context *context)
{
	struct crowd crowd;
	struct hbs_member *last;

	crowd_join(context, &crowd, &(struct hbs_group_attr){ .members = 1 });
	join(crowd.group, &last, 1);
	for (unsigned int i = 0; i < crowd.count; i++)
		IS(hbs_arrive(crowd.members[i]), 0);
	IS(hbs_barwait(last), 0);
	for (unsigned int i = 0; i < crowd.count; i++)
		IS(hbs_wait(crowd.members[i]), 0);
	crowd_wait(&crowd);
	IS(hbs_leave(last), 0);
	crowd_ends(&crowd, 0);
	IS(barriers(crowd.group), 2);
	crowd_leave(&crowd);
}

/* A member that has arrived and leaves neither holds up the others nor counts twice */
static void leave_after_arrival(struct context *context)
{
	struct hbs_group *group = make_group(context, 3);
	struct hbs_member *m[3];

	join(group, m, 3);
	for (int i = 0; i < 3; i++)
		IS(hbs_arrive(m[i]), 0);
	for (int i = 0; i < 3; i++)
		IS(hbs_wait(m[i]), 0);
	IS(hbs_arrive(m[0]), 0);
	IS(hbs_leave(m[0]), 0);
	IS(hbs_arrive(m[1]), 0);
	IS(hbs_test(m[1]), 0);
	IS(hbs_barwait(m[2]), 0);
	IS(hbs_wait(m[1]), 0);
	IS(barriers(group), 2);
	leave(&m[1], 2);
}

static void late_join_is_waited_for(struct context *context)
{
	struct hbs_group *group = make_group(context, 2);
	struct hbs_member *m[2];
	struct waiter waiter;

	join(group, m, 2);
	IS(hbs_leave(m[1]), 0);
	for (int i = 0; i < 5; i++)
		IS(hbs_barwait(m[0]), 0);
	IS(hbs_join(group, &m[1]), 0);
	IS(hbs_arrive(m[0]), 0);
	IS(hbs_test(m[0]), 0);
	IS(hbs_barwait(m[1]), 0);
	IS(over(context, m[0]), 1);
	/* and by those who sleep */
	waiter_start(&waiter, m[0], hbs_barwait);
	IS(hbs_barwait(m[1]), 0);
	IS(waiter_end(&waiter), 0);
	/* all leave, somebody comes again */
	leave(m, 2);
	join(group, m, 1);
	IS(hbs_barwait(m[0]), 0);
	leave(m, 1);
}

/*
 * A member that has not arrived for long counts on as many as there are, however often
 * others have come and gone
 */
static void many_come_and_go_meanwhile(struct context *context)
{
	/* in software, also as often as it tells apart at a glance, but for the two that leave */
	static const unsigned int times[] = { 1, 127, 255, 511, 1023 };
	unsigned int count =
		context->mode->backend == HBS_BACKEND_CARD ? 2 : sizeof(times) / sizeof(times[0]);

	for (unsigned int i = 0; i < count; i++) {
		struct hbs_group *group = make_group(context, 3);
		struct hbs_member *m[3], *more;

		join(group, m, 3);
		pass_all(context, m, 3);
		leave(&m[1], 2);
		for (unsigned int n = 0; n < times[i]; n++) {
			IS(hbs_join(group, &more), 0);
			IS(hbs_leave(more), 0);
		}
		IS(hbs_arrive(m[0]), 0);
		IS(over(context, m[0]), 1);
		leave(m, 1);
	}
}

struct coming {
	atomic_uint inside;
	atomic_ullong barriers;
	unsigned int rounds;
};

/* For different times, with leaving also between arrival and departure */
static int come_and_go(struct part *part)
{
	struct coming *coming = part->shared;

	/* all must have come once, or the group would never start */
	CHECK_IS(hbs_barwait(part->me), 0);
	for (unsigned int round = 0; round < coming->rounds; round++) {
		unsigned int stay = random_from(&part->seed) % 5;

		for (unsigned int i = 0; i < stay; i++) {
			CHECK_IS(pass(part, random_from(&part->seed) % WAYS), 0);
			atomic_fetch_add(&coming->barriers, 1);
		}
		if (round % 2)
			CHECK_IS(hbs_arrive(part->me), 0);
		CHECK_IS(hbs_leave(part->me), 0);
		CHECK_IS(hbs_join(part->group, &part->me), 0);
	}
	return 0;
}

static void crowd_comes_and_goes(struct context *context)
{
	for (unsigned int *n = context->threads; *n; n++) {
		struct coming coming = { .rounds = scaled(context, 400) };
		struct hbs_group *group = make_group(context, *n);

		run_members(context, group, *n, come_and_go, &coming);
		assert_true(arrivals(context, group, coming.barriers + *n) >= coming.barriers + *n);
	}
}

static void closing_needs_leaving(struct context *context)
{
	struct hbs_group *group = make_group(context, 1);
	struct hbs_member *me;

	join(group, &me, 1);
	IS(hbs_group_close(group), -EBUSY);
	IS(hbs_close(context->hbs), -EBUSY);
	IS(hbs_barwait(me), 0);
	leave(&me, 1);
	IS(hbs_close(context->hbs), -EBUSY);
}

/* The arrival of whoever leaves before the start is nobody's */
static void seat_before_the_start(struct context *context)
{
	struct hbs_group *group = make_group(context, 2);
	struct hbs_member *m[2];

	for (int i = 0; i < 3; i++) {
		join(group, m, 1);
		IS(hbs_arrive(m[0]), 0);
		leave(m, 1);
	}
	join(group, m, 2);
	IS(hbs_arrive(m[0]), 0);
	IS(hbs_test(m[0]), 0);
	IS(hbs_barwait(m[1]), 0);
	IS(hbs_wait(m[0]), 0);
	IS(barriers(group), 1);
	leave(m, 2);
}

const struct test membership_tests[] = {
	{ "no more members than seats", seats, MEMBERSHIP },
	{ "the first barrier waits for all seats", first_waits_for_all_seats,
	  MEMBERSHIP | SPLIT_PHASE },
	{ "an arrival goes with its member before the start", seat_before_the_start,
	  MEMBERSHIP | SPLIT_PHASE },
	{ "leaving releases those who wait for nobody else", leave_releases,
	  MEMBERSHIP | SPLIT_PHASE },
	{ "leaving after arriving holds nobody up, and counts once", leave_after_arrival,
	  MEMBERSHIP | SPLIT_PHASE },
	{ "a late join is waited for, from the barrier in progress", late_join_is_waited_for,
	  MEMBERSHIP | SPLIT_PHASE },
	{ "a member finds those who are there, however many came and went",
	  many_come_and_go_meanwhile, MEMBERSHIP | SPLIT_PHASE },
	{ "a crowd comes and goes", crowd_comes_and_goes, MEMBERSHIP | SPLIT_PHASE },
	{ "a group is closed after its members have left", closing_needs_leaving, 0 },
	{ 0 },
};
