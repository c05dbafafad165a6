// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hbs_idle(): threads send each other messages of the library until nothing is left to do. Storms,
 * with a count of the messages of each epoch as the oracle; and shortest paths in a graph, with
 * one epoch for all of it and with one for each step, beside a serial result.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <hbs.h>
#include <hbs_messages.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "../paths.h"
#include "hbs_test.h"

#define MOST_THREADS 8
#define MOST_EPOCHS  2000

FIXTURE(idle)
{
	struct usage before;
	struct hbs *hbs;
};

FIXTURE_VARIANT(idle)
{
	uint64_t spin_ns;
	enum hbs_depart_by depart_by;
};

FIXTURE_VARIANT_ADD(idle, spinning){ .depart_by = HBS_DEPART_BY_RECORD };
FIXTURE_VARIANT_ADD(idle, asleep){ .spin_ns = HBS_SPIN_NONE };
FIXTURE_VARIANT_ADD(idle, CSR){ .depart_by = HBS_DEPART_BY_CSR };
FIXTURE_VARIANT_ADD(idle, member_records){ .depart_by = HBS_DEPART_BY_MEMBER_RECORD };

FIXTURE_SETUP(idle)
{
	struct hbs_attr attr = { .backend = HBS_BACKEND_CARD, .spin_ns = variant->spin_ns };

	usage_note(&self->before);
	ASSERT_EQ(hbs_open(&self->hbs, &attr), 0);
}

/* The library itself gives everything back: nothing is closed for it */
FIXTURE_TEARDOWN(idle)
{
	EXPECT_EQ(hbs_close(self->hbs), 0);
	EXPECT_EQ(usage_compare(&self->before), 0);
}

/* Threads, each with a membership and a mailbox */
struct team {
	struct hbs_group *group;
	struct hbs_messages *messages;
	unsigned int threads;
	void (*work)(struct team *team, unsigned int rank, struct hbs_mailbox *me);
	void *data;
	atomic_int error;
	const char *_Atomic wrong;
};

struct thread {
	struct team *team;
	unsigned int rank;
	pthread_t thread;
};

/* The others must not wait for a thread that has given up */
static void give_up(struct team *team, int error, const char *wrong)
{
	if (error)
		atomic_store(&team->error, error);
	if (wrong)
		atomic_store(&team->wrong, wrong);
	hbs_group_destroy(team->group);
}

static void *thread_run(void *argument)
{
	struct thread *thread = argument;
	struct team *team = thread->team;
	struct hbs_mailbox *me = NULL;
	struct hbs_member *member;
	int ret = hbs_join(team->group, &member);

	if (ret) {
		give_up(team, ret, NULL);
		return NULL;
	}
	ret = hbs_mailbox_open(team->messages, thread->rank, &me);
	if (!ret)
		ret = hbs_mailbox_bind(me, member);
	if (ret)
		give_up(team, ret, NULL);
	else
		team->work(team, thread->rank, me);
	hbs_mailbox_close(me);
	hbs_leave(member);
	return NULL;
}

static void run(struct __test_metadata *_metadata, FIXTURE_DATA(idle) *self,
		const struct hbs_group_attr *attr, struct team *team)
{
	struct hbs_messages_attr messages = { .members = team->threads > 1 ? team->threads : 2 };
	struct thread thread[MOST_THREADS];

	ASSERT_EQ(hbs_group_create(self->hbs, attr, &team->group), 0);
	ASSERT_EQ(hbs_messages_create(&messages, &team->messages), 0);
	for (unsigned int i = 0; i < team->threads; i++) {
		thread[i] = (struct thread){ .team = team, .rank = i };
		ASSERT_EQ(pthread_create(&thread[i].thread, NULL, thread_run, &thread[i]), 0);
	}
	for (unsigned int i = 0; i < team->threads; i++)
		ASSERT_EQ(pthread_join(thread[i].thread, NULL), 0);
	EXPECT_EQ(atomic_load(&team->error), 0);
	if (atomic_load(&team->wrong))
		TH_LOG("%u threads: %s", team->threads, atomic_load(&team->wrong));
	EXPECT_EQ(atomic_load(&team->wrong), NULL);
}

static void end(struct __test_metadata *_metadata, struct team *team)
{
	ASSERT_EQ(hbs_messages_close(team->messages), 0);
	ASSERT_EQ(hbs_group_close(team->group), 0);
}

/* A storm: a message says how many others its receiver may send */
struct storm {
	struct length length;
	atomic_int unfreed[MOST_EPOCHS];
	atomic_int against[MOST_EPOCHS];
	atomic_ulong sent, refuted;
};

static void send_some(struct team *team, struct hbs_mailbox *me, uint32_t epoch, uint64_t budget,
		      unsigned int *seed)
{
	struct storm *storm = team->data;

	while (budget) {
		uint64_t part = rand_r(seed) % budget + 1;
		uint64_t rest = part - 1;
		int ret;

		atomic_fetch_add(&storm->unfreed[epoch], 1);
		ret = hbs_message_send(me, rand_r(seed) % team->threads, &rest, sizeof(rest));
		if (ret) {
			atomic_fetch_sub(&storm->unfreed[epoch], 1);
			if (ret != -EAGAIN)
				give_up(team, ret, NULL);
			return;
		}
		atomic_fetch_add(&storm->sent, 1);
		budget -= part;
	}
}

static int storm_epoch(struct team *team, struct hbs_mailbox *me, uint32_t epoch,
		       unsigned int *seed)
{
	struct storm *storm = team->data;
	struct hbs_message message;
	int vote = 1, ret;

	send_some(team, me, epoch, rand_r(seed) % 20, seed);
	for (;;) {
		int next = rand_r(seed) % 4 != 0;

		atomic_fetch_add(&storm->against[epoch], vote - next);
		vote = next;
		ret = hbs_idle(me, vote);
		if (ret)
			return ret;
		atomic_fetch_add(&storm->refuted, 1);
		while (!hbs_message_recv(me, &message)) {
			send_some(team, me, epoch, *(uint64_t *)message.data, seed);
			atomic_fetch_sub(&storm->unfreed[epoch], 1);
			hbs_message_free(me, &message);
		}
	}
}

static void weather(struct team *team, unsigned int rank, struct hbs_mailbox *me)
{
	struct storm *storm = team->data;
	unsigned int seed = 1000 * team->threads + rank;

	for (uint32_t epoch = 0; length_has(&storm->length, rank, epoch); epoch++) {
		int ret = storm_epoch(team, me, epoch, &seed);

		if (ret < 0) {
			give_up(team, ret, NULL);
			return;
		}
		if (atomic_load(&storm->unfreed[epoch])) {
			give_up(team, 0, "an epoch is over with a message in flight");
			return;
		}
		if ((ret == 2) != !atomic_load(&storm->against[epoch])) {
			give_up(team, 0, "the outcome is not that of the last votes");
			return;
		}
	}
}

TEST_F(idle, storms)
{
	static const unsigned int sizes[] = { 1, 2, 3, 4, 8 };

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct hbs_group_attr attr = {
			.members = sizes[i],
			.type = HBS_REFUTABLE,
			.depart_by = variant->depart_by,
		};
		unsigned int most = 500 / sizes[i] / (sizes[i] > cpus() ? 4 : 1);
		struct storm *storm = calloc(1, sizeof(*storm));
		struct team team = { .threads = sizes[i], .work = weather, .data = storm };
		struct hbs_group_stats stats;

		ASSERT_NE(storm, NULL);
		storm->length = length_of_storm(most);
		run(_metadata, self, &attr, &team);
		ASSERT_EQ(hbs_group_stats(team.group, &stats), 0);
		EXPECT_EQ(stats.barriers, storm->length.epochs);
		EXPECT_EQ(stats.dropped, 0);
		EXPECT_EQ(stats.in_flight, 0);
		/* a member that finds a message at once does not say that it is idle */
		EXPECT_EQ(stats.arrivals, storm->length.epochs * sizes[i] + stats.withdrawals);
		EXPECT_LE(stats.withdrawals, atomic_load(&storm->refuted));
		TH_LOG("%u threads, %u of %u epochs: %lu messages, %llu withdrawals", sizes[i],
		       storm->length.epochs, most, atomic_load(&storm->sent),
		       (unsigned long long)stats.withdrawals);
		end(_metadata, &team);
		free(storm);
	}
}

static void walk(struct team *team, unsigned int rank, struct hbs_mailbox *me)
{
	unsigned int epochs;
	int ret = find_paths(team->data, me, rank, team->threads, &epochs);

	if (ret < 0)
		give_up(team, ret, NULL);
}

static void check_paths(struct __test_metadata *_metadata, FIXTURE_DATA(idle) *self,
			enum hbs_depart_by depart_by, unsigned int threads, bool in_steps)
{
	struct hbs_group_attr attr = {
		.members = threads,
		.type = HBS_REFUTABLE,
		.depart_by = depart_by,
	};
	struct graph *graph = calloc(1, sizeof(*graph));
	struct graph *alone = calloc(1, sizeof(*alone));
	struct team team = { .threads = threads, .work = walk, .data = graph };
	struct hbs_group_stats stats;
	double start = seconds();

	ASSERT_NE(graph, NULL);
	ASSERT_NE(alone, NULL);
	make_graph(graph, MOST_VERTICES);
	graph->in_steps = in_steps;
	run(_metadata, self, &attr, &team);
	make_graph(alone, MOST_VERTICES);
	find_paths_alone(alone);
	EXPECT_EQ(memcmp(graph->distance, alone->distance, sizeof(graph->distance)), 0);
	ASSERT_EQ(hbs_group_stats(team.group, &stats), 0);
	if (in_steps) {
		EXPECT_GT(stats.barriers, 5);
	} else {
		EXPECT_EQ(stats.barriers, 1);
	}
	TH_LOG("%u threads, %d edges: %llu epochs, %llu withdrawals, %.1f s", threads,
	       MOST_VERTICES * EDGES, (unsigned long long)stats.barriers,
	       (unsigned long long)stats.withdrawals, seconds() - start);
	end(_metadata, &team);
	free(graph);
	free(alone);
}

TEST_F(idle, shortest_paths)
{
	check_paths(_metadata, self, variant->depart_by, 2, false);
	check_paths(_metadata, self, variant->depart_by, cpus() < 4 ? 2 : 4, false);
}

TEST_F(idle, shortest_paths_in_steps)
{
	check_paths(_metadata, self, variant->depart_by, 2, true);
	check_paths(_metadata, self, variant->depart_by, cpus() < 4 ? 2 : 4, true);
}

/* What the calls say where nothing can be idle */
TEST_F(idle, refused)
{
	struct hbs_group_attr refutable = { .members = 1, .type = HBS_REFUTABLE };
	struct hbs_group_attr barrier = { .members = 1 };
	struct hbs_messages_attr two = { .members = 2 };
	struct hbs_message message;
	struct hbs_group *group, *other;
	struct hbs_member *member, *plain;
	struct hbs_messages *messages;
	struct hbs_group_stats stats;
	struct hbs_mailbox *me;

	ASSERT_EQ(hbs_group_create(self->hbs, &refutable, &group), 0);
	ASSERT_EQ(hbs_group_create(self->hbs, &barrier, &other), 0);
	ASSERT_EQ(hbs_join(group, &member), 0);
	ASSERT_EQ(hbs_join(other, &plain), 0);
	ASSERT_EQ(hbs_messages_create(&two, &messages), 0);
	ASSERT_EQ(hbs_mailbox_open(messages, 0, &me), 0);
	EXPECT_EQ(hbs_idle(me, 0), -EINVAL);
	EXPECT_EQ(hbs_idle(NULL, 0), -EINVAL);
	EXPECT_EQ(hbs_mailbox_bind(NULL, member), -EINVAL);
	EXPECT_EQ(hbs_mailbox_bind(me, NULL), -EINVAL);
	EXPECT_EQ(hbs_mailbox_bind(me, plain), -EOPNOTSUPP);
	ASSERT_EQ(hbs_mailbox_bind(me, member), 0);
	EXPECT_EQ(hbs_mailbox_bind(me, member), -EBUSY);
	EXPECT_EQ(hbs_idle(me, 2), -EINVAL);
	EXPECT_EQ(hbs_idle(me, -1), -EINVAL);
	/* a message is there: nothing is said to the card */
	ASSERT_EQ(hbs_message_send(me, 0, "a", 1), 0);
	EXPECT_EQ(hbs_idle(me, 1), 0);
	ASSERT_EQ(hbs_message_recv(me, &message), 0);
	EXPECT_EQ(hbs_idle(me, 1), -EBUSY);
	ASSERT_EQ(hbs_group_stats(group, &stats), 0);
	EXPECT_EQ(stats.arrivals, 0);
	ASSERT_EQ(hbs_message_free(me, &message), 0);
	EXPECT_EQ(hbs_idle(me, 1), 2);
	EXPECT_EQ(hbs_idle(me, 0), 1);
	ASSERT_EQ(hbs_group_stats(group, &stats), 0);
	EXPECT_EQ(stats.arrivals, 2);
	ASSERT_EQ(hbs_group_destroy(group), 0);
	EXPECT_EQ(hbs_idle(me, 0), -EIDRM);
	ASSERT_EQ(hbs_mailbox_close(me), 0);
	ASSERT_EQ(hbs_messages_close(messages), 0);
	ASSERT_EQ(hbs_leave(member), 0);
	ASSERT_EQ(hbs_leave(plain), 0);
	ASSERT_EQ(hbs_group_close(group), 0);
	ASSERT_EQ(hbs_group_close(other), 0);
}

TEST_HARNESS_MAIN
