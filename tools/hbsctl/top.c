// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "top.h"

static struct top_group *find(const struct top *top, const struct group *group)
{
	for (size_t i = 0; i < top->count; i++)
		if (top->groups[i].card == group->card && top->groups[i].number == group->group)
			return &top->groups[i];
	return NULL;
}

static struct top_group *add(struct top *top, const struct group *group)
{
	struct top_group *added;

	top->groups = memory_resize(top->groups, (top->count + 1) * sizeof(*top->groups));
	added = &top->groups[top->count++];
	*added = (struct top_group){ .card = group->card, .number = group->group };
	return added;
}

void top_free(struct top *top)
{
	for (size_t i = 0; i < top->count; i++)
		free(top->groups[i].members);
	free(top->groups);
	*top = (struct top){ 0 };
}

void top_begin(struct top *top, const struct rows *groups)
{
	const struct group *group = groups->items;
	size_t turn = top->turn;

	top_free(top);
	top->turn = turn;
	for (size_t i = 0; i < groups->count; i++) {
		struct top_group *added = add(top, &group[i]);

		added->known = true;
		added->epoch = group[i].epoch;
		added->group = group[i];
	}
}

void top_end(struct top *top, const struct rows *groups)
{
	const struct group *group = groups->items;

	for (size_t i = 0; i < groups->count; i++) {
		struct top_group *found = find(top, &group[i]);

		if (!found)
			found = add(top, &group[i]);
		/* another group, which has taken the number meanwhile */
		if (group[i].epoch < found->epoch)
			found->known = false;
		found->seen = true;
		found->group = group[i];
	}
}

static void note(struct top_member *to, const struct member *member, double blame)
{
	to->blame += blame;
	to->tag = member->tag;
	to->pid = member->pid;
	to->tid = member->tid;
	memcpy(to->comm, member->comm, sizeof(to->comm));
}

void top_sample(struct top_group *group, const struct rows *members)
{
	const struct member *member = members->items;
	size_t missing = 0;

	/* who is missing is not told to everybody */
	if (!members->count || !fields_has(member, HBS_A_MEMBER_MISSING))
		return;
	if (!group->members) {
		group->members = memory_resize(NULL, TOP_PORTS * sizeof(*group->members));
		memset(group->members, 0, TOP_PORTS * sizeof(*group->members));
	}
	for (size_t i = 0; i < members->count; i++)
		missing += member[i].missing != 0;
	group->samples++;
	group->waiting += (double)(members->count - missing) / (double)members->count;
	/* if nobody waits, nobody is to blame */
	if (missing == members->count)
		return;
	for (size_t i = 0; i < members->count; i++)
		if (member[i].missing && member[i].port < TOP_PORTS)
			note(&group->members[member[i].port], &member[i], 1.0 / (double)missing);
}

bool top_is_known(const struct top_group *group)
{
	return group->known && group->seen && fields_has(&group->group, HBS_A_GROUP_EPOCH);
}

uint64_t top_epochs(const struct top_group *group)
{
	return top_is_known(group) ? group->group.epoch - group->epoch : 0;
}

double top_waiting(const struct top_group *group)
{
	return group->samples ? group->waiting / group->samples : -1;
}

int top_slowest(const struct top_group *group, double *share)
{
	double all = 0, most = 0;
	int slowest = -1;

	*share = 0;
	for (int i = 0; group->members && i < TOP_PORTS; i++) {
		all += group->members[i].blame;
		if (group->members[i].blame <= most)
			continue;
		most = group->members[i].blame;
		slowest = i;
	}
	if (slowest >= 0)
		*share = most / all;
	return slowest;
}
