// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arena.h"
#include "child.h"

/* Where a child says why it failed */
static char *message;

void child_follow_parent(int parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
}

void child_die(const char *what, const char *why)
{
	snprintf(message, CHILD_ERROR_SIZE, "%s%s%s", what ? what : "", what ? ": " : "", why);
	_exit(1);
}

/* Wait for @pid's end, at most @limit_s: has it ended? */
static bool ends_in_time(pid_t pid, unsigned int limit_s)
{
	struct pollfd end = { .fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN };
	int ret;

	if (end.fd < 0)
		return true;
	do
		ret = poll(&end, 1, (int)limit_s * 1000);
	while (ret < 0 && errno == EINTR);
	close(end.fd);
	return ret != 0;
}

static bool fork_and_wait(void (*work)(void *arg), void *arg, unsigned int limit_s,
			  char error[CHILD_ERROR_SIZE])
{
	pid_t parent = getpid(), pid;
	int status;

	/* what is in the buffers is the parent's to write */
	fflush(NULL);
	pid = fork();
	if (pid < 0) {
		snprintf(error, CHILD_ERROR_SIZE, "fork: %s", strerror(errno));
		return false;
	}
	if (!pid) {
		child_follow_parent(parent);
		work(arg);
		fflush(NULL);
		_exit(0);
	}
	if (!ends_in_time(pid, limit_s)) {
		kill(pid, SIGKILL);
		snprintf(error, CHILD_ERROR_SIZE, "took more than %u s", limit_s);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (*error)
		return false;
	if (*message)
		memcpy(error, message, CHILD_ERROR_SIZE);
	else if (WIFSIGNALED(status))
		snprintf(error, CHILD_ERROR_SIZE, "killed by signal %d", WTERMSIG(status));
	else if (status)
		snprintf(error, CHILD_ERROR_SIZE, "ended with status %d", WEXITSTATUS(status));
	return !*error;
}

bool child_run(void (*work)(void *arg), void *arg, unsigned int limit_s,
	       char error[CHILD_ERROR_SIZE])
{
	if (!message)
		message = arena_map(CHILD_ERROR_SIZE);
	*message = '\0';
	*error = '\0';
	return fork_and_wait(work, arg, limit_s, error);
}
