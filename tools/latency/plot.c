// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plot.h"
#include "shared/gnuplot.h"
#include "win.h"

#define STEPS_A_DOUBLE 8

enum line { SOFTWARE, CARD = SOFTWARE + LEVELS, HARP = CARD + LEVELS, PROJECTED, ON_CHIP, LINES };

/* Software and card are of one colour each; the typical line is whole */
static const struct {
	const char *title;
	const char *style;
} lines[LINES] = {
	[SOFTWARE + LOW] = { "software, low", "dashtype 3 linecolor '#0060ad'" },
	[SOFTWARE + TYPICAL] = { "software, typical", "linecolor '#0060ad'" },
	[SOFTWARE + HIGH] = { "software, high", "dashtype 2 linecolor '#0060ad'" },
	[CARD + LOW] = { "hbs card, low", "dashtype 3 linecolor '#dd181f'" },
	[CARD + TYPICAL] = { "hbs card, typical", "linecolor '#dd181f'" },
	[CARD + HIGH] = { "hbs card, high", "dashtype 2 linecolor '#dd181f'" },
	[HARP] = { "HARP", "linecolor '#888888'" },
	[PROJECTED] = { "HARP, ideal", "dashtype 2 linecolor '#888888'" },
	[ON_CHIP] = { "HBS", "linecolor '#228b22'" },
};

static const char *const win_colours[WINS] = { "#006d2c", "#74c476", "#fdae6b", "#d9d9d9" };

static double time_of(int line, const struct setting *setting, const struct place *place)
{
	switch (line) {
	case HARP:
		return model_harp(place);
	case PROJECTED:
		return model_harp_projected(place);
	case ON_CHIP:
		return model_hbs(place);
	default:
		return line < CARD ? model_software((enum level)line, place)
				   : model_card((enum level)(line - CARD), setting, place);
	}
}

/* From step to step there is another number of members, as even as possible on the axis */
static unsigned int members_at(int step)
{
	return (unsigned int)lround(exp2((double)step / STEPS_A_DOUBLE));
}

static void write_line(FILE *script, int line, const struct setting *setting, unsigned int sockets)
{
	for (int step = STEPS_A_DOUBLE; members_at(step) <= MEMBERS_MOST; step++) {
		struct place place = { members_at(step), sockets };
		double ns = time_of(line, setting, &place);

		if (place.members >= sockets && !isnan(ns))
			fprintf(script, "%u %.9g\n", place.members, ns);
	}
	fputs("e\n", script);
}

/* HARP has one socket */
static bool shown(int line, unsigned int sockets)
{
	return sockets == 1 || (line != HARP && line != PROJECTED);
}

static void write_times(FILE *script, const struct setting *setting, unsigned int sockets)
{
	const char *comma = "plot ";

	fprintf(script,
		"set title '%u socket%s'\nset logscale x 2\nset logscale y 10\nset ylabel 'ns'\n"
		"set xrange [2:%d]\nset yrange [10:100000]\n",
		sockets, sockets > 1 ? "s" : "", MEMBERS_MOST);
	for (int line = 0; line < LINES; line++) {
		if (!shown(line, sockets))
			continue;
		fprintf(script, "%s'-' using 1:2 with lines linewidth 2 %s title '%s'", comma,
			lines[line].style, lines[line].title);
		comma = ", ";
	}
	fputc('\n', script);
	for (int line = 0; line < LINES; line++)
		if (shown(line, sockets))
			write_line(script, line, setting, sockets);
}

static void write_map(FILE *script, const struct setting *setting)
{
	const char *comma = "plot ";

	fprintf(script,
		"set title 'where the card is faster than software'\nunset logscale y\n"
		"set ylabel 'sockets'\nset yrange [0.5:%d.5]\nset ytics 1\n",
		SOCKETS_MOST);
	for (int win = 0; win < WINS; win++) {
		fprintf(script,
			"%s'-' using 1:2 with points pointtype 5 pointsize 0.9 linecolor '%s' "
			"title '%s'",
			comma, win_colours[win], win_names[win]);
		comma = ", ";
	}
	fputc('\n', script);
	for (int win = 0; win < WINS; win++) {
		for (unsigned int sockets = 1; sockets <= SOCKETS_MOST; sockets++) {
			for (int step = STEPS_A_DOUBLE; members_at(step) <= MEMBERS_MOST; step++) {
				struct place place = { members_at(step), sockets };

				if (place.members >= sockets &&
				    win_at(setting, &place) == (enum win)win)
					fprintf(script, "%u %u\n", place.members, sockets);
			}
		}
		/* a colour that no point has still needs one, outside of the picture */
		fputs("1 0\ne\n", script);
	}
}

static char *make_script(const struct options *options)
{
	char *text = NULL;
	size_t size = 0;
	FILE *script = open_memstream(&text, &size);

	if (!script)
		return NULL;
	fputs("set terminal svg size 1400,560 dynamic background 'white' font 'sans-serif,12'\n"
	      "set multiplot layout 1,3\nset grid linecolor '#dddddd'\n"
	      "set border 3\nset tics nomirror\nset xlabel 'members'\nset key below\n",
	      script);
	write_times(script, &options->setting, 1);
	write_times(script, &options->setting, SOCKETS_MOST);
	write_map(script, &options->setting);
	fputs("unset multiplot\n", script);
	if (!fclose(script))
		return text;
	free(text);
	return NULL;
}

bool plot_write(const struct options *options, struct replacement *replacement)
{
	char *script = make_script(options), *picture = NULL;
	const char *why = "it could not be made, and what was there is left";

	if (script)
		picture = gnuplot_render("hbs-latency", script);
	if (picture)
		why = replace_write(replacement, picture, strlen(picture));
	if (why)
		fprintf(stderr, "hbs-latency: --plot: %s: %s\n", options->plot, why);
	free(picture);
	free(script);
	return !why;
}
