/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A contender is a barrier that can be measured: a file below contenders/ and a line in
 * contenders.c. Each is measured in a process of its own, so it may keep its state in
 * static variables, and two OpenMP runtimes never meet.
 */
#ifndef HBSBENCH_CONTENDER_H
#define HBSBENCH_CONTENDER_H

#include <stdbool.h>
#include <stddef.h>

typedef void (*member_fn)(unsigned int member, void *arg);

/**
 * struct contender - a barrier; all members may be NULL but @name, @what and @wait
 * @name: the name by which users choose it, and which is printed
 * @what: one line about it
 * @ours: it belongs to hbs, and is compared with peers
 * @ideal: it is no barrier at all, and shows what the harness alone costs
 * @spins: it never sleeps, so it means little where members outnumber CPUs
 * @shared: its members can be processes; then all that they share is in the arena
 * @policy_of: the contender of which this one is a variant with a fixed way to wait,
 *   or NULL
 * @detail: for the contender's file, which may have several of them
 * @version: the version of its library, as far as that is known
 * @open: make what a process needs once, however many groups it makes; returns as
 *   @make
 * @make: make the barrier; NULL, or why this machine does not have it
 * @enter: called by each member before its first @wait
 * @wait: arrive and wait for all others
 * @leave: called by each member after its last @wait
 * @unmake: undo @make and @open
 * @team: run @work in @members threads that the contender itself makes; NULL if any
 *        threads will do. Returns 0, or an error number.
 * @elsewhere: bytes that it takes neither from the arena nor by malloc; -1 if unknown
 * @budget: bytes that the barrier is allowed to take
 */
struct contender {
	const char *name;
	const char *what;
	bool ours;
	bool ideal;
	bool spins;
	bool shared;
	const char *policy_of;
	const void *detail;
	const char *(*version)(void);
	const char *(*open)(const struct contender *self);
	const char *(*make)(const struct contender *self, unsigned int members, bool shared);
	const char *(*enter)(unsigned int member);
	void (*wait)(unsigned int member);
	void (*leave)(unsigned int member);
	void (*unmake)(void);
	int (*team)(unsigned int members, member_fn work, void *arg);
	long (*elsewhere)(void);
	long (*budget)(unsigned int members);
};

/*
 * The contenders whose ratio is printed: that of the drop-in library to hbs called directly, and
 * that of idle members to the barriers of hbs. The names of all on a card start with CONTENDER_CARD.
 */
#define CONTENDER_HBS	  "hbs"
#define CONTENDER_DROP_IN "hbs-pthread"
#define CONTENDER_IDLE	  "hbs-idle"
#define CONTENDER_CARD	  "hbs-card"

/* All contenders but the algorithms of hbs, ended by NULL */
extern const struct contender *const contenders[];

/* The contender at @index of all, in the order of the tables; NULL after the last */
const struct contender *contender_at(size_t index);

/* Open and make it */
const char *contender_make(const struct contender *contender, unsigned int members, bool shared);

/* Find it by name; algorithms of hbs can have a fan-in, "hbs-combining:8" */
const struct contender *contender_find(const char *name);

#endif /* HBSBENCH_CONTENDER_H */
