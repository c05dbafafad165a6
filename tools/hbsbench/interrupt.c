// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "interrupt.h"

static const int ending[] = { SIGINT, SIGTERM, SIGHUP };
#define ENDING (sizeof(ending) / sizeof(ending[0]))

static atomic_int came;
static atomic_int killed;
static bool watched[ENDING];

static void on_signal(int number)
{
	int error = errno;
	pid_t pid = atomic_load(&killed);

	atomic_store(&came, number);
	if (pid > 0)
		kill(pid, SIGKILL);
	errno = error;
}

void interrupt_watch(void)
{
	for (size_t i = 0; i < ENDING; i++) {
		struct sigaction now,
			action = { .sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND };

		sigaction(ending[i], NULL, &now);
		if (now.sa_handler == SIG_IGN)
			continue;
		sigaction(ending[i], &action, NULL);
		watched[i] = true;
	}
}

int interrupted(void)
{
	return atomic_load(&came);
}

void interrupt_kills(pid_t pid)
{
	atomic_store(&killed, pid);
}

void interrupt_block(sigset_t *before)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < ENDING; i++)
		sigaddset(&set, ending[i]);
	sigprocmask(SIG_BLOCK, &set, before);
}

void interrupt_unblock(const sigset_t *before)
{
	sigprocmask(SIG_SETMASK, before, NULL);
}

void interrupt_unwatch(void)
{
	for (size_t i = 0; i < ENDING; i++)
		if (watched[i])
			signal(ending[i], SIG_DFL);
}

void interrupt_end(void)
{
	int number = interrupted();

	if (!number)
		return;
	fflush(NULL);
	interrupt_unwatch();
	raise(number);
	/* it is blocked */
	_Exit(128 + number);
}
