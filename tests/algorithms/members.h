/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Members of a group that take steps in an order that the test chooses, all in one
 * thread. That works because no algorithm waits. Each step checks what the barrier
 * promises.
 */
#ifndef TEST_MEMBERS_H
#define TEST_MEMBERS_H

#include "group.h"

#define MOST_EPOCHS 4

/* What has happened, as the test knows it */
struct members {
	struct group *group;
	uint64_t seed; /* for messages; the seed of the order */
	unsigned short random[3];
	uint32_t arrived[MOST_EPOCHS + 1]; /* members, by epoch */
	uint32_t left[MOST_EPOCHS + 1];
	bool *waits;	 /* by member: whether it has arrived and not left */
	uint32_t *order; /* of a sweep */
};

void members_start(struct members *members, struct group *group, uint64_t seed);
void members_free(struct members *members);

/* The state after members_start() */
void members_restart(struct members *members, uint64_t seed);

uint32_t members_random(struct members *members, uint32_t limit);

void members_arrive(struct members *members, uint32_t rank);

/* Let a member look whether the barrier is over; it must not be before all have arrived */
bool members_look(struct members *members, uint32_t rank);

/* Let a member arrive, if it does not wait and is not at the last epoch, or else look */
void members_step(struct members *members, uint32_t rank, uint64_t last_epoch);

/* More steps of random members, for each member and epoch, than it ever takes */
#define MOST_STEPS 2000

/* Let all waiting members look, in random order */
void members_sweep(struct members *members);

/* After all have arrived at an epoch: so many sweeps must do for all to leave */
void members_all_leave(struct members *members, uint64_t epoch);

#endif /* TEST_MEMBERS_H */
