// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Matrix Market's sparse matrices: the element in row i and column j is an edge from i to j. Rows
 * and columns count from 1. Weights are whole numbers, so fields are "pattern" and "integer".
 */
#include <stdio.h>
#include <string.h>

#include "hbs_graph.h"
#include "read_file.h"

struct matrix {
	bool has_weights;
	uint64_t vertices;
	uint64_t elements;
};

static bool read_header(struct file *file, struct matrix *matrix)
{
	char field[16], symmetry[16];

	if (sscanf(file->line, "%%%%MatrixMarket matrix coordinate %15s %15s", field, symmetry) !=
	    2)
		return file_wrong(file, "no sparse matrix");
	if (strcmp(field, "pattern") && strcmp(field, "integer"))
		return file_wrong(file, "the field is neither pattern nor integer");
	if (strcmp(symmetry, "general") && strcmp(symmetry, "symmetric"))
		return file_wrong(file, "the matrix is neither general nor symmetric");
	matrix->has_weights = !strcmp(field, "integer");
	/* a symmetric one has one of two elements */
	file->both_ways |= !strcmp(symmetry, "symmetric");
	return true;
}

static bool read_size(struct file *file, struct matrix *matrix)
{
	const char *at = file->line;
	uint64_t columns;

	if (!file_number(&at, HBS_GRAPH_VERTICES_MAX, &matrix->vertices) ||
	    !file_number(&at, HBS_GRAPH_VERTICES_MAX, &columns) ||
	    !file_number(&at, HBS_GRAPH_EDGES_MAX, &matrix->elements) || *at)
		return file_wrong(file, "not of the form ROWS COLUMNS ELEMENTS");
	if (columns != matrix->vertices)
		return file_wrong(file, "the matrix is not square");
	file->edges->vertices = (uint32_t)matrix->vertices;
	return true;
}

static bool read_element(struct file *file, const struct matrix *matrix)
{
	uint64_t row, column, weight = 1;
	const char *at = file->line;

	if (!file_number(&at, UINT64_MAX, &row) || !file_number(&at, UINT64_MAX, &column) ||
	    (matrix->has_weights && !file_number(&at, UINT32_MAX, &weight)) || *at)
		return file_wrong(file, "not of the form ROW COLUMN%s",
				  matrix->has_weights ? " WEIGHT" : "");
	if (!row || row > matrix->vertices || !column || column > matrix->vertices)
		return file_wrong(file, "a row and a column are 1 to %llu",
				  (unsigned long long)matrix->vertices);
	return file_edge(file, row - 1, column - 1, weight);
}

static bool read_elements(struct file *file, const struct matrix *matrix)
{
	uint64_t seen = 0;
	bool good;

	while (file_next(file, &good)) {
		if (++seen > matrix->elements)
			return file_wrong(file, "more than %llu elements",
					  (unsigned long long)matrix->elements);
		if (!read_element(file, matrix))
			return false;
	}
	if (good && seen < matrix->elements)
		return file_wrong(file, "the file is cut short: %llu of %llu elements",
				  (unsigned long long)seen, (unsigned long long)matrix->elements);
	return good;
}

bool read_matrix_market(struct file *file)
{
	struct matrix matrix;
	bool good;

	if (!read_header(file, &matrix))
		return false;
	do {
		if (!file_next(file, &good))
			return good ? file_wrong(file, "the file is cut short: there is no size")
				    : false;
	} while (*file->line == '%');
	return read_size(file, &matrix) && read_elements(file, &matrix);
}
