// SPDX-License-Identifier: GPL-2.0-or-later
/* Prints what hbsctl takes for the specification; schemas.py compares it with that. */
#include <inttypes.h>
#include <stdio.h>

#include "records.h"

static const char *const kinds[] = {
	[FIELD_U32] = "u32",	 [FIELD_WORD] = "u32",	[FIELD_BITS] = "u32",
	[FIELD_VERSION] = "u32", [FIELD_U64] = "u64",	[FIELD_BITS64] = "u64",
	[FIELD_NAME64] = "u64",	 [FIELD_S64] = "s64",	[FIELD_TEXT] = "string",
	[FIELD_FLAG] = "flag",	 [FIELD_NEST] = "nest", [FIELD_NESTS] = "nest",
};

int main(void)
{
	for (const struct schema *const *schema = schemas; *schema; schema++) {
		for (size_t i = 0; i < (*schema)->count; i++) {
			const struct field *field = &(*schema)->fields[i];

			printf("attribute %s %s %u %s %s %d\n", (*schema)->name, field->name,
			       field->attribute, kinds[field->kind],
			       field->nested ? field->nested->name : "-",
			       field->kind == FIELD_NESTS);
			for (size_t j = 0; field->words && j < field->words->count; j++)
				if (field->words->list[j])
					printf("word %s %s %zu %s\n", (*schema)->name, field->name,
					       j, field->words->list[j]);
		}
	}
	return 0;
}
