// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arena.h"
#include "child.h"
#include "interrupt.h"

/* Where a child says why it failed */
static char *message;

/* Seconds that the child may take */
static unsigned int limit_s;

/*
 * The kernel ends it: if members that spin hold all CPUs, under SCHED_FIFO say, its parent
 * would not run to do so.
 */
static void limit_time(void)
{
	sigset_t set;

	signal(SIGALRM, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	alarm(limit_s);
}

void child_start(int parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	limit_time();
}

/*
 * Several threads may die of the same: the first one's text is whole before all end. Processes
 * that die because another one has died leave its text as it is.
 */
void child_die(const char *what, const char *why)
{
	static atomic_flag is_dying = ATOMIC_FLAG_INIT;

	while (atomic_flag_test_and_set(&is_dying))
		pause();
	if (!*message)
		snprintf(message, CHILD_ERROR_SIZE, "%s%s%s", what ? what : "", what ? ": " : "",
			 why);
	_exit(1);
}

static void tell(int status, char error[CHILD_ERROR_SIZE])
{
	if (interrupted())
		snprintf(error, CHILD_ERROR_SIZE, "interrupted");
	/* another program may have ended early, for which this one has waited in vain */
	else if (*message)
		memcpy(error, message, CHILD_ERROR_SIZE);
	else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		snprintf(error, CHILD_ERROR_SIZE, "took more than %u s", limit_s);
	else if (WIFSIGNALED(status))
		snprintf(error, CHILD_ERROR_SIZE, "killed by signal %d", WTERMSIG(status));
	else if (status)
		snprintf(error, CHILD_ERROR_SIZE, "ended with status %d", WEXITSTATUS(status));
}

static bool fork_and_wait(void (*work)(void *arg), void *arg, char error[CHILD_ERROR_SIZE])
{
	pid_t parent = getpid(), pid;
	siginfo_t info;
	sigset_t before;
	int status;

	/* the parent will write what is in the buffers */
	fflush(NULL);
	interrupt_block(&before);
	pid = interrupted() ? -1 : fork();
	if (pid < 0) {
		snprintf(error, CHILD_ERROR_SIZE, "fork: %s",
			 interrupted() ? "interrupted" : strerror(errno));
		interrupt_unblock(&before);
		return false;
	}
	if (!pid) {
		interrupt_unwatch();
		interrupt_unblock(&before);
		child_start(parent);
		work(arg);
		fflush(NULL);
		_exit(0);
	}
	interrupt_kills(pid);
	interrupt_unblock(&before);
	/* its number is its own until it is waited for below */
	while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
		;
	interrupt_kills(0);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	tell(status, error);
	return !*error;
}

bool child_run(void (*work)(void *arg), void *arg, unsigned int most_s,
	       char error[CHILD_ERROR_SIZE])
{
	if (!message)
		message = arena_map(CHILD_ERROR_SIZE);
	*message = '\0';
	*error = '\0';
	limit_s = most_s;
	return fork_and_wait(work, arg, error);
}
