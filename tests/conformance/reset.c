// SPDX-License-Identifier: GPL-2.0-or-later
/* Mending one group */
#include <errno.h>
#include <stdatomic.h>

#include "conformance.h"

/* New members, all seats of which are needed again */
static void works_anew(struct context *context, struct hbs_group *group, unsigned int count)
{
	struct hbs_member *m[MAX_THREADS], *none = NULL;

	join(group, m, count);
	IS(hbs_join(group, &none), -ENOSPC);
	for (int epoch = 0; epoch < 3; epoch++) {
		for (unsigned int i = 0; i < count; i++) {
			if (i)
				IS(hbs_test(m[0]), 0);
			IS(hbs_arrive(m[i]), 0);
		}
		for (unsigned int i = 0; i < count; i++)
			IS(over(context, m[i]), 1);
	}
	leave(m, count);
}

static void ends_memberships(struct context *context)
{
	struct crowd crowd;
	struct hbs_member *last;

	crowd_join(context, &crowd, &(struct hbs_group_attr){ .members = 1 });
	join(crowd.group, &last, 1);
	crowd_wait(&crowd);
	IS(hbs_group_reset(crowd.group), 0);
	crowd_ends(&crowd, -ECONNRESET);
	/* a former member gets it again, and its arrival is no one's */
	for (int i = 0; i < 2; i++) {
		IS(hbs_barwait(last), -ECONNRESET);
		IS(hbs_arrive(last), -ECONNRESET);
		IS(hbs_test(last), -ECONNRESET);
		IS(hbs_wait(crowd.members[0]), -ECONNRESET);
		IS(hbs_barwait(crowd.members[0]), -ECONNRESET);
	}
	works_anew(context, crowd.group, crowd.count + 1);
	/* also after others have passed barriers there */
	IS(hbs_barwait(last), -ECONNRESET);
	crowd_leave(&crowd);
	leave(&last, 1);
}

/* The departure of a former member leaves the new ones alone */
static void former_members_leave(struct context *context)
{
	struct hbs_group *group = make_group(context, 2);
	struct hbs_member *former[2], *m[2];

	join(group, former, 2);
	IS(hbs_arrive(former[0]), 0);
	IS(hbs_group_reset(group), 0);
	join(group, m, 2);
	IS(hbs_arrive(m[0]), 0);
	IS(hbs_leave(former[0]), 0);
	IS(hbs_test(m[0]), 0);
	IS(hbs_barwait(former[1]), -ECONNRESET);
	IS(hbs_test(m[0]), 0);
	IS(hbs_leave(former[1]), 0);
	IS(hbs_test(m[0]), 0);
	IS(hbs_barwait(m[1]), 0);
	IS(hbs_wait(m[0]), 0);
	leave(m, 2);
}

static void mends_what_is_broken(struct context *context)
{
	struct hbs_group *group = make_group_of(
		context, &(struct hbs_group_attr){ .members = 2, .timeout_ns = 1000000000 });
	struct hbs_member *m[2];

	join(group, m, 2);
	IS(hbs_barwait(m[0]), -ETIMEDOUT);
	IS(hbs_group_reset(group), 0);
	/* they had their error */
	IS(hbs_barwait(m[0]), -ETIMEDOUT);
	leave(m, 2);
	IS(hbs_group_missing(group, NULL, 0), 0);
	works_anew(context, group, 2);
}

/* Far more often than there are records in a page */
static void often(struct context *context)
{
	struct hbs_group *group = make_group(context, 2);
	struct hbs_member *former[2], *m[2];

	(void)context;
	join(group, former, 2);
	IS(hbs_arrive(former[0]), 0);
	for (int round = 0; round < 150; round++) {
		IS(hbs_group_reset(group), 0);
		join(group, m, 2);
		IS(hbs_arrive(m[0]), 0);
		if (round % 2) {
			IS(hbs_barwait(m[1]), 0);
			IS(hbs_wait(m[0]), 0);
		} else {
			IS(hbs_test(m[0]), 0);
		}
		leave(m, 2);
	}
	IS(hbs_wait(former[0]), -ECONNRESET);
	IS(hbs_barwait(former[1]), -ECONNRESET);
	leave(former, 2);
}

static void all_or_none(struct context *context)
{
	struct hbs_group *group = make_group(context, 3);
	uint64_t seed = 9;

	for (unsigned int round = 0; round < scaled(context, 600); round++) {
		static struct race race;

		race_start(&race, group, 3);
		nap_us(random_from(&seed) % 2000);
		IS(hbs_group_reset(group), 0);
		race_ends(&race, -ECONNRESET);
	}
	works_anew(context, group, 3);
}

struct undisturbed {
	struct context *context;
	struct hbs_group *group;
	struct steps steps;
	atomic_bool over;
};

static void *run_undisturbed(void *argument)
{
	struct undisturbed *undisturbed = argument;

	unsigned int failed = try_members(undisturbed->context, undisturbed->group, 2, take_steps,
					  &undisturbed->steps);

	atomic_store(&undisturbed->over, true);
	return failed ? NULL : undisturbed;
}

static void leaves_others_alone(struct context *context)
{
	struct hbs_group *group = make_group(context, 2);
	static struct undisturbed undisturbed;
	struct hbs_member *m[2];
	unsigned int resets = 0;
	void *result = NULL;
	pthread_t thread;

	undisturbed = (struct undisturbed){
		.context = context,
		.group = make_group(context, 2),
		.steps = { .epochs = scaled(context, 8000), .way = -1 },
	};
	IS(pthread_create(&thread, NULL, run_undisturbed, &undisturbed), 0);
	while (resets <= 3 || !atomic_load(&undisturbed.over)) {
		join(group, m, 2);
		IS(hbs_arrive(m[0]), 0);
		IS(hbs_group_reset(group), 0);
		IS(hbs_wait(m[0]), -ECONNRESET);
		leave(m, 2);
		resets++;
		nap_us(1000);
	}
	IS(pthread_join(thread, &result), 0);
	assert_non_null(result);
	IS(barriers(undisturbed.group), 2 * undisturbed.steps.epochs);
}

#define NEEDS (RESET | SPLIT_PHASE)

const struct test reset_tests[] = {
	{ "a reset ends all memberships, and the group works anew", ends_memberships, NEEDS },
	{ "a reset keeps former members out of the new barriers", former_members_leave, NEEDS },
	{ "a reset mends a broken group", mends_what_is_broken, NEEDS | TIMEOUTS | MISSING },
	{ "a reset can be made often", often, NEEDS },
	{ "a reset ends the same barrier for all", all_or_none, NEEDS },
	{ "a reset leaves other groups alone", leaves_others_alone, NEEDS },
	{ 0 },
};
