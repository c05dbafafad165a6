/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why the barrier of a software group does not complete */
#ifndef HBSCTL_STALL_SOFTWARE_H
#define HBSCTL_STALL_SOFTWARE_H

#include <stdbool.h>

#include "stall.h"

/*
 * Read the group whose memory file @fd is. Who wrote the file may be anybody: all of it is
 * numbers, and nothing in it says how much is read. The group's name and verdict are for the
 * caller. Return: whether it is a group that this program knows.
 */
bool stall_of_software(int fd, struct stall *stall);

/* The verdict, with @before what it was STALL_WATCH_MS earlier */
void stall_of_software_judge(struct stall *stall, const struct stall *before);

#endif /* HBSCTL_STALL_SOFTWARE_H */
