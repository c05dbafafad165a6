/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Edges that lead back, for mode gals (paper: "augmented with additional zero-weight back-edges") */
#ifndef HBSGRAPH_BACK_EDGES_H
#define HBSGRAPH_BACK_EDGES_H

#include "edges.h"

/**
 * back_edges_add() - where edges lead from a vertex to another one but none back, add one
 * @edges: their weight is 0; if there are any, and the others had no weights, these have 1
 *
 * It takes time and memory in proportion to the edges and vertices. If there is no memory,
 * edges_good() says so.
 */
void back_edges_add(struct edges *edges);

#endif /* HBSGRAPH_BACK_EDGES_H */
