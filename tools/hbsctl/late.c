// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "late.h"
#include "memory.h"
#include "waits.h"

_Static_assert(LATE_STEPS == 1 + WAITS_BUCKETS, "short waits, and the long ones");

/* Waits that are shorter on the average are not worth a word: the barrier itself takes as long */
#define WORTH_NS 1000

struct late_member *late_add(struct late *late)
{
	struct late_member *member;

	/* powers of two are when it is full */
	if (!(late->count & (late->count - 1)) || !late->count)
		late->members = memory_resize(late->members, (late->count ? 2 * late->count : 1) *
								     sizeof(*late->members));
	member = &late->members[late->count++];
	memset(member, 0, sizeof(*member));
	return member;
}

void late_free(struct late *late)
{
	free(late->members);
	late->members = NULL;
	late->count = 0;
}

uint64_t late_from(unsigned int step)
{
	return step ? 1ULL << (WAITS_SHIFT + step - 1) : 0;
}

void late_count_short(struct late_member *member)
{
	uint64_t rest = member->epochs;

	/* it goes on meanwhile, and anybody may have written what it is said to have waited */
	for (unsigned int i = 1; i < LATE_STEPS; i++)
		rest -= member->waits[i] < rest ? member->waits[i] : rest;
	member->waits[0] = rest;
}

static double mean_ns(const struct late_member *member)
{
	return (double)member->waited_ns / (double)member->epochs;
}

const struct late_member *late_latest(const struct late *late)
{
	const struct late_member *latest = NULL;
	double others = 0;
	size_t count = 0;

	for (size_t i = 0; i < late->count; i++) {
		const struct late_member *member = &late->members[i];

		if (!member->known || !member->epochs)
			continue;
		if (!latest || mean_ns(member) < mean_ns(latest))
			latest = member;
		others += mean_ns(member);
		count++;
	}
	if (count < 2)
		return NULL;
	others = (others - mean_ns(latest)) / (double)(count - 1);
	return others >= WORTH_NS && mean_ns(latest) < others / 2 ? latest : NULL;
}

uint64_t late_quantile(const struct late_member *member, double share)
{
	double all = 0, so_far = 0;
	unsigned int longest = 0;

	for (unsigned int i = 0; i < LATE_STEPS; i++)
		all += (double)member->waits[i];
	for (unsigned int i = 0; i < LATE_STEPS; i++) {
		if (!member->waits[i])
			continue;
		so_far += (double)member->waits[i];
		longest = i;
		if (so_far >= share * all)
			break;
	}
	return late_from(longest);
}
