// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arena.h"
#include "shared/now.h"
#include "text.h"
#include "trial.h"

/* In the arena: what the child tells */
struct run {
	const struct problem *problem;
	struct answer *answer;
	void (*solve)(const struct problem *problem, struct answer *answer);
	double begin_ns;
	double end_ns;
};

static void solve(void *arg)
{
	struct run *run = arg;

	run->begin_ns = now_ns();
	run->solve(run->problem, run->answer);
	run->end_ns = now_ns();
}

struct answer *answer_make(const struct problem *problem)
{
	size_t size = (size_t)problem->vertices * sizeof(uint32_t);
	struct answer *answer = arena_map(sizeof(*answer));

	answer->distance = arena_map(size + sizeof(uint32_t));
	answer->value = (float *)(void *)answer->distance;
	return answer;
}

/* What nobody finds, so that an answer that is not written is not right */
static void spoil(const struct trials *trials)
{
	memset(trials->answer->distance, 0xee, (size_t)trials->problem.vertices * sizeof(uint32_t));
}

/* What a contender takes at most, with ten million edges */
#define MEMORY_TOUCHED (1ul << 30)

/* In a child: touch memory, in huge pages where there are some, and give it back */
static void touch_memory(void *arg)
{
	unsigned long bytes = MEMORY_TOUCHED;
	unsigned long quarter =
		(unsigned long)sysconf(_SC_AVPHYS_PAGES) / 4 * (unsigned long)sysconf(_SC_PAGESIZE);
	char *memory;

	(void)arg;
	if (bytes > quarter)
		bytes = quarter;
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return;
	madvise(memory, bytes, MADV_HUGEPAGE);
	memset(memory, 1, bytes);
}

/*
 * A virtual machine gives memory that nobody has back to its host, and gets it again when it is touched, which takes as
 * long as a task. Then the one who comes first pays for all: so this has it touched before each contender.
 */
static bool warm_memory(const struct trials *trials, char *error)
{
	return child_run(touch_memory, NULL, trials->limit_s, error);
}

bool trial_run(struct trials *trials, enum task task, struct line *line, bool is_warm_up)
{
	static struct run *run;

	if (!run)
		run = arena_map(sizeof(*run));
	*run = (struct run){ .problem = &trials->problem,
			     .answer = trials->answer,
			     .solve = line->peer->solve[task] };
	spoil(trials);
	if (!warm_memory(trials, line->error) ||
	    !child_run(solve, run, trials->limit_s, line->error)) {
		text_clean(line->error);
		return false;
	}
	if (!check(&trials->wanted, &trials->problem, line->peer, task, trials->answer, line->error,
		   sizeof(line->error)))
		return false;
	if (is_warm_up)
		return true;
	for (enum column column = 0; column < COLUMNS; column++) {
		struct series *series = &line->columns[column];

		series->ns[series->count++] =
			run->end_ns -
			(column == COLUMN_ALL ? run->begin_ns : trials->answer->built_ns);
	}
	return true;
}
