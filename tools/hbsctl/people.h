/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of users */
#ifndef HBSCTL_PEOPLE_H
#define HBSCTL_PEOPLE_H

#include <stdint.h>

#define PEOPLE_SIZE 160

/* The name of a user, escaped, or the number if there is none. Return: @name. */
const char *people_name(uint32_t uid, char name[PEOPLE_SIZE]);

#endif /* HBSCTL_PEOPLE_H */
