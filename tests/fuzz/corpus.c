// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "fuzz.h"

void corpus_add(struct corpus *corpus, const struct program *program, const struct trace *trace)
{
	uint32_t index = atomic_fetch_add(&corpus->count, 1);

	if (index >= MAX_CORPUS) {
		atomic_store(&corpus->count, MAX_CORPUS);
		return;
	}
	corpus->entry[index].program = *program;
	corpus->entry[index].trace = *trace;
	corpus->entry[index].new_site = trace->new_site;
	atomic_store(&corpus->entry[index].ready, true);
}

static uint32_t size_of(const struct corpus *corpus)
{
	uint32_t count = atomic_load(&corpus->count);

	return count < MAX_CORPUS ? count : MAX_CORPUS;
}

const struct program *corpus_pick(const struct corpus *corpus, struct dice *dice)
{
	uint32_t count = size_of(corpus), index;

	if (!count)
		return NULL;
	/* Half of them from what was found last */
	if (below(dice, 2) && count > 32)
		index = count - 1 - below(dice, count / 8);
	else
		index = below(dice, count);
	return corpus->entry[index].ready ? &corpus->entry[index].program : NULL;
}

static unsigned int gain(const struct trace *trace, const uint8_t *reached)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < MAX_SITES / 8; i++)
		n += __builtin_popcount(trace->site[i] & ~reached[i]);
	return n;
}

unsigned int corpus_print_fewest(const struct corpus *corpus)
{
	uint8_t reached[MAX_SITES / 8] = { 0 };
	unsigned int printed = 0;

	/* Always the one that adds most */
	for (;;) {
		unsigned int most = 0;
		uint32_t best = 0;

		for (uint32_t i = 0; i < size_of(corpus); i++) {
			unsigned int n =
				corpus->entry[i].ready ? gain(&corpus->entry[i].trace, reached) : 0;

			if (n > most) {
				most = n;
				best = i;
			}
		}
		if (!most)
			return printed;
		for (unsigned int i = 0; i < MAX_SITES / 8; i++)
			reached[i] |= corpus->entry[best].trace.site[i];
		program_print(&corpus->entry[best].program);
		printed++;
	}
}
