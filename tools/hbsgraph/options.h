/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of "hbsgraph run" */
#ifndef HBSGRAPH_OPTIONS_H
#define HBSGRAPH_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "app.h"
#include "generate.h"
#include "hbs.h"

struct options {
	const struct app *app;
	const char *graph;
	bool both_ways;
	struct weights weights;
	unsigned long seed;
	enum mode mode;
	unsigned long threads; /* 0: one for each CPU */
	unsigned long source;
	struct sources sources;
	struct scale scale;
	unsigned long iterations;
	double tolerance; /* below 0: the application's own */
	unsigned long slot;
	unsigned long depth;
	const char *profile; /* for mode auto; NULL: where tune keeps it */
	const char *output;
	struct hbs_attr attr;
};

/**
 * options_parse() - the arguments after "run"
 * @argc: of main(), less one
 * @argv: of main(), from "run" on
 * @options: out
 *
 * Return: false, with a message on stderr, if something is wrong. --help prints, and ends the
 * program.
 */
bool options_parse(int argc, char **argv, struct options *options);

#endif /* HBSGRAPH_OPTIONS_H */
