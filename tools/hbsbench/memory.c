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

/* What is elsewhere may take pages only as it is used; both of what takes turns is */
static void use(unsigned int member, void *arg)
{
	const struct contender *contender = arg;

	for (int i = 0; i < 2; i++)
		contender->wait(member);
}

/*
 * All members are entered by one thread, and what was allocated is looked up before there are
 * others, so that nothing of threads is counted
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
	/* what an OpenMP runtime takes is not told apart for its barrier */
	if (contender->team || !child_run(count_bytes, count, LIMIT_S, error))
		return unknown;
	return count->memory;
}
