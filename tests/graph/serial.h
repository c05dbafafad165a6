/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The same as the applications of hbsgraph, by programs that have nothing in common with them: no
 * vertex program, no message, no thread, and doubles where those have floats.
 */
#ifndef SERIAL_H
#define SERIAL_H

#include <stdint.h>

#include "edges.h"

/* Distances from a vertex, of 64 bits; UINT64_MAX where no path leads. The caller frees them. */
uint64_t *serial_paths(const struct edges *edges, uint32_t source);

/* How many edges has the path with the fewest edges, at most over all vertices */
uint32_t serial_depth(const struct edges *edges, uint32_t source);

/* So many iterations, or until nothing changes any more if @iterations is 0 */
double *serial_ranks(const struct edges *edges, uint32_t iterations);

double *serial_heat(const struct edges *edges, uint32_t source, uint32_t iterations);

/* The most edges that end at one vertex */
uint32_t serial_most_ending(const struct edges *edges);

#endif /* SERIAL_H */
