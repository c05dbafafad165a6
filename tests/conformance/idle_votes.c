// SPDX-License-Identifier: GPL-2.0-or-later
/* Refutable groups: votes, and values that are reduced; what is withdrawn does not count */
#include <errno.h>

#include "conformance.h"

static void see_votes(struct hbs_member **members, unsigned int count, int want_all, int want_any)
{
	for (unsigned int i = 0; i < count; i++) {
		int all = -1, any = -1;

		IS(hbs_votes(members[i], &all, NULL), 0);
		IS(hbs_votes(members[i], NULL, &any), 0);
		IS(hbs_votes(members[i], NULL, NULL), 0);
		IS(all, want_all);
		IS(any, want_any);
	}
}

static void each_outcome(struct context *context)
{
	struct hbs_group *group = make_refutable(context, 3);
	struct hbs_member *m[3];

	join(group, m, 3);
	for (unsigned int votes = 0; votes < 16; votes++) {
		for (unsigned int i = 0; i < 3; i++)
			IS(be_idle(m[i], 0, 0, votes >> i & 1), 0);
		all_depart(context, m, 3);
		see_votes(m, 3, (votes & 7) == 7, (votes & 7) != 0);
	}
	leave(m, 3);
}

/* Whoever votes first for one thing and then for another, also while the others are idle */
static void withdrawn(struct context *context)
{
	struct hbs_group *group = make_refutable(context, 2);
	struct hbs_member *m[2];

	join(group, m, 2);
	for (unsigned int votes = 0; votes < 32; votes++) {
		int first = votes & 1, second = votes >> 1 & 1, last = votes >> 2 & 1;
		int other = votes >> 3 & 1, early = votes >> 4 & 1;

		if (early)
			IS(be_idle(m[1], 0, 0, other), 0);
		IS(be_idle(m[0], 1, 0, first), 0);
		IS(hbs_withdraw(m[0]), 0);
		IS(be_idle(m[0], 0, 0, second), 0);
		if (!early)
			IS(be_idle(m[1], 0, 0, other), 0);
		none_departs(m, 2);
		IS(hbs_withdraw(m[0]), 0);
		IS(be_idle(m[0], 0, 1, last), 0);
		all_depart(context, m, 2);
		see_votes(m, 2, last && other, last || other);
	}
	leave(m, 2);
}

/* Nobody withdraws: all go on as fast as they can, and the outcome is another one each time */
#define EPOCHS 16000

static int alternate(struct part *part)
{
	unsigned int epochs = scaled(part->context, EPOCHS);

	for (unsigned int epoch = 0; epoch < epochs; epoch++) {
		int vote = epoch & 1, all = -1, any = -1;

		CHECK_IS(be_idle(part->me, 0, 0, vote), 0);
		CHECK_IS(hbs_wait(part->me), 0);
		CHECK_IS(hbs_votes(part->me, &all, &any), 0);
		CHECK_IS(all, vote);
		CHECK_IS(any, vote);
	}
	return 0;
}

static void alternating(struct context *context)
{
	for (unsigned int n = 2; n <= 3; n++)
		run_members(context, make_refutable(context, n), n, alternate, NULL);
}

static void asked_too_early(struct context *context)
{
	struct hbs_group *group = make_refutable(context, 2);
	struct hbs_member *m[2];
	int all = 7;

	join(group, m, 2);
	IS(hbs_votes(m[0], &all, NULL), -EINVAL);
	for (unsigned int i = 0; i < 3; i++) {
		IS(be_idle(m[0], 0, 0, 1), 0);
		IS(hbs_votes(m[0], &all, NULL), -EINVAL);
		IS(be_idle(m[1], 0, 0, 1), 0);
		/* it is over, but the member has not departed */
		IS(hbs_votes(m[0], &all, NULL), -EINVAL);
		IS(all, 7);
		all_depart(context, m, 2);
		see_votes(m, 2, 1, 1);
		/* until it is idle again; the votes of the others stay as they are */
		IS(be_idle(m[1], 0, 0, 0), 0);
		see_votes(m, 1, 1, 1);
		IS(hbs_withdraw(m[1]), 0);
		/* then it is between two epochs, and in a new one */
		see_votes(m, 1, 1, 1);
	}
	leave(m, 2);
}

static uint64_t reduced(enum hbs_reduction reduce, const uint64_t *values, unsigned int count)
{
	uint64_t result = values[0];
	unsigned int yes = !!values[0];

	for (unsigned int i = 1; i < count; i++) {
		uint64_t value = values[i];

		yes += !!value;
		if (reduce == HBS_AND)
			result &= value;
		else if (reduce == HBS_OR)
			result |= value;
		else if (reduce == HBS_XOR)
			result ^= value;
		else if (reduce == HBS_SUM)
			result += value;
		else if (reduce == HBS_MIN    ? value < result
			 : reduce == HBS_MAX  ? value > result
			 : reduce == HBS_SMIN ? (int64_t)value < (int64_t)result
			 : reduce == HBS_SMAX ? (int64_t)value > (int64_t)result
					      : 0)
			result = value;
	}
	if (reduce == HBS_VOTE)
		return yes == count ? 3 : yes ? 2 : 0;
	return result;
}

static int bring(struct hbs_member *member, uint64_t sent, uint64_t freed, uint64_t value)
{
	return hbs_begin_idle(member,
			      &(struct hbs_idle){ .sent = sent, .freed = freed, .value = value });
}

#define MEMBERS 3

/* Member 0 brings something else first, and member 1 the same again; the numbers look random */
static uint64_t reduce_once(struct context *context, enum hbs_reduction reduce,
			    struct hbs_member **m, uint64_t *seed)
{
	uint64_t values[MEMBERS], got;

	for (unsigned int i = 0; i < MEMBERS; i++) {
		values[i] = random_from(seed);
		if (reduce == HBS_VOTE)
			values[i] %= 2;
	}
	IS(bring(m[0], 2, 0, random_from(seed)), 0);
	IS(bring(m[1], 0, 0, values[1]), 0);
	IS(bring(m[2], 0, 0, values[2]), 0);
	none_departs(m, MEMBERS);
	IS(hbs_withdraw(m[1]), 0);
	IS(bring(m[1], 0, 1, values[1]), 0);
	IS(hbs_withdraw(m[0]), 0);
	IS(bring(m[0], 0, 1, values[0]), 0);
	all_depart(context, m, MEMBERS);
	for (unsigned int i = 0; i < MEMBERS; i++) {
		IS(hbs_result(m[i], &got), 0);
		IS(got, reduced(reduce, values, MEMBERS));
	}
	return got;
}

/* The result stays until its member is idle again, and is there again if it withdraws */
static void result_stays(struct hbs_member **m, uint64_t want)
{
	uint64_t got = 0;

	IS(bring(m[0], 1, 0, want + 1), 0);
	IS(hbs_result(m[0], &got), -EINVAL);
	IS(hbs_withdraw(m[0]), 0);
	for (unsigned int i = 0; i < 2; i++) {
		IS(hbs_result(m[i], &got), 0);
		IS(got, want);
	}
	IS(bring(m[0], 0, 1, 0), 0);
	IS(hbs_withdraw(m[0]), 0);
}

static void values(struct context *context)
{
	uint64_t seed = 4, got;

	for (uint32_t reduce = HBS_AND; reduce <= HBS_VOTE; reduce++) {
		struct hbs_group_attr attr = { .members = MEMBERS,
					       .type = HBS_REFUTABLE,
					       .reduce = reduce };
		struct hbs_group *group = make_group_of(context, &attr);
		struct hbs_member *m[MEMBERS];

		join(group, m, MEMBERS);
		IS(hbs_result(m[0], &got), -EINVAL);
		for (unsigned int epoch = 0; epoch < 4; epoch++)
			result_stays(m, reduce_once(context, reduce, m, &seed));
		/* no value is the value 0 */
		all_idle(m, MEMBERS);
		IS(hbs_result(m[0], &got), -EINVAL);
		all_depart(context, m, MEMBERS);
		IS(hbs_result(m[0], &got), 0);
		IS(got, 0);
		leave(m, MEMBERS);
	}
}

/* Beside each other, and each on its own */
static void values_and_votes(struct context *context)
{
	struct hbs_group_attr attr = { .members = 2, .type = HBS_REFUTABLE, .reduce = HBS_SUM };
	struct hbs_group *group = make_group_of(context, &attr);
	struct hbs_member *m[2];
	uint64_t got;

	join(group, m, 2);
	for (uint64_t i = 0; i < 8; i++) {
		struct hbs_idle first = { .value = i << 40, .vote = i & 1 };
		struct hbs_idle second = { .value = 3 * i, .vote = i >> 1 & 1 };

		IS(hbs_begin_idle(m[0], &first), 0);
		IS(hbs_begin_idle(m[1], &second), 0);
		all_depart(context, m, 2);
		see_votes(m, 2, first.vote && second.vote, first.vote || second.vote);
		IS(hbs_result(m[1], &got), 0);
		IS(got, (i << 40) + 3 * i);
	}
	leave(m, 2);
}

const struct test idle_vote_tests[] = {
	{ "idle members vote", each_outcome, REFUTABLE },
	{ "idle members that withdraw take their votes back", withdrawn, REFUTABLE },
	{ "idle members alternate their votes", alternating, REFUTABLE },
	{ "idle members ask for votes when they have departed", asked_too_early, REFUTABLE },
	{ "idle members bring values, and withdrawn ones do not count", values,
	  REFUTABLE | VALUES },
	{ "idle members bring values and vote", values_and_votes, REFUTABLE | VALUES },
	{ 0 },
};
