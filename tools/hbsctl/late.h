/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long the members of a group wait for each other, and so who is late */
#ifndef HBSCTL_LATE_H
#define HBSCTL_LATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "fields.h"

struct group;

/* Short waits, and each step of those that are long: see struct waits in lib/waits.h */
#define LATE_STEPS 24

/**
 * struct late_member - a member
 * @number: its port or seat
 * @pid: its process; 0 if it is not known here
 * @tid: its thread; 0 likewise
 * @tag: its tag
 * @known: how long it waits is known
 * @epochs: that have ended since it joined
 * @waited_ns: how long its long waits took, all together
 * @slept: how many of them slept
 * @waits: how many waits there were of each step
 */
struct late_member {
	uint32_t number;
	uint32_t pid;
	uint32_t tid;
	uint64_t tag;
	bool known;
	uint64_t epochs;
	uint64_t waited_ns;
	uint64_t slept;
	uint64_t waits[LATE_STEPS];
};

/**
 * struct late - a group
 * @name: as the user may write it
 * @what: "group of a card" or "software group"
 * @unit: "port" or "seat"
 * @seats: how many it is for
 * @epoch: the number of barriers so far
 * @members: who they are
 * @count: how many
 */
struct late {
	char name[FIELD_TEXT_SIZE];
	const char *what;
	const char *unit;
	uint32_t seats;
	uint64_t epoch;
	struct late_member *members;
	size_t count;
};

/* Room for one more; all zeros */
struct late_member *late_add(struct late *late);
void late_free(struct late *late);

/* The shortest wait of a step, in ns; 0 of the first one, which is below all others */
uint64_t late_from(unsigned int step);

/* All is known of a member but how many of its waits were short: count those. */
void late_count_short(struct late_member *member);

/*
 * The member for which the others wait, which itself waits for less than half as long as they do
 * on the average; NULL if there is none.
 */
const struct late_member *late_latest(const struct late *late);

/* The shortest wait of the step that a share of its waits does not exceed; 1: the longest wait */
uint64_t late_quantile(const struct late_member *member, double share);

/* For people, and as JSON */
void late_print(const struct late *late);
json_t *late_members_json(const struct late *late);
json_t *late_json(const struct late *late);

/*
 * late_software.c: of the group whose memory file @fd is; its name is for the caller. Return:
 * whether it is a group that this program knows.
 */
bool late_of_software(int fd, struct late *late);

/* late_card.c: of a group and its members (struct member), as the driver tells them */
void late_of_card(const struct group *group, const struct rows *members, struct late *late);

#endif /* HBSCTL_LATE_H */
