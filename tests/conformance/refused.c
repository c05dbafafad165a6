// SPDX-License-Identifier: GPL-2.0-or-later
/* What a mode lacks is refused, by an error that says so, and nothing else happens */
#include <errno.h>

#include "conformance.h"

static int create(struct context *context, const struct hbs_group_attr *attr)
{
	struct hbs_group_attr all = group_attr(context, attr);
	struct hbs_group *group = NULL;
	int ret;

	all.members = 2;
	ret = hbs_group_create(context->hbs, &all, &group);
	if (!ret)
		hbs_group_close(group);
	else
		assert_null(group);
	return ret;
}

static void values(struct context *context)
{
	struct hbs_group *group = make_group(context, 1);
	struct hbs_member *me;
	uint64_t got = 9;
	int all, any;

	for (uint32_t reduce = HBS_AND; reduce <= HBS_VOTE; reduce++)
		IS(create(context, &(struct hbs_group_attr){ .reduce = reduce }), -EOPNOTSUPP);
	join(group, &me, 1);
	IS(hbs_arrive_value(me, 1), -EOPNOTSUPP);
	IS(hbs_allreduce(me, 1, &got), -EOPNOTSUPP);
	IS(hbs_vote(me, 1, &all, &any), -EOPNOTSUPP);
	IS(hbs_result(me, &got), -EOPNOTSUPP);
	IS(got, 9);
	IS(arrivals(context, group, 0), 0);
	IS(hbs_barwait(me), 0);
	leave(&me, 1);
}

static void timeouts(struct context *context)
{
	IS(create(context, &(struct hbs_group_attr){ .timeout_ns = 1 }), -EOPNOTSUPP);
	IS(create(context, &(struct hbs_group_attr){ .timeout_ns = 1000000000 }), -EOPNOTSUPP);
	IS(create(context, &(struct hbs_group_attr){ .timeout_ns = UINT64_MAX }), -EOPNOTSUPP);
	IS(create(context, &(struct hbs_group_attr){ .policy = HBS_ON_TIMEOUT_NOTIFY }),
	   -EOPNOTSUPP);
}

static void policies(struct context *context)
{
	IS(create(context, &(struct hbs_group_attr){ .policy = HBS_ON_DEATH_SHRINK }), -EOPNOTSUPP);
}

static void missing(struct context *context)
{
	struct hbs_absentee list[2];

	IS(hbs_group_missing(make_group(context, 2), list, 2), -EOPNOTSUPP);
}

static void reset(struct context *context)
{
	struct hbs_group *group = make_group(context, 2);
	struct hbs_member *m[2];

	join(group, m, 2);
	IS(hbs_arrive(m[0]), 0);
	IS(hbs_group_reset(group), -EOPNOTSUPP);
	IS(hbs_barwait(m[1]), 0);
	IS(hbs_wait(m[0]), 0);
	leave(m, 2);
}

static void called(void *argument)
{
	(void)argument;
}

static void completion(struct context *context)
{
	IS(create(context, &(struct hbs_group_attr){ .completion = called }), -EOPNOTSUPP);
}

static void split_phase(struct context *context)
{
	struct hbs_member *me;

	join(make_group(context, 1), &me, 1);
	IS(hbs_arrive(me), -EOPNOTSUPP);
	IS(hbs_test(me), -EOPNOTSUPP);
	IS(hbs_wait(me), -EOPNOTSUPP);
	IS(hbs_barwait(me), 0);
	leave(&me, 1);
}

static void drop(struct context *context)
{
	struct hbs_member *me;

	join(make_group(context, 1), &me, 1);
	IS(hbs_barwait(me), 0);
	IS(hbs_arrive_and_drop(me), -EOPNOTSUPP);
}

static void deadlines(struct context *context)
{
	struct hbs_member *m[2];

	join(make_group(context, 2), m, 2);
	IS(hbs_arrive(m[0]), 0);
	IS(hbs_wait_for(m[0], 1000), -EOPNOTSUPP);
	IS(hbs_barwait(m[1]), 0);
	IS(hbs_wait(m[0]), 0);
	leave(m, 2);
}

static void poll_fd(struct context *context)
{
	struct hbs_member *me;

	join(make_group(context, 1), &me, 1);
	IS(hbs_member_fd(me), -EOPNOTSUPP);
	IS(hbs_barwait(me), 0);
	leave(&me, 1);
}

/* A death that is not noticed is no error: those who wait can still be released */
static int stay(struct part *part)
{
	return child_hear(part);
}

static void death(struct context *context)
{
	struct hbs_group *group = make_group(context, 2);
	struct hbs_member *me;
	struct waiter waiter;
	struct child child;

	child_start(context, &child, hbs_group_fd(group), stay, NULL, 0);
	join(group, &me, 1);
	waiter_start(&waiter, me, hbs_barwait);
	child_kill(&child);
	IS(hbs_group_destroy(group), 0);
	IS(waiter_end(&waiter), -EIDRM);
	leave(&me, 1);
}

static void threads(struct context *context)
{
	IS(create(context, &(struct hbs_group_attr){ .policy = HBS_ON_THREAD_EXIT }), -EOPNOTSUPP);
}

/* A group of the mode, but for the way that is lacking */
static int create_by(struct context *context, uint32_t complete_by, uint32_t arrive_by,
		     uint32_t depart_by)
{
	struct hbs_group_attr all = group_attr(context, &(struct hbs_group_attr){ .members = 2 });
	struct hbs_group *group = NULL;
	int ret;

	if (complete_by)
		all.complete_by = complete_by;
	if (arrive_by)
		all.arrive_by = arrive_by;
	if (depart_by)
		all.depart_by = depart_by;
	ret = hbs_group_create(context->hbs, &all, &group);
	assert_null(group);
	return ret;
}

static void counting(struct context *context)
{
	IS(create_by(context, HBS_COMPLETE_BY_COUNT, 0, 0), -EOPNOTSUPP);
}

static void polling(struct context *context)
{
	IS(create_by(context, 0, HBS_ARRIVE_BY_POLLING, 0), -EOPNOTSUPP);
}

static void departure_register(struct context *context)
{
	IS(create_by(context, 0, 0, HBS_DEPART_BY_CSR), -EOPNOTSUPP);
}

static void member_record(struct context *context)
{
	IS(create_by(context, 0, 0, HBS_DEPART_BY_MEMBER_RECORD), -EOPNOTSUPP);
}

static void node_record(struct context *context)
{
	IS(create_by(context, 0, 0, HBS_DEPART_BY_NODE_RECORD), -EOPNOTSUPP);
}

const struct refusal refusals[] = {
	{ VALUES, { "values are refused", values, 0 } },
	{ TIMEOUTS, { "timeouts are refused", timeouts, 0 } },
	{ POLICIES, { "policies are refused", policies, 0 } },
	{ MISSING, { "asking who is missing is refused", missing, 0 } },
	{ RESET, { "reset is refused", reset, 0 } },
	{ COMPLETION, { "completion callbacks are refused", completion, 0 } },
	{ SPLIT_PHASE, { "split phase is refused", split_phase, 0 } },
	{ DROP, { "dropping is refused", drop, 0 } },
	{ DEADLINES, { "deadlines of waits are refused", deadlines, 0 } },
	{ POLL_FD, { "a descriptor to poll is refused", poll_fd, 0 } },
	{ THREADS, { "noticing the end of a thread is refused", threads, 0 } },
	{ COUNTING, { "completion by count is refused", counting, 0 } },
	{ POLLING, { "arrival by polling is refused", polling, 0 } },
	{ REGISTER, { "departure by a register is refused", departure_register, 0 } },
	{ MEMBER_RECORD, { "departure by a record of each member is refused", member_record, 0 } },
	{ NODE_RECORD, { "departure by a record of each node is refused", node_record, 0 } },
	{ DEATH, { "a death that is not noticed leaves destroying", death, 0 } },
	{ 0 },
};
