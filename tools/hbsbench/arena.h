/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that the members share even if they are processes, and at the same address. It
 * is counted, so that the program can say how much memory a contender needs.
 */
#ifndef HBSBENCH_ARENA_H
#define HBSBENCH_ARENA_H

#include <stddef.h>

#define CACHE_LINE 64

#ifdef __cplusplus
extern "C" {
#endif

/* Zeroed memory that children share; not part of the count. Ends the program if there is none. */
void *arena_map(size_t size);

/* Zeroed memory at the start of a cache line; NULL if the arena is full */
void *arena_alloc(size_t size);

/* Bytes that arena_alloc() gave out */
size_t arena_used(void);

#ifdef __cplusplus
}
#endif

#endif /* HBSBENCH_ARENA_H */
