// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "number.h"

bool number_parse(const char *option, const char *text, unsigned long least, unsigned long most,
		  unsigned long *value)
{
	char *end;

	errno = 0;
	*value = strtoul(text, &end, 10);
	/* strtoul takes signs and blanks */
	if (*text >= '0' && *text <= '9' && !*end && !errno && *value >= least && *value <= most)
		return true;
	fprintf(stderr, "%s: --%s: '%s' is no whole number from %lu to %lu\n",
		program_invocation_short_name, option, text, least, most);
	return false;
}
