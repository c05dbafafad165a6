// SPDX-License-Identifier: GPL-2.0-or-later
/* Refutable groups and time: deadlines of waits, the group's timer, and who is missing then */
#include <errno.h>

#include "conformance.h"

#define MS 1000000u

static struct hbs_group *timed(struct context *context, unsigned int members, unsigned int ms,
			       uint32_t policy)
{
	return make_group_of(context, &(struct hbs_group_attr){ .members = members,
								.type = HBS_REFUTABLE,
								.policy = policy,
								.timeout_ns = ms * (uint64_t)MS });
}

static void join_tagged(struct hbs_group *group, struct hbs_member **members, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		IS(hbs_join_tagged(group, 10 + i, &members[i]), 0);
}

static void is_missing(struct hbs_group *group, uint64_t tag)
{
	struct hbs_absentee list[4] = { 0 };

	IS(hbs_group_missing(group, list, 4), 1);
	IS(list[0].tag, tag);
}

static void deadlines(struct context *context)
{
	static const uint64_t times[] = { 0, 1, 1000, 100000, 3 * MS, 20 * MS };
	struct hbs_group *group = make_refutable(context, 2);
	struct hbs_member *m[2];

	join(group, m, 2);
	for (unsigned int i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		double start = seconds();

		IS(be_idle(m[0], 1, 0, 0), 0);
		IS(hbs_wait_for(m[0], times[i]), -ETIMEDOUT);
		assert_true(seconds() - start >= times[i] / 1e9);
		/* it is still idle, and can be so again after it has withdrawn */
		IS(be_idle(m[0], 1, 0, 0), -EALREADY);
		all_idle(&m[1], 1);
		IS(hbs_wait_for(m[0], times[i]), -ETIMEDOUT);
		IS(hbs_withdraw(m[1]), 0);
		IS(hbs_wait_for(m[0], times[i]), -ETIMEDOUT);
		IS(be_idle(m[1], 0, 1, 0), 0);
		IS(hbs_wait_for(m[0], 10000 * (uint64_t)MS), 0);
		IS(over(context, m[1]), 1);
	}
	leave(m, 2);
}

static void who_is_missing(struct context *context)
{
	struct hbs_group *group = make_refutable(context, 2);
	struct hbs_absentee list[4];
	struct hbs_member *m[2];

	join_tagged(group, m, 2);
	for (unsigned int i = 0; i < 3; i++) {
		IS(hbs_group_missing(group, list, 4), 2);
		IS(be_idle(m[0], 1, 0, 0), 0);
		is_missing(group, 11);
		all_idle(&m[1], 1);
		/* a message in flight is nobody's fault */
		IS(hbs_group_missing(group, list, 4), 0);
		IS(hbs_withdraw(m[0]), 0);
		is_missing(group, 10);
		IS(be_idle(m[0], 0, 1, 0), 0);
		all_depart(context, m, 2);
	}
	leave(m, 2);
}

static void breaks(struct context *context)
{
	struct hbs_group *group = timed(context, 3, 200, 0);
	struct hbs_member *m[3];
	struct waiter waiter;
	double start;

	join_tagged(group, m, 3);
	start = seconds();
	IS(be_idle(m[0], 0, 0, 0), 0);
	IS(be_idle(m[1], 1, 0, 0), 0);
	waiter_start(&waiter, m[1], hbs_wait);
	IS(hbs_wait(m[0]), -ETIMEDOUT);
	assert_true(seconds() - start >= 0.2);
	IS(waiter_end(&waiter), -ETIMEDOUT);
	IS(be_idle(m[2], 0, 1, 0), -ETIMEDOUT);
	is_missing(group, 12);
	leave(m, 3);
}

/* All are idle, but a message is lost */
static void breaks_for_a_message(struct context *context)
{
	struct hbs_group *group = timed(context, 2, 100, 0);
	struct hbs_absentee list[2];
	struct hbs_member *m[2];

	join_tagged(group, m, 2);
	IS(be_idle(m[0], 1, 0, 0), 0);
	all_idle(&m[1], 1);
	IS(hbs_wait(m[0]), -ETIMEDOUT);
	IS(hbs_wait(m[1]), -ETIMEDOUT);
	IS(hbs_group_missing(group, list, 2), 0);
	IS(stats_of(group).in_flight, 1);
	leave(m, 2);
}

/* Time runs from when the first one is idle, if since then there has been one all the time */
static void withdrawals_do_not_stop_it(struct context *context)
{
	struct hbs_group *group = timed(context, 3, 400, 0);
	struct hbs_member *m[3];
	double start = seconds();
	int ret = 0;

	join_tagged(group, m, 3);
	IS(be_idle(m[0], 1, 0, 0), 0);
	while (!ret && seconds() - start < 5) {
		nap_us(20000);
		ret = hbs_test(m[0]);
		if (ret)
			break;
		ret = be_idle(m[1], 0, 0, 0);
		if (!ret)
			ret = hbs_withdraw(m[1]);
	}
	IS(ret, -ETIMEDOUT);
	assert_true(seconds() - start >= 0.4);
	IS(hbs_wait(m[0]), -ETIMEDOUT);
	leave(m, 3);
}

/* Two that are idle by turns: there is one all the time, but it is not the same one */
static void idle_by_turns(struct context *context)
{
	struct hbs_group *group = timed(context, 3, 400, 0);
	struct hbs_member *m[3];
	double start = seconds();
	int ret = 0;

	join(group, m, 3);
	IS(be_idle(m[0], 1, 0, 0), 0);
	for (unsigned int i = 0; !ret && seconds() - start < 5; i++) {
		nap_us(20000);
		ret = be_idle(m[(i + 1) % 2], 0, 0, 0);
		if (!ret)
			ret = hbs_withdraw(m[i % 2]);
		if (!ret)
			ret = hbs_test(m[(i + 1) % 2]);
	}
	IS(ret, -ETIMEDOUT);
	assert_true(seconds() - start >= 0.4);
	leave(m, 3);
}

/* But if nobody is idle any more, no time runs */
static void stops_when_nobody_is_idle(struct context *context)
{
	struct hbs_group *group = timed(context, 2, 1000, 0);
	struct hbs_member *m[2];

	join_tagged(group, m, 2);
	for (unsigned int i = 0; i < 3; i++) {
		IS(be_idle(m[0], 1, 0, 0), 0);
		nap_us(400000);
		IS(hbs_test(m[0]), 0);
		IS(hbs_withdraw(m[0]), 0);
	}
	all_idle(m, 1);
	IS(be_idle(m[1], 0, 3, 0), 0);
	all_depart(context, m, 2);
	leave(m, 2);
}

static void notifies(struct context *context)
{
	struct hbs_group *group = timed(context, 3, 100, HBS_ON_TIMEOUT_NOTIFY);
	struct hbs_absentee list[4];
	struct hbs_member *m[3];

	join_tagged(group, m, 3);
	for (unsigned int i = 0; i < 2; i++) {
		IS(be_idle(m[0], 1, 0, 0), 0);
		IS(be_idle(m[1], 0, 0, 0), 0);
		IS(hbs_wait_for(m[0], 300 * MS), -ETIMEDOUT);
		is_missing(group, 12);
		/* who was missing then, whatever is now */
		all_idle(&m[2], 1);
		is_missing(group, 12);
		IS(hbs_withdraw(m[1]), 0);
		is_missing(group, 12);
		IS(be_idle(m[1], 0, 1, 0), 0);
		all_depart(context, m, 3);
		IS(hbs_group_missing(group, list, 4), 3);
	}
	leave(m, 3);
}

#define NEEDS (REFUTABLE | TIMEOUTS | MISSING)

const struct test idle_time_tests[] = {
	{ "an idle member waits for a time", deadlines, REFUTABLE | DEADLINES },
	{ "a member that is not idle is missing", who_is_missing, REFUTABLE | MISSING },
	{ "an idle epoch times out", breaks, NEEDS },
	{ "an idle epoch times out if a message is lost", breaks_for_a_message, NEEDS },
	{ "an idle epoch times out whoever withdraws", withdrawals_do_not_stop_it, NEEDS },
	{ "an idle epoch times out if members are idle by turns", idle_by_turns, NEEDS },
	{ "an idle epoch does not time out if nobody is idle", stops_when_nobody_is_idle, NEEDS },
	{ "an idle epoch is late and goes on", notifies, NEEDS },
	{ 0 },
};
