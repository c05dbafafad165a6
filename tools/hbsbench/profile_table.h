/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A profile as text for people */
#ifndef HBSBENCH_PROFILE_TABLE_H
#define HBSBENCH_PROFILE_TABLE_H

#include "software/profile.h"

/* The profile's times, and for each number of members what the library makes of them */
void profile_table(const struct profile *profile, FILE *file);

#endif /* HBSBENCH_PROFILE_TABLE_H */
