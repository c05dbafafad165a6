// SPDX-License-Identifier: GPL-2.0-or-later
/* See members.h */
#include <stdlib.h>
#include <string.h>

#include "members.h"

void members_start(struct members *members, struct group *group, uint64_t seed)
{
	*members = (struct members){
		.group = group,
		.waits = calloc(group->members, sizeof(*members->waits)),
		.order = calloc(group->members, sizeof(*members->order)),
	};
	assert_non_null(members->waits);
	assert_non_null(members->order);
	for (uint32_t i = 0; i < group->members; i++)
		members->order[i] = i;
	members_restart(members, seed);
}

void members_free(struct members *members)
{
	free(members->waits);
	free(members->order);
}

void members_restart(struct members *members, uint64_t seed)
{
	group_clear(members->group);
	members->seed = seed;
	members->random[0] = seed;
	members->random[1] = seed >> 16;
	members->random[2] = seed >> 32;
	memset(members->arrived, 0, sizeof(members->arrived));
	memset(members->left, 0, sizeof(members->left));
	memset(members->waits, 0, members->group->members * sizeof(*members->waits));
}

uint32_t members_random(struct members *members, uint32_t limit)
{
	return (uint32_t)nrand48(members->random) % limit;
}

void members_arrive(struct members *members, uint32_t rank)
{
	struct algorithm_member *member = &members->group->member[rank];

	if (members->waits[rank] || member->epoch == MOST_EPOCHS)
		fail_msg("the test makes a mistake");
	member->epoch++;
	members->waits[rank] = true;
	members->arrived[member->epoch]++;
	members->group->kind->algorithm->arrive(member);
}

bool members_look(struct members *members, uint32_t rank)
{
	const struct algorithm *algorithm = members->group->kind->algorithm;
	struct algorithm_member *member = &members->group->member[rank];
	uint32_t arrived = members->arrived[member->epoch], count = members->group->members;
	bool over = algorithm->over(member);

	if (over && arrived < count)
		fail_msg("%u of %u has left epoch %lu, at which %u have arrived (seed %lu)", rank,
			 count, (unsigned long)member->epoch, arrived,
			 (unsigned long)members->seed);
	if (!over && arrived == count && !algorithm->helps)
		fail_msg("%u of %u has not left epoch %lu, at which all have arrived (seed %lu)",
			 rank, count, (unsigned long)member->epoch, (unsigned long)members->seed);
	if (over) {
		members->waits[rank] = false;
		members->left[member->epoch]++;
	}
	return over;
}

void members_step(struct members *members, uint32_t rank, uint64_t last_epoch)
{
	if (members->waits[rank])
		members_look(members, rank);
	else if (members->group->member[rank].epoch < last_epoch)
		members_arrive(members, rank);
}

void members_sweep(struct members *members)
{
	for (uint32_t i = members->group->members; i > 0; i--) {
		uint32_t other = members_random(members, i), rank = members->order[other];

		members->order[other] = members->order[i - 1];
		members->order[i - 1] = rank;
		if (members->waits[rank])
			members_look(members, rank);
	}
}

void members_all_leave(struct members *members, uint64_t epoch)
{
	uint32_t count = members->group->members;

	assert_int_equal(members->arrived[epoch], count);
	for (uint32_t sweeps = group_most_sweeps(members->group);
	     sweeps && members->left[epoch] < count; sweeps--)
		members_sweep(members);
	if (members->left[epoch] != count)
		fail_msg("only %u of %u have left epoch %lu (seed %lu)", members->left[epoch],
			 count, (unsigned long)epoch, (unsigned long)members->seed);
}
