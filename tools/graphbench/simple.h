/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef GRAPHBENCH_SIMPLE_H
#define GRAPHBENCH_SIMPLE_H

#include <stdbool.h>

#include "edges.h"

/*
 * Leave out edges that are there already, and those from a vertex to itself: libraries have different
 * ideas of these. The others stay in their order. Return: false if there is no memory
 */
bool simple_make(struct edges *edges);

#endif /* GRAPHBENCH_SIMPLE_H */
