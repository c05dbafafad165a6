// SPDX-License-Identifier: GPL-2.0-or-later
/* What can be chosen */
#include <stdio.h>

#include "commands.h"
#include "measure.h"

int command_list(int argc, char **argv)
{
	if (argc > 1) {
		fprintf(stderr, "hbsbench: list: '%s' is too much\n", argv[1]);
		return STATUS_ERROR;
	}
	puts("workloads");
	for (size_t i = 0; workloads[i]; i++)
		printf("  %-19s %s%s\n", workloads[i]->name, workloads[i]->what,
		       workloads[i]->hidden ? " (only if named)" : "");
	puts("rows of the workload neighbours");
	for (size_t i = 0; conditions[i].name; i++)
		printf("  %-19s %s\n", conditions[i].name, conditions[i].what);
	puts("contenders");
	for (size_t i = 0; contender_at(i); i++)
		printf("  %-19s %s\n", contender_at(i)->name, contender_at(i)->what);
	puts("placements");
	for (size_t i = 0; placements[i].name; i++)
		printf("  %-19s each member %s\n", placements[i].name,
		       placements[i].processes ? "a process" : "a thread");
	return STATUS_GOOD;
}
