/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What members send each other in a step, and what they check: each one gets a message of this
 * step from each other member, once, with the right content, and nothing else.
 */
#ifndef STEPBENCH_STEP_H
#define STEPBENCH_STEP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define STEP_MEMBERS_MAX 64
#define STEP_WORDS	 8
#define STEP_BYTES	 (STEP_WORDS * sizeof(uint64_t))
#define STEP_ERROR_SIZE	 100

/* A part of the steps first, in which the processor and the waits of a contender settle */
#define STEP_WARM_UP(steps) ((steps) / 4 + 1)

/* What a member has received in a step */
struct step_tally {
	uint64_t step;
	uint64_t from;	/* a bit for each sender */
	uint32_t wrong; /* messages that were not right */
	uint32_t count;
};

static inline uint64_t step_word(uint64_t step, uint32_t from, uint32_t to, unsigned int index)
{
	return step << 16 | from << 10 | to << 4 | index;
}

static inline void step_fill(uint64_t *words, uint64_t step, uint32_t from, uint32_t to)
{
	for (unsigned int i = 0; i < STEP_WORDS; i++)
		words[i] = step_word(step, from, to, i);
}

/* Member @to has received a message of @size bytes from @from */
static inline void step_take(struct step_tally *tally, const uint64_t *words, uint64_t size,
			     uint32_t from, uint32_t to)
{
	uint64_t differs = size != STEP_BYTES || from == to || tally->from >> from & 1;

	for (unsigned int i = 0; size == STEP_BYTES && i < STEP_WORDS; i++)
		differs |= words[i] ^ step_word(tally->step, from, to, i);
	tally->from |= 1ULL << from;
	tally->wrong += !!differs;
	tally->count++;
}

/* Whether the step of @members is as it should be; if not, what is wrong */
static inline bool step_is_right(const struct step_tally *tally, uint32_t members,
				 char error[STEP_ERROR_SIZE])
{
	if (__builtin_expect(!tally->wrong && tally->count == members - 1, 1))
		return true;
	snprintf(error, STEP_ERROR_SIZE,
		 "step %llu: a member received %u messages, of %u others, and %u were wrong",
		 (unsigned long long)tally->step, tally->count, members - 1, tally->wrong);
	return false;
}

#endif /* STEPBENCH_STEP_H */
