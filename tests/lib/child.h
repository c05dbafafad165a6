/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For what the library asks once in a process: ask it in a child */
#ifndef TEST_CHILD_H
#define TEST_CHILD_H

#include <sys/wait.h>
#include <unistd.h>

/* Run @work in a child; return its result: 0, or the line of a CHECK, up to 255 */
static inline int run_child(int (*work)(const void *arg), const void *arg)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		int line = work(arg);

		_exit(line < 255 ? line : 255);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#endif /* TEST_CHILD_H */
