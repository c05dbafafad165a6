// SPDX-License-Identifier: LGPL-2.1-or-later
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>

#include "say.h"
#include "size_signal.h"

#define LONGEST 4352 /* a path, and what is said of it */

/* A text of the environment stays in its line, and is no command for a terminal */
static void clean(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == '\x7f')
			*text = '?';
}

void hbsi_say(const char *format, ...)
{
	struct size_signal held;
	char text[LONGEST];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	clean(text);
	size_signal_hold(&held);
	fprintf(stderr, "%s\n", text);
	size_signal_release(&held);
}
