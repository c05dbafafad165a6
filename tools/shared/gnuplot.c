// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gnuplot.h"

#define END_OF_PICTURE "</svg>"

/* In the child: gnuplot reads @in, writes @out, and reads no user's initialization file */
static _Noreturn void run_gnuplot(int in, int out)
{
	if (dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0)
		execlp("gnuplot", "gnuplot", "-d", "-", (char *)NULL);
	_exit(127);
}

/* Files without a name, so that no disk can be full */
static bool run(const char *program, const char *script, int in, int out)
{
	size_t size = strlen(script);
	int status = -1;
	pid_t pid;

	if (in < 0 || out < 0 || write(in, script, size) != (ssize_t)size ||
	    lseek(in, 0, SEEK_SET)) {
		fprintf(stderr, "%s: a script for gnuplot: %s\n", program, strerror(errno));
		return false;
	}
	fflush(NULL);
	pid = fork();
	if (!pid)
		run_gnuplot(in, out);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!status)
		return true;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		fprintf(stderr, "%s: gnuplot is not here (package gnuplot-nox)\n", program);
	else
		fprintf(stderr, "%s: gnuplot failed\n", program);
	return false;
}

/* All text that was written to @fd, or NULL */
static char *read_all(int fd)
{
	struct stat is;
	char *text = NULL;

	if (!fstat(fd, &is))
		text = calloc(1, (size_t)is.st_size + 1);
	if (text && pread(fd, text, (size_t)is.st_size, 0) != is.st_size) {
		free(text);
		text = NULL;
	}
	return text;
}

static char *run_script(const char *program, const char *script)
{
	int in = memfd_create("gnuplot-script", MFD_CLOEXEC);
	int out = memfd_create("gnuplot-picture", MFD_CLOEXEC);
	char *text = run(program, script, in, out) ? read_all(out) : NULL;

	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	return text;
}

bool gnuplot_possible(const char *program)
{
	char *nothing = run_script(program, "");

	free(nothing);
	return nothing;
}

char *gnuplot_render(const char *program, const char *script)
{
	char *picture = run_script(program, script);

	/* gnuplot goes on after an error, and reports success even if it could not write */
	if (!picture || strstr(picture, END_OF_PICTURE))
		return picture;
	fprintf(stderr, "%s: gnuplot made no picture\n", program);
	free(picture);
	return NULL;
}
