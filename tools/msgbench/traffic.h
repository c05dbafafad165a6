/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The loops of a contender, from functions that its compiler puts into them */
#ifndef MSGBENCH_TRAFFIC_H
#define MSGBENCH_TRAFFIC_H

#include <sched.h>

#include "contender.h"

#define INLINE		   static inline __attribute__((always_inline))
#define TURNS_BEFORE_YIELD 4096

/* Send a message with the words @first, @first + 1 ...; false: no room */
typedef bool put_function(unsigned int side, uint64_t first);

/* Receive one, and add all its words to @sum; false: none */
typedef bool get_function(unsigned int side, uint64_t *sum);

/* The other thread may have lost its CPU to another program */
INLINE void wait_a_turn(unsigned int *turns)
{
	if (++*turns % TURNS_BEFORE_YIELD == 0)
		sched_yield();
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#endif
}

INLINE void put(put_function *try, unsigned int side, uint64_t first)
{
	unsigned int turns = 0;

	while (!try(side, first))
		wait_a_turn(&turns);
}

/* Return: whether it was the message that begins with @first */
INLINE bool get(get_function *try, unsigned int side, uint64_t first)
{
	unsigned int turns = 0;
	uint64_t sum = 0;

	while (!try(side, &sum))
		wait_a_turn(&turns);
	return sum == WORDS * first + WORDS * (WORDS - 1) / 2;
}

INLINE bool pour(put_function *try_put, get_function *try_get, unsigned int side, uint64_t count)
{
	bool good = true;

	for (uint64_t i = 0; i < count; i++)
		if (side)
			good &= get(try_get, side, i);
		else
			put(try_put, side, i);
	return good;
}

INLINE bool bounce(put_function *try_put, get_function *try_get, unsigned int side, uint64_t count)
{
	bool good = true;

	for (uint64_t i = 0; i < count; i++) {
		if (!side)
			put(try_put, side, i);
		good &= get(try_get, side, i);
		if (side)
			put(try_put, side, i);
	}
	return good;
}

#endif /* MSGBENCH_TRAFFIC_H */
