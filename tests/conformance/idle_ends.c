// SPDX-License-Identifier: GPL-2.0-or-later
/* Refutable groups that break or are reset: death, destroying, too many messages */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "conformance.h"

#define MOST (((uint64_t)1 << 47) - 1)

/* Members that are idle, in each way that there is, and one that is not */
struct idlers {
	struct hbs_group *group;
	struct hbs_member *members[5];
	struct waiter waiters[3];
};

static void idlers_join(struct context *context, struct idlers *idlers,
			const struct hbs_group_attr *more, unsigned int others)
{
	struct hbs_group_attr attr = *more;

	attr.members = 5 + others;
	attr.type = HBS_REFUTABLE;
	idlers->group = make_group_of(context, &attr);
	join(idlers->group, idlers->members, 5);
}

static void idlers_wait(struct idlers *idlers)
{
	static int (*const ways[])(struct hbs_member *) = { hbs_wait, wait_long, wait_by_poll };

	for (unsigned int i = 0; i < 3; i++) {
		IS(be_idle(idlers->members[i], 1, 0, 1), 0);
		waiter_start(&idlers->waiters[i], idlers->members[i], ways[i]);
	}
	IS(be_idle(idlers->members[3], 1, 0, 1), 0);
}

/* All get that error, in each call */
static void idlers_end(struct idlers *idlers, int error)
{
	struct hbs_member **m = idlers->members;
	int all = 5;

	for (unsigned int i = 0; i < 3; i++)
		IS(waiter_end(&idlers->waiters[i]), error);
	IS(hbs_wait(m[3]), error);
	IS(be_idle(m[4], 1, 0, 0), error);
	for (unsigned int i = 0; i < 5; i++) {
		IS(hbs_test(m[i]), error);
		IS(hbs_wait_for(m[i], 1000), error);
		IS(be_idle(m[i], 1, 0, 0), error);
		IS(hbs_withdraw(m[i]), error);
		IS(hbs_votes(m[i], &all, NULL), error);
	}
	IS(all, 5);
	leave(m, 5);
}

static void destroyed(struct context *context)
{
	struct idlers idlers;

	idlers_join(context, &idlers, &(struct hbs_group_attr){ 0 }, 0);
	idlers_wait(&idlers);
	IS(hbs_group_destroy(idlers.group), 0);
	/* as it was then */
	IS(stats_of(idlers.group).in_flight, 4);
	idlers_end(&idlers, -EIDRM);
	IS(barriers(idlers.group), 0);
}

/* A former member that finds out late says nothing to the new ones */
static void reset(struct context *context)
{
	struct hbs_member *m[5], *former;
	struct idlers idlers;

	for (unsigned int late = 0; late < 2; late++) {
		idlers_join(context, &idlers, &(struct hbs_group_attr){ 0 }, 0);
		idlers_wait(&idlers);
		IS(hbs_group_reset(idlers.group), 0);
		IS(stats_of(idlers.group).in_flight, 0);
		if (!late)
			idlers_end(&idlers, -ECONNRESET);
		former = idlers.members[4];
		join(idlers.group, m, 5);
		IS(be_idle(m[0], 1, 0, 1), 0);
		if (late) {
			IS(be_idle(former, 7, 0, 1), -ECONNRESET);
			IS(hbs_withdraw(idlers.members[3]), -ECONNRESET);
		}
		IS(be_idle(m[1], 0, 1, 0), 0);
		IS(stats_of(idlers.group).in_flight, 0);
		all_idle(&m[2], 2);
		none_departs(m, 4);
		all_idle(&m[4], 1);
		all_depart(context, m, 5);
		if (late)
			idlers_end(&idlers, -ECONNRESET);
		leave(m, 5);
	}
}

/* The word of a member that has died is not that of the others */
static int idle_and_stay(struct part *part)
{
	CHECK_IS(be_idle(part->me, part->index, 0, 1), 0);
	CHECK_IS(child_tell(part), 0);
	pause();
	return 1;
}

static int stay(struct part *part)
{
	(void)part;
	pause();
	return 1;
}

static void process_dies(struct context *context)
{
	static const struct {
		part_work *work;
		unsigned int sent;
	} cases[] = { { stay, 0 }, { idle_and_stay, 0 }, { idle_and_stay, 3 } };

	for (unsigned int i = 0; i < 3; i++) {
		struct hbs_absentee list[2] = { 0 };
		struct idlers idlers;
		struct child child;

		idlers_join(context, &idlers, &(struct hbs_group_attr){ 0 }, 1);
		child_start(context, &child, hbs_group_fd(idlers.group), cases[i].work, NULL,
			    cases[i].sent);
		if (cases[i].work == idle_and_stay)
			hear_child(&child);
		idlers_wait(&idlers);
		child_kill(&child);
		idlers_end(&idlers, -EOWNERDEAD);
		IS(hbs_group_missing(idlers.group, list, 2), 1);
		IS(list[0].tag, cases[i].sent);
		IS(list[0].pid, child.pid);
	}
}

struct mortal {
	struct hbs_group *group;
	uint64_t sent;
	int failed;
};

static void *live(void *argument)
{
	struct mortal *mortal = argument;
	struct hbs_member *me;

	mortal->failed = hbs_join(mortal->group, &me);
	if (!mortal->failed)
		mortal->failed = be_idle(me, mortal->sent, 0, 1);
	return me;
}

/* Its member is left to the one who looks after it */
static void thread_dies(struct context *context)
{
	for (unsigned int sent = 0; sent < 3; sent += 2) {
		struct hbs_group_attr attr = { .policy = HBS_ON_THREAD_EXIT };
		struct mortal mortal = { .sent = sent };
		struct idlers idlers;
		pthread_t thread;
		void *member;

		idlers_join(context, &idlers, &attr, 1);
		idlers_wait(&idlers);
		mortal.group = idlers.group;
		IS(pthread_create(&thread, NULL, live, &mortal), 0);
		IS(pthread_join(thread, &member), 0);
		IS(mortal.failed, 0);
		idlers_end(&idlers, -EOWNERDEAD);
		IS(hbs_leave(member), 0);
	}
}

/* The last numbers that fit, and those that do not: all are idle, so that all ways know the sum */
static void too_many_messages(struct context *context)
{
	static const struct {
		uint64_t sent[2], freed[2];
	} fits[] = { { { MOST, 0 }, { 0, 0 } },
		     { { MOST - 1, 1 }, { 0, 0 } },
		     { { 0, 0 }, { MOST + 1, 0 } },
		     { { 0, 0 }, { MOST, 1 } } },
	  not [] = { { { MOST, 1 }, { 0, 0 } },
		     { { 1, MOST }, { 0, 0 } },
		     { { 0, 0 }, { MOST, 2 } },
		     { { 0, 0 }, { MOST + 1, MOST + 1 } } };
	struct hbs_group *group;
	struct hbs_member *m[2];

	for (unsigned int i = 0; i < 4; i++) {
		int64_t in_flight = (int64_t)(fits[i].sent[0] + fits[i].sent[1] - fits[i].freed[0] -
					      fits[i].freed[1]);

		group = make_refutable(context, 2);
		join(group, m, 2);
		IS(be_idle(m[0], fits[i].sent[0], fits[i].freed[0], 0), 0);
		IS(be_idle(m[1], fits[i].sent[1], fits[i].freed[1], 0), 0);
		none_departs(m, 2);
		IS(stats_of(group).in_flight, in_flight);
		IS(hbs_withdraw(m[0]), 0);
		/* the way back may be too long for one step */
		IS(be_idle(m[0], in_flight<0, in_flight> 0, 0), 0);
		IS(hbs_withdraw(m[0]), 0);
		in_flight += in_flight < 0 ? 1 : -1;
		IS(be_idle(m[0], in_flight < 0 ? (uint64_t)-in_flight : 0,
			   in_flight > 0 ? (uint64_t)in_flight : 0, 0),
		   0);
		all_depart(context, m, 2);
		leave(m, 2);
	}
	for (unsigned int i = 0; i < 4; i++) {
		int ret;

		group = make_refutable(context, 2);
		join(group, m, 2);
		IS(be_idle(m[0], not [i].sent[0], not [i].freed[0], 0), 0);
		IS(hbs_test(m[0]), 0);
		/* the one that says so may hear of it at once, or when it waits */
		ret = be_idle(m[1], not [i].sent[1], not [i].freed[1], 0);
		if (ret)
			IS(ret, -EOVERFLOW);
		IS(hbs_wait(m[0]), -EOVERFLOW);
		IS(hbs_wait(m[1]), -EOVERFLOW);
		IS(be_idle(m[0], 0, 0, 0), -EOVERFLOW);
		IS(be_idle(m[1], 0, 0, 0), -EOVERFLOW);
		leave(m, 2);
	}
}

/* The last one that is not idle leaves; then nobody says anything more that could find it */
static void too_much_when_all_left(struct context *context)
{
	struct hbs_group *group = make_refutable(context, 3);
	struct hbs_member *m[3];
	int ret;

	join(group, m, 3);
	IS(be_idle(m[0], MOST, 0, 0), 0);
	ret = be_idle(m[1], MOST, 0, 0);
	if (ret)
		IS(ret, -EOVERFLOW);
	leave(&m[2], 1);
	IS(hbs_wait(m[0]), -EOVERFLOW);
	IS(hbs_wait(m[1]), -EOVERFLOW);
	leave(m, 2);
}

/* Members that are idle, and nothing else, until there is an error */
static int be_idle_for_ever(struct part *part)
{
	uint64_t *passed = part->shared;
	int ret;

	do {
		ret = be_idle(part->me, 0, 0, 1);
		if (!ret)
			ret = hbs_wait(part->me);
		if (!ret)
			__atomic_fetch_add(&passed[part->index], 1, __ATOMIC_RELAXED);
	} while (!ret);
	return -ret;
}

struct ender {
	struct hbs_group *group;
	int (*end)(struct hbs_group *group);
	unsigned int us;
};

static void *end_soon(void *argument)
{
	struct ender *ender = argument;

	nap_us(ender->us);
	return ender->end(ender->group) ? NULL : ender;
}

#define MEMBERS 3

struct doomed {
	struct hbs_group *group;
	struct hbs_member *me;
	uint64_t passed;
	int error;
};

static void *run_doomed(void *argument)
{
	struct doomed *doomed = argument;
	struct part part = { .group = doomed->group, .me = doomed->me, .shared = &doomed->passed };

	doomed->error = -be_idle_for_ever(&part);
	return NULL;
}

/* An epoch is over for all, or for none */
static void the_same_epoch_for_all(struct context *context, int (*end)(struct hbs_group *group),
				   int error, unsigned int rounds)
{
	struct hbs_group *group = make_refutable(context, MEMBERS);
	uint64_t seed = 3;

	for (unsigned int round = 0; round < rounds; round++) {
		struct ender ender = { group, end, random_from(&seed) % 2000 };
		struct doomed doomed[MEMBERS] = { 0 };
		pthread_t threads[MEMBERS];

		if (error == -EIDRM && round)
			IS(hbs_group_reset(group), 0);
		for (unsigned int i = 0; i < MEMBERS; i++) {
			doomed[i].group = group;
			join(group, &doomed[i].me, 1);
		}
		for (unsigned int i = 0; i < MEMBERS; i++)
			IS(pthread_create(&threads[i], NULL, run_doomed, &doomed[i]), 0);
		assert_non_null(end_soon(&ender));
		for (unsigned int i = 0; i < MEMBERS; i++)
			IS(pthread_join(threads[i], NULL), 0);
		for (unsigned int i = 0; i < MEMBERS; i++) {
			IS(doomed[i].error, error);
			IS(doomed[i].passed, doomed[0].passed);
			IS(hbs_leave(doomed[i].me), 0);
		}
	}
}

static void reset_for_all(struct context *context)
{
	the_same_epoch_for_all(context, hbs_group_reset, -ECONNRESET, scaled(context, 300));
}

static void destroyed_for_all(struct context *context)
{
	the_same_epoch_for_all(context, hbs_group_destroy, -EIDRM, scaled(context, 300));
}

static void death_for_all(struct context *context)
{
	uint64_t *passed = shared_memory(8 * sizeof(*passed));
	uint64_t seed = 5;

	for (unsigned int round = 0; round < scaled(context, 100); round++) {
		struct hbs_group_attr attr = group_attr(
			context, &(struct hbs_group_attr){ .members = 3, .type = HBS_REFUTABLE });
		struct doomed doomed[2] = { 0 };
		struct hbs_group *group;
		pthread_t threads[2];
		struct child child;

		IS(hbs_group_create(context->hbs, &attr, &group), 0);
		child_start(context, &child, hbs_group_fd(group), be_idle_for_ever, passed, 0);
		for (unsigned int i = 0; i < 2; i++) {
			doomed[i].group = group;
			join(group, &doomed[i].me, 1);
		}
		for (unsigned int i = 0; i < 2; i++)
			IS(pthread_create(&threads[i], NULL, run_doomed, &doomed[i]), 0);
		nap_us(random_from(&seed) % 5000);
		child_kill(&child);
		for (unsigned int i = 0; i < 2; i++)
			IS(pthread_join(threads[i], NULL), 0);
		IS(doomed[0].error, -EOWNERDEAD);
		IS(doomed[1].error, -EOWNERDEAD);
		IS(doomed[0].passed, doomed[1].passed);
		IS(barriers(group), doomed[0].passed);
		IS(hbs_leave(doomed[0].me), 0);
		IS(hbs_leave(doomed[1].me), 0);
		IS(hbs_group_close(group), 0);
	}
	munmap(passed, 8 * sizeof(*passed));
}

const struct test idle_end_tests[] = {
	{ "idle members of a group that is destroyed", destroyed, REFUTABLE },
	{ "idle members of a group that is reset", reset, REFUTABLE | RESET },
	{ "idle members and a process that dies", process_dies, REFUTABLE | DEATH | MISSING },
	{ "idle members and a thread that dies", thread_dies, REFUTABLE | THREADS },
	{ "idle members that have sent too many messages", too_many_messages, REFUTABLE },
	{ "idle members that have sent too many messages, and one that leaves",
	  too_much_when_all_left, REFUTABLE },
	{ "a reset ends the same idle epoch for all", reset_for_all, REFUTABLE | RESET },
	{ "destroying ends the same idle epoch for all", destroyed_for_all, REFUTABLE | RESET },
	{ "a death ends the same idle epoch for all", death_for_all, REFUTABLE | DEATH },
	{ 0 },
};
