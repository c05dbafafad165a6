// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "interrupt.h"

/*
 * Within this time, signals are one interrupt: timeout(1) signals its command and then the command's
 * process group, and a shell may do so as well
 */
#define ONE_INTERRUPT_NS 1000000000LL

static const int ending[] = { SIGINT, SIGTERM, SIGHUP };
#define ENDING (sizeof(ending) / sizeof(ending[0]))

static atomic_int came;
static atomic_int killed;
static _Atomic long long came_at;
static bool watched[ENDING];

static long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void on_signal(int number)
{
	int error = errno;
	pid_t pid = atomic_load(&killed);

	if (!atomic_load(&came)) {
		atomic_store(&came_at, now_ns());
		atomic_store(&came, number);
	} else if (now_ns() - atomic_load(&came_at) >= ONE_INTERRUPT_NS) {
		/* it is delivered when this returns */
		interrupt_unwatch();
		raise(number);
	}
	if (pid > 0)
		kill(pid, SIGKILL);
	errno = error;
}

void interrupt_watch(void)
{
	for (size_t i = 0; i < ENDING; i++) {
		struct sigaction now, action = { .sa_handler = on_signal };

		/* none interrupts the handling of another */
		for (size_t j = 0; j < ENDING; j++)
			sigaddset(&action.sa_mask, ending[j]);
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
