// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Is it a barrier at all? Before barrier number e each member writes e, and the others
 * read it after the barrier. An older or a newer number is a violation. So is a plain
 * write that others do not see, since a barrier orders memory too.
 */
#include <sched.h>
#include <stddef.h>
#include <time.h>

#include "arena.h"
#include "clock.h"
#include "pace.h"
#include "shared/random.h"
#include "workload.h"

struct note {
	_Alignas(CACHE_LINE) _Atomic uint64_t arrived;
	/* one for even barriers and one for odd ones: nobody writes what others may still read */
	uint64_t plain[2];
	uint64_t random;
	uint64_t epoch;
};

static void order_prepare(struct run *run)
{
	struct note *notes = arena_map(run->members * sizeof(*notes));

	for (unsigned int i = 0; i < run->members; i++)
		notes[i].random = random_start(i);
	run->data = notes;
}

/* Mostly do nothing; sometimes let others run first, and now and then come late */
static void dawdle(struct note *mine)
{
	static const struct timespec pause = { .tv_nsec = 20000 };
	uint64_t choice = random_next(&mine->random) >> 32;

	if (choice % 64 == 0)
		nanosleep(&pause, NULL);
	else if (choice % 8 == 0)
		sched_yield();
	else if (choice % 4 == 0)
		for (uint64_t i = choice % 128; i; i--)
			ticks_pause();
}

static uint64_t violations(const struct note *notes, unsigned int members, uint64_t epoch)
{
	uint64_t count = 0;

	for (unsigned int i = 0; i < members; i++) {
		uint64_t arrived = atomic_load_explicit(&notes[i].arrived, memory_order_relaxed);

		count += arrived < epoch || arrived > epoch + 1 ||
			 notes[i].plain[epoch & 1] != epoch;
	}
	return count;
}

static void epochs(struct run *run, unsigned int member, unsigned long count)
{
	struct note *notes = run->data;
	struct note *mine = &notes[member];
	uint64_t found = 0;

	for (unsigned long i = 0; i < count; i++) {
		uint64_t epoch = ++mine->epoch;

		dawdle(mine);
		mine->plain[epoch & 1] = epoch;
		atomic_store_explicit(&mine->arrived, epoch, memory_order_relaxed);
		run->wait(member);
		found += violations(notes, run->members, epoch);
	}
	atomic_fetch_add(&run->report->violations, found);
}

static void order(struct run *run, unsigned int member)
{
	unsigned long count = pace(run, member, epochs, 1UL << 20);

	epochs(run, member, count);
	run_meet(run);
	if (!member)
		run->report->barriers = ((struct note *)run->data)->epoch;
}

const struct workload workload_order = {
	.name = "order",
	.what = "is it a barrier: does nobody leave before all have come",
	.unit = "barrier",
	.hidden = true,
	.prepare = order_prepare,
	.work = order,
};
