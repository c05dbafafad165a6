// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "document.h"
#include "memory.h"

void document_key(char *key, size_t size, const char *name)
{
	snprintf(key, size, "%s", name);
	for (; *key; key++)
		if (*key == '-')
			*key = '_';
}

json_t *document_number(uint64_t number)
{
	return json_integer(number > INT64_MAX ? INT64_MAX : (json_int_t)number);
}

/* standard_start() sees whether it could be written */
static void print(json_t *value, size_t flags)
{
	if (!value)
		memory_none();
	json_dumpf(value, stdout, flags | JSON_ENSURE_ASCII);
	putchar('\n');
	json_decref(value);
}

void document_print(json_t *value)
{
	print(value, JSON_INDENT(2));
}

void document_print_line(json_t *value)
{
	print(value, JSON_COMPACT);
	fflush(stdout);
}
