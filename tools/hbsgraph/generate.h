/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The graphs of the papers, made from a seed */
#ifndef HBSGRAPH_GENERATE_H
#define HBSGRAPH_GENERATE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "edges.h"

/* What the weights of edges are, the ends included: at random, with the same one both ways */
struct weights {
	uint32_t low;
	uint32_t high;
};

/* Whether @text names a generator, whatever follows: "ring:7" */
bool generate_is_named(const char *text);

/**
 * generate() - make a graph
 * @text: which one, as generate_list() says
 * @weights: of its edges; 1 to 1 for none
 * @seed: two graphs of the same seed are the same
 * @edges: out: its edges, each of them both ways
 *
 * Return: false, with a message on stderr, if @text is no graph, or there is no memory for it.
 */
bool generate(const char *text, const struct weights *weights, uint64_t seed, struct edges *edges);

/* Print a line for each generator */
void generate_list(FILE *to);

#endif /* HBSGRAPH_GENERATE_H */
