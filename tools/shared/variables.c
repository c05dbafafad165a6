// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>

#include "variables.h"

const char *variables_set(char *text, size_t size)
{
	static const char *const names[] = { "HBS_BACKEND", "HBS_DEVICE", "HBS_SPIN_NS",
					     "HBS_WAIT_POLICY", "HBS_ALGORITHM" };
	size_t used = 0;

	*text = '\0';
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && used < size; i++) {
		const char *value = getenv(names[i]);
		int length = 0;

		if (value && *value)
			length = snprintf(text + used, size - used, "; %s=%s is set", names[i],
					  value);
		used += length > 0 ? (size_t)length : 0;
	}
	return text;
}
