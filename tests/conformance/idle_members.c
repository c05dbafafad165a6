// SPDX-License-Identifier: GPL-2.0-or-later
/* Refutable groups: members that join late, and that leave */
#include <errno.h>

#include "conformance.h"

static void starts_when_all_have_joined(struct context *context)
{
	struct hbs_group *group = make_refutable(context, 3);
	struct hbs_member *m[3];

	join(group, m, 2);
	all_idle(m, 2);
	none_departs(m, 2);
	/* and a message goes there and back meanwhile */
	IS(hbs_withdraw(m[1]), 0);
	IS(be_idle(m[1], 1, 0, 0), 0);
	IS(hbs_withdraw(m[0]), 0);
	IS(be_idle(m[0], 0, 1, 0), 0);
	none_departs(m, 2);
	join(group, &m[2], 1);
	none_departs(m, 2);
	all_idle(&m[2], 1);
	all_depart(context, m, 3);
	leave(m, 3);
}

/* It counts from the epoch in progress */
static void joins_late(struct context *context)
{
	struct hbs_group *group = make_refutable(context, 3);
	struct hbs_member *m[3];
	int all;

	join(group, m, 3);
	all_idle(m, 3);
	all_depart(context, m, 3);
	leave(&m[2], 1);
	for (unsigned int i = 0; i < 4; i++) {
		IS(be_idle(m[0], 0, 0, 1), 0);
		join(group, &m[2], 1);
		IS(hbs_votes(m[2], &all, NULL), -EINVAL);
		IS(be_idle(m[1], 0, 0, 1), 0);
		none_departs(m, 2);
		IS(be_idle(m[2], 0, 0, i % 2), 0);
		all_depart(context, m, 3);
		IS(hbs_votes(m[2], &all, NULL), 0);
		IS(all, i % 2);
		leave(&m[2], 1);
		/* without it */
		IS(be_idle(m[0], 0, 0, 1), 0);
		IS(be_idle(m[1], 0, 0, 1), 0);
		all_depart(context, m, 2);
		IS(hbs_votes(m[0], &all, NULL), 0);
		IS(all, 1);
	}
	leave(m, 2);
}

/* The last one that is not idle leaves, and so ends the epoch */
static void leaves_busy(struct context *context)
{
	struct hbs_group *group = make_refutable(context, 3);
	struct hbs_member *m[3];
	struct waiter waiter;

	join(group, m, 3);
	all_idle(m, 2);
	waiter_start(&waiter, m[0], hbs_wait);
	leave(&m[2], 1);
	IS(waiter_end(&waiter), 0);
	IS(over(context, m[1]), 1);
	/* but not while a message is in flight */
	join(group, &m[2], 1);
	IS(be_idle(m[0], 1, 0, 0), 0);
	all_idle(&m[1], 1);
	leave(&m[2], 1);
	none_departs(m, 2);
	IS(hbs_withdraw(m[1]), 0);
	IS(be_idle(m[1], 0, 1, 0), 0);
	all_depart(context, m, 2);
	leave(m, 2);
}

/* Its arrival is gone with it, and so is its vote: only those who are there vote */
static void leaves_idle(struct context *context)
{
	struct hbs_group *group = make_refutable(context, 3);
	struct hbs_member *m[3];
	int all, any;

	join(group, m, 3);
	for (unsigned int votes = 0; votes < 8; votes++) {
		int leaver = votes & 1, first = votes >> 1 & 1, second = votes >> 2;

		IS(be_idle(m[2], 0, 0, leaver), 0);
		IS(be_idle(m[0], 0, 0, first), 0);
		leave(&m[2], 1);
		none_departs(m, 1);
		IS(be_idle(m[1], 0, 0, second), 0);
		all_depart(context, m, 2);
		for (unsigned int i = 0; i < 2; i++) {
			IS(hbs_votes(m[i], &all, &any), 0);
			IS(all, first && second);
			IS(any, first || second);
		}
		/* nothing of it is left in the next epoch, which it is in again */
		join(group, &m[2], 1);
		for (unsigned int i = 0; i < 3; i++)
			IS(be_idle(m[i], 0, 0, i == 1), 0);
		all_depart(context, m, 3);
		IS(hbs_votes(m[0], &all, &any), 0);
		IS(all, 0);
		IS(any, 1);
	}
	leave(m, 3);
}

/* The same if it leaves when the epoch is over, which it has not noticed */
static void leaves_when_it_is_over(struct context *context)
{
	struct hbs_group *group = make_refutable(context, 2);
	struct hbs_member *m[2];
	int all, any;

	join(group, m, 2);
	for (unsigned int i = 0; i < 4; i++) {
		IS(be_idle(m[0], 0, 0, 1), 0);
		IS(be_idle(m[1], 0, 0, 1), 0);
		leave(&m[1], 1);
		all_depart(context, m, 1);
		IS(hbs_votes(m[0], &all, &any), 0);
		IS(all, 1);
		IS(be_idle(m[0], 0, 0, i % 2), 0);
		all_depart(context, m, 1);
		IS(hbs_votes(m[0], &all, &any), 0);
		IS(all, i % 2);
		IS(any, i % 2);
		join(group, &m[1], 1);
	}
	leave(m, 2);
}

/* What it has said of its messages stays */
static void leaves_with_messages_counted(struct context *context)
{
	struct hbs_group *group = make_refutable(context, 3);
	struct hbs_member *m[3];

	join(group, m, 3);
	for (unsigned int withdraws = 0; withdraws < 2; withdraws++) {
		IS(be_idle(m[2], 3, 1, 0), 0);
		if (withdraws) {
			IS(hbs_withdraw(m[2]), 0);
			IS(be_idle(m[2], 1, 1, 0), 0);
			IS(hbs_withdraw(m[2]), 0);
		}
		leave(&m[2], 1);
		IS(stats_of(group).in_flight, 2);
		all_idle(m, 2);
		none_departs(m, 2);
		IS(hbs_withdraw(m[0]), 0);
		IS(be_idle(m[0], 0, 1, 0), 0);
		none_departs(m, 2);
		IS(hbs_withdraw(m[1]), 0);
		IS(be_idle(m[1], 0, 1, 0), 0);
		all_depart(context, m, 2);
		IS(stats_of(group).in_flight, 0);
		join(group, &m[2], 1);
		all_idle(m, 3);
		all_depart(context, m, 3);
	}
	leave(m, 3);
}

/* Only those who are there bring a value; but who has departed leaves what it has brought */
static void leaves_with_its_value(struct context *context)
{
	struct hbs_group_attr attr = { .members = 3, .type = HBS_REFUTABLE, .reduce = HBS_SUM };
	struct hbs_group *group = make_group_of(context, &attr);
	struct hbs_member *m[3];
	uint64_t got;

	join(group, m, 3);
	for (unsigned int withdraws = 0; withdraws < 2; withdraws++) {
		for (unsigned int i = 0; i < 3; i++)
			IS(hbs_begin_idle(m[i], &(struct hbs_idle){ .value = 1 << i, .sent = !i }),
			   0);
		if (withdraws)
			IS(hbs_withdraw(m[2]), 0);
		leave(&m[2], 1);
		none_departs(m, 2);
		IS(hbs_withdraw(m[1]), 0);
		IS(hbs_begin_idle(m[1], &(struct hbs_idle){ .value = 16, .freed = 1 }), 0);
		all_depart(context, m, 2);
		for (unsigned int i = 0; i < 2; i++) {
			IS(hbs_result(m[i], &got), 0);
			IS(got, 17);
		}
		join(group, &m[2], 1);
		for (unsigned int i = 0; i < 3; i++)
			IS(hbs_begin_idle(m[i], &(struct hbs_idle){ .value = 1 << i }), 0);
		all_depart(context, m, 3);
		leave(&m[2], 1);
		IS(hbs_result(m[0], &got), 0);
		IS(got, 7);
		join(group, &m[2], 1);
	}
	leave(m, 3);
}

#define NEEDS (REFUTABLE | MEMBERSHIP)

const struct test idle_member_tests[] = {
	{ "an idle epoch begins when all have joined", starts_when_all_have_joined, NEEDS },
	{ "idle members and one that joins late", joins_late, NEEDS },
	{ "idle members do not wait for who leaves", leaves_busy, NEEDS },
	{ "an idle member leaves", leaves_idle, NEEDS },
	{ "an idle member leaves when the epoch is over", leaves_when_it_is_over, NEEDS },
	{ "an idle member leaves, and its messages stay counted", leaves_with_messages_counted,
	  NEEDS },
	{ "an idle member leaves, and its value with it", leaves_with_its_value, NEEDS | VALUES },
	{ 0 },
};
