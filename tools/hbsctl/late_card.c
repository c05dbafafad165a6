// SPDX-License-Identifier: GPL-2.0-or-later
/* How long the members of a card's group wait */
#include <linux/hbs.h>

#include "late.h"
#include "records.h"

/* The step whose shortest wait is @from_ns; 0 if there is none */
static unsigned int step_from(uint64_t from_ns)
{
	for (unsigned int step = 1; step < LATE_STEPS; step++)
		if (late_from(step) == from_ns)
			return step;
	return 0;
}

static void take_waits(const struct rows *rows, struct late_member *member)
{
	const struct wait *waits = rows->items;

	for (size_t i = 0; i < rows->count; i++)
		member->waits[step_from(waits[i].from_ns)] += waits[i].count;
}

void late_of_card(const struct group *group, const struct rows *rows, struct late *late)
{
	const struct member *members = rows->items;

	*late = (struct late){ .what = "group of a card",
			       .unit = "port",
			       .seats = group->seats,
			       .epoch = group->epoch };
	for (size_t i = 0; i < rows->count; i++) {
		struct late_member *member;

		/* who may not see its process does not learn of its waits */
		if (!fields_has(&members[i], HBS_A_MEMBER_EPOCHS))
			continue;
		member = late_add(late);
		member->number = members[i].port;
		member->pid = members[i].pid;
		member->tid = members[i].tid;
		member->tag = members[i].tag;
		member->epochs = members[i].epochs;
		member->waited_ns = members[i].waited_ns;
		member->slept = members[i].slept;
		/* in another kind of group a member that waits for messages counts nothing */
		member->known = fields_has(&members[i], HBS_A_MEMBER_WAITED_NS) &&
				group->type == HBS_GROUP_BARRIER;
		take_waits(&members[i].waits, member);
		late_count_short(member);
	}
}
