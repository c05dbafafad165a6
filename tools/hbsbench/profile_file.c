// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "hbs.h"
#include "profile_file.h"
#include "shared/folders.h"

bool profile_default_path(char path[PATH_MAX])
{
	return hbsi_profile_place(0, path);
}

static void write_row(const struct profile_row *row, FILE *file)
{
	const char *placement = hbsi_profile_placements[row->placement];

	if (row->algorithm == HBS_ALGORITHM_AUTO)
		fprintf(file, "card %u %s %lu\n", row->members, placement, (unsigned long)row->ns);
	else
		fprintf(file, "software %u %s %s %u %lu\n", row->members, placement,
			hbs_algorithm_name(row->algorithm), row->fan_in, (unsigned long)row->ns);
}

static void write_text(const struct profile *profile, FILE *file)
{
	char machine[PROFILE_MACHINE_SIZE];
	struct utsname name;

	hbsi_profile_machine(machine);
	fprintf(file,
		"%s %d\n# by hbsbench tune; software: members, placement, algorithm, fan-in, ns of "
		"a barrier\nmachine %s\n",
		PROFILE_HEAD, PROFILE_VERSION, machine);
	if (!uname(&name))
		fprintf(file, "kernel %s\n", name.release);
	for (uint32_t i = 0; i < profile->count; i++)
		write_row(&profile->rows[i], file);
	fprintf(file, "end %u\n", profile->count);
}

const char *profile_prepare(struct replacement *replacement, const char *path)
{
	return folders_make(path) ? replace_prepare(replacement, path) : strerror(errno);
}

const char *profile_write(const struct profile *profile, struct replacement *replacement)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	const char *why = NULL;

	if (file)
		write_text(profile, file);
	if (!file || (ferror(file) | fclose(file)))
		why = strerror(ENOMEM);
	else
		why = replace_write(replacement, text, size);
	replace_forget(replacement);
	free(text);
	return why;
}
