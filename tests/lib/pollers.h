/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The library's threads that sleep for members which poll */
#ifndef TEST_POLLERS_H
#define TEST_POLLERS_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "threads.h"

/*
 * Find them by their name, for a sanitizer may have others. Return: how many; @one is one of
 * them
 */
static inline unsigned int find_pollers(pid_t *one)
{
	DIR *tasks = opendir("/proc/self/task");
	unsigned int count = 0;
	struct dirent *task;

	assert_non_null(tasks);
	while ((task = readdir(tasks))) {
		char path[300], name[32] = "";
		FILE *file;

		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", task->d_name);
		file = fopen(path, "r");
		if (!file)
			continue;
		if (fgets(name, sizeof(name), file) && !strcmp(name, "hbs-poll\n")) {
			count++;
			if (one)
				*one = (pid_t)strtol(task->d_name, NULL, 10);
		}
		fclose(file);
	}
	closedir(tasks);
	return count;
}

#endif /* TEST_POLLERS_H */
