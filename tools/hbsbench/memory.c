// SPDX-License-Identifier: GPL-2.0-or-later
#include <malloc.h>
#include <stdint.h>

#include "arena.h"
#include "child.h"
#include "memory.h"
#include "results.h"
#include "team.h"

#define LIMIT_S 10

struct count {
	const struct contender *contender;
	unsigned int members;
	struct memory memory;
};

static double allocated(void)
{
	struct mallinfo2 info = mallinfo2();

	return (double)(info.uordblks + info.hblkhd) + (double)arena_used();
}

/*
 * Memory outside the arena may take pages only when it is used; a contender that takes turns
 * uses both
 */
static void use(unsigned int member, void *arg)
{
	const struct contender *contender = arg;

	for (int i = 0; i < 2; i++)
		contender->wait(member);
}

/*
 * One thread enters all members, and looks up what was allocated before there are others, so
 * that the memory of threads does not count
 */
static void count_bytes(void *arg)
{
	struct count *count = arg;
	const struct contender *contender = count->contender;
	double start = allocated(), opened, made;
	long elsewhere = 0;

	if (contender->open && contender->open(contender))
		return;
	opened = allocated();
	if (contender->make && contender->make(contender, count->members, false))
		return;
	for (unsigned int i = 0; contender->enter && i < count->members; i++)
		if (contender->enter(i))
			return;
	made = allocated();
	if (contender->elsewhere)
		elsewhere = contender->elsewhere();
	if (contender->budget)
		count->memory.budget = (double)contender->budget(count->members);
	if (elsewhere < 0)
		return;
	if (elsewhere) {
		team_run(contender, count->members, false, use, (void *)(uintptr_t)contender);
		elsewhere = contender->elsewhere();
	}
	count->memory.group = made - opened + (double)elsewhere;
	count->memory.process = opened - start;
}

struct memory memory_of(const struct contender *contender, unsigned int members)
{
	static const struct memory unknown = { UNKNOWN, UNKNOWN, UNKNOWN };
	static struct count *count;
	char error[CHILD_ERROR_SIZE];

	if (!count)
		count = arena_map(sizeof(*count));
	*count = (struct count){ contender, members, unknown };
	/* we cannot tell which part of an OpenMP runtime's memory belongs to its barrier */
	if (contender->team || !child_run(count_bytes, count, LIMIT_S, error))
		return unknown;
	return count->memory;
}
