/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writing the profile of this machine; the library reads it */
#ifndef HBSBENCH_PROFILE_FILE_H
#define HBSBENCH_PROFILE_FILE_H

#include "shared/replace.h"
#include "software/profile.h"

/* Where it goes unless a file is named: where the library looks first. False if there is none. */
bool profile_default_path(char path[PATH_MAX]);

/*
 * Make the folders of @path, and find out whether a profile can be written to it. Return: NULL,
 * or what is wrong.
 */
const char *profile_prepare(struct replacement *replacement, const char *path);

/*
 * Write the rows of @profile. Who reads it meanwhile sees the old file or the new one. Return:
 * NULL, or what is wrong.
 */
const char *profile_write(const struct profile *profile, struct replacement *replacement);

#endif /* HBSBENCH_PROFILE_FILE_H */
