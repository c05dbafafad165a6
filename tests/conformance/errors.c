// SPDX-License-Identifier: GPL-2.0-or-later
/* Broken groups: everybody learns of it, and everybody at the same barrier */
#include <errno.h>

#include "conformance.h"

static void destroy_ends_every_wait(struct context *context)
{
	struct hbs_member *late, *none = NULL;
	struct crowd crowd;

	crowd_join(context, &crowd, &(struct hbs_group_attr){ .members = 2 });
	join(crowd.group, &late, 1);
	crowd_wait(&crowd);
	IS(hbs_group_destroy(crowd.group), 0);
	crowd_ends(&crowd, -EIDRM);
	/* and for ever after, also for members that come later */
	for (int i = 0; i < 2; i++) {
		for (unsigned int j = 0; j < crowd.count; j++) {
			IS(hbs_barwait(crowd.members[j]), -EIDRM);
			IS(hbs_arrive(crowd.members[j]), -EIDRM);
			IS(hbs_test(crowd.members[j]), -EIDRM);
			IS(hbs_wait(crowd.members[j]), -EIDRM);
			if (context->mode->features & DEADLINES)
				IS(hbs_wait_for(crowd.members[j], 1000), -EIDRM);
		}
		IS(hbs_barwait(late), -EIDRM);
		IS(hbs_join(crowd.group, &none), -EIDRM);
		assert_null(none);
		IS(hbs_group_destroy(crowd.group), 0);
	}
	IS(barriers(crowd.group), 0);
	crowd_leave(&crowd);
	leave(&late, 1);
}

static void over_before_broken_is_over(struct context *context)
{
	struct hbs_group *group = make_group(context, 3);
	struct early early[2];
	struct hbs_member *m[3];

	join(group, m, 3);
	early_arrives(context, &early[0], m[0]);
	early_arrives(context, &early[1], m[1]);
	IS(hbs_barwait(m[2]), 0);
	IS(hbs_group_destroy(group), 0);
	IS(early_departs(&early[0]), 0);
	IS(early_departs(&early[1]), 0);
	for (int i = 0; i < 3; i++)
		IS(hbs_barwait(m[i]), -EIDRM);
	leave(m, 3);
}

static void broken_before_over_is_broken(struct context *context)
{
	struct hbs_group *group = make_group(context, 2);
	struct hbs_member *m[2];
	struct early early;

	join(group, m, 2);
	early_arrives(context, &early, m[0]);
	IS(hbs_group_destroy(group), 0);
	IS(hbs_barwait(m[1]), -EIDRM);
	IS(early_departs(&early), -EIDRM);
	IS(barriers(group), 0);
	leave(m, 2);
}

static void all_or_none(struct context *context)
{
	uint64_t seed = 1;

	for (unsigned int round = 0; round < scaled(context, 600); round++) {
		unsigned int count = 2 + round % 4;
		struct hbs_group *group;
		static struct race race;
		struct hbs_group_attr attr =
			group_attr(context, &(struct hbs_group_attr){ .members = count });

		IS(hbs_group_create(context->hbs, &attr, &group), 0);
		race_start(&race, group, count);
		nap_us(random_from(&seed) % 500);
		IS(hbs_group_destroy(group), 0);
		race_ends(&race, -EIDRM);
		IS(barriers(group), race.passed[0]);
		IS(hbs_group_close(group), 0);
	}
}

/* The first out destroys; the slower ones must not notice before they are out */
static int destroy_at_once(struct part *part)
{
	CHECK_IS(hbs_barwait(part->me), 0);
	if (part->index == 0)
		CHECK_IS(hbs_group_destroy(part->group), 0);
	return 0;
}

static void destroy_after_barwait(struct context *context)
{
	for (unsigned int *n = context->threads; *n; n++) {
		for (unsigned int round = 0; round < scaled(context, 200); round++) {
			struct hbs_group_attr attr =
				group_attr(context, &(struct hbs_group_attr){ .members = *n });
			struct hbs_group *group;

			IS(hbs_group_create(context->hbs, &attr, &group), 0);
			run_members(context, group, *n, destroy_at_once, NULL);
			IS(barriers(group), 1);
			IS(hbs_group_close(group), 0);
		}
	}
}

static void others_are_not_broken(struct context *context)
{
	struct hbs_group *broken = make_group(context, 2);
	struct hbs_group *whole = make_group(context, 2);
	struct hbs_member *a[2], *b[2];
	struct early early[2];

	join(broken, a, 2);
	join(whole, b, 2);
	early_arrives(context, &early[0], a[0]);
	early_arrives(context, &early[1], b[0]);
	IS(hbs_group_destroy(broken), 0);
	IS(early_departs(&early[0]), -EIDRM);
	early_waits(&early[1]);
	IS(hbs_barwait(b[1]), 0);
	IS(early_departs(&early[1]), 0);
	leave(a, 2);
	leave(b, 2);
}

const struct test error_tests[] = {
	{ "destroying ends every wait, with the reason", destroy_ends_every_wait, 0 },
	{ "a barrier over before its group broke is over for all", over_before_broken_is_over, 0 },
	{ "a barrier not over before its group broke is over for none",
	  broken_before_over_is_broken, 0 },
	{ "all get 0 for a barrier, or none", all_or_none, 0 },
	{ "destroying directly after a barrier disturbs nobody who is leaving it",
	  destroy_after_barwait, 0 },
	{ "a broken group does not break others", others_are_not_broken, 0 },
	{ 0 },
};
