// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * usage: groups ALGORITHM [race]
 *
 * A program without races, for tools that look for races: only barriers of libhbs hand on
 * what the threads store, in every way that a member can arrive and depart. With "race", two
 * threads store to one place in each phase.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include <hbs.h>

#include "expect.h"

#define MEMBERS 3
#define ROUNDS	20

static struct hbs *hbs;
static struct hbs_group *groups[2]; /* two handles of one group */
static int stored[MEMBERS], called;
static volatile int everywhere;
static int rounds_done; /* what the completion function counts */
static bool race;

typedef void wait_function(struct hbs_member *me, int round);

static void barwait(struct hbs_member *me, int round)
{
	(void)round;
	EXPECT(!hbs_barwait(me));
}

static void arrive_and_test(struct hbs_member *me, int round)
{
	int ret;

	(void)round;
	EXPECT(!hbs_arrive(me));
	while (!(ret = hbs_test(me)))
		sched_yield();
	EXPECT(ret == 1);
}

static void arrive_and_poll(struct hbs_member *me, int round)
{
	int ret;

	(void)round;
	EXPECT(!hbs_arrive(me));
	while (!(ret = hbs_test(me))) {
		struct pollfd poll_for = { .fd = hbs_member_fd(me), .events = POLLIN };

		EXPECT(poll(&poll_for, 1, -1) == 1);
	}
	EXPECT(ret == 1);
}

static void arrive_and_wait_for(struct hbs_member *me, int round)
{
	int ret;

	(void)round;
	EXPECT(!hbs_arrive(me));
	while ((ret = hbs_wait_for(me, 1000)))
		EXPECT(ret == -ETIMEDOUT);
}

static void allreduce(struct hbs_member *me, int round)
{
	uint64_t sum;

	EXPECT(!hbs_allreduce(me, (uint64_t)round, &sum));
	EXPECT(sum == (uint64_t)round * MEMBERS);
}

/* Store, hand on, load what all have stored, and hand on that it was loaded */
static void take_turns(struct hbs_member *me, int index, wait_function *wait)
{
	for (int round = 1; round <= ROUNDS; round++) {
		stored[index] = round;
		if (race)
			everywhere = round;
		wait(me, round);
		for (int i = 0; i < MEMBERS; i++)
			EXPECT(stored[i] == round);
		if (called)
			EXPECT(rounds_done == 2 * round - 1);
		wait(me, round);
	}
}

static wait_function *turns;

static void *be_a_member(void *number)
{
	int index = *(int *)number;
	struct hbs_member *me;

	EXPECT(!hbs_join(groups[index & 1], &me));
	take_turns(me, index, turns);
	EXPECT(!hbs_leave(me));
	return NULL;
}

/* A thread that gets the error may have what the last one leaves behind */
static void *find_the_end(void *number)
{
	int index = *(int *)number;
	struct hbs_member *me;

	EXPECT(!hbs_join(groups[0], &me));
	EXPECT(!hbs_barwait(me));
	if (!index) {
		stored[0] = -1;
		EXPECT(!hbs_group_destroy(groups[0]));
	} else {
		EXPECT(hbs_barwait(me) == -EIDRM);
		EXPECT(stored[0] == -1);
	}
	EXPECT(!hbs_leave(me));
	return NULL;
}

/* It takes so long that the others wait for it */
static void complete(void *count)
{
	int all = stored[0];

	nanosleep(&(struct timespec){ .tv_nsec = 3000000 }, NULL);
	for (int i = 1; i < MEMBERS; i++)
		EXPECT(stored[i] == all);
	++*(int *)count;
}

static void run(void *(*work)(void *))
{
	pthread_t threads[MEMBERS];
	int numbers[MEMBERS];

	for (int i = 0; i < MEMBERS; i++) {
		numbers[i] = i;
		EXPECT(!pthread_create(&threads[i], NULL, work, &numbers[i]));
	}
	for (int i = 0; i < MEMBERS; i++)
		EXPECT(!pthread_join(threads[i], NULL));
}

static void use_group(struct hbs_group_attr attr, wait_function *wait)
{
	attr.members = MEMBERS;
	EXPECT(!hbs_group_create(hbs, &attr, &groups[0]));
	groups[1] = groups[0];
	if (!attr.completion)
		EXPECT(!hbs_group_import(hbs, hbs_group_fd(groups[0]), &groups[1]));
	turns = wait;
	run(wait ? be_a_member : find_the_end);
	if (!attr.completion)
		EXPECT(!hbs_group_close(groups[1]));
	EXPECT(!hbs_group_close(groups[0]));
}

static uint32_t algorithm_of(const char *name)
{
	uint32_t algorithm = 0;

	while (strcmp(hbs_algorithm_name(algorithm), name))
		EXPECT(hbs_algorithm_name(++algorithm));
	return algorithm;
}

/* Others do not let a member go before all have arrived */
static bool has_split_phase(uint32_t algorithm)
{
	return algorithm == HBS_ALGORITHM_CENTRAL || algorithm == HBS_ALGORITHM_COUNTING ||
	       algorithm == HBS_ALGORITHM_COMBINING || algorithm == HBS_ALGORITHM_TICKET ||
	       algorithm == HBS_ALGORITHM_SCAN;
}

int main(int argc, char **argv)
{
	struct hbs_group_attr attr = { .algorithm = argc > 1 ? algorithm_of(argv[1]) : 0 };
	struct hbs_group_attr with_completion = attr, with_values = attr;

	race = argc > 2;
	with_completion.completion = complete;
	with_completion.completion_arg = &rounds_done;
	with_values.reduce = HBS_SUM;
	EXPECT(!hbs_open(&hbs, &(struct hbs_attr){ .backend = HBS_BACKEND_SOFTWARE }));
	attr.policy = HBS_ON_THREAD_EXIT;
	use_group(attr, barwait);
	if (has_split_phase(attr.algorithm)) {
		use_group(attr, arrive_and_test);
		use_group(attr, arrive_and_poll);
		use_group(attr, arrive_and_wait_for);
	}
	use_group(with_values, allreduce);
	called = 1;
	use_group(with_completion, barwait);
	called = 0;
	use_group(attr, NULL);
	EXPECT(!hbs_close(hbs));
	return 0;
}
