// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Threads that meet: after a barrier all must see what each wrote before it. Plain
 * variables carry the proof, so that the thread sanitizer judges the memory order too.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "group.h"

#define MOST_MEMBERS 64
#define MOST_THREADS 8
#define LIMIT_S	     120 /* without any progress */

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define EPOCHS 40
#else
#define EPOCHS 100
#endif

struct meeting {
	struct group group;
	uint32_t threads;
	struct {
		_Alignas(64) uint64_t steps; /* not atomic: the barrier orders it */
	} at[MOST_MEMBERS];
};

struct thread {
	struct meeting *meeting;
	uint32_t index; /* it takes the steps of the members index, index + threads, ... */
	unsigned short random[3];
	bool waits[MOST_MEMBERS];
	int line; /* line of the check that failed, or 0 */
};

/* In a thread's function: return this line if the condition does not hold */
#define CHECK(condition)                 \
	do {                             \
		if (!(condition))        \
			return __LINE__; \
	} while (0)

static bool late(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec - start->tv_sec > LIMIT_S;
}

static void linger(struct thread *thread)
{
	switch (nrand48(thread->random) % 8) {
	case 0:
		sched_yield();
		break;
	case 1:
		for (volatile int i = nrand48(thread->random) % 2000; i > 0; i--)
			;
		break;
	default:
		break;
	}
}

static bool all_have_taken(const struct meeting *meeting, uint64_t steps)
{
	for (uint32_t i = 0; i < meeting->group.members; i++)
		if (meeting->at[i].steps != steps)
			return false;
	return true;
}

/* Arrive with the members of this thread */
static void arrive(struct thread *thread)
{
	struct group *group = &thread->meeting->group;

	for (uint32_t i = thread->index; i < group->members; i += thread->meeting->threads) {
		linger(thread);
		group->member[i].epoch++;
		thread->waits[i] = true;
		group->kind->algorithm->arrive(&group->member[i]);
	}
}

/*
 * Look with the members of this thread whether the barrier is over, until it is for all of
 * them. If @steps is not 0, all members must have taken so many as soon as it is for one.
 * Return: the line, as CHECK
 */
static int leave(struct thread *thread, uint64_t steps)
{
	struct meeting *meeting = thread->meeting;
	const struct algorithm *algorithm = meeting->group.kind->algorithm;
	uint32_t members = meeting->group.members, waiting;
	struct timespec start;

	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		waiting = 0;
		for (uint32_t i = thread->index; i < members; i += meeting->threads) {
			if (!thread->waits[i])
				continue;
			if (!algorithm->over(&meeting->group.member[i])) {
				waiting++;
				continue;
			}
			thread->waits[i] = false;
			CHECK(!steps || all_have_taken(meeting, steps));
		}
		CHECK(!waiting || !late(&start));
		if (waiting)
			sched_yield();
	} while (waiting);
	return 0;
}

static void take_steps(struct thread *thread)
{
	struct meeting *meeting = thread->meeting;

	for (uint64_t steps = 1; steps <= EPOCHS && !thread->line; steps++) {
		for (uint32_t i = thread->index; i < meeting->group.members; i += meeting->threads)
			meeting->at[i].steps = steps;
		arrive(thread);
		thread->line = leave(thread, steps);
		if (thread->line)
			break;
		/* so that nobody takes the next before all have looked */
		arrive(thread);
		thread->line = leave(thread, 0);
	}
}

static void *run(void *argument)
{
	take_steps(argument);
	return NULL;
}

static void meet_with(const struct kind *kind, uint32_t members, uint32_t threads)
{
	struct meeting meeting = { .threads = threads };
	struct thread thread[MOST_THREADS];
	pthread_t ids[MOST_THREADS];

	group_make(&meeting.group, kind, members, AT_END);
	for (uint32_t i = 0; i < threads; i++) {
		thread[i] = (struct thread){
			.meeting = &meeting,
			.index = i,
			.random = { i, members, threads },
		};
		assert_int_equal(pthread_create(&ids[i], NULL, run, &thread[i]), 0);
	}
	for (uint32_t i = 0; i < threads; i++)
		assert_int_equal(pthread_join(ids[i], NULL), 0);
	for (uint32_t i = 0; i < threads; i++)
		if (thread[i].line)
			fail_msg("%u members by %u threads: thread %u failed at line %d", members,
				 threads, i, thread[i].line);
	group_free(&meeting.group);
}

/* A thread for each member */
static void threads_meet(void **state)
{
	for (uint32_t members = 1; members <= MOST_THREADS; members++)
		meet_with(*state, members, members);
}

static void many_members_meet(void **state)
{
	static const uint32_t counts[][2] = {
		{ 9, 3 }, { 16, 4 }, { 17, 2 }, { 33, 4 }, { 64, 3 }
	};

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		meet_with(*state, counts[i][0], counts[i][1]);
}

int main(void)
{
	static const CMUnitTestFunction tests[] = { threads_meet, many_members_meet };
	static const char *const names[] = { "a thread for each member", "members by few threads" };

	return run_kinds("meetings", tests, names, sizeof(tests) / sizeof(tests[0]));
}
