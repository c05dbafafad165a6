// SPDX-License-Identifier: GPL-2.0-or-later
/* A mode refuses what it lacks, by an error that says so, and nothing else happens */
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

static void shrink(struct context *context)
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
	struct early early;

	join(group, m, 2);
	early_arrives(context, &early, m[0]);
	IS(hbs_group_reset(group), -EOPNOTSUPP);
	early_waits(&early);
	IS(hbs_barwait(m[1]), 0);
	IS(early_departs(&early), 0);
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
	struct hbs_group *group =
		make_group_of(context, &(struct hbs_group_attr){ .members = 1, .reduce = HBS_SUM });
	struct hbs_member *me;
	uint64_t got = 0;

	join(group, &me, 1);
	for (uint64_t i = 1; i <= 3; i++) {
		IS(hbs_arrive(me), -EOPNOTSUPP);
		IS(hbs_arrive_value(me, 1), -EOPNOTSUPP);
		/* so it has nothing to depart from */
		IS(hbs_test(me), -EINVAL);
		IS(hbs_wait(me), -EINVAL);
		IS(hbs_wait_for(me, 1000), -EINVAL);
		IS(hbs_allreduce(me, i, &got), 0);
		IS(got, i);
		IS(barriers(group), i);
		IS(arrivals(context, group, i), i);
	}
	leave(&me, 1);
}

/* It only leaves, and has not arrived */
static void drop(struct context *context)
{
	struct hbs_group *group = make_group(context, 2);
	struct hbs_member *m[2];
	struct early early;

	join(group, m, 2);
	pass_all(context, m, 2);
	early_arrives(context, &early, m[0]);
	IS(hbs_arrive_and_drop(m[1]), -EOPNOTSUPP);
	IS(early_departs(&early), -ENOTCONN);
	IS(barriers(group), 1);
	IS(arrivals(context, group, 3), 3);
	leave(m, 1);
}

/* A member that leaves ends the group for the others; when all have left, it can be used again */
static void membership(struct context *context)
{
	struct hbs_group *group = make_group(context, 3);
	struct hbs_member *m[3], *none = NULL;
	struct early early;

	for (int use = 0; use < 4; use++) {
		join(group, m, 3);
		IS(hbs_join(group, &none), -ENOSPC);
		for (int i = 0; i < use; i++)
			pass_all(context, m, 3);
		early_arrives(context, &early, m[use % 3]);
		leave(&m[(use + 1) % 3], 1);
		IS(early_departs(&early), -ENOTCONN);
		IS(hbs_barwait(m[use % 3]), -ENOTCONN);
		IS(hbs_barwait(m[(use + 2) % 3]), -ENOTCONN);
		IS(hbs_join(group, &none), -ENOTCONN);
		leave(&m[use % 3], 1);
		IS(hbs_join(group, &none), -ENOTCONN);
		leave(&m[(use + 2) % 3], 1);
		assert_null(none);
	}
	IS(barriers(group), 0 + 1 + 2 + 3);
}

/* If there are no limits, no time is outside of them */
static void limits(struct context *context)
{
	IS(create(context, &(struct hbs_group_attr){ .timeout_ns = 1 }), 0);
	IS(create(context, &(struct hbs_group_attr){ .timeout_ns = UINT64_MAX }), 0);
}

static void fan_in(struct context *context)
{
	struct hbs_group_attr attr = group_attr(context, &(struct hbs_group_attr){ .members = 2 });
	struct hbs_group *group = NULL;

	for (attr.fan_in = 1; attr.fan_in <= 65; attr.fan_in++) {
		bool is_one = attr.fan_in >= 2 && attr.fan_in <= 64;
		bool on_card = context->mode->backend == HBS_BACKEND_CARD;

		IS(hbs_group_create(context->hbs, &attr, &group),
		   is_one && on_card ? -EOPNOTSUPP : -EINVAL);
	}
	assert_null(group);
}

static void poll_fd(struct context *context)
{
	struct hbs_member *me;

	join(make_group(context, 1), &me, 1);
	IS(hbs_member_fd(me), -EOPNOTSUPP);
	IS(hbs_barwait(me), 0);
	leave(&me, 1);
}

/* A death that nobody notices is no error: the waiting members can still be released */
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

/* A group of the mode, but with the way that the mode lacks */
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

/* On a card, arguments that contradict each other are an error of their own */
static void refutable(struct context *context)
{
	const struct hbs_group_attr *mode = &context->mode->attr;
	struct hbs_group *group = make_group(context, 1);
	struct hbs_member *me;
	int all, any;

	IS(create(context, &(struct hbs_group_attr){ .type = HBS_REFUTABLE }),
	   mode->complete_by || mode->arrive_by ? -EINVAL : -EOPNOTSUPP);
	join(group, &me, 1);
	IS(be_idle(me, 0, 0, 0), -EOPNOTSUPP);
	IS(hbs_withdraw(me), -EOPNOTSUPP);
	IS(hbs_votes(me, &all, &any), -EOPNOTSUPP);
	IS(arrivals(context, group, 0), 0);
	IS(hbs_barwait(me), 0);
	leave(&me, 1);
}

const struct refusal refusals[] = {
	{ VALUES, { "values are refused", values, 0 } },
	{ TIMEOUTS, { "timeouts are refused", timeouts, 0 } },
	{ SHRINK, { "going on without the dead is refused", shrink, 0 } },
	{ MISSING, { "asking who is missing is refused", missing, 0 } },
	{ RESET, { "reset is refused", reset, 0 } },
	{ COMPLETION, { "completion callbacks are refused", completion, 0 } },
	{ SPLIT_PHASE, { "split phase is refused", split_phase, 0 } },
	{ DROP, { "dropping is refused", drop, 0 } },
	{ MEMBERSHIP, { "who leaves ends the barriers of all, until all have", membership, 0 } },
	{ LIMITS, { "no timeout is too short or too long", limits, TIMEOUTS } },
	{ FAN_IN, { "a fan-in is refused", fan_in, 0 } },
	{ POLL_FD, { "a descriptor to poll is refused", poll_fd, 0 } },
	{ THREADS, { "noticing the end of a thread is refused", threads, 0 } },
	{ COUNTING, { "completion by count is refused", counting, 0 } },
	{ POLLING, { "arrival by polling is refused", polling, 0 } },
	{ REGISTER, { "departure by a register is refused", departure_register, 0 } },
	{ MEMBER_RECORD, { "departure by a record of each member is refused", member_record, 0 } },
	{ NODE_RECORD, { "departure by a record of each node is refused", node_record, 0 } },
	{ REFUTABLE, { "refutable groups are refused", refutable, 0 } },
	{ DEATH, { "a death that is not noticed leaves destroying", death, 0 } },
	{ 0 },
};
