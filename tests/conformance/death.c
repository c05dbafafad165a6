// SPDX-License-Identifier: GPL-2.0-or-later
/* The death of a member's process: the others get an error, or go on without it */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conformance.h"

static int stay(struct part *part)
{
	(void)part;
	pause();
	return 0;
}

/* Arrives as often as the number says, and is gone if all others are there */
static int arrive_and_stay(struct part *part)
{
	for (unsigned int i = 0; i < part->index; i++)
		CHECK_IS(hbs_barwait(part->me), 0);
	CHECK_IS(hbs_arrive(part->me), 0);
	CHECK_IS(child_tell(part), 0);
	pause();
	return 0;
}

static int exit_without_leaving(struct part *part)
{
	if (child_hear(part))
		return 1;
	_exit(0);
}

static int exec_something(struct part *part)
{
	if (child_hear(part))
		return 1;
	execlp("sleep", "sleep", "20", (char *)NULL);
	return 1;
}

static void breaks_for_all(struct context *context, part_work *work)
{
	struct hbs_member *none = NULL;
	struct crowd crowd;
	struct child child;

	crowd_join(context, &crowd, &(struct hbs_group_attr){ .members = 1 });
	child_start(context, &child, hbs_group_fd(crowd.group), work, NULL, 0);
	crowd_wait(&crowd);
	if (work == stay)
		child_kill(&child);
	else
		tell_child(&child);
	crowd_ends(&crowd, -EOWNERDEAD);
	for (unsigned int i = 0; i < crowd.count; i++) {
		IS(hbs_barwait(crowd.members[i]), -EOWNERDEAD);
		IS(hbs_test(crowd.members[i]), -EOWNERDEAD);
	}
	IS(hbs_join(crowd.group, &none), -EOWNERDEAD);
	IS(barriers(crowd.group), 0);
	crowd_leave(&crowd);
	if (work == exec_something)
		child_kill(&child);
	else if (work == exit_without_leaving)
		child_ends(&child);
}

static void kill_breaks(struct context *context)
{
	breaks_for_all(context, stay);
}

static void exit_breaks(struct context *context)
{
	breaks_for_all(context, exit_without_leaving);
}

static void exec_breaks(struct context *context)
{
	breaks_for_all(context, exec_something);
}

/* The thread sanitizer does not know of processes that share their memory */
#ifndef __SANITIZE_THREAD__
/* The child has what a sanitizer knows about the thread that made it, so it must not use that */
__attribute__((no_sanitize("address"))) static int live_until_told(void *pipe)
{
	const int *until = pipe;
	static char byte;

	syscall(SYS_close, until[1]);
	return syscall(SYS_read, until[0], &byte, 1) == 1;
}

/* Has another process in its memory, which lives on */
static int share_memory_and_stay(struct part *part)
{
	static char stack[65536] __attribute__((aligned(16)));

	if (clone(live_until_told, stack + sizeof(stack), CLONE_VM | SIGCHLD, part->shared) < 0)
		return 1;
	CHECK_IS(child_tell(part), 0);
	pause();
	return 0;
}

/* A member lives as long as some process has its memory, as the contract says */
static void lives_on_in_another_process(struct context *context)
{
	struct hbs_group *group = make_group(context, 2);
	struct hbs_member *me;
	struct child child;
	int until[2], ret = 0;

	IS(pipe(until), 0);
	child_start(context, &child, hbs_group_fd(group), share_memory_and_stay, until, 0);
	hear_child(&child);
	join(group, &me, 1);
	IS(hbs_arrive(me), 0);
	child_kill(&child);
	for (int ms = 0; ms < 200; ms++) {
		nap_us(1000);
		IS(hbs_test(me), 0);
	}
	close(until[0]);
	close(until[1]);
	for (int ms = 0; !ret && ms < 5000; ms++) {
		nap_us(1000);
		ret = hbs_test(me);
	}
	IS(ret, -EOWNERDEAD);
	leave(&me, 1);
}
#endif

/* A member that only looks, or waits for a short time, again and again, hears of it as well */
static void breaks_for_who_looks(struct context *context)
{
	for (int waits = 0; waits < 2; waits++) {
		struct hbs_group *group = make_group(context, 2);
		struct hbs_member *me;
		struct child child;
		int ret = 0;

		child_start(context, &child, hbs_group_fd(group), stay, NULL, 0);
		join(group, &me, 1);
		IS(hbs_arrive(me), 0);
		IS(hbs_test(me), 0);
		child_kill(&child);
		for (int ms = 0; !ret && ms < 5000; ms++) {
			nap_us(1000);
			ret = waits ? hbs_wait_for(me, 100000) : hbs_test(me);
			if (ret == -ETIMEDOUT)
				ret = 0;
		}
		IS(ret, -EOWNERDEAD);
		leave(&me, 1);
	}
}

/* The barrier that the dead had a part in is over, or broken, for all others */
static int run_for_ever(struct part *part)
{
	while (!hbs_barwait(part->me))
		;
	return 0;
}

static void breaks_the_same_barrier_for_all(struct context *context)
{
	uint64_t seed = 5;

	for (unsigned int round = 0; round < scaled(context, 300); round++) {
		struct hbs_group_attr attr =
			group_attr(context, &(struct hbs_group_attr){ .members = 4 });
		static struct race race;
		struct hbs_group *group;
		struct child child;

		IS(hbs_group_create(context->hbs, &attr, &group), 0);
		child_start(context, &child, hbs_group_fd(group), run_for_ever, NULL, 0);
		race_start(&race, group, 3);
		nap_us(random_from(&seed) % 20000);
		child_kill(&child);
		race_ends(&race, -EOWNERDEAD);
		IS(barriers(group), race.passed[0]);
		IS(hbs_group_close(group), 0);
	}
}

static struct hbs_group *shrinking_group(struct context *context, unsigned int members)
{
	return make_group_of(context, &(struct hbs_group_attr){ .members = members,
								.policy = HBS_ON_DEATH_SHRINK });
}

/* The waiting members, in each way, go on without the dead one */
static void shrink_goes_on(struct context *context)
{
	struct hbs_group_attr attr = { .members = 1, .policy = HBS_ON_DEATH_SHRINK };
	struct crowd crowd;
	struct child child;

	crowd_join(context, &crowd, &attr);
	child_start(context, &child, hbs_group_fd(crowd.group), arrive_and_stay, NULL, 1);
	crowd_wait(&crowd);
	crowd_ends(&crowd, 0);
	/* it has arrived at the second one, and does not at the third */
	hear_child(&child);
	crowd_wait(&crowd);
	crowd_ends(&crowd, 0);
	crowd_wait(&crowd);
	child_kill(&child);
	crowd_ends(&crowd, 0);
	for (unsigned int i = 0; i < crowd.count; i++)
		IS(hbs_arrive(crowd.members[i]), 0);
	for (unsigned int i = 0; i < crowd.count; i++)
		IS(over(context, crowd.members[i]), 1);
	IS(barriers(crowd.group), 4);
	crowd_leave(&crowd);
}

/* Dead between its arrival and the others': nobody waits for it again */
static void shrink_after_arrival(struct context *context)
{
	struct hbs_group *group = shrinking_group(context, 2);
	struct hbs_member *me;
	struct child child;

	child_start(context, &child, hbs_group_fd(group), arrive_and_stay, NULL, 1);
	join(group, &me, 1);
	IS(hbs_barwait(me), 0);
	hear_child(&child);
	child_kill(&child);
	for (int i = 0; i < 5; i++)
		IS(hbs_barwait(me), 0);
	leave(&me, 1);
}

/* Before the start its seat is free again, and the first barrier waits for it */
static void shrink_before_the_start(struct context *context)
{
	struct hbs_group *group = shrinking_group(context, 2);
	struct hbs_member *m[2];
	struct child child;

	for (int i = 0; i < 2; i++) {
		child_start(context, &child, hbs_group_fd(group), i ? arrive_and_stay : stay, NULL,
			    0);
		if (i)
			hear_child(&child);
		child_kill(&child);
	}
	join(group, m, 1);
	IS(hbs_arrive(m[0]), 0);
	/* the dead is gone with its process, or a moment after */
	for (int ms = 0; hbs_join(group, &m[1]); ms++) {
		assert_true(ms < 5000);
		nap_us(1000);
	}
	IS(hbs_test(m[0]), 0);
	IS(hbs_barwait(m[1]), 0);
	IS(hbs_wait(m[0]), 0);
	leave(m, 2);
}

static int bring_and_stay(struct part *part)
{
	CHECK_IS(hbs_allreduce(part->me, 1, &(uint64_t){ 0 }), 0);
	CHECK_IS(hbs_arrive_value(part->me, 77), 0);
	CHECK_IS(child_tell(part), 0);
	pause();
	return 0;
}

/* The value of a member that died after its arrival is in the result, and then no more */
static void shrink_keeps_values(struct context *context)
{
	struct hbs_group_attr attr = { .members = 2,
				       .policy = HBS_ON_DEATH_SHRINK,
				       .reduce = HBS_MAX };
	struct hbs_group *group = make_group_of(context, &attr);
	struct hbs_member *me;
	struct child child;
	uint64_t got = 0;

	child_start(context, &child, hbs_group_fd(group), bring_and_stay, NULL, 0);
	join(group, &me, 1);
	IS(hbs_allreduce(me, 2, &got), 0);
	IS(got, 2);
	hear_child(&child);
	child_kill(&child);
	IS(hbs_allreduce(me, 3, &got), 0);
	IS(got, 77);
	IS(hbs_allreduce(me, 4, &got), 0);
	IS(got, 4);
	leave(&me, 1);
}

/*
 * All see it after the barrier before which it was written. It is not plain, since
 * another process may end the barrier, which the thread sanitizer does not know.
 */
struct survivors {
	uint64_t at[MAX_THREADS * LINE];
	bool enough;
	bool stop;
};

#define SET(what, value) __atomic_store_n(&(what), value, __ATOMIC_RELAXED)
#define GET(what)	 __atomic_load_n(&(what), __ATOMIC_RELAXED)

/* Steps of the survivors; the first says when it is enough, for all at the same step */
static int survive(struct part *part)
{
	struct survivors *survivors = part->shared;
	uint64_t *at = survivors->at;
	bool stop = false;

	for (uint64_t epoch = 1; !stop; epoch++) {
		SET(at[part->index * LINE], epoch);
		if (!part->index)
			SET(survivors->enough, GET(survivors->stop));
		CHECK_IS(hbs_barwait(part->me), 0);
		for (unsigned int i = 0; i < part->count; i++)
			CHECK_IS(GET(at[i * LINE]), epoch);
		stop = GET(survivors->enough);
		CHECK_IS(hbs_barwait(part->me), 0);
	}
	return 0;
}

struct surviving {
	struct context *context;
	struct hbs_group *group;
	struct survivors survivors;
};

static void *run_survivors(void *argument)
{
	struct surviving *surviving = argument;

	return try_members(surviving->context, surviving->group, 3, survive, &surviving->survivors)
		       ? NULL
		       : surviving;
}

/* Children come, take part for a while, and are killed anywhere; three threads go on */
static void shrink_often(struct context *context)
{
	static struct surviving surviving;
	struct child child;
	pthread_t thread;
	uint64_t seed = 7;
	void *result = NULL;

	surviving = (struct surviving){ .context = context, .group = shrinking_group(context, 4) };
	/* forked before there are threads, and the group starts with it */
	child_start(context, &child, hbs_group_fd(surviving.group), run_for_ever, NULL, 0);
	IS(pthread_create(&thread, NULL, run_survivors, &surviving), 0);
	while (!barriers(surviving.group))
		nap_us(1000);
	for (unsigned int round = 0; round < scaled(context, 600); round++) {
		uint64_t before;

		nap_us(random_from(&seed) % 10000);
		child_kill(&child);
		/* they get on */
		before = barriers(surviving.group);
		for (int ms = 0; barriers(surviving.group) < before + 2; ms++) {
			assert_true(ms < 10000);
			nap_us(1000);
		}
		child_start(context, &child, hbs_group_fd(surviving.group), run_for_ever, NULL, 0);
	}
	SET(surviving.survivors.stop, true);
	child_kill(&child);
	IS(pthread_join(thread, &result), 0);
	assert_non_null(result);
}

/* A process that is no member any more may die as it likes */
static int leave_and_stay(struct part *part)
{
	CHECK_IS(hbs_barwait(part->me), 0);
	CHECK_IS(hbs_leave(part->me), 0);
	CHECK_IS(child_tell(part), 0);
	pause();
	return 0;
}

static void dead_strangers_do_not_matter(struct context *context)
{
	struct hbs_group *group = make_group(context, 2);
	struct hbs_member *me;
	struct child child;

	child_start(context, &child, hbs_group_fd(group), leave_and_stay, NULL, 0);
	join(group, &me, 1);
	IS(hbs_barwait(me), 0);
	hear_child(&child);
	child_kill(&child);
	for (int i = 0; i < 3; i++)
		IS(hbs_barwait(me), context->mode->features & MEMBERSHIP ? 0 : -ENOTCONN);
	leave(&me, 1);
}

const struct test death_tests[] = {
	{ "a member killed by SIGKILL breaks the group for all", kill_breaks, DEATH },
	{ "a member that exits without leaving breaks the group", exit_breaks, DEATH },
	{ "a member that executes another program breaks the group", exec_breaks, DEATH },
#ifndef __SANITIZE_THREAD__
	{ "a member lives on in a process that shares its memory", lives_on_in_another_process,
	  DEATH | SPLIT_PHASE | DEADLINES },
#endif
	{ "a death breaks the same barrier for all", breaks_the_same_barrier_for_all, DEATH },
	{ "a death breaks the group for who does not wait but look", breaks_for_who_looks,
	  DEATH | SPLIT_PHASE | DEADLINES },
	{ "a death of one who has left breaks nothing", dead_strangers_do_not_matter, DEATH },
	{ "a group that shrinks goes on without the dead", shrink_goes_on, DEATH | SHRINK },
	{ "a group that shrinks does not wait for the dead again", shrink_after_arrival,
	  DEATH | SHRINK },
	{ "a group that shrinks has a free seat before its start", shrink_before_the_start,
	  DEATH | SHRINK },
	{ "a group that shrinks keeps the value of the dead", shrink_keeps_values,
	  DEATH | SHRINK | VALUES },
	{ "a group that shrinks goes on through many deaths", shrink_often, DEATH | SHRINK },
	{ 0 },
};
