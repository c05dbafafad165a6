/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random numbers that are the same in each run (xorshift64*) */
#ifndef SHARED_RANDOM_H
#define SHARED_RANDOM_H

#include <stdint.h>

/* A state, never 0, for the number @seed */
static inline uint64_t random_start(uint64_t seed)
{
	return (seed + 1) * 0x9e3779b97f4a7c15ULL | 1;
}

static inline uint64_t random_next(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dULL;
}

/* From 0 to below 1 */
static inline double random_part(uint64_t *state)
{
	return (double)(random_next(state) >> 11) / 9007199254740992.0;
}

#endif /* SHARED_RANDOM_H */
