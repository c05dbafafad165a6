// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "hbs.h"
#include "profile_file.h"

bool profile_default_path(char path[PATH_MAX])
{
	return hbsi_profile_place(0, path);
}

static bool fail(const char *path)
{
	fprintf(stderr, "hbsbench: %s: %s\n", path, strerror(errno));
	return false;
}

/* All folders that @path is in */
static bool make_folders(const char *path)
{
	char folder[PATH_MAX];

	for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		snprintf(folder, sizeof(folder), "%.*s", (int)(slash - path), path);
		if (mkdir(folder, 0777) && errno != EEXIST)
			return fail(folder);
	}
	return true;
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

/* Whoever may read a new file of this user's may read it */
static bool set_mode(int fd)
{
	mode_t mask = umask(0);

	umask(mask);
	return !fchmod(fd, 0666 & ~mask);
}

static bool write_file(const struct profile *profile, int fd)
{
	FILE *file = fdopen(fd, "w");
	bool good;

	if (!file) {
		close(fd);
		return false;
	}
	write_text(profile, file);
	good = !fflush(file) && !ferror(file) && set_mode(fd) && !fsync(fd);
	return !fclose(file) && good;
}

/* Who reads @path finds what was there or all that is new, at any time */
static bool replace(const struct profile *profile, const char *path)
{
	char beside[PATH_MAX + 8];
	int fd;

	snprintf(beside, sizeof(beside), "%s.XXXXXX", path);
	fd = mkstemp(beside);
	if (fd < 0)
		return fail(beside);
	if (write_file(profile, fd) && !rename(beside, path))
		return true;
	fail(path);
	unlink(beside);
	return false;
}

bool profile_write(const struct profile *profile, const char *path)
{
	sigset_t all, before;
	bool good;

	if (!make_folders(path))
		return false;
	/* a signal that ends the program does so when no file is left beside it */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	good = replace(profile, path);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return good;
}
