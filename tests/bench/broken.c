// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Contenders that are broken on purpose, which the check has to find, and a sound
 * one, which it must not report. This table replaces the benchmark's own.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arena.h"
#include "child.h"
#include "contender.h"

#define RARE 64

struct counter {
	_Alignas(CACHE_LINE) atomic_ulong arrived;
	unsigned int members;
};

/* Barriers that a member has come to */
struct epoch {
	_Alignas(CACHE_LINE) unsigned long number;
};

static struct counter *counter;
static struct epoch *epochs;

static const char *broken_make(const struct contender *self, unsigned int members, bool shared)
{
	(void)self;
	(void)shared;
	counter = arena_alloc(sizeof(*counter));
	epochs = arena_alloc(members * sizeof(*epochs));
	if (!counter || !epochs)
		return "out of memory";
	counter->members = members;
	return NULL;
}

/* Wait until all but @missing have arrived */
static void wait_for(unsigned int member, unsigned long missing)
{
	unsigned long end = ++epochs[member].number * counter->members;

	atomic_fetch_add(&counter->arrived, 1);
	while (atomic_load(&counter->arrived) + missing < end)
		;
}

static void early_wait(unsigned int member)
{
	wait_for(member, 1);
}

static void rare_wait(unsigned int member)
{
	wait_for(member, epochs[member].number % RARE == 1);
}

static void stuck_wait(unsigned int member)
{
	(void)member;
	while (1)
		pause();
}

static void hog_wait(unsigned int member)
{
	volatile bool never = false;

	(void)member;
	while (!never)
		;
}

/* The first member sees the second one die, and dies of that */
static void mortal_wait(unsigned int member)
{
	siginfo_t info;

	if (member)
		child_die(NULL, "it dies first");
	waitid(P_ALL, 0, &info, WEXITED | WNOWAIT);
	child_die(NULL, "it dies of the other's death");
}

extern const struct contender contender_pthread;

static const struct contender early = {
	.name = "early",
	.what = "does not wait for the last one",
	.make = broken_make,
	.wait = early_wait,
};

static const struct contender rare = {
	.name = "rare",
	.what = "seldom does not wait for the last one",
	.make = broken_make,
	.wait = rare_wait,
};

static const struct contender stuck = {
	.name = "stuck",
	.what = "never ends",
	.make = broken_make,
	.wait = stuck_wait,
};

static const struct contender hog = {
	.name = "hog",
	.what = "never ends, and never gives a CPU away",
	.shared = true,
	.make = broken_make,
	.wait = hog_wait,
};

static const struct contender mortal = {
	.name = "mortal",
	.what = "dies, and others with it",
	.shared = true,
	.make = broken_make,
	.wait = mortal_wait,
};

const struct contender *const contenders[] = {
	&contender_pthread, &early, &rare, &stuck, &hog, &mortal, NULL
};
