// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs gnuplot, and fills the folder of plots; plot_script.c makes the scripts */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plot.h"
#include "shared/replace.h"

#define END_OF_PICTURE "</svg>"

/* In the child: gnuplot reads @in, writes @out, and reads no user's initialization file */
static _Noreturn void run_gnuplot(int in, int out)
{
	if (dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0)
		execlp("gnuplot", "gnuplot", "-d", "-", (char *)NULL);
	_exit(127);
}

/* Files without a name, so that no disk can be full */
static bool run(const char *script, int in, int out)
{
	size_t size = strlen(script);
	int status = -1;
	pid_t pid;

	if (in < 0 || out < 0 || write(in, script, size) != (ssize_t)size ||
	    lseek(in, 0, SEEK_SET)) {
		fprintf(stderr, "hbsbench: a script for gnuplot: %s\n", strerror(errno));
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
		fprintf(stderr, "hbsbench: gnuplot is not here (package gnuplot-nox)\n");
	else
		fprintf(stderr, "hbsbench: gnuplot failed\n");
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

static char *run_script(const char *script)
{
	int in = memfd_create("hbsbench-script", MFD_CLOEXEC);
	int out = memfd_create("hbsbench-picture", MFD_CLOEXEC);
	char *text = run(script, in, out) ? read_all(out) : NULL;

	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	return text;
}

bool plot_possible(void)
{
	char *nothing = run_script("");

	free(nothing);
	return nothing;
}

char *plot_render(const char *script)
{
	char *picture = run_script(script);

	/* gnuplot goes on after an error, and reports success even if it could not write */
	if (!picture || strstr(picture, END_OF_PICTURE))
		return picture;
	fprintf(stderr, "hbsbench: gnuplot made no picture\n");
	free(picture);
	return NULL;
}

static char *path_of(const char *folder, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s.svg", folder, name) >= 0)
		return path;
	fprintf(stderr, "hbsbench: out of memory\n");
	exit(2);
}

static bool write_plot(const struct plot *plot, void *arg)
{
	char *path = path_of(arg, plot->name), *picture = plot_render(plot->script);
	struct replacement replacement;
	const char *why;
	bool good = false;

	if (picture) {
		why = replace_prepare(&replacement, path);
		if (!why)
			why = replace_write(&replacement, picture, strlen(picture));
		if (why)
			fprintf(stderr, "hbsbench: --plots: %s: %s\n", path, why);
		good = !why;
	}
	free(picture);
	free(path);
	return good;
}

bool plots_prepare(const char *folder)
{
	char *path = path_of(folder, "latency");
	struct replacement replacement;
	const char *why = NULL;

	if (mkdir(folder, 0777) && errno != EEXIST)
		why = strerror(errno);
	if (!why)
		why = replace_prepare(&replacement, path);
	if (why)
		fprintf(stderr, "hbsbench: --plots: %s: %s\n", folder, why);
	else
		replace_forget(&replacement);
	free(path);
	return !why;
}

bool plots_write(const struct results *results, bool all_lines, const char *folder)
{
	return plots_each(results, all_lines, write_plot, (void *)folder);
}
