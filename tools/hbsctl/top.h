/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How fast groups are, and whom they wait for: what "top" adds up from samples */
#ifndef HBSCTL_TOP_H
#define HBSCTL_TOP_H

#include <stdbool.h>
#include <stdint.h>

#include "records.h"

#define TOP_PORTS 1024

/* What samples say of a member, by port */
struct top_member {
	double blame; /* times that it was missing while others waited, by share */
	uint64_t tag;
	uint32_t pid;
	uint32_t tid;
	char comm[FIELD_TEXT_SIZE];
};

/**
 * struct top_group - a group, since top_begin()
 * @known: the group was there at the begin
 * @seen: it was there at the end, in @group
 * @card: its card
 * @number: its number
 * @epoch: at the begin
 * @group: at the end
 * @samples: how often its members were asked for while an epoch was in progress
 * @waiting: sum of the shares of members that waited
 * @members: of TOP_PORTS, once there are samples
 */
struct top_group {
	bool known;
	bool seen;
	uint32_t card;
	uint32_t number;
	uint64_t epoch;
	struct group group;
	unsigned int samples;
	double waiting;
	struct top_member *members;
};

/**
 * struct top - all groups
 * @groups: they
 * @count: how many they are
 * @turn: the one to be sampled next, also in the next interval
 */
struct top {
	struct top_group *groups;
	size_t count;
	size_t turn;
};

/* An interval begins, with these groups (struct group): forget all but their epochs. */
void top_begin(struct top *top, const struct rows *groups);

/* It ends, with these */
void top_end(struct top *top, const struct rows *groups);

/* Members of a group (struct member) as they are now */
void top_sample(struct top_group *group, const struct rows *members);

/* Whether the driver tells this user how many epochs end, and the group was there all the time */
bool top_is_known(const struct top_group *group);

/* Epochs that ended in the interval */
uint64_t top_epochs(const struct top_group *group);

/* The share of the members' time in which they wait: from 0 to 1, or below 0 without samples */
double top_waiting(const struct top_group *group);

/* The port of the member that others wait for most, or -1. @share: of the waits */
int top_slowest(const struct top_group *group, double *share);

void top_free(struct top *top);

#endif /* HBSCTL_TOP_H */
