/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The CPU itself waits for a store to a line, where it can do that in user mode: Intel's
 * umonitor and umwait (WAITPKG), AMD's monitorx and mwaitx. The thread keeps its CPU, but
 * leaves the core to the other hardware thread, and takes less power than with pause.
 *
 *	hbsi_monitor_arm(line);
 *	if (what is waited for is not there)
 *		hbsi_monitor_wait(ticks);
 *
 * A store to the line after the first call ends the wait, or keeps it from starting. The wait
 * can end without a reason: look again.
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

/* What this CPU has; a process finds it out once */
void hbsi_monitor_find(void);

void hbsi_monitor_arm(const volatile void *line);
/* Wait for at most so many ticks (ticks.h) */
void hbsi_monitor_wait(uint64_t ticks);

#endif /* HBS_MONITOR_H */
