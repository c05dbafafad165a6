/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A signal that would end the program only ends the measuring, so that the results so far are
 * kept
 */
#ifndef HBSBENCH_INTERRUPT_H
#define HBSBENCH_INTERRUPT_H

#include <signal.h>
#include <sys/types.h>

/*
 * From now on. A second such signal, a second after the first or later, ends the program. Signals
 * that were ignored stay ignored.
 */
void interrupt_watch(void);

/* The signal that came, or 0 */
int interrupted(void);

/* The process that such a signal kills, or 0 for none */
void interrupt_kills(pid_t pid);

/* Between these two calls no such signal is delivered */
void interrupt_block(sigset_t *before);
void interrupt_unblock(const sigset_t *before);

/* Call in a child: such a signal ends it */
void interrupt_unwatch(void);

/* End as the signal would have ended the program; without a signal do nothing */
void interrupt_end(void);

#endif /* HBSBENCH_INTERRUPT_H */
