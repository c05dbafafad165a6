// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "help.h"

struct topic {
	const char *command;
	const char *arguments;
	const char *what;
	const char *text;
};

static const struct topic topics[] = {
	{ "list", "", "cards on the PCI bus, with or without a driver",
	  "Lists the hbs cards on the PCI bus: the address, the driver that has the card, and its\n"
	  "node in /dev; or why the driver hbs does not have it, as far as sysfs tells.\n" },
	{ "show", "[CARD]", "what a card is, its limits and its users",
	  "Shows what a card is and what it does, its limits, and what each user has of it.\n" },
	{ "groups", "[CARD|GROUP]", "the groups of a card",
	  "Shows the groups of a card; of one group, also its members.\n" },
	{ "ports", "[CARD]", "the ports of a card that are taken",
	  "Shows who has which port, and the groups that the port is a member of, as\n"
	  "NUMBER or NUMBER:TAG.\n" },
	{ "stats", "[CARD|GROUP|PID]", "counters, and how long members wait",
	  "Shows the counters of a card and its groups. Of one group it also shows how long each\n"
	  "member waits for the others, and for whom they wait; with PID that of the groups that "
	  "a\n"
	  "process has in software, and with PID/FD of the one of that descriptor. A wait of less "
	  "than\n"
	  "512 ns is short. Other times are the lower ends of steps, each twice as long as the "
	  "one\n"
	  "before.\n" },
	{ "monitor", "[CARD|GROUP]", "events, as they come",
	  "Prints events of all cards, or of one card or group, a line for each, until SIGINT. "
	  "The\n"
	  "first line says from when on it watches. When the kernel had to drop events, because\n"
	  "they came faster than they were read, a line says so.\n\n"
	  "  -n, --count=N       end after N events\n"
	  "  -b, --buffer=BYTES  how much the kernel keeps of what was not read yet\n" },
	{ "top", "[CARD|GROUP]", "how fast groups are, and whom they wait for",
	  "Prints a table of the groups again and again, the fastest first, until SIGINT.\n"
	  "\"waiting\" is the share of their time in which members wait, and \"blame\" the share "
	  "of\n"
	  "waits that are for the slowest member. Both come from samples, which top takes as "
	  "often\n"
	  "as costs less than a quarter of a percent of a CPU's time.\n\n"
	  "  -i, --interval=MS  from one table to the next (1000)\n"
	  "  -n, --count=N      end after N tables\n"
	  "      --once         end after the first\n" },
	{ "why", "GROUP|PID[/FD]", "why a barrier does not complete",
	  "Watches a group for a moment, and explains in sentences who is missing, and where "
	  "these\n"
	  "threads are, as far as you may see that. With PID it explains the groups that a "
	  "process\n"
	  "has in software, and with PID/FD the one of that descriptor.\n" },
	{ "reset", "CARD|GROUP", "reset a card, or mend a group",
	  "Resets a card, which ends all its groups, or one group, which breaks it if it is not\n"
	  "broken, and gives it new seats. Needs CAP_SYS_ADMIN.\n" },
	{ "limits", "CARD", "show or set what its users may have",
	  "Shows the limits of a card. With options it sets these first, all or none of them, "
	  "which\n"
	  "needs CAP_SYS_ADMIN.\n\n"
	  "  --ports-per-user=N   how many ports one user may have\n"
	  "  --ports-reserved=N   how many are for holders of CAP_SYS_RESOURCE only\n"
	  "  --groups-per-user=N  as for ports\n"
	  "  --groups-reserved=N\n"
	  "  --timeout-min-ns=N   the shortest timeout that a group may have\n"
	  "  --timeout-max-ns=N   the longest\n" },
	{ "selftest", "CARD", "try whether a card is well",
	  "Makes groups of up to four threads on the card, one after the other, which do barriers "
	  "in\n"
	  "all its ways, reductions and a timeout, and compares results and counters. Other "
	  "groups\n"
	  "go on meanwhile. The exit status is 1 if something is wrong.\n" },
};

#define TOPICS (sizeof(topics) / sizeof(topics[0]))

static const char common[] = "  -j, --json  print JSON\n"
			     "  -h, --help  print this\n";

void help_all(FILE *file)
{
	fputs("Usage: hbsctl COMMAND [OPTION]... [ARGUMENT]...\n"
	      "Show and manage hbs barrier cards. A CARD is hbs0, a GROUP of it hbs0/3.\n\n",
	      file);
	for (size_t i = 0; i < TOPICS; i++)
		fprintf(file, "  %-8s %-16s %s\n", topics[i].command, topics[i].arguments,
			topics[i].what);
	fprintf(file, "\n%s", common);
	fputs("\nhbsctl COMMAND --help says more. Exit status: 0 good; 1 it failed; 2 "
	      "usage;\n"
	      "3 you may not do that; 4 no such card, group or process, or no driver.\n",
	      file);
}

void help_command(const char *command, FILE *file)
{
	for (size_t i = 0; i < TOPICS; i++) {
		const struct topic *topic = &topics[i];

		if (strcmp(command, topic->command))
			continue;
		fprintf(file, "Usage: hbsctl %s [OPTION]...%s%s\n%s\n%s", command,
			*topic->arguments ? " " : "", topic->arguments, topic->text, common);
	}
}
