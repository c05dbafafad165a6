/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the environment says to libhbs, for messages about it */
#ifndef SHARED_VARIABLES_H
#define SHARED_VARIABLES_H

#include <stddef.h>

/*
 * Write "; NAME=VALUE is set" for each variable of libhbs that may be the reason why a
 * context does not open, as far as there is room. Return: @text.
 */
const char *variables_set(char *text, size_t size);

#endif /* SHARED_VARIABLES_H */
