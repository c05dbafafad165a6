// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "text.h"

const char *text_escape(char *escaped, size_t size, const char *text)
{
	size_t used = 0;

	*escaped = '\0';
	for (; *text; text++) {
		unsigned char byte = (unsigned char)*text;
		char one[5];
		size_t length;

		if (byte == '\\')
			length = (size_t)snprintf(one, sizeof(one), "\\\\");
		else if (byte >= ' ' && byte <= '~')
			length = (size_t)snprintf(one, sizeof(one), "%c", byte);
		else
			length = (size_t)snprintf(one, sizeof(one), "\\x%02x", byte);
		/* never half of an escape */
		if (used + length >= size)
			break;
		memcpy(escaped + used, one, length + 1);
		used += length;
	}
	return escaped;
}
