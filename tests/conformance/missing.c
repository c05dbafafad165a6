// SPDX-License-Identifier: GPL-2.0-or-later
/* Which members hbs_group_missing() lists, and by what name: also after a death, and other ends */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "conformance.h"

#define TIME_NS 200000000

/* Tags of children are their indices */
enum { ARRIVES = 1, STAYS = 2, TWICE = 7, FIRST = 11 };

static int arrive_and_wait(struct part *part)
{
	hbs_barwait(part->me);
	pause();
	return 1;
}

static int stay(struct part *part)
{
	(void)part;
	pause();
	return 1;
}

/* A process that is a member twice */
static int stay_twice(struct part *part)
{
	struct hbs_member *again;

	CHECK_IS(hbs_join_tagged(part->group, TWICE, &again), 0);
	CHECK_IS(child_tell(part), 0);
	pause();
	return 1;
}

static void join_tagged(struct hbs_group *group, struct hbs_member **members, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		IS(hbs_join_tagged(group, FIRST + i, &members[i]), 0);
}

/* These are missing, and nobody else; a card that polls, or a death, may need a moment */
static void are_missing(struct hbs_group *group, const uint64_t *tags, int count)
{
	struct hbs_absentee list[8] = { 0 };
	int ms = 0, got, right;

	do {
		got = hbs_group_missing(group, list, 8);
		right = 0;
		for (int i = 0; i < count && got == count; i++)
			right += find_tag(list, count, tags[i]) != NULL;
		nap_us(1000);
	} while ((got != count || right != count) && ms++ < LAG_MS);
	IS(got, count);
	IS(right, count);
}

#define ARE_MISSING(group, ...)                               \
	are_missing(group, (const uint64_t[]){ __VA_ARGS__ }, \
		    (int)(sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t)))

static void is_told_of(struct hbs_group *group, uint64_t tag, pid_t pid)
{
	struct hbs_absentee list[8];
	int count = hbs_group_missing(group, list, 8);
	const struct hbs_absentee *found = find_tag(list, count, tag);

	assert_non_null(found);
	IS(found->pid, pid);
}

static void tags(struct context *context)
{
	struct hbs_group *group = make_group(context, 4);
	struct hbs_member *m[4];
	struct hbs_absentee list[4];

	IS(hbs_join_tagged(group, UINT64_MAX, &m[0]), 0);
	IS(hbs_join_tagged(group, 1ull << 40, &m[1]), 0);
	IS(hbs_join_tagged(group, 1ull << 40, &m[2]), 0);
	IS(hbs_join(group, &m[3]), 0);
	ARE_MISSING(group, UINT64_MAX, 1ull << 40, 1ull << 40, 0);
	IS(hbs_group_missing(group, list, 4), 4);
	assert_true(find_tag(list, 4, UINT64_MAX)->port != find_tag(list, 4, 0)->port);
	leave(m, 4);
}

/* A seat, or a port, that was taken again is the new member's */
static void tags_are_of_members(struct context *context)
{
	struct hbs_group *group = make_group(context, 2);
	struct hbs_member *m[2];

	join_tagged(group, m, 2);
	ARE_MISSING(group, FIRST, FIRST + 1);
	leave(&m[0], 1);
	ARE_MISSING(group, FIRST + 1);
	IS(hbs_join_tagged(group, 99, &m[0]), 0);
	ARE_MISSING(group, FIRST + 1, 99);
	leave(&m[0], 1);
	IS(hbs_join(group, &m[0]), 0);
	ARE_MISSING(group, FIRST + 1, 0);
	leave(m, 2);
}

/* The dead, whether they had arrived or not, and not members that others were waiting for */
static void death_is_told(struct context *context)
{
	struct hbs_group *group = make_group(context, 6);
	struct hbs_absentee list[8];
	struct child child[2];
	struct hbs_member *m[3];
	struct early early;

	child_start(context, &child[0], hbs_group_fd(group), arrive_and_wait, NULL, ARRIVES);
	child_start(context, &child[1], hbs_group_fd(group), stay_twice, NULL, STAYS);
	hear_child(&child[1]);
	join_tagged(group, m, 3);
	early_arrives(context, &early, m[0]);
	ARE_MISSING(group, STAYS, TWICE, FIRST + 1, FIRST + 2);
	child_kill(&child[0]);
	IS(early_departs(&early), -EOWNERDEAD);
	ARE_MISSING(group, ARRIVES);
	is_told_of(group, ARRIVES, child[0].pid);
	/* and members that die later, all in one process */
	child_kill(&child[1]);
	ARE_MISSING(group, ARRIVES, STAYS, TWICE);
	is_told_of(group, TWICE, child[1].pid);
	memset(list, 0xff, sizeof(list));
	IS(hbs_group_missing(group, list, 1), 3);
	IS(list[1].port, UINT32_MAX);
	IS(hbs_group_missing(group, NULL, 0), 3);
	/* a member that leaves has not died */
	leave(&m[0], 1);
	ARE_MISSING(group, ARRIVES, STAYS, TWICE);
	if (context->mode->features & RESET) {
		IS(hbs_group_reset(group), 0);
		IS(hbs_group_missing(group, list, 8), 0);
	}
	leave(&m[1], 2);
}

/* Nobody has to wait for it to be noticed */
static void death_is_told_at_once(struct context *context)
{
	struct hbs_group *group = make_group(context, 2);
	struct hbs_member *me;
	struct child child;

	child_start(context, &child, hbs_group_fd(group), stay, NULL, STAYS);
	join_tagged(group, &me, 1);
	ARE_MISSING(group, STAYS, FIRST);
	child_kill(&child);
	ARE_MISSING(group, STAYS);
	IS(hbs_barwait(me), -EOWNERDEAD);
	leave(&me, 1);
}

/* Nobody waits for a dead member any more, so it is not missing */
static void death_that_shrinks_is_not_told(struct context *context)
{
	struct hbs_group_attr attr = { .members = 3, .policy = HBS_ON_DEATH_SHRINK };
	struct hbs_group *group = make_group_of(context, &attr);
	struct hbs_member *m[2];
	struct child child;

	child_start(context, &child, hbs_group_fd(group), stay, NULL, STAYS);
	join_tagged(group, m, 2);
	IS(hbs_arrive(m[0]), 0);
	ARE_MISSING(group, STAYS, FIRST + 1);
	child_kill(&child);
	ARE_MISSING(group, FIRST + 1);
	IS(hbs_barwait(m[1]), 0);
	IS(hbs_wait(m[0]), 0);
	ARE_MISSING(group, FIRST, FIRST + 1);
	leave(m, 2);
}

struct mortal {
	struct hbs_group *group;
	struct hbs_member *member;
	int failed;
};

static void *join_and_end(void *argument)
{
	struct mortal *mortal = argument;

	mortal->failed = hbs_join_tagged(mortal->group, TWICE, &mortal->member);
	return NULL;
}

static void join_and_die(struct mortal *mortal)
{
	pthread_t thread;

	IS(pthread_create(&thread, NULL, join_and_end, mortal), 0);
	IS(pthread_join(thread, NULL), 0);
	IS(mortal->failed, 0);
}

static void end_of_thread_is_told(struct context *context)
{
	struct hbs_group_attr attr = { .members = 3, .policy = HBS_ON_THREAD_EXIT };
	struct mortal mortal = { .group = make_group_of(context, &attr) };
	struct hbs_member *m[2];
	struct early early;

	join_tagged(mortal.group, m, 2);
	early_arrives(context, &early, m[0]);
	ARE_MISSING(mortal.group, FIRST + 1);
	join_and_die(&mortal);
	IS(early_departs(&early), -EOWNERDEAD);
	ARE_MISSING(mortal.group, TWICE);
	is_told_of(mortal.group, TWICE, getpid());
	/* also when its handle is no more */
	leave(&mortal.member, 1);
	ARE_MISSING(mortal.group, TWICE);
	leave(m, 2);
}

static void end_of_thread_that_shrinks_is_not_told(struct context *context)
{
	struct hbs_group_attr attr = { .members = 3,
				       .policy = HBS_ON_THREAD_EXIT | HBS_ON_DEATH_SHRINK };
	struct mortal mortal = { .group = make_group_of(context, &attr) };
	struct hbs_member *m[2];

	join_tagged(mortal.group, m, 2);
	IS(hbs_arrive(m[0]), 0);
	join_and_die(&mortal);
	ARE_MISSING(mortal.group, FIRST + 1);
	leave(m, 2);
	leave(&mortal.member, 1);
}

/* After the time was over, its death does not take one that was missing from the list */
static void timeout_stays_told(struct context *context, unsigned int policy)
{
	struct hbs_group_attr attr = { .members = 4, .policy = policy, .timeout_ns = TIME_NS };
	struct hbs_group *group = make_group_of(context, &attr);
	struct child child[2];
	struct hbs_member *m[2];

	child_start(context, &child[0], hbs_group_fd(group), stay, NULL, STAYS);
	join_tagged(group, m, 2);
	/* its arrival starts the timer, and it waits until that expires */
	child_start(context, &child[1], hbs_group_fd(group), arrive_and_wait, NULL, ARRIVES);
	while (hbs_test(m[0]) == -EINVAL)
		nap_us(1000);
	IS(hbs_test(m[0]), -ETIMEDOUT);
	ARE_MISSING(group, STAYS, FIRST, FIRST + 1);
	child_kill(&child[0]);
	ARE_MISSING(group, STAYS, FIRST, FIRST + 1);
	child_kill(&child[1]);
	ARE_MISSING(group, STAYS, FIRST, FIRST + 1);
	is_told_of(group, STAYS, child[0].pid);
	leave(&m[1], 1);
	ARE_MISSING(group, STAYS, FIRST);
	leave(&m[0], 1);
}

static void timeout_stays(struct context *context)
{
	timeout_stays_told(context, 0);
}

static void timeout_stays_where_it_shrinks(struct context *context)
{
	timeout_stays_told(context, HBS_ON_DEATH_SHRINK);
}

static void no_barrier_no_absentee(struct context *context)
{
	struct hbs_group *group = make_group(context, 3);
	struct hbs_member *m[3];
	struct early early;

	join_tagged(group, m, 3);
	early_arrives(context, &early, m[0]);
	ARE_MISSING(group, FIRST + 1, FIRST + 2);
	IS(hbs_group_destroy(group), 0);
	IS(hbs_group_missing(group, NULL, 0), 0);
	IS(early_departs(&early), -EIDRM);
	leave(m, 3);
}

const struct test missing_tests[] = {
	{ "who is missing has the tag that it joined with", tags, MISSING },
	{ "a tag goes with its member", tags_are_of_members, MISSING | MEMBERSHIP },
	{ "after a death the dead are told, and nobody else", death_is_told, MISSING | DEATH },
	{ "a death is told to who only asks who is missing", death_is_told_at_once,
	  MISSING | DEATH },
	{ "in a group that shrinks the dead are not missing", death_that_shrinks_is_not_told,
	  MISSING | DEATH | SHRINK | SPLIT_PHASE },
	{ "after the end of a member's thread that member is told", end_of_thread_is_told,
	  MISSING | THREADS },
	{ "in a group that shrinks members whose threads have ended are not missing",
	  end_of_thread_that_shrinks_is_not_told, MISSING | THREADS | SHRINK | SPLIT_PHASE },
	{ "after a timeout who was missing and died is told still", timeout_stays,
	  MISSING | TIMEOUTS | DEATH },
	{ "after a timeout who was missing and died is told still, where groups shrink",
	  timeout_stays_where_it_shrinks, MISSING | TIMEOUTS | DEATH | SHRINK },
	{ "in a group that was destroyed nobody is missing", no_barrier_no_absentee, MISSING },
	{ 0 },
};
