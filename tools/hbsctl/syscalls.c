// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>

#include "syscalls.h"

/* The Makefile makes the list from the kernel's header for this architecture. */
static const char *const names[] = {
#include "syscalls.inc"
};

const char *syscalls_name(unsigned long number)
{
	return number < sizeof(names) / sizeof(names[0]) ? names[number] : NULL;
}
