/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef GRAPHBENCH_OPTIONS_H
#define GRAPHBENCH_OPTIONS_H

#include <stdbool.h>

#include "generate.h"

#define GRAPHS_MAX 16

enum { EXIT_GOOD = 0, EXIT_WRONG = 1, EXIT_ERROR = 2 };

struct options {
	const char *graphs[GRAPHS_MAX];
	unsigned int graph_count;
	struct weights weights;
	unsigned long rounds;
	unsigned long threads;
	unsigned long iterations;
	unsigned long limit_s;
};

/* Return: false, with a message on stderr, if something is wrong. --help prints, and ends the program */
bool options_parse(int argc, char **argv, struct options *options);

#endif /* GRAPHBENCH_OPTIONS_H */
