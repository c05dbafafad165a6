/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files with graphs */
#ifndef HBSGRAPH_READ_H
#define HBSGRAPH_READ_H

#include <stdbool.h>

#include "edges.h"

/**
 * read_graph() - read a file
 * @path: its name; "-" is standard input
 * @both_ways: each edge is one in the other direction, too
 * @edges: out: its edges
 *
 * What kind of file it is, its first line that is no comment says: "p sp" begins one of DIMACS,
 * "%%MatrixMarket" one of Matrix Market, and all else is a list of edges.
 *
 * Return: false, with a message on stderr that names the file and the line.
 */
bool read_graph(const char *path, bool both_ways, struct edges *edges);

#endif /* HBSGRAPH_READ_H */
