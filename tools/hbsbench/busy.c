// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "busy.h"
#include "busy_loop.h"
#include "child.h"

pid_t busy_start(void)
{
	pid_t parent = getpid(), loop = fork();

	if (loop < 0)
		child_die("a busy loop", strerror(errno));
	if (loop)
		return loop;
	child_start(parent);
	busy_loop();
}

double busy_ns(pid_t loop)
{
	struct timespec time;
	clockid_t clock;
	int ret = clock_getcpuclockid(loop, &clock);

	if (!ret && clock_gettime(clock, &time))
		ret = errno;
	if (ret)
		child_die("a busy loop is gone", strerror(ret));
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

void busy_end(pid_t loop)
{
	int status;

	kill(loop, SIGKILL);
	while (waitpid(loop, &status, 0) < 0 && errno == EINTR)
		;
}
