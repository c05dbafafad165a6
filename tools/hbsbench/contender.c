// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>
#include <string.h>

#include "contender.h"

const struct contender *contender_find(const char *name)
{
	for (size_t i = 0; contenders[i]; i++)
		if (!strcmp(contenders[i]->name, name))
			return contenders[i];
	return NULL;
}
