/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line */
#ifndef LATENCY_OPTIONS_H
#define LATENCY_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "model.h"

#define LIST_MOST 32

struct list {
	unsigned int numbers[LIST_MOST];
	size_t count;
};

/**
 * struct options - what to print
 * @setting: of the card
 * @members, @sockets: of the table
 * @area: a file of results of a synthesis, or NULL
 * @plot: a file to write, or NULL
 * @sources: print where the numbers come from, and nothing else
 */
struct options {
	struct setting setting;
	struct list members;
	struct list sockets;
	const char *area;
	const char *plot;
	bool sources;
};

/* Return: whether all are good; else stderr says which is not. --help ends the program. */
bool options_parse(int argc, char **argv, struct options *options);

#endif /* LATENCY_OPTIONS_H */
