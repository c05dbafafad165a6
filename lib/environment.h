/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Variables of the environment, which a user sets and a program knows nothing of */
#ifndef HBS_ENVIRONMENT_H
#define HBS_ENVIRONMENT_H

/* NULL too if it is empty, or the program has more rights than its user */
const char *hbsi_variable(const char *name);

/* Say on standard error what is wrong with it, and what is @good. Return: -EINVAL */
int hbsi_variable_is_bad(const char *name, const char *value, const char *good);

/* Say on standard error that what it names could not be had, and why: a negative errno */
void hbsi_variable_fails(const char *name, const char *value, int error);

#endif /* HBS_ENVIRONMENT_H */
