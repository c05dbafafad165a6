// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Ordering itself: nobody leaves before all have arrived. Each thread counts its
 * epochs in plain memory and, after each barrier, looks at every thread's count: it
 * must be that of this epoch, or of the next one if that thread is already there.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>

#include "harness.h"
#include "hbs_test.h"

#define MAX_THREADS 64

struct count {
	_Alignas(64) volatile unsigned long epochs;
};

struct run {
	struct count count[MAX_THREADS];
	struct group group;
	unsigned int threads;
	unsigned long epochs;
	bool asleep; /* members always sleep in the kernel */
};

struct thread {
	struct run *run;
	unsigned int index;
	struct port port;
	struct member member;
	int error;
	unsigned long early; /* epochs left too early */
	unsigned long late;  /* somebody was two epochs ahead */
	pthread_t thread;
};

static void *thread_run(void *arg)
{
	struct thread *thread = arg;
	struct run *run = thread->run;

	for (unsigned long epoch = 1; epoch <= run->epochs; epoch++) {
		run->count[thread->index].epochs = epoch;
		thread->error =
			run->asleep ? barrier_sleep(&thread->member) : barrier(&thread->member);
		if (thread->error)
			break;
		for (unsigned int i = 0; i < run->threads; i++) {
			unsigned long other = run->count[i].epochs;

			thread->early += other < epoch;
			thread->late += other > epoch + 1;
		}
		/* Nothing is to be had from going on: let the others go, too */
		if (thread->early || thread->late) {
			group_destroy(run->group.fd);
			break;
		}
	}
	return NULL;
}

HBS_FIXTURE(ordering)

/*
 * Epochs for each kind of emulation. "multi" has real concurrency, but there
 * spinning with more threads than CPUs takes many milliseconds an epoch: sleepers
 * look for races better.
 */
static unsigned long epochs_for(unsigned int threads, bool asleep)
{
	static const struct {
		unsigned int threads;
		unsigned long single, multi, single_asleep, multi_asleep;
	} sizes[] = {
		{ 2, 60000, 11000, 2000, 2000 }, { 3, 20000, 300, 1000, 5000 },
		{ 4, 20000, 200, 1000, 20000 },	 { 8, 5000, 50, 300, 500 },
		{ 16, 500, 20, 100, 100 },	 { 33, 100, 5, 50, 50 },
		{ 64, 30, 3, 25, 25 },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		if (sizes[i].threads != threads)
			continue;
		if (accel_is("single"))
			return asleep ? sizes[i].single_asleep : sizes[i].single;
		return asleep ? sizes[i].multi_asleep : sizes[i].multi;
	}
	return 100;
}

static void check(struct __test_metadata *_metadata, int card, unsigned int threads, bool asleep)
{
	static struct run run;
	static struct thread thread[MAX_THREADS];
	struct hbs_group_counters counters;
	double start;

	run.threads = threads;
	run.epochs = epochs_for(threads, asleep);
	run.asleep = asleep;
	ASSERT_EQ(group_create(card, threads, &run.group), 0);
	for (unsigned int i = 0; i < threads; i++) {
		thread[i].run = &run;
		thread[i].index = i;
		ASSERT_EQ(port_alloc(card, &thread[i].port), 0);
		ASSERT_EQ(join(&run.group, &thread[i].port, &thread[i].member), 0);
	}
	start = seconds();
	for (unsigned int i = 0; i < threads; i++)
		ASSERT_EQ(pthread_create(&thread[i].thread, NULL, thread_run, &thread[i]), 0);
	for (unsigned int i = 0; i < threads; i++)
		ASSERT_EQ(pthread_join(thread[i].thread, NULL), 0);
	TH_LOG("epochs %lu threads %u cpus %u %s: %.1f us an epoch", run.epochs, threads, cpus(),
	       asleep ? "asleep" : "spinning", (seconds() - start) * 1e6 / run.epochs);
	for (unsigned int i = 0; i < threads; i++) {
		EXPECT_EQ(thread[i].error, 0);
		EXPECT_EQ(thread[i].early, 0);
		EXPECT_EQ(thread[i].late, 0);
	}
	/* The card saw one store for each thread and epoch, and nothing else */
	ASSERT_EQ(group_counters(run.group.fd, &counters), 0);
	EXPECT_EQ(counters.completions, run.epochs);
	EXPECT_EQ(counters.arrivals, run.epochs * threads);
	EXPECT_EQ(counters.departure_reads, 0);
	EXPECT_EQ(counters.non_member + counters.double_arrivals + counters.refused, 0);
	if (!asleep)
		EXPECT_EQ(counters.interrupts, 0);
}

#define ORDERING(threads)                                        \
	TEST_F_TIMEOUT(ordering, threads_##threads##_spin, 150)  \
	{                                                        \
		check(_metadata, self->card, threads, false);    \
	}                                                        \
	TEST_F_TIMEOUT(ordering, threads_##threads##_sleep, 150) \
	{                                                        \
		check(_metadata, self->card, threads, true);     \
	}

ORDERING(2)
ORDERING(3)
ORDERING(4)
ORDERING(8)
ORDERING(16)
ORDERING(33)
ORDERING(64)

TEST_HARNESS_MAIN
