/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints the version of the headers, by its numbers and as a string, and that of the library */
#include <hbs.h>
#include <stdio.h>

int main(void)
{
	printf("%d.%d.%d\n%s\n%s\n", HBS_VERSION_MAJOR, HBS_VERSION_MINOR, HBS_VERSION_PATCH,
	       HBS_VERSION, hbs_version());
	return 0;
}
