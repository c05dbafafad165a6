// SPDX-License-Identifier: GPL-2.0-or-later
/* Reductions: what a group does with the values that its members bring. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "hbs_test.h"

#define MEMBERS 5

#define REDUCES(op) (&(struct hbs_group_create){ .reduce = (op) })

HBS_FIXTURE(reductions)

struct team {
	struct group group;
	struct port port[MEMBERS];
	struct member member[MEMBERS];
};

static int team_create(int card, const struct hbs_group_create *with, struct team *team)
{
	int ret = group_create_with(card, MEMBERS, with, &team->group);

	for (int i = 0; i < MEMBERS && !ret; i++) {
		ret = port_alloc(card, &team->port[i]);
		if (!ret)
			ret = join(&team->group, &team->port[i], &team->member[i]);
	}
	return ret;
}

/* What the card must compute, written in another way: value by value */
static uint64_t reduced(enum hbs_reduce op, const uint64_t *value, int n)
{
	uint64_t r = value[0];
	bool all = true, any = false;

	for (int i = 0; i < n; i++) {
		all &= !!value[i];
		any |= !!value[i];
	}
	if (op == HBS_REDUCE_VOTE)
		return (all ? HBS_VOTE_ALL : 0) | (any ? HBS_VOTE_ANY : 0);
	for (int i = 1; i < n; i++) {
		uint64_t v = value[i];

		switch (op) {
		case HBS_REDUCE_AND:
			r &= v;
			break;
		case HBS_REDUCE_OR:
			r |= v;
			break;
		case HBS_REDUCE_XOR:
			r ^= v;
			break;
		case HBS_REDUCE_SUM:
			r += v;
			break;
		case HBS_REDUCE_MIN:
			r = v < r ? v : r;
			break;
		case HBS_REDUCE_MAX:
			r = v > r ? v : r;
			break;
		case HBS_REDUCE_SMIN:
			r = (int64_t)v < (int64_t)r ? v : r;
			break;
		default:
			r = (int64_t)v > (int64_t)r ? v : r;
			break;
		}
	}
	return r;
}

static uint64_t value(unsigned int *seed)
{
	static const uint64_t edge[] = { 0, 0, 1, INT64_MAX, 1ULL << 63, UINT64_MAX };
	unsigned int kind = rand_r(seed) % 8;

	if (kind < ARRAY_SIZE(edge))
		return edge[kind];
	return (uint64_t)rand_r(seed) << 42 ^ (uint64_t)rand_r(seed) << 21 ^ rand_r(seed);
}

/* Every operation, over edges and chance, in any order of arrival */
TEST_F(reductions, operations)
{
	unsigned int seed = 1;

	EXPECT_NE(self->info.features & HBS_FEATURE_REDUCE, 0);
	for (uint32_t op = HBS_REDUCE_AND; op <= HBS_REDUCE_VOTE; op++) {
		struct hbs_group_info info;
		struct team team;

		ASSERT_EQ(team_create(self->card, REDUCES(op), &team), 0);
		ASSERT_EQ(group_info(team.group.fd, &info), 0);
		EXPECT_EQ(info.reduce, op);
		for (int epoch = 0; epoch < 60; epoch++) {
			uint64_t values[MEMBERS];
			int first = rand_r(&seed) % MEMBERS;

			for (int i = 0; i < MEMBERS; i++)
				values[i] = value(&seed);
			for (int i = 0; i < MEMBERS; i++) {
				int who = (first + i) % MEMBERS;

				arrive_value(&team.member[who], values[who]);
			}
			for (int i = 0; i < MEMBERS; i++) {
				ASSERT_EQ(wait_spin(&team.member[i]), 0);
				ASSERT_EQ(result(&team.member[i]), reduced(op, values, MEMBERS));
			}
		}
		for (int i = 0; i < MEMBERS; i++)
			ASSERT_EQ(leave(&team.member[i]), 0);
		for (int i = 0; i < MEMBERS; i++)
			ASSERT_EQ(port_free(&team.port[i]), 0);
		ASSERT_EQ(group_close(&team.group), 0);
	}
}

TEST_F(reductions, unknown)
{
	struct group group;

	for (uint32_t op = HBS_REDUCE_VOTE + 1; op < 300; op++)
		EXPECT_EQ(group_create_with(self->card, 1, REDUCES(op), &group), -EOPNOTSUPP);
	for (int bit = 4; bit < 32; bit++)
		EXPECT_EQ(group_create_with(self->card, 1, REDUCES(1U << bit), &group),
			  -EOPNOTSUPP);
	EXPECT_EQ(group_create_with(self->card, 1, REDUCES(UINT32_MAX), &group), -EOPNOTSUPP);
}

/* A plain group ignores values and writes no result */
TEST_F(reductions, none)
{
	struct hbs_group_counters counters;
	struct team team;

	ASSERT_EQ(team_create(self->card, REDUCES(HBS_REDUCE_NONE), &team), 0);
	for (int epoch = 0; epoch < 10; epoch++) {
		for (int i = 0; i < MEMBERS; i++)
			arrive_value(&team.member[i], 77 + i);
		for (int i = 0; i < MEMBERS; i++) {
			ASSERT_EQ(wait_spin(&team.member[i]), 0);
			ASSERT_EQ(result(&team.member[i]), 0);
		}
	}
	ASSERT_EQ(group_counters(team.group.fd, &counters), 0);
	EXPECT_EQ(counters.record_writes, 1 + 10);
}

/*
 * A member that arrives and then leaves or dies has brought its value; one that did not arrive
 * has not
 */
TEST_F(reductions, leavers)
{
	struct hbs_group_create with = {
		.reduce = HBS_REDUCE_SUM,
		.policy = HBS_POLICY_SHRINK,
	};
	struct team team;

	ASSERT_EQ(team_create(self->card, &with, &team), 0);
	arrive_value(&team.member[0], 1);
	ASSERT_EQ(leave(&team.member[0]), 0);
	arrive_value(&team.member[1], 10);
	ASSERT_EQ(port_unmap(&team.port[1]), 0);
	ASSERT_EQ(leave(&team.member[2]), 0);
	arrive_value(&team.member[3], 100);
	arrive_value(&team.member[4], 1000);
	for (int i = 3; i < 5; i++) {
		ASSERT_EQ(wait_spin(&team.member[i]), 0);
		EXPECT_EQ(result(&team.member[i]), 1111);
	}
	/* A leave that completes the epoch */
	ASSERT_EQ(join(&team.group, &team.port[2], &team.member[2]), 0);
	arrive_value(&team.member[3], 5);
	arrive_value(&team.member[4], 6);
	ASSERT_EQ(leave(&team.member[2]), 0);
	for (int i = 3; i < 5; i++) {
		ASSERT_EQ(wait_spin(&team.member[i]), 0);
		EXPECT_EQ(result(&team.member[i]), 11);
	}
}

/* Dropped arrivals bring nothing */
TEST_F(reductions, dropped_values)
{
	struct port stranger;
	struct team team;

	ASSERT_EQ(team_create(self->card, REDUCES(HBS_REDUCE_SUM), &team), 0);
	ASSERT_EQ(port_alloc(self->card, &stranger), 0);
	for (int epoch = 0; epoch < 5; epoch++) {
		*(volatile uint64_t *)((char *)stranger.map + team.group.number * HBS_LANE_SIZE) =
			1000;
		for (int i = 0; i < MEMBERS - 1; i++) {
			arrive_value(&team.member[i], 1);
			arrive_value(&team.member[i], 100);
		}
		arrive_value(&team.member[MEMBERS - 1], 1);
		for (int i = 0; i < MEMBERS; i++) {
			ASSERT_EQ(wait_spin(&team.member[i]), 0);
			ASSERT_EQ(result(&team.member[i]), MEMBERS);
		}
	}
}

/* The result is there before the word, however fast the epochs are */
struct adder {
	struct port port;
	struct member member;
	unsigned int id;
	bool asleep;
	int epochs;
	int wrong;
	int result;
	pthread_t thread;
};

static void *adder_run(void *arg)
{
	struct adder *adder = arg;

	for (int i = 0; i < adder->epochs && !adder->result; i++) {
		/* Each member has digits of its own */
		uint64_t sum = (uint64_t)i | (uint64_t)i << 20 | (uint64_t)i << 40;

		arrive_value(&adder->member, (uint64_t)i << 20 * adder->id);
		adder->result =
			adder->asleep ? wait_sleep(&adder->member) : wait_spin(&adder->member);
		adder->wrong += !adder->result && result(&adder->member) != sum;
	}
	return NULL;
}

TEST_F(reductions, result_before_word)
{
	struct adder adder[3] = { 0 };
	struct group group;
	int epochs = accel_is("single") ? 2000 : 1000;

	for (int round = 0; round < 2; round++) {
		ASSERT_EQ(group_create_with(self->card, 3, REDUCES(HBS_REDUCE_SUM), &group), 0);
		for (int i = 0; i < 3; i++) {
			adder[i] = (struct adder){
				.id = i,
				.epochs = round ? epochs / 4 : epochs,
				.asleep = round && i,
			};
			ASSERT_EQ(port_alloc(self->card, &adder[i].port), 0);
			ASSERT_EQ(join(&group, &adder[i].port, &adder[i].member), 0);
		}
		for (int i = 0; i < 3; i++)
			ASSERT_EQ(pthread_create(&adder[i].thread, NULL, adder_run, &adder[i]), 0);
		for (int i = 0; i < 3; i++) {
			ASSERT_EQ(pthread_join(adder[i].thread, NULL), 0);
			EXPECT_EQ(adder[i].result, 0);
			EXPECT_EQ(adder[i].wrong, 0);
		}
	}
	TH_LOG("epochs %d", epochs + epochs / 4);
}

/* The kernel takes word and result from registers, while epochs go by: they belong together */
TEST_F(reductions, result_with_its_word)
{
	const struct hbs_group_create with = {
		.reduce = HBS_REDUCE_SUM,
		.departure = HBS_DEPARTURE_CSR,
	};
	struct adder adder[3] = { 0 };
	unsigned long asked = 0, told = 0, wrong = 0;
	struct group group;
	uint64_t first, end;

	ASSERT_EQ(group_create_with(self->card, 3, &with, &group), 0);
	for (int i = 0; i < 3; i++) {
		adder[i] = (struct adder){ .id = i, .epochs = 1000 };
		ASSERT_EQ(port_alloc(self->card, &adder[i].port), 0);
		ASSERT_EQ(join(&group, &adder[i].port, &adder[i].member), 0);
	}
	first = adder[0].member.word;
	end = first + adder[0].epochs * HBS_WORD_EPOCH_ONE;
	for (int i = 0; i < 3; i++)
		ASSERT_EQ(pthread_create(&adder[i].thread, NULL, adder_run, &adder[i]), 0);
	for (uint64_t word = 0; word < end; asked++) {
		struct hbs_group_wait wait = { .size = sizeof(wait), .deadline_ns = 1 };
		uint64_t n;

		ASSERT_EQ(hbs_ioctl(group.fd, HBS_GROUP_WAIT, &wait), 0);
		word = wait.word;
		if (wait.result_word <= first)
			continue;
		n = (wait.result_word - first) / HBS_WORD_EPOCH_ONE - 1;
		told++;
		wrong += wait.result != (n | n << 20 | n << 40);
	}
	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(pthread_join(adder[i].thread, NULL), 0);
		EXPECT_EQ(adder[i].result, 0);
		EXPECT_EQ(adder[i].wrong, 0);
	}
	EXPECT_GT(told, 0);
	EXPECT_EQ(wrong, 0);
	TH_LOG("asked %lu times, told %lu results", asked, told);
}

/* A released member that is slow still finds its result when the card goes or resets */
TEST_F(reductions, result_outlives_the_card)
{
	struct team team;
	char pci[32];

	ASSERT_EQ(card_pci_name(0, pci, sizeof(pci)), 0);
	ASSERT_EQ(team_create(self->card, REDUCES(HBS_REDUCE_XOR), &team), 0);
	/* In another record than the first, too */
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < MEMBERS; i++)
			arrive_value(&team.member[i], 1ULL << i);
		for (int i = 0; i < MEMBERS; i++)
			ASSERT_EQ(wait_spin(&team.member[i]), 0);
		EXPECT_EQ(result(&team.member[0]), (1 << MEMBERS) - 1);
		if (round)
			break;
		ASSERT_EQ(group_reset(team.group.fd), 0);
		EXPECT_EQ(result(&team.member[0]), (1 << MEMBERS) - 1);
		for (int i = 0; i < MEMBERS; i++)
			ASSERT_EQ(join(&team.group, &team.port[i], &team.member[i]), 0);
	}
	ASSERT_EQ(card_pci_write(pci, "reset", "1"), 0);
	EXPECT_EQ(word_error(*team.member[0].record), -ECONNRESET);
	EXPECT_EQ(result(&team.member[0]), (1 << MEMBERS) - 1);
}

TEST_HARNESS_MAIN
