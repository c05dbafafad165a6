// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>

#include "memory.h"

static void *must(void *memory)
{
	if (memory)
		return memory;
	fprintf(stderr, "tdsim: out of memory\n");
	exit(EXIT_ERROR);
}

void *memory_new(size_t count, size_t size)
{
	return must(calloc(count ? count : 1, size));
}

void *memory_more(void *old, size_t count, size_t size)
{
	return must(reallocarray(old, count, size));
}
