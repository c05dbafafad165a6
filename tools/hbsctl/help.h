/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What --help says */
#ifndef HBSCTL_HELP_H
#define HBSCTL_HELP_H

#include <stdio.h>

/* All commands, on one screen */
void help_all(FILE *file);

/* One of them */
void help_command(const char *command, FILE *file);

#endif /* HBSCTL_HELP_H */
