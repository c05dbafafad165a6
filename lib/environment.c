// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A wrong value is an error, but an error code only tells the program that there is one.
 * So the library itself says which variable is wrong, as runtimes of OpenMP do.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>

#include "environment.h"
#include "hbs.h"
#include "say.h"

const char *hbsi_variable(const char *name)
{
	const char *value = secure_getenv(name);

	return value && *value ? value : NULL;
}

int hbsi_variable_is_bad(const char *name, const char *value, const char *good)
{
	hbsi_say("libhbs: %s: '%s' is not %s", name, value, good);
	return -EINVAL;
}

void hbsi_variable_fails(const char *name, const char *value, int error)
{
	hbsi_say("libhbs: %s: '%s': %s", name, value, hbs_strerror(error));
}
