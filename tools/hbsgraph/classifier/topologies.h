/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kinds of graphs that paper 002 compares the modes on (tables 1 and 2) */
#ifndef HBSGRAPH_TOPOLOGIES_H
#define HBSGRAPH_TOPOLOGIES_H

#include <stdint.h>

#include "features.h"
#include "model.h"

/**
 * struct topology - a kind of graph
 * @name: in the paper
 * @form: of its name for --graph, with a number for each @sides
 * @sides: how many numbers; each is that root of the number of vertices
 * @fanout: in table 1
 * @power: table 1: the diameter is the number of vertices to this power; 0: it has a logarithm
 * @factor: of the natural logarithm of the number of vertices, if that is the diameter
 * @reconvergence: in table 1
 * @speedup: in table 2: time in mode sync divided by that in mode async; by weighted
 */
struct topology {
	const char *name;
	const char *form;
	int sides;
	double fanout;
	double power;
	double factor;
	double reconvergence;
	double speedup[2];
};

#define TOPOLOGIES 8

extern const struct topology topologies[TOPOLOGIES];

/* The graph of that kind with about so many vertices, as --graph names it */
void topology_graph(const struct topology *topology, uint32_t vertices, char *text, size_t size);

/* Its features as table 1 has them, for large graphs */
void topology_features(const struct topology *topology, double vertices, struct features *features);

#endif /* HBSGRAPH_TOPOLOGIES_H */
