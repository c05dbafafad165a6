/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * umonitor and umwait, monitorx and mwaitx, emulated in a signal handler on a CPU that does
 * not have them: the handler compares what each thread has armed until it changes.
 */
#ifndef TEST_FAKE_MONITOR_H
#define TEST_FAKE_MONITOR_H

#include <stdatomic.h>

#include "monitor.h"

/* By all threads since the start */
struct fake_monitor {
	atomic_uint arms;
	atomic_uint waits;
	atomic_uint stores;    /* waits that a store ended, or kept from starting */
	atomic_uint times;     /* waits that their time ended */
	atomic_uint unarmed;   /* waits without a line: wrong */
	atomic_uint malformed; /* with another hint than the library's, or far from now: wrong */
};

extern struct fake_monitor fake_monitor;

/*
 * Make the library believe that this CPU has them, whatever it has. @patient: a wait
 * takes seconds until its time ends, so that the test notices a store which does not end
 * it. Return: whether they are faked, and not this CPU's own, which are not counted.
 */
int fake_monitor_start(enum monitor monitor, int patient);

/* Take it for what it is */
void fake_monitor_stop(void);

#endif /* TEST_FAKE_MONITOR_H */
