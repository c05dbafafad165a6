// SPDX-License-Identifier: GPL-2.0-or-later
/* Several groups at once: disjoint, overlapping, and all that the card has. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>

#include "harness.h"
#include "hbs_test.h"

#define MAX_THREADS 8
#define MAX_GROUPS  128

/* A thread that goes through its groups in order, again and again */
struct thread {
	struct port port;
	struct member member[MAX_GROUPS];
	unsigned int groups;
	unsigned long rounds;
	volatile unsigned long count[MAX_GROUPS];
	int error;
	pthread_t thread;
};

static struct thread thread[MAX_THREADS];
static struct group group[MAX_GROUPS];
/* Who is in a group */
static bool in[MAX_GROUPS][MAX_THREADS];
static unsigned long early;

static void *thread_run(void *arg)
{
	struct thread *me = arg;

	for (unsigned long round = 1; round <= me->rounds && !me->error; round++) {
		for (unsigned int g = 0; g < MAX_GROUPS && !me->error; g++) {
			if (!in[g][me - thread])
				continue;
			me->count[g] = round;
			me->error = barrier(&me->member[g]);
			for (unsigned int t = 0; t < MAX_THREADS; t++)
				if (in[g][t] && thread[t].count[g] < round)
					__atomic_add_fetch(&early, 1, __ATOMIC_RELAXED);
		}
	}
	return NULL;
}

static void check(struct __test_metadata *_metadata, int card, unsigned int groups,
		  unsigned int threads, unsigned long rounds)
{
	struct hbs_group_counters counters;

	for (unsigned int t = 0; t < threads; t++) {
		ASSERT_EQ(port_alloc(card, &thread[t].port), 0);
		thread[t].rounds = rounds;
	}
	for (unsigned int g = 0; g < groups; g++) {
		unsigned int members = 0;

		for (unsigned int t = 0; t < threads; t++)
			members += in[g][t];
		ASSERT_EQ(group_create(card, members, &group[g]), 0);
		for (unsigned int t = 0; t < threads; t++)
			if (in[g][t])
				ASSERT_EQ(join(&group[g], &thread[t].port, &thread[t].member[g]),
					  0);
	}
	for (unsigned int t = 0; t < threads; t++)
		ASSERT_EQ(pthread_create(&thread[t].thread, NULL, thread_run, &thread[t]), 0);
	for (unsigned int t = 0; t < threads; t++) {
		ASSERT_EQ(pthread_join(thread[t].thread, NULL), 0);
		EXPECT_EQ(thread[t].error, 0);
	}
	EXPECT_EQ(early, 0);
	for (unsigned int g = 0; g < groups; g++) {
		ASSERT_EQ(group_counters(group[g].fd, &counters), 0);
		EXPECT_EQ(counters.completions, rounds);
		EXPECT_EQ(counters.non_member + counters.double_arrivals, 0);
	}
	TH_LOG("epochs %lu groups %u threads %u", rounds * groups, groups, threads);
}

HBS_FIXTURE(groups)

/* Spinning is slow where the host has fewer CPUs than there are spinners */
static unsigned long rounds(unsigned long single)
{
	return accel_is("single") ? single : single / 10;
}

/* Thread t is in groups t and t + 1: everybody shares each group with a neighbour */
TEST_F(groups, overlapping)
{
	for (unsigned int t = 0; t < 4; t++)
		in[t][t] = in[t + 1][t] = true;
	check(_metadata, self->card, 5, 4, rounds(200));
}

/* Every subset of four threads, all in one order */
TEST_F(groups, every_subset)
{
	for (unsigned int g = 1; g < 16; g++)
		for (unsigned int t = 0; t < 4; t++)
			in[g - 1][t] = g >> t & 1;
	check(_metadata, self->card, 15, 4, rounds(100));
}

TEST_F(groups, all_at_once)
{
	for (unsigned int g = 0; g < self->info.groups; g++)
		in[g][0] = in[g][1] = true;
	check(_metadata, self->card, self->info.groups, 2, rounds(100));
}

/* Arrivals for many groups are outstanding at once, and each completes alone */
TEST_F(groups, outstanding_in_all)
{
	for (unsigned int t = 0; t < 2; t++)
		ASSERT_EQ(port_alloc(self->card, &thread[t].port), 0);
	for (unsigned int g = 0; g < self->info.groups; g++) {
		ASSERT_EQ(group_create(self->card, 2, &group[g]), 0);
		for (unsigned int t = 0; t < 2; t++)
			ASSERT_EQ(join(&group[g], &thread[t].port, &thread[t].member[g]), 0);
		arrive(&thread[0].member[g]);
	}
	for (unsigned int g = self->info.groups; g--;) {
		for (unsigned int other = 0; other <= g; other++)
			ASSERT_FALSE(released(&thread[0].member[other]));
		arrive(&thread[1].member[g]);
		EXPECT_EQ(wait_spin(&thread[0].member[g]), 0);
		EXPECT_EQ(wait_spin(&thread[1].member[g]), 0);
	}
}

/* An epoch is never used again, not even by the next group in the same slot */
TEST_F(groups, epoch_is_never_reused)
{
	struct one one;
	uint64_t last = 0;

	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(one_member(self->card, 1, &one), 0);
		EXPECT_GE(one.member.word, last);
		for (int epoch = 0; epoch < 5; epoch++)
			ASSERT_EQ(barrier(&one.member), 0);
		last = one.member.word;
		EXPECT_EQ(*one.member.departure, last);
		ASSERT_EQ(leave(&one.member), 0);
		ASSERT_EQ(port_free(&one.port), 0);
		ASSERT_EQ(group_close(&one.group), 0);
	}
}

TEST_HARNESS_MAIN
