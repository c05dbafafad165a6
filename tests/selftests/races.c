// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Threads in barriers with every way to complete, arrive and depart; and one thread
 * that watches a group that is reset.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#include "harness.h"
#include "hbs_test.h"
#include "modes.h"

/* Threads that check each other: all are in the epoch or have just been */
#define RACERS 3
struct race {
	struct member member[RACERS];
	_Atomic unsigned int epoch[RACERS];
	_Atomic unsigned int wrong;
	_Atomic unsigned int next;
	unsigned int epochs;
};

static void *racer_run(void *arg)
{
	struct race *race = arg;
	unsigned int me = race->next++;
	struct member *member = &race->member[me];

	for (unsigned int epoch = 1; epoch <= race->epochs; epoch++) {
		race->epoch[me] = epoch;
		if ((epoch + me) % 8 ? barrier(member) : barrier_sleep(member)) {
			race->wrong++;
			break;
		}
		for (int i = 0; i < RACERS; i++)
			if (race->epoch[i] != epoch && race->epoch[i] != epoch + 1)
				race->wrong++;
	}
	return NULL;
}

HBS_FIXTURE(races)
MODES(races)

TEST_F(races, ordering)
{
	const struct hbs_group_create with = {
		.completion = variant->completion,
		.arrival = variant->arrival,
		.departure = variant->departure,
	};
	static struct race race;
	pthread_t thread[RACERS];
	struct group group;
	struct port port;

	race.epochs = env_long("HBS_TEST_EPOCHS", 150);
	ASSERT_EQ(group_create_with(self->card, RACERS, &with, &group), 0);
	for (int i = 0; i < RACERS; i++) {
		ASSERT_EQ(port_alloc_for(&group, self->card, &port), 0);
		ASSERT_EQ(join(&group, &port, &race.member[i]), 0);
	}
	for (int i = 0; i < RACERS; i++)
		ASSERT_EQ(pthread_create(&thread[i], NULL, racer_run, &race), 0);
	for (int i = 0; i < RACERS; i++)
		ASSERT_EQ(pthread_join(thread[i], NULL), 0);
	EXPECT_EQ(race.wrong, 0);
	for (int i = 0; i < RACERS; i++)
		EXPECT_EQ(race.epoch[i], race.epochs);
}

/*
 * A thread that watches the DEPARTURE line during a reset must not see the epoch
 * that would release it.
 */
struct watch {
	struct member member;
	_Atomic bool stop;
	_Atomic uint64_t last; /* word that it has seen */
	unsigned int releases;
	pthread_t thread;
};

static void *watch_run(void *arg)
{
	struct watch *watch = arg;
	uint64_t now, last = 0;

	while (!watch->stop) {
		now = *watch->member.record;
		if (now == last)
			continue;
		/* Nobody arrives: one epoch more than before would be a release. */
		watch->releases += last && now == (last & EPOCH_MASK) + HBS_WORD_EPOCH_ONE;
		last = now;
		watch->last = now;
	}
	return NULL;
}

/* Until it has seen this word: the reset that comes then finds it at it */
static int watch_sees(const struct watch *watch, uint64_t word)
{
	double end = seconds() + 10;

	while (watch->last != word) {
		if (seconds() > end)
			return -ETIMEDOUT;
		sched_yield();
	}
	return 0;
}

TEST(no_release_by_reset)
{
	const struct hbs_group_create with = { .departure = HBS_DEPARTURE_CSR };
	static struct watch watch;
	struct usage before;
	struct group group;
	struct port port;
	int card;

	usage_note(&before);
	card = card_open();
	ASSERT_GE(card, 0);
	ASSERT_EQ(group_create_with(card, 2, &with, &group), 0);
	ASSERT_EQ(port_alloc(card, &port), 0);
	ASSERT_EQ(join(&group, &port, &watch.member), 0);
	ASSERT_EQ(pthread_create(&watch.thread, NULL, watch_run, &watch), 0);
	ASSERT_EQ(watch_sees(&watch, watch.member.word), 0);
	for (int round = 0; round < 200; round++) {
		struct member member;

		ASSERT_EQ(group_reset(group.fd), 0);
		/* No member, nothing to be seen */
		ASSERT_EQ(watch_sees(&watch, 0), 0);
		ASSERT_EQ(join(&group, &port, &member), 0);
		ASSERT_EQ(watch_sees(&watch, member.word), 0);
	}
	watch.stop = true;
	ASSERT_EQ(pthread_join(watch.thread, NULL), 0);
	EXPECT_EQ(watch.releases, 0);
	release_all();
	EXPECT_EQ(usage_compare(&before), 0);
}

TEST_HARNESS_MAIN
