// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Memory for arrays. Handlers look at vertices in no order, so large pages are worth much: without
 * them most of the time goes into the translation of addresses.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "graph.h"

#define HUGE_PAGE ((size_t)2 << 20)

void *hbsi_graph_room(uint64_t count, size_t size)
{
	size_t unit, bytes;
	void *memory;

	if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX - HUGE_PAGE)
		return NULL;
	unit = bytes < HUGE_PAGE ? GRAPH_LINE : HUGE_PAGE;
	bytes = bytes ? (bytes + unit - 1) / unit * unit : unit;
	memory = aligned_alloc(unit, bytes);
	if (memory && unit == HUGE_PAGE) {
		/* what had been used before, or was shared by a fork, is in small pages */
		madvise(memory, bytes, MADV_DONTNEED);
		madvise(memory, bytes, MADV_HUGEPAGE);
	}
	return memory;
}

void *hbsi_graph_zeros(uint64_t count, size_t size)
{
	void *memory = hbsi_graph_room(count, size);

	if (memory)
		memset(memory, 0, count * size);
	return memory;
}
