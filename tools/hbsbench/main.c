// SPDX-License-Identifier: GPL-2.0-or-later
/* hbsbench: measures barriers. See Documentation/hbsbench.rst. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "shared/standard.h"

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
};

static const struct command commands[] = {
	{ "run", command_run },		{ "check", command_check }, { "show", command_show },
	{ "compare", command_compare }, { "list", command_list },   { "tune", command_tune },
};

int main(int argc, char **argv)
{
	standard_start("hbsbench", STATUS_ERROR);
	for (size_t i = 0; argc > 1 && i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	return command_run(argc, argv);
}
