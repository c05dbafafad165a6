/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of "hbsgraph run" */
#ifndef HBSGRAPH_OPTIONS_H
#define HBSGRAPH_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "app.h"
#include "generate.h"
#include "hbs.h"
#include "read.h"

/* Which thread has which vertices */
enum mapping_kind { MAPPING_DIRECT, MAPPING_METIS, MAPPINGS };

struct options {
	const struct app *app;
	const char *graph;
	enum read_format format;
	bool both_ways;
	struct weights weights;
	unsigned long seed;
	enum mode mode;
	bool chooses; /* the mode by models, if it is the faster one */
	enum mapping_kind mapping;
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

#define OPTIONS_DEFAULT                                                        \
	{                                                                      \
		.weights = { 1, 1 }, .seed = 1, .mode = MODES, .tolerance = -1 \
	}

/* Options without a letter */
enum {
	OPTION_BOTH_WAYS = 256,
	OPTION_FORMAT,
	OPTION_MAPPING,
	OPTION_PROFILE,
	OPTION_SCALE,
	OPTION_SOURCES,
	OPTION_SLOT,
	OPTION_DEPTH,
};

/* What getopt_long() has found. Return: false, with a message, if it is wrong */
bool options_take(int option, struct options *options);

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
