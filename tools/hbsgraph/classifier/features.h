/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the time of shortest paths depends on, from the graph alone (paper 002, table 3) */
#ifndef HBSGRAPH_FEATURES_H
#define HBSGRAPH_FEATURES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "../edges.h"

/**
 * struct features - a graph, as a model sees it
 * @vertices: how many
 * @fanout: edges that begin at a vertex, on average
 * @diameter: edges of the longest of all shortest paths, at least
 * @diameter_most: the same, at most; 0 if that is not known, as some edges go one way only
 * @reconvergence: how many more edges the longest of shortest paths has where their lengths are sums of
 *                 weights: the ratio
 * @reconvergence_other: the same, by another search
 * @ns: how long it took to estimate them
 */
struct features {
	double vertices;
	double fanout;
	double diameter;
	double diameter_most;
	double reconvergence;
	double reconvergence_other;
	double ns;
};

/**
 * features_estimate() - find the features of a graph
 * @edges: the graph
 * @features: out
 *
 * The time is proportional to the number of edges.
 *
 * Return: false, with a message on stderr, if there is no memory.
 */
bool features_estimate(const struct edges *edges, struct features *features);

/* Print them, with what is known of their errors */
void features_print(const struct features *features, FILE *to);

#endif /* HBSGRAPH_FEATURES_H */
