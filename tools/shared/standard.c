// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "standard.h"

static const char *name;
static int failure;

static void at_end(void)
{
	bool failed = ferror(stdout);

	errno = 0;
	failed |= fclose(stdout) != 0;
	if (!failed)
		return;
	fprintf(stderr, "%s: standard output: %s\n", name,
		errno ? strerror(errno) : "could not write all of it");
	_exit(failure);
}

void standard_start(const char *program, int status)
{
	name = program;
	failure = status;
	/* for reading: a write fails, as it would have */
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) < 0)
			_exit(status);
	signal(SIGPIPE, SIG_IGN);
	atexit(at_end);
}
