/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writing the profile of this machine; the library reads it */
#ifndef HBSBENCH_PROFILE_FILE_H
#define HBSBENCH_PROFILE_FILE_H

#include "software/profile.h"

/* Where it goes unless a file is named: where the library looks first. False if there is none. */
bool profile_default_path(char path[PATH_MAX]);

/*
 * Write the rows of @profile to @path, whose folders are made. Who reads it meanwhile sees
 * the old file or the new one. Return: was it written? If not, stderr says why.
 */
bool profile_write(const struct profile *profile, const char *path);

#endif /* HBSBENCH_PROFILE_FILE_H */
