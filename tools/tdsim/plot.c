// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "plot.h"
#include "shared/gnuplot.h"

static bool shown(const struct row *row, int protocol, int master, bool rates)
{
	return row->config.protocol == (enum protocol)protocol &&
	       row->config.master == (enum master)master &&
	       /* a logarithmic axis has no place for these */
	       (rates ? row->result.round_trip > 0 : row->result.synchronisation > 0);
}

/* One of the two halves of the plot */
static void write_half(FILE *script, const struct row *rows, size_t count, bool rates)
{
	const char *comma = "plot ";

	fprintf(script, "set title '%s'\nset ylabel '%s'\n",
		rates ? "round trips" : "last idle to last thread that may send",
		rates ? "in a second" : "cycles");
	for (int line = 0; line < PROTOCOLS * MASTERS; line++) {
		int protocol = line / MASTERS, master = line % MASTERS;
		bool any = false;

		for (size_t i = 0; i < count; i++)
			any |= shown(&rows[i], protocol, master, rates);
		if (!any)
			continue;
		fprintf(script, "%s'-' using 1:2 with linespoints linewidth 2 title '%s, %s'",
			comma, protocol_names[protocol], master_names[master]);
		comma = ", ";
	}
	fputc('\n', script);
	for (int line = 0; line < PROTOCOLS * MASTERS; line++) {
		bool any = false;

		for (size_t i = 0; i < count; i++) {
			const struct config *config = &rows[i].config;

			if (!shown(&rows[i], line / MASTERS, line % MASTERS, rates))
				continue;
			any = true;
			fprintf(script, "%u %.9g\n", config->width * config->height,
				rates ? report_rate(&rows[i].result)
				      : rows[i].result.synchronisation);
		}
		if (any)
			fputs("e\n", script);
	}
}

static char *make_script(const struct row *rows, size_t count)
{
	char *text = NULL;
	size_t size = 0;
	FILE *script = open_memstream(&text, &size);

	if (!script)
		return NULL;
	fputs("set terminal svg size 1000,460 dynamic background 'white' font 'sans-serif,12'\n"
	      "set multiplot layout 1,2\nset logscale xy\nset grid linecolor '#dddddd'\n"
	      "set border 3\nset tics nomirror\nset xlabel 'boards'\nset key below\n",
	      script);
	write_half(script, rows, count, true);
	write_half(script, rows, count, false);
	fputs("unset multiplot\n", script);
	if (!fclose(script))
		return text;
	free(text);
	return NULL;
}

bool plot_write(const struct row *rows, size_t count, const char *path,
		struct replacement *replacement)
{
	char *script = make_script(rows, count), *picture = NULL;
	const char *why = "it could not be made, and what was there is left";

	if (script)
		picture = gnuplot_render("tdsim", script);
	if (picture)
		why = replace_write(replacement, picture, strlen(picture));
	if (why)
		fprintf(stderr, "tdsim: --plot: %s: %s\n", path, why);
	free(picture);
	free(script);
	return !why;
}
