/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Environment variables, which a user sets and a program does not know about */
#ifndef HBS_ENVIRONMENT_H
#define HBS_ENVIRONMENT_H

/* NULL also if it is empty, or if the program has more rights than its user */
const char *hbsi_variable(const char *name);

/* Say on standard error what is wrong with it, and which values are @good. Return: -EINVAL */
int hbsi_variable_is_bad(const char *name, const char *value, const char *good);

/* Say on standard error that the library could not get what it names, and why: a negative errno */
void hbsi_variable_fails(const char *name, const char *value, int error);

#endif /* HBS_ENVIRONMENT_H */
