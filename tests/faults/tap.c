// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "tap.h"

static unsigned int number, failures;

void tap_plan(unsigned int results)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("TAP version 13\n1..%u\n", results);
}

void tap_result(bool ok, const char *name)
{
	printf("%sok %u %s\n", ok ? "" : "not ", ++number, name);
	failures += !ok;
}

int tap_end(void)
{
	return failures != 0;
}
