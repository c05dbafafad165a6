// SPDX-License-Identifier: LGPL-2.1-or-later
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>

#include "say.h"
#include "size_signal.h"

void hbsi_say(const char *format, ...)
{
	struct size_signal held;
	va_list arguments;

	size_signal_hold(&held);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	size_signal_release(&held);
}
