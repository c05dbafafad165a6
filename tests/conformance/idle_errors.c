// SPDX-License-Identifier: GPL-2.0-or-later
/* Refutable groups: what is misuse, and changes nothing */
#include <errno.h>

#include "conformance.h"

#define LIMIT ((uint64_t)1 << 47)

static int create(struct context *context, const struct hbs_group_attr *attr)
{
	struct hbs_group_attr all = group_attr(context, attr);
	struct hbs_group *group = NULL;
	int ret;

	all.members = 2;
	ret = hbs_group_create(context->hbs, &all, &group);
	assert_null(group);
	return ret;
}

static void nothing(void *argument)
{
	(void)argument;
}

static void attributes(struct context *context)
{
	IS(create(context, &(struct hbs_group_attr){ .type = HBS_REFUTABLE + 1 }), -EINVAL);
	IS(create(context, &(struct hbs_group_attr){ .type = UINT32_MAX }), -EINVAL);
	IS(create(context,
		  &(struct hbs_group_attr){ .type = HBS_REFUTABLE, .completion = nothing }),
	   -EINVAL);
	IS(create(context,
		  &(struct hbs_group_attr){ .type = HBS_REFUTABLE, .policy = HBS_ON_DEATH_SHRINK }),
	   -EINVAL);
}

static void barriers_are_refused(struct context *context)
{
	struct hbs_group_attr attr = { .members = 2, .type = HBS_REFUTABLE, .reduce = HBS_VOTE };
	struct hbs_group *group = make_group_of(context, &attr);
	struct hbs_member *m[2];
	uint64_t got;
	int all, any;

	join(group, m, 2);
	all_idle(m, 1);
	IS(hbs_barwait(m[1]), -EOPNOTSUPP);
	IS(hbs_arrive(m[1]), -EOPNOTSUPP);
	IS(hbs_arrive_value(m[1], 1), -EOPNOTSUPP);
	IS(hbs_allreduce(m[1], 1, &got), -EOPNOTSUPP);
	IS(hbs_vote(m[1], 1, &all, &any), -EOPNOTSUPP);
	IS(hbs_test(m[1]), -EINVAL);
	IS(hbs_wait(m[1]), -EINVAL);
	IS(hbs_wait_for(m[1], 1000), -EINVAL);
	none_departs(m, 1);
	IS(arrivals(context, group, 1), 1);
	all_idle(&m[1], 1);
	all_depart(context, m, 2);
	/* it only leaves */
	IS(hbs_arrive_and_drop(m[1]), -EOPNOTSUPP);
	all_idle(m, 1);
	all_depart(context, m, 1);
	leave(m, 1);
}

/* Whoever the caller is, idle or not */
static void refused_by_all(struct hbs_member *me)
{
	static const struct {
		struct hbs_idle idle;
		int error;
	} cases[] = {
		{ { .vote = 2 }, -EINVAL },
		{ { .vote = UINT32_MAX }, -EINVAL },
		{ { .reserved = 1 }, -EINVAL },
		{ { .value = 1 }, -EOPNOTSUPP },
		{ { .sent = LIMIT }, -EOVERFLOW },
		{ { .freed = LIMIT + 1 }, -EOVERFLOW },
		{ { .sent = UINT64_MAX }, -EOVERFLOW },
		{ { .freed = UINT64_MAX }, -EOVERFLOW },
		{ { .sent = LIMIT + 7, .freed = 7 }, -EOVERFLOW },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		IS(hbs_begin_idle(me, &cases[i].idle), cases[i].error);
	IS(hbs_begin_idle(me, NULL), -EINVAL);
}

static void idle_calls(struct context *context)
{
	struct hbs_group *group = make_refutable(context, 2);
	struct hbs_member *m[2];
	int all = 3;

	join(group, m, 2);
	for (unsigned int i = 0; i < 2; i++) {
		refused_by_all(m[0]);
		IS(hbs_withdraw(m[0]), -EINVAL);
		IS(be_idle(m[0], 0, 0, 0), 0);
		refused_by_all(m[0]);
		IS(be_idle(m[0], 1, 0, 1), -EALREADY);
		none_departs(m, 1);
		IS(stats_of(group).in_flight, 0);
		/* with the vote of the call that counts */
		IS(be_idle(m[1], 0, 0, 1), 0);
		/* it is over, but the member has not departed */
		IS(be_idle(m[0], 1, 0, 1), -EALREADY);
		all_depart(context, m, 2);
		IS(hbs_votes(m[0], &all, NULL), 0);
		IS(all, 0);
		IS(hbs_withdraw(m[0]), -EINVAL);
	}
	IS(stats_of(group).arrivals, 4);
	IS(stats_of(group).withdrawals, 0);
	IS(hbs_begin_idle(NULL, &(struct hbs_idle){ 0 }), -EINVAL);
	IS(hbs_withdraw(NULL), -EINVAL);
	IS(hbs_votes(NULL, &all, &all), -EINVAL);
	leave(m, 2);
}

static void in_a_barrier(struct context *context)
{
	struct hbs_group *group = make_group(context, 2);
	struct hbs_member *m[2];
	int all;

	join(group, m, 2);
	for (unsigned int i = 0; i < 2; i++) {
		IS(be_idle(m[0], 0, 0, 0), -EOPNOTSUPP);
		IS(hbs_withdraw(m[0]), -EOPNOTSUPP);
		IS(hbs_votes(m[0], &all, &all), -EOPNOTSUPP);
		pass_all(context, m, 2);
	}
	IS(hbs_arrive(m[0]), 0);
	IS(hbs_withdraw(m[0]), -EOPNOTSUPP);
	IS(hbs_barwait(m[1]), 0);
	IS(over(context, m[0]), 1);
	IS(stats_of(group).withdrawals, 0);
	IS(stats_of(group).in_flight, 0);
	leave(m, 2);
}

const struct test idle_error_tests[] = {
	{ "idle groups and what they cannot be", attributes, REFUTABLE },
	{ "idle groups have no barriers", barriers_are_refused, REFUTABLE | VALUES },
	{ "idle members that say what they cannot", idle_calls, REFUTABLE },
	{ "idle members are not those of a barrier", in_a_barrier, REFUTABLE },
	{ 0 },
};
