/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files with graphs */
#ifndef HBSGRAPH_READ_H
#define HBSGRAPH_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "edges.h"

/* A file of METIS begins as a list of edges may begin, so the file alone does not tell */
enum read_format { READ_AUTO, READ_EDGES, READ_METIS, READ_FORMATS };

/**
 * read_graph() - read a file
 * @path: its name; "-" is standard input
 * @format: of the file; READ_AUTO: one of METIS if its name ends in .graph or .metis. Of the others,
 *          its first bytes or its first line that is no comment tell: "p sp" begins one of DIMACS,
 *          "%%MatrixMarket" one of Matrix Market, a byte that no text has a binary one, and all
 *          else is a list of edges. It may be packed by gzip or zstd
 * @both_ways: each edge is one in the other direction, too
 * @edges: out: its edges
 *
 * Return: false, with a message on stderr that names the file and the line.
 */
bool read_graph(const char *path, enum read_format format, bool both_ways, struct edges *edges);

#endif /* HBSGRAPH_READ_H */
