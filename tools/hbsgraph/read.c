// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "read.h"
#include "read_file.h"

static bool read_format(struct file *file)
{
	bool good;

	/* an empty file is an empty list */
	if (!file_next(file, &good))
		return good;
	if (!strncmp(file->line, "%%MatrixMarket", strlen("%%MatrixMarket")))
		return read_matrix_market(file);
	if (*file->line == 'c' || *file->line == 'p')
		return read_dimacs(file);
	return read_edge_list(file);
}

bool read_graph(const char *path, bool both_ways, struct edges *edges)
{
	bool is_input = !strcmp(path, "-");
	struct file file = { .path = is_input ? "standard input" : path,
			     .both_ways = both_ways,
			     .edges = edges };
	bool good;

	*edges = (struct edges){ 0 };
	file.stream = is_input ? stdin : fopen(path, "re");
	if (!file.stream) {
		fprintf(stderr, "hbsgraph: %s: %s\n", path, strerror(errno));
		return false;
	}
	good = read_format(&file);
	if (!is_input)
		fclose(file.stream);
	free(file.line);
	return good;
}
