// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "colour.h"

static const char *const codes[] = {
	[COLOUR_NONE] = "",	    [COLOUR_TITLE] = "\033[1m", [COLOUR_GOOD] = "\033[32m",
	[COLOUR_CARE] = "\033[33m", [COLOUR_BAD] = "\033[31m",
};

/* By https://no-color.org, NO_COLOR counts if it is not empty */
static bool has_colours(void)
{
	const char *no = getenv("NO_COLOR");
	const char *terminal = getenv("TERM");

	return isatty(STDOUT_FILENO) && (!no || !*no) && terminal && strcmp(terminal, "dumb");
}

const char *colour_on(enum colour colour)
{
	return colour != COLOUR_NONE && has_colours() ? codes[colour] : "";
}

const char *colour_off(enum colour colour)
{
	return colour != COLOUR_NONE && has_colours() ? "\033[0m" : "";
}
