// SPDX-License-Identifier: GPL-2.0-or-later
/* Values with the barrier: every result is what a loop over the values gives */
#include <errno.h>

#include "conformance.h"

static uint64_t reduce(enum hbs_reduction reduction, uint64_t a, uint64_t b)
{
	switch (reduction) {
	case HBS_AND:
		return a & b;
	case HBS_OR:
		return a | b;
	case HBS_XOR:
		return a ^ b;
	case HBS_SUM:
		return a + b;
	case HBS_MIN:
		return a < b ? a : b;
	case HBS_MAX:
		return a > b ? a : b;
	case HBS_SMIN:
		return (int64_t)a < (int64_t)b ? a : b;
	default:
		return (int64_t)a > (int64_t)b ? a : b;
	}
}

static const enum hbs_reduction reductions[] = {
	HBS_AND, HBS_OR, HBS_XOR, HBS_SUM, HBS_MIN, HBS_MAX, HBS_SMIN, HBS_SMAX,
};

#define REDUCTIONS (sizeof(reductions) / sizeof(reductions[0]))

/* What a member brings: an edge or anything */
static uint64_t value_of(uint64_t epoch, unsigned int index)
{
	static const uint64_t edges[] = {
		0,
		1,
		2,
		UINT64_MAX,
		UINT64_MAX - 1,
		INT64_MAX,
		1ULL << 63,
		(1ULL << 63) + 1,
		UINT32_MAX,
		1ULL << 32,
		1ULL << 31,
	};
	uint64_t seed = epoch << 32 | index;
	uint64_t random = random_from(&seed);

	return random % 3 ? random_from(&seed) : edges[random / 3 % 11];
}

static uint64_t expected(enum hbs_reduction reduction, uint64_t epoch, unsigned int count)
{
	uint64_t all = value_of(epoch, 0);

	for (unsigned int i = 1; i < count; i++)
		all = reduce(reduction, all, value_of(epoch, i));
	return all;
}

struct reducing {
	enum hbs_reduction reduction;
	unsigned int epochs;
};

/* By one call, or by arriving, departing and asking; the result stays until the next */
static int reduce_often(struct part *part)
{
	bool split = part->context->mode->features & SPLIT_PHASE;
	struct reducing *reducing = part->shared;

	for (uint64_t epoch = 1; epoch <= reducing->epochs; epoch++) {
		uint64_t want = expected(reducing->reduction, epoch, part->count);
		uint64_t value = value_of(epoch, part->index), got = ~want;

		if (!split || (epoch + part->index) % 2) {
			CHECK_IS(hbs_allreduce(part->me, value, &got), 0);
		} else {
			CHECK_IS(hbs_arrive_value(part->me, value), 0);
			CHECK_IS(hbs_result(part->me, &got), -EINVAL);
			CHECK_IS(hbs_wait(part->me), 0);
			CHECK_IS(hbs_result(part->me, &got), 0);
		}
		CHECK_IS(got, want);
		/* the others go on meanwhile, as far as they can */
		if (random_from(&part->seed) % 16 == 0)
			nap_us(100);
		got = ~want;
		CHECK_IS(hbs_result(part->me, &got), 0);
		CHECK_IS(got, want);
	}
	return 0;
}

static struct hbs_group *reducing_group(struct context *context, enum hbs_reduction reduction,
					unsigned int members)
{
	return make_group_of(context,
			     &(struct hbs_group_attr){ .members = members, .reduce = reduction });
}

static void reductions_are_right(struct context *context)
{
	for (unsigned int *n = context->threads; *n; n++)
		for (unsigned int i = 0; i < REDUCTIONS; i++) {
			struct reducing reducing = { reductions[i], scaled(context, 2000) };

			run_members(context, reducing_group(context, reductions[i], *n), *n,
				    reduce_often, &reducing);
		}
}

/* All pairs of edges */
static int bring_edges(struct part *part)
{
	static const uint64_t values[] = { 0, 1, UINT64_MAX, INT64_MAX, 1ULL << 63 };
	enum hbs_reduction *reduction = part->shared;

	for (unsigned int pair = 0; pair < 25; pair++) {
		uint64_t both[2] = { values[pair / 5], values[pair % 5] };
		uint64_t want = reduce(*reduction, both[0], both[1]);
		uint64_t got = ~want;

		CHECK_IS(hbs_allreduce(part->me, both[part->index], &got), 0);
		CHECK_IS(got, want);
		got = ~want;
		CHECK_IS(hbs_result(part->me, &got), 0);
		CHECK_IS(got, want);
	}
	return 0;
}

static void edges(struct context *context)
{
	for (unsigned int i = 0; i < REDUCTIONS; i++) {
		enum hbs_reduction reduction = reductions[i];

		run_members(context, reducing_group(context, reduction, 2), 2, bring_edges,
			    &reduction);
	}
}

/* b is slow: when it looks, a has brought its next value already */
static void results_stay(struct context *context)
{
	struct hbs_group *group = reducing_group(context, HBS_SUM, 2);
	struct hbs_member *m[2];
	uint64_t got;

	join(group, m, 2);
	IS(hbs_result(m[0], &got), -EINVAL);
	for (uint64_t i = 1; i <= 5; i++) {
		IS(hbs_arrive_value(m[1], i), 0);
		IS(hbs_allreduce(m[0], 10 * i, &got), 0);
		IS(got, 11 * i);
		IS(hbs_arrive_value(m[0], 1000), 0);
		IS(hbs_result(m[0], &got), -EINVAL);
		IS(hbs_wait(m[1]), 0);
		for (int j = 0; j < 2; j++) {
			got = 0;
			IS(hbs_result(m[1], &got), 0);
			IS(got, 11 * i);
		}
		/* nothing from the last barrier is in this one */
		IS(hbs_allreduce(m[1], 1, &got), 0);
		IS(got, 1001);
		IS(hbs_wait(m[0]), 0);
	}
	leave(m, 2);
}

/* An arrival that was refused brings nothing */
static void refused_brings_nothing(struct context *context)
{
	struct hbs_group *group = reducing_group(context, HBS_SUM, 2);
	struct hbs_member *m[2];
	uint64_t got = 0;

	join(group, m, 2);
	IS(hbs_arrive_value(m[0], 1), 0);
	IS(hbs_arrive_value(m[0], 100), -EALREADY);
	IS(hbs_allreduce(m[0], 100, &got), -EALREADY);
	IS(hbs_allreduce(m[1], 2, &got), 0);
	IS(got, 3);
	IS(hbs_wait(m[0]), 0);
	leave(m, 2);
}

/* A member that has arrived and leaves has brought its value */
static void leaver_brings_its_value(struct context *context)
{
	struct hbs_group *group = reducing_group(context, HBS_MAX, 3);
	struct hbs_member *m[3];
	uint64_t got = 0;

	join(group, m, 3);
	IS(hbs_arrive_value(m[0], 1), 0);
	IS(hbs_arrive_value(m[1], 2), 0);
	IS(hbs_allreduce(m[2], 3, &got), 0);
	IS(got, 3);
	IS(hbs_wait(m[0]), 0);
	IS(hbs_wait(m[1]), 0);
	IS(hbs_arrive_value(m[2], 77), 0);
	IS(hbs_leave(m[2]), 0);
	IS(hbs_arrive_value(m[0], 5), 0);
	IS(hbs_allreduce(m[1], 6, &got), 0);
	IS(got, 77);
	IS(hbs_wait(m[0]), 0);
	got = 0;
	IS(hbs_result(m[0], &got), 0);
	IS(got, 77);
	/* and not to the barrier after it */
	IS(hbs_arrive_value(m[0], 5), 0);
	IS(hbs_allreduce(m[1], 6, &got), 0);
	IS(got, 6);
	IS(hbs_wait(m[0]), 0);
	leave(m, 2);
}

/* A member that leaves without having arrived has not */
static void leaver_completes_with_the_others(struct context *context)
{
	struct hbs_group *group = reducing_group(context, HBS_MIN, 3);
	struct hbs_member *m[3];
	uint64_t got = 0;

	join(group, m, 3);
	IS(hbs_arrive_value(m[0], 1), 0);
	IS(hbs_arrive_value(m[1], 2), 0);
	IS(hbs_allreduce(m[2], 3, &got), 0);
	IS(got, 1);
	IS(hbs_wait(m[0]), 0);
	IS(hbs_wait(m[1]), 0);
	IS(hbs_arrive_value(m[0], 50), 0);
	IS(hbs_arrive_value(m[1], 40), 0);
	IS(hbs_leave(m[2]), 0);
	for (int i = 0; i < 2; i++) {
		got = 0;
		IS(hbs_wait(m[i]), 0);
		IS(hbs_result(m[i], &got), 0);
		IS(got, 40);
	}
	leave(m, 2);
}

static int vote_all_ways(struct part *part)
{
	for (unsigned int round = 0; round < 3; round++)
		for (unsigned int votes = 0; votes < 1u << part->count; votes++) {
			/* yes is anything but 0 */
			int yes = votes >> part->index & 1 ? -2 + 5 * (int)round : 0;
			int all = -1, any = -1;

			CHECK_IS(hbs_vote(part->me, yes, &all, &any), 0);
			CHECK_IS(all, votes == (1u << part->count) - 1);
			CHECK_IS(any, votes != 0);
			CHECK_IS(hbs_vote(part->me, 1, NULL, NULL), 0);
		}
	return 0;
}

static void votes(struct context *context)
{
	for (unsigned int *n = context->threads; *n; n++)
		if (*n <= 5)
			run_members(context, reducing_group(context, HBS_VOTE, *n), *n,
				    vote_all_ways, NULL);
}

/* Calls that a group is not made for, and groups that cannot be made */
static void other_groups(struct context *context)
{
	struct hbs_group *group = NULL, *plain = make_group(context, 1);
	struct hbs_group *summing = reducing_group(context, HBS_SUM, 1);
	struct hbs_group_attr attr = { .members = 1, .reduce = HBS_VOTE + 1 };
	struct hbs_member *m;
	uint64_t got = 9;
	int all, any;

	join(plain, &m, 1);
	IS(hbs_arrive_value(m, 1), -EOPNOTSUPP);
	IS(hbs_allreduce(m, 1, &got), -EOPNOTSUPP);
	IS(hbs_vote(m, 1, &all, &any), -EOPNOTSUPP);
	IS(hbs_barwait(m), 0);
	IS(hbs_result(m, &got), -EOPNOTSUPP);
	IS(got, 9);
	IS(barriers(plain), 1);
	leave(&m, 1);
	join(summing, &m, 1);
	IS(hbs_vote(m, 1, &all, &any), -EOPNOTSUPP);
	IS(barriers(summing), 0);
	leave(&m, 1);
	attr = group_attr(context, &attr);
	assert_true(hbs_group_create(context->hbs, &attr, &group) < 0);
	assert_null(group);
}

/* A broken group gives its error, and no result */
static void broken(struct context *context)
{
	struct hbs_group *group = reducing_group(context, HBS_SUM, 2);
	struct hbs_member *m[2];
	struct early early;
	uint64_t got = 9;

	join(group, m, 2);
	early_brings(context, &early, m[0], 1);
	IS(hbs_group_destroy(group), 0);
	IS(hbs_allreduce(m[1], 1, &got), -EIDRM);
	IS(hbs_arrive_value(m[1], 1), -EIDRM);
	IS(early_departs(&early), -EIDRM);
	IS(got, 9);
	leave(m, 2);
}

/* If a barrier was over before its group was reset, all have the result */
static void outlives_a_reset(struct context *context)
{
	struct hbs_group *group = reducing_group(context, HBS_SUM, 2);
	struct hbs_member *m[2];
	uint64_t got = 9;

	join(group, m, 2);
	IS(hbs_arrive_value(m[0], 40), 0);
	IS(hbs_allreduce(m[1], 2, &got), 0);
	IS(got, 42);
	IS(hbs_group_reset(group), 0);
	got = 9;
	IS(hbs_wait(m[0]), 0);
	IS(hbs_result(m[0], &got), 0);
	IS(got, 42);
	IS(hbs_result(m[1], &got), 0);
	IS(got, 42);
	IS(hbs_allreduce(m[0], 1, &got), -ECONNRESET);
	leave(m, 2);
}

/* A plain arrival in a group that reduces brings 0 */
static void plain_arrival(struct context *context)
{
	struct hbs_group *group = reducing_group(context, HBS_MIN, 2);
	struct hbs_member *m[2];
	struct early early;
	uint64_t got = 9;

	join(group, m, 2);
	early_arrives(context, &early, m[0]);
	IS(hbs_allreduce(m[1], 5, &got), 0);
	IS(got, 0);
	IS(early_departs(&early), 0);
	leave(m, 2);
}

const struct test value_tests[] = {
	{ "each reduction of random and edge values is right", reductions_are_right, VALUES },
	{ "reductions of all pairs of edges", edges, VALUES },
	{ "a result stays until its member arrives again", results_stay, VALUES | SPLIT_PHASE },
	{ "an arrival that is refused brings no value", refused_brings_nothing,
	  VALUES | SPLIT_PHASE },
	{ "who leaves after arriving has brought its value", leaver_brings_its_value,
	  VALUES | SPLIT_PHASE | MEMBERSHIP },
	{ "who leaves without arriving brings none", leaver_completes_with_the_others,
	  VALUES | SPLIT_PHASE | MEMBERSHIP },
	{ "a plain arrival brings 0", plain_arrival, VALUES },
	{ "votes", votes, VALUES },
	{ "values are refused by groups that do not reduce", other_groups, VALUES },
	{ "a broken group gives no result", broken, VALUES },
	{ "a result outlives a reset of its group", outlives_a_reset, VALUES | RESET },
	{ 0 },
};
