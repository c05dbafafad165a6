// SPDX-License-Identifier: GPL-2.0-or-later
/* Fills the folder of plots; plot_script.c makes the scripts */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "plot.h"
#include "shared/gnuplot.h"
#include "shared/replace.h"

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
	char *path = path_of(arg, plot->name), *picture = gnuplot_render("hbsbench", plot->script);
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
