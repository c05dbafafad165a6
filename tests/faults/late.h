/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How late everything is here. A guest does not see when its host runs something else;
 * but a thread that sleeps 10 ms at a time does, for it then sleeps longer. A test
 * does not count the time by which that thread was late meanwhile.
 */
#ifndef LATE_H
#define LATE_H

#include <stdint.h>

/* Starts that thread, in this process; returns 0 or -errno */
int late_start(void);

struct late {
	uint64_t start_ns;
	uint64_t late_ns;
};

/* Notes the time */
struct late late_note(void);
/* Time since, less the time by which the thread was late */
uint64_t late_since(const struct late *from);

#endif /* LATE_H */
