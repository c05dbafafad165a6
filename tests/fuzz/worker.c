// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <unistd.h>

#include "fuzz.h"

static void run_traced(struct shared *shared, const struct program *program, struct trace *trace)
{
	*trace = (struct trace){ 0 };
	for (unsigned int i = 0; i < THREADS; i++)
		coverage_clear(i);
	calls_run(program);
	for (unsigned int i = 0; i < THREADS; i++)
		coverage_collect(i, &shared->coverage, trace);
	atomic_fetch_add(&shared->programs, 1);
}

static bool reaches(const struct trace *trace, const struct trace *other)
{
	for (unsigned int i = 0; i < MAX_SITES / 8; i++)
		if (other->site[i] & ~trace->site[i])
			return false;
	return true;
}

/* Takes out what is not needed to reach the same, from the end, each call once */
static void minimise(struct shared *shared, struct program *program, struct trace *trace)
{
	for (unsigned int i = program->calls; i-- > 0 && program->calls > 1;) {
		struct program shorter = *program;
		struct trace again;

		program_remove(&shorter, i);
		run_traced(shared, &shorter, &again);
		if (!reaches(&again, trace))
			continue;
		*program = shorter;
		again.new_site |= trace->new_site;
		again.new_edge |= trace->new_edge;
		*trace = again;
	}
}

void worker_run(struct shared *shared, unsigned int worker, uint64_t seed)
{
	struct dice dice = { seed };
	uint32_t index;

	if (calls_start(shared, worker)) {
		printf("# worker %u cannot start\n", worker);
		_exit(98);
	}
	/* The programs of former runs, each once; none twice, if it ends its worker */
	while ((index = atomic_fetch_add(&shared->next_seed, 1)) < shared->seeds) {
		struct trace trace;

		run_traced(shared, &shared->corpus.entry[index].program, &trace);
		shared->corpus.entry[index].trace = trace;
	}
	while (!atomic_load(&shared->stop)) {
		const struct program *base = corpus_pick(&shared->corpus, &dice);
		struct program program;
		struct trace trace;

		if (base && below(&dice, 8)) {
			program = *base;
			program_mutate(&program, corpus_pick(&shared->corpus, &dice), &dice);
		} else {
			program_random(&program, &dice);
		}
		run_traced(shared, &program, &trace);
		if (trace.new_site)
			minimise(shared, &program, &trace);
		if (trace.new_site || trace.new_edge)
			corpus_add(&shared->corpus, &program, &trace);
	}
	_exit(0);
}
