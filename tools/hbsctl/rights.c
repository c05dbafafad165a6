// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "rights.h"

void rights_tell(const struct rows *rows, const struct schema *schema, uint16_t attribute)
{
	size_t hidden = 0;

	for (size_t i = 0; i < rows->count; i++)
		hidden += !fields_has((const char *)rows->items + i * schema->size, attribute);
	if (hidden)
		fprintf(stderr, "hbsctl: of %zu %s%s you do not see all: " RIGHTS_NEEDED "\n",
			hidden, schema->name, hidden == 1 ? "" : "s");
}
