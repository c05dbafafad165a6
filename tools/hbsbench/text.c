// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>
#include <stdint.h>

#include "text.h"

/* Bytes of the character at the start of @text if it may be printed; else 0 */
static size_t printable(const unsigned char *text)
{
	static const uint32_t least[] = { 0, 0x20, 0xa0, 0x800, 0x10000 };
	uint32_t character = *text;
	size_t bytes = 1;

	if (character >= 0xf0 && character < 0xf8)
		bytes = 4;
	else if (character >= 0xe0 && character < 0xf0)
		bytes = 3;
	else if (character >= 0xc0 && character < 0xe0)
		bytes = 2;
	else if (character >= 0x7f)
		return 0;
	if (bytes > 1)
		character &= 0x7fu >> bytes;
	for (size_t i = 1; i < bytes; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		character = character << 6 | (text[i] & 0x3f);
	}
	/* 0x80 to 0x9f are controls too; bytes that are lower belong to another character */
	if (character < least[bytes] || character > 0x10ffff ||
	    (character >= 0xd800 && character < 0xe000))
		return 0;
	return bytes;
}

bool text_printable(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	while (*at) {
		size_t bytes = printable(at);

		if (!bytes)
			return false;
		at += bytes;
	}
	return true;
}

void text_clean(char *text)
{
	unsigned char *at = (unsigned char *)text;

	while (*at) {
		size_t bytes = printable(at);

		if (!bytes)
			*at = '?';
		at += bytes ? bytes : 1;
	}
}
