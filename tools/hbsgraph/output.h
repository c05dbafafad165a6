/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file of --output */
#ifndef HBSGRAPH_OUTPUT_H
#define HBSGRAPH_OUTPUT_H

#include <stdbool.h>

#include "options.h"
#include "shared/replace.h"

#define EXIT_ERROR 2

/* Find out early whether @path can be written. Return: false, with a message on stderr. */
bool output_prepare(struct replacement *output, const char *path);

/* Write what was found of each vertex. Return: the exit status, with a message if it is an error */
int output_write(struct replacement *output, const struct options *options, struct hbs_graph *graph,
		 const struct edges *edges, const struct choice *choice);

#endif /* HBSGRAPH_OUTPUT_H */
