// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "arena.h"

/* the kernel gives a page only when it is used */
#define ARENA_SIZE (64UL << 20)

static char *arena;
static size_t next, used;

void *arena_map(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory != MAP_FAILED)
		return memory;
	fprintf(stderr, "%s: no %zu bytes of shared memory: %s\n", program_invocation_short_name,
		size, strerror(errno));
	exit(2);
}

void *arena_alloc(size_t size)
{
	size_t lines = (size + CACHE_LINE - 1) & ~(size_t)(CACHE_LINE - 1);
	void *memory;

	if (!arena)
		arena = arena_map(ARENA_SIZE);
	if (size > ARENA_SIZE || lines > ARENA_SIZE - next)
		return NULL;
	memory = arena + next;
	next += lines;
	used += size;
	return memory;
}

size_t arena_used(void)
{
	return used;
}
