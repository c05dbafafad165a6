// SPDX-License-Identifier: GPL-2.0-or-later
/* The end of a member's thread in a process that goes on, and the policy for it */
#include <errno.h>
#include <stdlib.h>

#include "conformance.h"

/* A thread that joins, arrives so often, and ends */
struct mortal {
	struct hbs_group *group;
	struct hbs_member *member;
	void (*end)(struct mortal *mortal);
	unsigned int barriers; /* that it passes */
	uint64_t value;	       /* that it arrives with after them, or 0: it does not */
	int failed;
	pthread_t thread;
};

static void by_return(struct mortal *mortal)
{
	(void)mortal;
}

static void by_exit(struct mortal *mortal)
{
	pthread_exit(mortal);
}

static void by_cancellation(struct mortal *mortal)
{
	(void)mortal;
	pthread_cancel(pthread_self());
	pthread_testcancel();
}

static void leave_in_cleanup(void *argument)
{
	struct mortal *mortal = argument;

	mortal->failed |= hbs_leave(mortal->member);
	mortal->member = NULL;
}

static void by_cleanup(struct mortal *mortal)
{
	pthread_cleanup_push(leave_in_cleanup, mortal);
	pthread_exit(mortal);
	pthread_cleanup_pop(0);
}

static void *live(void *argument)
{
	struct mortal *mortal = argument;

	mortal->failed = hbs_join(mortal->group, &mortal->member);
	for (unsigned int i = 0; i < mortal->barriers && !mortal->failed; i++)
		mortal->failed = hbs_barwait(mortal->member);
	if (mortal->value && !mortal->failed)
		mortal->failed = hbs_arrive_value(mortal->member, mortal->value);
	if (!mortal->failed)
		mortal->end(mortal);
	return NULL;
}

static void start(struct mortal *mortal, struct hbs_group *group,
		  void (*end)(struct mortal *mortal))
{
	mortal->group = group;
	mortal->end = end;
	IS(pthread_create(&mortal->thread, NULL, live, mortal), 0);
}

static void is_gone(struct mortal *mortal)
{
	IS(pthread_join(mortal->thread, NULL), 0);
	IS(mortal->failed, 0);
}

static void (*const ends[])(struct mortal *mortal) = { by_return, by_exit, by_cancellation };

#define ENDS (sizeof(ends) / sizeof(ends[0]))

static void breaks_for_all(struct context *context)
{
	for (unsigned int i = 0; i < ENDS; i++) {
		struct mortal mortal = { 0 };
		struct hbs_member *none = NULL;
		struct crowd crowd;

		crowd_join(context, &crowd,
			   &(struct hbs_group_attr){ .members = 1, .policy = HBS_ON_THREAD_EXIT });
		crowd_wait(&crowd);
		start(&mortal, crowd.group, ends[i]);
		crowd_ends(&crowd, -EOWNERDEAD);
		is_gone(&mortal);
		IS(hbs_join(crowd.group, &none), -EOWNERDEAD);
		IS(barriers(crowd.group), 0);
		/* another thread closes what the dead one had */
		leave(&mortal.member, 1);
		crowd_leave(&crowd);
	}
}

static void shrinks_for_all(struct context *context)
{
	struct hbs_group_attr attr = { .members = 1,
				       .policy = HBS_ON_THREAD_EXIT | HBS_ON_DEATH_SHRINK };
	struct mortal mortal = { .barriers = 1 };
	struct crowd crowd;

	crowd_join(context, &crowd, &attr);
	crowd_wait(&crowd);
	start(&mortal, crowd.group, by_return);
	crowd_ends(&crowd, 0);
	/* the others wait for it in the second barrier until it ends, and in none after that */
	for (int i = 0; i < 2; i++) {
		crowd_wait(&crowd);
		crowd_ends(&crowd, 0);
	}
	is_gone(&mortal);
	IS(barriers(crowd.group), 3);
	IS(hbs_barwait(mortal.member), -EOWNERDEAD);
	leave(&mortal.member, 1);
	crowd_leave(&crowd);
}

static void keeps_the_value(struct context *context)
{
	struct hbs_group_attr attr = { .members = 2,
				       .policy = HBS_ON_THREAD_EXIT | HBS_ON_DEATH_SHRINK,
				       .reduce = HBS_MAX };
	struct hbs_group *group = make_group_of(context, &attr);
	struct mortal mortal = { .barriers = 1, .value = 77 };
	struct hbs_member *me;
	uint64_t got = 0;

	join(group, &me, 1);
	start(&mortal, group, by_exit);
	IS(hbs_allreduce(me, 2, &got), 0);
	is_gone(&mortal);
	IS(hbs_allreduce(me, 3, &got), 0);
	IS(got, 77);
	IS(hbs_allreduce(me, 4, &got), 0);
	IS(got, 4);
	leave(&mortal.member, 1);
	leave(&me, 1);
}

/* The handle is as good as before, in another thread */
static void no_policy_no_death(struct context *context)
{
	for (unsigned int i = 0; i < ENDS; i++) {
		struct hbs_group *group = make_group(context, 2);
		struct mortal mortal = { .barriers = 1 };
		struct hbs_member *me;
		struct early early;

		join(group, &me, 1);
		start(&mortal, group, ends[i]);
		IS(hbs_barwait(me), 0);
		is_gone(&mortal);
		early_arrives(context, &early, me);
		early_waits(&early);
		IS(hbs_barwait(mortal.member), 0);
		IS(early_departs(&early), 0);
		leave(&mortal.member, 1);
		leave(&me, 1);
	}
}

static void who_left_is_not_dead(struct context *context)
{
	struct hbs_group *group = make_group_of(
		context, &(struct hbs_group_attr){ .members = 2, .policy = HBS_ON_THREAD_EXIT });
	struct mortal mortal = { .barriers = 1 };
	struct hbs_member *me;

	join(group, &me, 1);
	start(&mortal, group, by_cleanup);
	IS(hbs_barwait(me), 0);
	is_gone(&mortal);
	assert_null(mortal.member);
	for (int i = 0; i < 3; i++)
		IS(hbs_barwait(me), context->mode->features & MEMBERSHIP ? 0 : -ENOTCONN);
	leave(&me, 1);
}

/* A thread of the child ends, and the child goes on: the group gives it the policy */
static int let_a_thread_end(struct part *part)
{
	struct mortal mortal = { .group = part->group, .end = by_return };

	CHECK_IS(child_hear(part), 0);
	CHECK_IS(pthread_create(&mortal.thread, NULL, live, &mortal), 0);
	CHECK_IS(pthread_join(mortal.thread, NULL), 0);
	CHECK_IS(mortal.failed, 0);
	CHECK_IS(child_tell(part), 0);
	CHECK_IS(child_hear(part), 0);
	CHECK_IS(hbs_leave(mortal.member), 0);
	return 0;
}

static void in_each_process(struct context *context)
{
	struct hbs_group *group = make_group_of(
		context, &(struct hbs_group_attr){ .members = 3, .policy = HBS_ON_THREAD_EXIT });
	struct hbs_member *me;
	struct waiter waiter;
	struct child child;

	child_start(context, &child, hbs_group_fd(group), let_a_thread_end, NULL, 0);
	join(group, &me, 1);
	waiter_start(&waiter, me, hbs_barwait);
	tell_child(&child);
	IS(waiter_end(&waiter), -EOWNERDEAD);
	hear_child(&child);
	tell_child(&child);
	child_ends(&child);
	leave(&me, 1);
}

struct generations {
	struct context *context;
	struct hbs_group *group;
	bool stop;
	int failed;
};

/* One thread after the other comes, passes some barriers and ends without leaving */
static void *come_and_end(void *argument)
{
	struct generations *generations = argument;
	struct mortal mortals[16];

	for (unsigned int i = 0; i < 16 && !generations->failed; i++) {
		mortals[i] = (struct mortal){ .group = generations->group,
					      .end = ends[i % ENDS],
					      .barriers = i % 4 };
		if (pthread_create(&mortals[i].thread, NULL, live, &mortals[i]))
			abort();
		pthread_join(mortals[i].thread, NULL);
		generations->failed |= mortals[i].failed || hbs_leave(mortals[i].member);
	}
	__atomic_store_n(&generations->stop, true, __ATOMIC_RELEASE);
	return NULL;
}

static void goes_on_through_many(struct context *context)
{
	struct hbs_group_attr attr = { .members = 2,
				       .policy = HBS_ON_THREAD_EXIT | HBS_ON_DEATH_SHRINK };
	static struct generations generations;
	struct hbs_member *me;
	pthread_t thread;

	generations =
		(struct generations){ .context = context, .group = make_group_of(context, &attr) };
	join(generations.group, &me, 1);
	IS(pthread_create(&thread, NULL, come_and_end, &generations), 0);
	while (!__atomic_load_n(&generations.stop, __ATOMIC_ACQUIRE))
		IS(hbs_barwait(me), 0);
	IS(pthread_join(thread, NULL), 0);
	IS(generations.failed, 0);
	leave(&me, 1);
}

const struct test thread_tests[] = {
	{ "a thread that ends without leaving breaks a group that asks for it", breaks_for_all,
	  THREADS },
	{ "a thread that ends without leaving shrinks a group that asks for it", shrinks_for_all,
	  THREADS | SHRINK },
	{ "a thread that ends leaves its value behind", keeps_the_value,
	  THREADS | SHRINK | VALUES },
	{ "a thread that ends does nothing to a group that does not ask", no_policy_no_death, 0 },
	{ "a thread that left in its cleanup handler is not dead", who_left_is_not_dead, THREADS },
	{ "a thread that ends is a dead member in each process", in_each_process, THREADS },
	{ "a group that shrinks goes on through the ends of many threads", goes_on_through_many,
	  THREADS | SHRINK },
	{ 0 },
};
