/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A write that lets a file grow beyond RLIMIT_FSIZE gives an error (EFBIG), and a signal
 * that kills the program. Between these two calls it gives only the error.
 */
#ifndef HBS_SIZE_SIGNAL_H
#define HBS_SIZE_SIGNAL_H

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>

struct size_signal {
	sigset_t before;
	bool was_pending;
};

static inline void size_signal_hold(struct size_signal *held)
{
	sigset_t set;

	sigpending(&set);
	held->was_pending = sigismember(&set, SIGXFSZ);
	sigemptyset(&set);
	sigaddset(&set, SIGXFSZ);
	pthread_sigmask(SIG_BLOCK, &set, &held->before);
}

/* errno stays */
static inline void size_signal_release(const struct size_signal *held)
{
	const struct timespec now = { 0, 0 };
	int error = errno;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGXFSZ);
	while (!held->was_pending && sigtimedwait(&set, NULL, &now) < 0 && errno == EINTR)
		;
	pthread_sigmask(SIG_SETMASK, &held->before, NULL);
	errno = error;
}

#endif /* HBS_SIZE_SIGNAL_H */
