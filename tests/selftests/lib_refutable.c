// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Refutable groups as a program uses them: threads that send each other messages, are idle, and
 * find out together that all is done. A count of the messages of each epoch is the oracle.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <hbs.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "harness.h"
#include "hbs_test.h"

#define MOST_THREADS 8
#define MOST_EPOCHS  4000
#define QUEUE	     32

FIXTURE(lib)
{
	struct usage before;
	struct hbs *hbs;
};

FIXTURE_VARIANT(lib)
{
	uint64_t spin_ns;
	enum hbs_depart_by depart_by;
};

FIXTURE_VARIANT_ADD(lib, spinning){ .depart_by = HBS_DEPART_BY_RECORD };
FIXTURE_VARIANT_ADD(lib, asleep){ .spin_ns = HBS_SPIN_NONE };
FIXTURE_VARIANT_ADD(lib, CSR){ .depart_by = HBS_DEPART_BY_CSR };
FIXTURE_VARIANT_ADD(lib, member_records){ .depart_by = HBS_DEPART_BY_MEMBER_RECORD };
FIXTURE_VARIANT_ADD(lib, node_records){ .depart_by = HBS_DEPART_BY_NODE_RECORD };

FIXTURE_SETUP(lib)
{
	struct hbs_attr attr = { .backend = HBS_BACKEND_CARD, .spin_ns = variant->spin_ns };

	usage_note(&self->before);
	ASSERT_EQ(hbs_open(&self->hbs, &attr), 0);
}

/* The library itself gives everything back: nothing is closed for it */
FIXTURE_TEARDOWN(lib)
{
	EXPECT_EQ(hbs_close(self->hbs), 0);
	EXPECT_EQ(usage_compare(&self->before), 0);
}

struct work;

struct thread {
	struct work *work;
	struct hbs_member *me;
	unsigned int seed;
	int error;
	const char *wrong;
	pthread_t thread;

	pthread_mutex_t lock;
	uint32_t queue[QUEUE]; /* the epochs of their senders */
	unsigned int first, queued;
};

struct work {
	struct hbs_group *group;
	unsigned int threads;
	struct length length;
	struct thread thread[MOST_THREADS];
	atomic_int unfreed[MOST_EPOCHS];
	atomic_ullong sum[MOST_EPOCHS]; /* of the last values */
	atomic_ulong sent, withdrawn;
};

static bool put(struct thread *to, uint32_t epoch)
{
	bool room;

	pthread_mutex_lock(&to->lock);
	room = to->queued < QUEUE;
	if (room)
		to->queue[(to->first + to->queued++) % QUEUE] = epoch;
	pthread_mutex_unlock(&to->lock);
	return room;
}

static bool has(struct thread *self, uint32_t epoch)
{
	bool found;

	pthread_mutex_lock(&self->lock);
	found = self->queued && self->queue[self->first] == epoch;
	pthread_mutex_unlock(&self->lock);
	return found;
}

static void take(struct thread *self)
{
	pthread_mutex_lock(&self->lock);
	self->first = (self->first + 1) % QUEUE;
	self->queued--;
	pthread_mutex_unlock(&self->lock);
}

static void send_some(struct thread *self, uint32_t epoch, unsigned int *budget,
		      struct hbs_idle *idle)
{
	struct work *work = self->work;

	while (*budget && rand_r(&self->seed) % 3) {
		atomic_fetch_add(&work->unfreed[epoch], 1);
		idle->sent++;
		if (!put(&work->thread[rand_r(&self->seed) % work->threads], epoch)) {
			atomic_fetch_sub(&work->unfreed[epoch], 1);
			idle->sent--;
			return;
		}
		(*budget)--;
		atomic_fetch_add(&work->sent, 1);
	}
}

/* Idle until the epoch is over (1) or there is a message of it (0) */
static int rest(struct thread *self, uint32_t epoch)
{
	unsigned int looks = 0;
	int ret;

	while (!has(self, epoch)) {
		/* mostly look; at times wait a little, so that members sleep as well */
		ret = ++looks % 64 ? hbs_test(self->me) : hbs_wait_for(self->me, 200000);
		if (ret == -ETIMEDOUT)
			continue;
		if (looks % 64 == 0 && !ret)
			return 1;
		if (ret)
			return ret;
		__builtin_ia32_pause();
		if (self->work->threads > cpus())
			sched_yield();
	}
	ret = hbs_withdraw(self->me);
	/* there is a message of this epoch, so it cannot be over */
	if (ret == 1)
		self->wrong = "the epoch is over, and there is a message of it";
	atomic_fetch_add(&self->work->withdrawn, 1);
	return ret;
}

static int one_epoch(struct thread *self, uint32_t epoch)
{
	unsigned int budget = rand_r(&self->seed) % 6;
	uint64_t value = 0;
	int ret;

	do {
		struct hbs_idle idle = { 0 };

		send_some(self, epoch, &budget, &idle);
		while (has(self, epoch)) {
			take(self);
			send_some(self, epoch, &budget, &idle);
			atomic_fetch_sub(&self->work->unfreed[epoch], 1);
			idle.freed++;
		}
		idle.vote = rand_r(&self->seed) % 8 != 0;
		idle.value = (uint64_t)rand_r(&self->seed) << 33;
		atomic_fetch_add(&self->work->sum[epoch], idle.value - value);
		value = idle.value;
		ret = hbs_begin_idle(self->me, &idle);
		if (!ret)
			ret = rest(self, epoch);
	} while (!ret);
	return ret;
}

static void check_epoch(struct thread *self, uint32_t epoch)
{
	uint64_t result = 0;
	int all, any;

	self->error = hbs_votes(self->me, &all, &any);
	if (!self->error)
		self->error = hbs_result(self->me, &result);
	if (atomic_load(&self->work->unfreed[epoch]))
		self->wrong = "an epoch is over with a message in flight";
	else if (result != atomic_load(&self->work->sum[epoch]))
		self->wrong = "the result is not that of the last values";
	else if (all && !any)
		self->wrong = "all voted true, and nobody did";
}

static void *work_on(void *argument)
{
	struct thread *self = argument;
	struct work *work = self->work;
	unsigned int index = self - work->thread;

	self->error = hbs_join(work->group, &self->me);
	for (uint32_t epoch = 0;
	     length_has(&work->length, index, epoch) && !self->error && !self->wrong; epoch++) {
		int ret = one_epoch(self, epoch);

		if (ret < 0)
			self->error = ret;
		else
			check_epoch(self, epoch);
	}
	if (self->error || self->wrong)
		hbs_group_destroy(work->group);
	hbs_leave(self->me);
	return NULL;
}

static void run(struct __test_metadata *_metadata, FIXTURE_DATA(lib) *self, unsigned int threads,
		enum hbs_depart_by depart_by)
{
	struct hbs_group_attr attr = {
		.members = threads,
		.type = HBS_REFUTABLE,
		.reduce = HBS_SUM,
		.depart_by = depart_by,
	};
	unsigned int most = (accel_is("single") ? 600 : 800) / threads / (threads > cpus() ? 4 : 1);
	struct work *work = calloc(1, sizeof(*work));
	struct hbs_group_stats stats;

	ASSERT_NE(work, NULL);
	work->threads = threads;
	ASSERT_EQ(hbs_group_create(self->hbs, &attr, &work->group), 0);
	for (unsigned int i = 0; i < threads; i++) {
		work->thread[i] = (struct thread){ .work = work, .seed = 77 + i };
		pthread_mutex_init(&work->thread[i].lock, NULL);
	}
	work->length = length_of_storm(most);
	for (unsigned int i = 0; i < threads; i++)
		ASSERT_EQ(pthread_create(&work->thread[i].thread, NULL, work_on, &work->thread[i]),
			  0);
	for (unsigned int i = 0; i < threads; i++)
		ASSERT_EQ(pthread_join(work->thread[i].thread, NULL), 0);
	for (unsigned int i = 0; i < threads; i++) {
		EXPECT_EQ(work->thread[i].error, 0);
		if (work->thread[i].wrong)
			TH_LOG("thread %u: %s", i, work->thread[i].wrong);
		EXPECT_EQ(work->thread[i].wrong, NULL);
	}
	ASSERT_EQ(hbs_group_stats(work->group, &stats), 0);
	EXPECT_EQ(stats.barriers, work->length.epochs);
	EXPECT_EQ(stats.withdrawals, atomic_load(&work->withdrawn));
	EXPECT_EQ(stats.arrivals, (uint64_t)work->length.epochs * threads + stats.withdrawals);
	EXPECT_EQ(stats.dropped, 0);
	EXPECT_EQ(stats.in_flight, 0);
	TH_LOG("%u threads, %u of %u epochs: %lu messages, %lu withdrawals", threads,
	       work->length.epochs, most, atomic_load(&work->sent), atomic_load(&work->withdrawn));
	ASSERT_EQ(hbs_group_close(work->group), 0);
	free(work);
}

TEST_F(lib, storms)
{
	static const unsigned int sizes[] = { 1, 2, 3, 8 };

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++)
		run(_metadata, self, sizes[i], variant->depart_by);
}

/* Who is not idle is told by its tag, and the messages in flight are counted */
TEST_F(lib, missing)
{
	struct hbs_group_attr attr = {
		.members = 2,
		.type = HBS_REFUTABLE,
		.depart_by = variant->depart_by,
		.timeout_ns = 100000000,
	};
	struct hbs_absentee absentee;
	struct hbs_group_stats stats;
	struct hbs_member *one, *other;
	struct hbs_group *group;

	ASSERT_EQ(hbs_group_create(self->hbs, &attr, &group), 0);
	ASSERT_EQ(hbs_join_tagged(group, 11, &one), 0);
	ASSERT_EQ(hbs_join_tagged(group, 12, &other), 0);
	ASSERT_EQ(hbs_begin_idle(one, &(struct hbs_idle){ .sent = 3 }), 0);
	ASSERT_EQ(hbs_group_missing(group, &absentee, 1), 1);
	EXPECT_EQ(absentee.tag, 12);
	EXPECT_EQ(hbs_wait(one), -ETIMEDOUT);
	ASSERT_EQ(hbs_group_missing(group, &absentee, 1), 1);
	EXPECT_EQ(absentee.tag, 12);
	ASSERT_EQ(hbs_group_stats(group, &stats), 0);
	EXPECT_EQ(stats.in_flight, 3);
	EXPECT_EQ(hbs_begin_idle(other, &(struct hbs_idle){ 0 }), -ETIMEDOUT);
	EXPECT_EQ(hbs_withdraw(one), -ETIMEDOUT);
	ASSERT_EQ(hbs_leave(one), 0);
	ASSERT_EQ(hbs_leave(other), 0);
	ASSERT_EQ(hbs_group_close(group), 0);
}

TEST_HARNESS_MAIN
