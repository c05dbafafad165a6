// SPDX-License-Identifier: GPL-2.0-or-later
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include "stop.h"

static volatile sig_atomic_t stopped;
static sigset_t before;

static void on_signal(int number)
{
	(void)number;
	stopped = 1;
}

void stop_prepare(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = on_signal };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		sigaddset(&set, signals[i]);
		sigaction(signals[i], &action, NULL);
	}
	/* they come in a wait only, so none is missed before one */
	sigprocmask(SIG_BLOCK, &set, &before);
}

bool stop_wanted(void)
{
	return stopped || ferror(stdout);
}

bool stop_wait(int fd, int ms)
{
	struct timespec time = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };
	/* a reader of standard output that has gone is an error, which poll() always tells */
	struct pollfd files[] = { { .fd = fd, .events = POLLIN }, { .fd = STDOUT_FILENO } };

	if (ppoll(files, 2, ms < 0 ? NULL : &time, &before) > 0 && files[1].revents)
		stopped = 1;
	return files[0].revents != 0;
}
