// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

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

bool trial_run(struct trials *trials, enum task task, struct line *line, bool is_warm_up)
{
	static struct run *run;

	if (!run)
		run = arena_map(sizeof(*run));
	*run = (struct run){ .problem = &trials->problem,
			     .answer = trials->answer,
			     .solve = line->peer->solve[task] };
	spoil(trials);
	if (!child_run(solve, run, trials->limit_s, line->error)) {
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
