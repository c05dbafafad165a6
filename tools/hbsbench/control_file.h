/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files by which a program tells the kernel something */
#ifndef HBSBENCH_CONTROL_FILE_H
#define HBSBENCH_CONTROL_FILE_H

#include <stdbool.h>

/* Write @text into the file @name of @folder, which has to be there; errno says why it failed */
bool control_write(const char *folder, const char *name, const char *text);

#endif /* HBSBENCH_CONTROL_FILE_H */
