// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory.h"
#include "stall.h"

struct absent *stall_add(struct stall *stall)
{
	struct absent *absent;

	/* powers of two are when it is full */
	if (!(stall->count & (stall->count - 1)) || !stall->count)
		stall->absent = memory_resize(stall->absent, (stall->count ? 2 * stall->count : 1) *
								     sizeof(*stall->absent));
	absent = &stall->absent[stall->count++];
	memset(absent, 0, sizeof(*absent));
	return absent;
}

void stall_free(struct stall *stall)
{
	free(stall->absent);
	stall->absent = NULL;
	stall->count = 0;
}

void stall_judge(struct stall *stall, uint64_t epoch_before)
{
	stall->moved = stall->epoch - epoch_before;
	if (stall->broken)
		stall->verdict = STALL_BROKEN;
	else if (stall->moved)
		stall->verdict = STALL_MOVING;
	else if (!stall->started)
		stall->verdict = STALL_GATHERING;
	else if (!stall->count)
		stall->verdict = STALL_COMPLETE;
	else if (stall->count >= stall->members)
		stall->verdict = STALL_IDLE;
	else
		stall->verdict = STALL_STUCK;
}

static const struct absent *find(const struct stall *stall, const struct absent *wanted)
{
	for (size_t i = 0; i < stall->count; i++)
		if (stall->absent[i].tid == wanted->tid && stall->absent[i].pid == wanted->pid)
			return &stall->absent[i];
	return NULL;
}

void stall_look(struct stall *stall, const struct stall *before)
{
	uint64_t ticks_per_s = (uint64_t)sysconf(_SC_CLK_TCK);

	for (size_t i = 0; i < stall->count; i++) {
		struct absent *absent = &stall->absent[i];
		const struct absent *old = before ? find(before, absent) : NULL;

		if (!absent->pid || absent->ended)
			continue;
		/* a port is a thread's own, but the program may have taken it in the process */
		thread_look(absent->pid, absent->tid ? absent->tid : absent->pid, &absent->thread);
		if (old && absent->thread.cpu_ticks >= old->thread.cpu_ticks)
			absent->ran_ms = (absent->thread.cpu_ticks - old->thread.cpu_ticks) * 1000 /
					 ticks_per_s;
	}
}
