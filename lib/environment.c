// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A wrong value is an error, of which the program can only tell that there is one; so the
 * library says itself which variable it is, as runtimes of OpenMP do.
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
