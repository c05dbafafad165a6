/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why a barrier does not complete: what is known of a group, on a card or in software */
#ifndef HBSCTL_STALL_H
#define HBSCTL_STALL_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "fields.h"
#include "status.h"
#include "target.h"
#include "thread.h"

/* How long a barrier is watched before it counts as stuck */
#define STALL_WATCH_MS 250

enum stall_verdict {
	STALL_GATHERING, /* it has not started: seats are vacant */
	STALL_MOVING,	 /* it has completed barriers while it was watched */
	STALL_IDLE,	 /* nobody has arrived */
	STALL_STUCK,
	STALL_COMPLETE, /* everybody has arrived: it is about to complete */
	STALL_BROKEN,
};

/**
 * struct absent - a member that others wait for
 * @number: its port or seat
 * @dead: it has died
 * @pid: its process; 0 if it is not known here
 * @tid: its thread; 0 likewise
 * @elsewhere: the process is in another PID namespace
 * @ended: the kernel says that process and thread have ended
 * @tag: its tag
 * @thread: where it is
 * @ran_ms: CPU time that it used while it was watched
 */
struct absent {
	uint32_t number;
	bool dead;
	bool elsewhere;
	bool ended;
	uint32_t pid;
	uint32_t tid;
	uint64_t tag;
	struct thread thread;
	uint64_t ran_ms;
};

/**
 * struct stall - a group
 * @name: as the user may write it
 * @what: "group" on a card, "software group"
 * @unit: "port" or "seat"
 * @verdict: what is the matter
 * @refutable: members are idle or not, instead of arriving
 * @seats: how many it is for
 * @members: how many it has
 * @epoch: the number of barriers so far
 * @moved: barriers that completed while it was watched
 * @started: all seats have been taken
 * @broken: it is broken
 * @reason: why it is broken: HBS_REASON_, or STALL_LEFT
 * @expired: its timer has expired in this epoch
 * @timeout_ns: its timeout; 0 for none
 * @waited_ns: the first arrival was so long ago; 0 if that is not known
 * @slept_ns: the first of those that sleep has waited so long; 0 if nobody does, or it is refutable
 * @absent: struct absent of all that are missing or dead
 * @count: how many
 */
struct stall {
	char name[FIELD_TEXT_SIZE];
	const char *what;
	const char *unit;
	enum stall_verdict verdict;
	bool refutable;
	uint32_t seats;
	uint32_t members;
	uint64_t epoch;
	uint64_t moved;
	bool started;
	bool broken;
	uint32_t reason;
	bool expired;
	uint64_t timeout_ns;
	uint64_t waited_ns;
	uint64_t slept_ns;
	struct absent *absent;
	size_t count;
};

/* Besides the reasons of cards: a member left a software group whose algorithm needs all */
#define STALL_LEFT 100

/* Room for one more; all zeros */
struct absent *stall_add(struct stall *stall);
void stall_free(struct stall *stall);

/* The verdict, by what is known, and the epoch of STALL_WATCH_MS ago */
void stall_judge(struct stall *stall, uint64_t epoch_before);

/* Look where the threads of the missing are, with @before what was seen of them before. */
void stall_look(struct stall *stall, const struct stall *before);

/* As sentences, and as JSON */
void stall_print(const struct stall *stall);
json_t *stall_json(const struct stall *stall);

/* stall_card.c: of a card's group */
enum status stall_of_card(const struct target *target, struct stall *stall);

#endif /* HBSCTL_STALL_H */
