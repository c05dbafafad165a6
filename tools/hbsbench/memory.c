// SPDX-License-Identifier: GPL-2.0-or-later
#include <malloc.h>

#include "arena.h"
#include "child.h"
#include "memory.h"
#include "results.h"

#define LIMIT_S 10

struct count {
	const struct contender *contender;
	unsigned int members;
	double bytes;
};

static double allocated(void)
{
	struct mallinfo2 info = mallinfo2();

	return (double)(info.uordblks + info.hblkhd) + (double)arena_used();
}

/* All members are entered by one thread, so that nothing of threads is counted */
static void count_bytes(void *arg)
{
	struct count *count = arg;
	const struct contender *contender = count->contender;
	double before = allocated();
	long elsewhere = 0;

	if (contender->make && contender->make(contender, count->members, false))
		return;
	for (unsigned int i = 0; contender->enter && i < count->members; i++)
		if (contender->enter(i))
			return;
	if (contender->elsewhere)
		elsewhere = contender->elsewhere();
	if (elsewhere >= 0)
		count->bytes = allocated() - before + (double)elsewhere;
}

double memory_of(const struct contender *contender, unsigned int members)
{
	static struct count *count;
	char error[CHILD_ERROR_SIZE];

	if (!count)
		count = arena_map(sizeof(*count));
	*count = (struct count){ contender, members, UNKNOWN };
	/* what an OpenMP runtime takes is not told apart for its barrier */
	if (contender->team || !child_run(count_bytes, count, LIMIT_S, error))
		return UNKNOWN;
	return count->bytes;
}
