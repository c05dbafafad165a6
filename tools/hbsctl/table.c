// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "table.h"

struct column {
	char title[40];
	bool left;
	size_t width;
};

void table_start(struct table *table, const char *titles)
{
	*table = (struct table){ .titles = titles, .columns = 1 };
	for (; *titles; titles++)
		table->columns += *titles == ' ';
}

void table_add(struct table *table, enum colour colour, const char *format, ...)
{
	struct table_cell *cell;
	va_list arguments;

	if (table->count == table->room) {
		table->room = table->room ? 2 * table->room : 64;
		table->cells = memory_resize(table->cells, table->room * sizeof(*table->cells));
	}
	cell = &table->cells[table->count++];
	cell->colour = colour;
	va_start(arguments, format);
	cell->text = memory_print(format, arguments);
	va_end(arguments);
}

static void read_titles(const struct table *table, struct column *columns)
{
	const char *title = table->titles;

	for (size_t i = 0; i < table->columns; i++) {
		size_t length = strcspn(title, " ");
		bool left = *title == '<';

		columns[i].left = left;
		snprintf(columns[i].title, sizeof(columns[i].title), "%.*s", (int)(length - left),
			 title + left);
		for (char *c = columns[i].title; *c; c++)
			if (*c == '_')
				*c = ' ';
		columns[i].width = strlen(columns[i].title);
		title += length + 1;
	}
}

static void measure(const struct table *table, struct column *columns)
{
	for (size_t i = 0; i < table->count; i++) {
		struct column *column = &columns[i % table->columns];
		size_t width = strlen(table->cells[i].text);

		if (width > column->width)
			column->width = width;
	}
}

/* Without blanks behind the last column */
static void print_cell(const struct table *table, const struct column *column, size_t number,
		       enum colour colour, const char *text, FILE *file)
{
	int fill = (int)(column->width - strlen(text));
	bool last = number % table->columns == table->columns - 1;

	fprintf(file, "%s%*s%s%s%s", number % table->columns ? "  " : "", column->left ? 0 : fill,
		"", colour_on(colour), text, colour_off(colour));
	if (last)
		fputc('\n', file);
	else if (column->left)
		fprintf(file, "%*s", fill, "");
}

void table_end(struct table *table, FILE *file)
{
	struct column columns[TABLE_COLUMNS_MAX];

	read_titles(table, columns);
	measure(table, columns);
	for (size_t i = 0; i < table->columns; i++)
		print_cell(table, &columns[i], i, COLOUR_TITLE, columns[i].title, file);
	for (size_t i = 0; i < table->count; i++) {
		print_cell(table, &columns[i % table->columns], i, table->cells[i].colour,
			   table->cells[i].text, file);
		free(table->cells[i].text);
	}
	if (table->count % table->columns)
		fputc('\n', file);
	free(table->cells);
	*table = (struct table){ 0 };
}
