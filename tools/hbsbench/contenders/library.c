// SPDX-License-Identifier: GPL-2.0-or-later
#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "library.h"

static void *handle;
static const char *path = "";

/* In a folder beside this program */
static void *load_beside(const char *folder, const char *name)
{
	char program[PATH_MAX], full[2 * PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);

	if (length < 0)
		return NULL;
	program[length] = '\0';
	snprintf(full, sizeof(full), "%s/%s%s", dirname(program), folder, name);
	return dlopen(full, RTLD_NOW | RTLD_LOCAL);
}

const char *library_load(const char *const *names)
{
	static char why[200];
	struct link_map *map;

	handle = NULL;
	for (size_t i = 0; names[i] && !handle; i++) {
		/* where fetched libraries are */
		if (!strchr(names[i], '/'))
			handle = load_beside("hbsbench.d/", names[i]);
		if (*names[i] == '.')
			handle = load_beside("", names[i]);
		else if (!handle)
			handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	}
	if (!handle) {
		snprintf(why, sizeof(why), "%s is not here", names[0]);
		return why;
	}
	if (!dlinfo(handle, RTLD_DI_LINKMAP, &map))
		path = map->l_name;
	return NULL;
}

void *library_find(const char *function)
{
	return dlsym(handle, function);
}

const char *library_path(void)
{
	return path;
}
