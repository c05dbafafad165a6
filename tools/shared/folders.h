/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SHARED_FOLDERS_H
#define SHARED_FOLDERS_H

#include <stdbool.h>

/* Make all folders that the file @path will be in. Return: false, with errno, if one cannot be made. */
bool folders_make(const char *path);

#endif /* SHARED_FOLDERS_H */
