// SPDX-License-Identifier: GPL-2.0-or-later
/* hbsctl: shows and manages hbs cards. See Documentation/hbsctl.rst. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "help.h"
#include "shared/standard.h"

struct command {
	const char *name;
	enum status (*run)(int argc, char **argv);
};

static const struct command commands[] = {
	{ "list", command_list },	  { "show", command_show },
	{ "groups", command_groups },	  { "ports", command_ports },
	{ "stats", command_stats },	  { "monitor", command_monitor },
	{ "top", command_top },		  { "why", command_why },
	{ "reset", command_reset },	  { "limits", command_limits },
	{ "selftest", command_selftest },
};

static enum status usage(const char *word)
{
	if (word)
		fprintf(stderr, "hbsctl: there is no command '%s'; try --help\n", word);
	else
		fprintf(stderr, "hbsctl: a command is missing; try --help\n");
	return STATUS_USAGE;
}

int main(int argc, char **argv)
{
	standard_start("hbsctl", STATUS_FAILED);
	if (argc < 2)
		return usage(NULL);
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		help_all(stdout);
		return STATUS_GOOD;
	}
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(argv[1], commands[i].name))
			return (int)commands[i].run(argc - 1, argv + 1);
	return usage(argv[1]);
}
