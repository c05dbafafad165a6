/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the readers of the formats share: a file by its lines, and its edges as they come */
#ifndef HBSGRAPH_READ_FILE_H
#define HBSGRAPH_READ_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "edges.h"
#include "unpack.h"

struct file {
	const char *path;
	const struct unpack *unpack;
	FILE *stream;
	char *line; /* without its end */
	size_t room;
	unsigned long number; /* of the line, from 1 */
	bool both_ways;
	struct edges *edges;
};

/* The next line. Return: false at the end, and if there is an error, which stderr has */
bool file_line(struct file *file, bool *good);

/* The next line that is not blank */
bool file_next(struct file *file, bool *good);

/* Say what is wrong with the line, or with the file's end if there is none. Return: false */
bool file_wrong(const struct file *file, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* A whole number, and blanks before and after it. Return: whether there is one up to @most */
bool file_number(const char **at, uint64_t most, uint64_t *number);

/* An edge of the file; a weight that is no whole number up to 2^32-1 is wrong */
bool file_edge(struct file *file, uint64_t from, uint64_t to, uint64_t weight);

/* The formats; the file is at its first line that is not blank, or at its end without a line */
bool read_edge_list(struct file *file);
bool read_dimacs(struct file *file);
bool read_matrix_market(struct file *file);
bool read_metis(struct file *file);

#endif /* HBSGRAPH_READ_FILE_H */
