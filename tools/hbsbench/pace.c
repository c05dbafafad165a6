// SPDX-License-Identifier: GPL-2.0-or-later
#include "clock.h"
#include "pace.h"

/* At most so many times more often in the next try: the first times are slow */
#define STEP_MAX 16.0

static void decide(struct run *run, double took_ns, unsigned long most)
{
	double count = (double)run->count;

	run->paced = took_ns >= run->time_ns / 4 || run->count >= most;
	if (!run->paced && took_ns * STEP_MAX < run->time_ns / 4)
		count *= STEP_MAX;
	else if (!run->paced)
		count = count * 1.5 * run->time_ns / 4 / took_ns + 1;
	else
		count = count * run->time_ns / took_ns;
	if (count < 1)
		count = 1;
	run->count = count > (double)most ? most : (unsigned long)count;
}

unsigned long pace(struct run *run, unsigned int member, batch_fn batch, unsigned long most)
{
	bool paced = false;

	if (!member) {
		run->count = 1;
		run->paced = false;
	}
	run_meet(run);
	while (!paced) {
		uint64_t start = ticks_now();

		batch(run, member, run->count);
		run_meet(run);
		if (!member)
			decide(run, clock_ns(ticks_now() - start), most);
		run_meet(run);
		paced = run->paced;
	}
	return run->count;
}
