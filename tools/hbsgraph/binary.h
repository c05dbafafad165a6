/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Binary files with graphs, which are mapped into memory and used as they are. Documentation/graph.rst
 * has the format.
 */
#ifndef HBSGRAPH_BINARY_H
#define HBSGRAPH_BINARY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "edges.h"
#include "shared/replace.h"

#define BINARY_MAGIC \
	"\x89hbsgr\r\n" /* no text begins so, and a file changed as text does not either */

struct binary_header {
	char magic[8];
	uint32_t order; /* BINARY_ORDER, in the byte order of all numbers */
	uint32_t version;
	uint32_t flags;
	uint32_t vertices;
	uint64_t edges;
	uint64_t reserved[4]; /* 0 */
};

#define BINARY_ORDER	0x01020304u
#define BINARY_VERSION	1u
#define BINARY_WEIGHTED 1u /* flag: there is an array of weights */

/* Whether a file is such a one, if it can be mapped at all; it stays where it is */
bool binary_is(int fd);

/* Map a file. Return: false, with a message on stderr that names @path */
bool binary_map(const char *path, int fd, struct edges *edges);

/* Read a stream that cannot be mapped. Return: false; there is a message, unless ferror() is true */
bool binary_read(const char *path, FILE *stream, struct edges *edges);

/* Write a file. Return: NULL, or what is wrong */
const char *binary_write(struct replacement *to, const struct edges *edges);

#endif /* HBSGRAPH_BINARY_H */
