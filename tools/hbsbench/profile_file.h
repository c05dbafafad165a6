/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the profile of this machine, which the library reads */
#ifndef HBSBENCH_PROFILE_FILE_H
#define HBSBENCH_PROFILE_FILE_H

#include "shared/replace.h"
#include "software/profile.h"

/*
 * Where the profile goes unless the user names a file: where the library looks first. False if
 * there is no such place.
 */
bool profile_default_path(char path[PATH_MAX]);

/*
 * Make the folders of @path, and find out whether a profile can be written to it. Return: NULL,
 * or what is wrong.
 */
const char *profile_prepare(struct replacement *replacement, const char *path);

/*
 * Write the rows of @profile. Meanwhile a reader sees the old file or the new one. Return:
 * NULL, or what is wrong.
 */
const char *profile_write(const struct profile *profile, struct replacement *replacement);

#endif /* HBSBENCH_PROFILE_FILE_H */
