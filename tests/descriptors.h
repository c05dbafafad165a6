/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many descriptors are open, for tests that look for leaks. The lowest free number does not tell
 * that: it is the same as before if another descriptor below those that leaked was closed.
 */
#ifndef DESCRIPTORS_H
#define DESCRIPTORS_H

#include <dirent.h>

static inline int count_descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	int count = 0;

	if (!folder)
		return -1;
	while (readdir(folder))
		count++;
	closedir(folder);
	return count;
}

#endif /* DESCRIPTORS_H */
