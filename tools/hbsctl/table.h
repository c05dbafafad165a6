/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables whose columns are as wide as they have to be */
#ifndef HBSCTL_TABLE_H
#define HBSCTL_TABLE_H

#include <stddef.h>
#include <stdio.h>

#include "colour.h"

#define TABLE_COLUMNS_MAX 16

struct table_cell {
	char *text;
	enum colour colour;
};

/**
 * struct table - a table
 * @titles: of its columns, a blank between; a title that starts with "<" is of a column
 *	whose cells are to the left, and "_" in a title is a blank
 * @columns: how many
 * @cells: row after row
 * @count: cells so far
 * @room: cells that there is memory for
 */
struct table {
	const char *titles;
	size_t columns;
	struct table_cell *cells;
	size_t count;
	size_t room;
};

void table_start(struct table *table, const char *titles);

/* The next cell; its text must have no character that text_escape() would change. */
void table_add(struct table *table, enum colour colour, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Print it, and forget it. A row that is not complete counts as complete. */
void table_end(struct table *table, FILE *file);

#endif /* HBSCTL_TABLE_H */
