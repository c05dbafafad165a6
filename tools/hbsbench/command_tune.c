// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measure what the library's "auto" chooses from, and write the profile where the library reads
 * it
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "commands.h"
#include "cpus.h"
#include "interrupt.h"
#include "options.h"
#include "profile_file.h"
#include "profile_table.h"
#include "shared/number.h"
#include "software/topology.h"
#include "text.h"
#include "tune.h"
#include "usage_text.h"

#define DEFAULT_TIME_S 30
#define TIME_S_MAX     3600

static const struct option long_options[] = {
	{ "members", required_argument, NULL, 'm' },
	{ "time", required_argument, NULL, 'T' },
	{ "output", required_argument, NULL, 'o' },
	{ "show", no_argument, NULL, 's' },
	{ "quiet", no_argument, NULL, 'q' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

struct wishes {
	struct plan plan; /* only its members */
	unsigned long time_s;
	bool time_given;
	const char *output;
	bool show;
	bool quiet;
};

static bool take_option(int option, struct wishes *wishes)
{
	switch (option) {
	case 'm':
		return options_members("members", optarg, &wishes->plan);
	case 'T':
		wishes->time_given = true;
		return number_parse("time", optarg, 1, TIME_S_MAX, &wishes->time_s);
	case 'o':
		wishes->output = optarg;
		return true;
	case 's':
		wishes->show = true;
		return true;
	case 'q':
		wishes->quiet = true;
		return true;
	default:
		fprintf(stderr, "hbsbench: try --help\n");
		return false;
	}
}

static void write_machine(void)
{
	const struct topology *topology = hbsi_topology();
	char machine[PROFILE_MACHINE_SIZE];

	hbsi_profile_machine(machine);
	printf("machine   %s\nmay use   %u CPUs, %u cores, %u last-level caches, %u NUMA nodes, "
	       "%u packages%s\n",
	       machine, topology->cpus, topology->cores, topology->caches, topology->nodes,
	       topology->packages, topology->known ? "" : "; hwloc does not tell");
}

/* What the library uses here, or why it uses nothing */
static int show(void)
{
	static struct profile profile;
	char path[PATH_MAX];

	hbsi_profile_load(&profile);
	write_machine();
	printf("profile   %s\n", *profile.path ? profile.path : PROFILE_NONE);
	for (unsigned int i = 0; !*profile.path && hbsi_profile_place(i, path); i++)
		printf("          not %s\n", path);
	if (!profile.why) {
		profile_table(&profile, stdout);
		return STATUS_GOOD;
	}
	if (!*profile.path)
		return STATUS_FOUND;
	printf("not used  %s (line %u)\n", profile.why, profile.line);
	if (*profile.machine) {
		text_clean(profile.machine);
		printf("it is of  %s\n", profile.machine);
	}
	return STATUS_FOUND;
}

static int fail(const char *path, const char *why)
{
	fprintf(stderr, "hbsbench: tune: %s: %s\n", path, why);
	return STATUS_ERROR;
}

static int write_profile(const struct wishes *wishes, const struct profile *profile,
			 struct replacement *replacement, const char *path)
{
	const char *why;

	if (!profile->count && !interrupted()) {
		fprintf(stderr, "hbsbench: tune: nothing could be measured\n");
		return STATUS_FOUND;
	}
	if (!wishes->quiet && profile->count) {
		write_machine();
		profile_table(profile, stdout);
	}
	/* with only a part of what it chooses from, the library would choose badly */
	if (interrupted()) {
		fprintf(stderr, "hbsbench: tune: interrupted; %s is left as it was\n", path);
		return STATUS_FOUND;
	}
	why = profile_write(profile, replacement);
	if (why)
		return fail(path, why);
	printf("%swritten to %s\n", wishes->quiet ? "" : "\n", path);
	return STATUS_GOOD;
}

static int measure(const struct wishes *wishes)
{
	static struct profile profile;
	struct replacement replacement;
	char path[PATH_MAX];
	const char *why;
	int status;

	if (wishes->output ? snprintf(path, sizeof(path), "%s", wishes->output) >= PATH_MAX
			   : !profile_default_path(path)) {
		fprintf(stderr, "hbsbench: no place for a profile: name one by --output\n");
		return STATUS_ERROR;
	}
	why = profile_prepare(&replacement, path);
	if (why)
		return fail(path, why);
	interrupt_watch();
	clock_start();
	tune(wishes->plan.members, wishes->plan.members_count, (unsigned int)wishes->time_s,
	     wishes->quiet, &profile);
	status = write_profile(wishes, &profile, &replacement, path);
	replace_forget(&replacement);
	interrupt_end();
	return status;
}

/* With --show we measure and write nothing */
static bool is_sensible(const struct wishes *wishes)
{
	const char *option = NULL;

	if (wishes->plan.members_count)
		option = "members";
	else if (wishes->time_given)
		option = "time";
	else if (wishes->output)
		option = "output";
	else if (wishes->quiet)
		option = "quiet";
	if (!wishes->show || !option)
		return true;
	fprintf(stderr, "hbsbench: tune --show has no use for --%s\n", option);
	return false;
}

int command_tune(int argc, char **argv)
{
	struct wishes wishes = { .time_s = DEFAULT_TIME_S };
	int option;

	cpus_start();
	while ((option = getopt_long(argc, argv, "m:T:o:sqh", long_options, NULL)) != -1) {
		if (option == 'h') {
			usage_text(stdout);
			return STATUS_GOOD;
		}
		if (!take_option(option, &wishes))
			return STATUS_ERROR;
	}
	if (optind < argc) {
		fprintf(stderr, "hbsbench: tune: '%s' is too much\n", argv[optind]);
		return STATUS_ERROR;
	}
	if (!is_sensible(&wishes))
		return STATUS_ERROR;
	if (wishes.show)
		return show();
	if (!wishes.plan.members_count)
		options_default_members(&wishes.plan, 2);
	return measure(&wishes);
}
