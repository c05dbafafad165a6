/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that the members share also where they are processes, and at the same address.
 * It is counted, so that it can be said how much memory a contender needs.
 */
#ifndef HBSBENCH_ARENA_H
#define HBSBENCH_ARENA_H

#include <stddef.h>

#define CACHE_LINE 64

#ifdef __cplusplus
extern "C" {
#endif

/* Zeroed and shared with children; of its own, not counted. Ends the program if there is none. */
void *arena_map(size_t size);

/* Zeroed, and at the start of a cache line; NULL if the arena is full */
void *arena_alloc(size_t size);

/* Bytes that were asked of arena_alloc() */
size_t arena_used(void);

#ifdef __cplusplus
}
#endif

#endif /* HBSBENCH_ARENA_H */
