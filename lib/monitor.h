/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Waiting for a store to a line by the CPU itself, where it can do that in user mode: Intel's
 * umonitor and umwait (WAITPKG), AMD's monitorx and mwaitx. The thread keeps its CPU, but
 * leaves the core to its other hardware thread, and takes less power than by pause.
 *
 *	hbsi_monitor_arm(line);
 *	if (what is waited for is not there)
 *		hbsi_monitor_wait(ticks);
 *
 * A store to the line after the first of them ends the wait, or keeps it from starting. It
 * can end without a reason: look.
 */
#ifndef HBS_MONITOR_H
#define HBS_MONITOR_H

#include <stdint.h>

enum monitor {
	MONITOR_NONE,
	MONITOR_WAITPKG,
	MONITOR_MWAITX,
};

/* What hbsi_monitor_find() found */
extern enum monitor hbsi_monitor;

/* What this CPU has, found once in a process */
void hbsi_monitor_find(void);

void hbsi_monitor_arm(const volatile void *line);
/* At most so many ticks (ticks.h) */
void hbsi_monitor_wait(uint64_t ticks);

#endif /* HBS_MONITOR_H */
