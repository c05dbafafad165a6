// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>

#include "memory.h"
#include "status.h"

void memory_none(void)
{
	fputs("hbsctl: there is no memory\n", stderr);
	exit(STATUS_FAILED);
}

void *memory_resize(void *old, size_t size)
{
	void *memory = realloc(old, size);

	if (!memory)
		memory_none();
	return memory;
}

char *memory_print(const char *format, va_list arguments)
{
	char *text;

	if (vasprintf(&text, format, arguments) < 0)
		memory_none();
	return text;
}
