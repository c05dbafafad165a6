/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Commands that run until a signal, or until nobody reads what they print */
#ifndef HBSCTL_STOP_H
#define HBSCTL_STOP_H

#include <stdbool.h>

/* From now on SIGINT, SIGTERM and SIGHUP end a wait, and not the program. */
void stop_prepare(void);

/* Whether there was such a signal, or standard output takes no more */
bool stop_wanted(void);

/*
 * Wait until @fd has something to read, for @ms at most (-1: for ever), or a signal. @fd may be
 * -1. Return: whether there is something.
 */
bool stop_wait(int fd, int ms);

#endif /* HBSCTL_STOP_H */
