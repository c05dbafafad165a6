// SPDX-License-Identifier: GPL-2.0-or-later
/* The callback of a barrier: once, after all have arrived, before anyone departs */
#define _GNU_SOURCE
#include <errno.h>
#include <unistd.h>

#include "conformance.h"

/* Plain memory: the barrier orders the callback too */
struct callback {
	uint64_t at[MAX_THREADS * LINE];
	pid_t tid[MAX_THREADS];
	unsigned int members; /* whose arrival it looks for */
	unsigned int epochs, nap;
	uint64_t count, wrong;
	pid_t last;
	int way;
};

static void called(void *argument)
{
	struct callback *callback = argument;
	uint64_t epoch = callback->count + 1;

	for (unsigned int i = 0; i < callback->members; i++)
		callback->wrong += callback->at[i * LINE] != epoch;
	callback->last = gettid();
	if (callback->nap)
		nap_us(callback->nap);
	callback->count = epoch;
}

static struct hbs_group *callback_group(struct context *context, struct callback *callback,
					unsigned int members)
{
	return make_group_of(context, &(struct hbs_group_attr){ .members = members,
								.completion = called,
								.completion_arg = callback });
}

static int depart_after_callback(struct part *part)
{
	struct callback *callback = part->shared;

	callback->tid[part->index] = gettid();
	for (uint64_t epoch = 1; epoch <= callback->epochs; epoch++) {
		enum way way = way_of(callback->way, epoch + part->index);
		bool by_member = false;

		callback->at[part->index * LINE] = epoch;
		CHECK_IS(pass(part, way), 0);
		/* none later can have run, for this one has not arrived again */
		CHECK_IS(callback->count, epoch);
		for (unsigned int i = 0; i < part->count; i++)
			by_member |= callback->tid[i] == callback->last;
		CHECK(by_member);
	}
	return 0;
}

static void run_callbacks(struct context *context, int way, unsigned int epochs, unsigned int nap)
{
	for (unsigned int *n = context->threads; *n; n++) {
		static struct callback callback;

		callback = (struct callback){
			.members = *n, .epochs = epochs, .nap = nap, .way = way
		};
		run_members(context, callback_group(context, &callback, *n), *n,
			    depart_after_callback, &callback);
		IS(callback.count, epochs);
		IS(callback.wrong, 0);
	}
}

static void once_before_anyone_departs(struct context *context)
{
	run_callbacks(context, BY_BARWAIT, scaled(context, 2000), 0);
}

static void in_every_way(struct context *context)
{
	for (int way = 0; way < WAYS; way++)
		run_callbacks(context, way, scaled(context, 300), 0);
	run_callbacks(context, -1, scaled(context, 1000), 0);
}

static void nobody_departs_meanwhile(struct context *context)
{
	run_callbacks(context, -1, 8, 5000);
}

/* In one thread, step by step */
static void by_testing(struct context *context)
{
	static struct callback callback;
	struct hbs_member *m[3];

	callback = (struct callback){ 0 };
	join(callback_group(context, &callback, 3), m, 3);
	for (uint64_t epoch = 1; epoch <= 10; epoch++) {
		int departed = 0, left[3] = { 1, 1, 1 };

		for (int i = 0; i < 3; i++) {
			for (int j = 0; j < i; j++)
				IS(hbs_test(m[j]), 0);
			IS(callback.count, epoch - 1);
			IS(hbs_arrive(m[i]), 0);
		}
		/* each test returns; none departs before the callback has run */
		for (int tries = 0; departed < 3 && tries < 1000; tries++) {
			for (int i = 0; i < 3; i++)
				if (left[i] && hbs_test(m[i])) {
					IS(callback.count, epoch);
					left[i] = 0;
					departed++;
				}
			if (lags(context))
				nap_us(1000);
		}
		IS(departed, 3);
		IS(callback.count, epoch);
		for (int i = 0; i < 3; i++)
			IS(hbs_test(m[i]), -EINVAL);
	}
	leave(m, 3);
}

/* A member that has arrived, and looks no more, holds nobody up */
static void arrived_is_enough(struct context *context)
{
	static struct callback callback;
	struct hbs_member *m[2];

	callback = (struct callback){ 0 };
	join(callback_group(context, &callback, 2), m, 2);
	for (uint64_t epoch = 1; epoch <= 3; epoch++) {
		IS(hbs_arrive(m[epoch % 2]), 0);
		IS(hbs_arrive(m[1 - epoch % 2]), 0);
		IS(hbs_wait_for(m[0], 2000000000), 0);
		IS(callback.count, epoch);
		IS(hbs_wait(m[1]), 0);
	}
	leave(m, 2);
}

static void who_leaves_completes(struct context *context)
{
	static struct callback callback;
	struct hbs_member *m[3];

	callback = (struct callback){ 0 };
	join(callback_group(context, &callback, 3), m, 3);
	for (int i = 0; i < 3; i++)
		IS(hbs_arrive(m[i]), 0);
	for (int i = 0; i < 3; i++)
		IS(hbs_wait(m[i]), 0);
	IS(hbs_arrive(m[0]), 0);
	IS(hbs_arrive(m[1]), 0);
	IS(hbs_leave(m[2]), 0);
	IS(hbs_wait(m[0]), 0);
	IS(callback.count, 2);
	IS(hbs_wait(m[1]), 0);
	IS(callback.count, 2);
	if (context->mode->features & DROP) {
		IS(hbs_arrive(m[0]), 0);
		IS(hbs_arrive_and_drop(m[1]), 0);
		IS(hbs_wait(m[0]), 0);
		IS(callback.count, 3);
		IS(hbs_barwait(m[0]), 0);
		IS(callback.count, 4);
	} else {
		leave(&m[1], 1);
	}
	leave(m, 1);
}

static void not_for_a_broken_one(struct context *context)
{
	static struct callback callback;
	struct hbs_group *group;
	struct hbs_member *m[2];
	struct waiter waiter;

	callback = (struct callback){ 0 };
	group = callback_group(context, &callback, 2);
	join(group, m, 2);
	waiter_start(&waiter, m[0], hbs_barwait);
	IS(hbs_group_destroy(group), 0);
	IS(waiter_end(&waiter), -EIDRM);
	IS(hbs_barwait(m[1]), -EIDRM);
	IS(hbs_test(m[0]), -EIDRM);
	IS(callback.count, 0);
	leave(m, 2);
}

/* The time counts until all have arrived, not until the callback is over */
static void times_out_without_it(struct context *context)
{
	static struct callback callback;
	struct hbs_group *group;
	struct hbs_member *m[2];

	callback = (struct callback){ .nap = 900000 };
	group = make_group_of(context, &(struct hbs_group_attr){ .members = 2,
								 .timeout_ns = 600000000,
								 .completion = called,
								 .completion_arg = &callback });
	join(group, m, 2);
	pass_all(context, m, 2);
	IS(callback.count, 1);
	IS(hbs_barwait(m[0]), -ETIMEDOUT);
	IS(hbs_barwait(m[1]), -ETIMEDOUT);
	IS(callback.count, 1);
	leave(m, 2);
}

/* The callback and the members in it are of one process */
static void of_one_process(struct context *context)
{
	static struct callback callback;

	callback = (struct callback){ 0 };
	IS(hbs_group_fd(callback_group(context, &callback, 2)), -EOPNOTSUPP);
}

static void stays_a_broken_or_whole(struct context *context)
{
	uint64_t seed = 3;

	for (unsigned int round = 0; round < scaled(context, 300); round++) {
		static struct callback callback;
		static struct race race;
		struct hbs_group_attr attr;
		struct hbs_group *group;

		callback = (struct callback){ 0 };
		attr = group_attr(context, &(struct hbs_group_attr){ .members = 3,
								     .completion = called,
								     .completion_arg = &callback });
		IS(hbs_group_create(context->hbs, &attr, &group), 0);
		race_start(&race, group, 3);
		nap_us(random_from(&seed) % 500);
		IS(hbs_group_destroy(group), 0);
		race_ends(&race, -EIDRM);
		/* it may have run for a barrier that broke before anyone departed */
		assert_true(callback.count == race.passed[0] ||
			    callback.count == race.passed[0] + 1);
		IS(hbs_group_close(group), 0);
	}
}

const struct test completion_tests[] = {
	{ "the callback runs once, before anyone departs", once_before_anyone_departs, COMPLETION },
	{ "the callback runs in every way to depart", in_every_way, COMPLETION },
	{ "nobody departs while the callback runs", nobody_departs_meanwhile, COMPLETION },
	{ "the callback runs once for those who test", by_testing, COMPLETION | SPLIT_PHASE },
	{ "who arrived and does not look holds no callback up", arrived_is_enough,
	  COMPLETION | SPLIT_PHASE | DEADLINES },
	{ "the callback runs once when leaving completes a barrier", who_leaves_completes,
	  COMPLETION | SPLIT_PHASE | MEMBERSHIP },
	{ "the callback does not run for a broken barrier", not_for_a_broken_one, COMPLETION },
	{ "the callback does not run for a barrier that timed out", times_out_without_it,
	  COMPLETION | TIMEOUTS },
	{ "all get 0 for a barrier with a callback, or none", stays_a_broken_or_whole, COMPLETION },
	{ "a group with a callback is of one process", of_one_process, COMPLETION },
	{ 0 },
};
