// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "hbs_graph.h"
#include "read_file.h"

#define SHOWN 40 /* characters of a line that a message has */

bool file_wrong(const struct file *file, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "hbsgraph: %s:%lu: ", file->path, file->number);
	if (file->line && *file->line)
		fprintf(stderr, "'%.*s%s': ", SHOWN, file->line,
			strlen(file->line) > SHOWN ? "..." : "");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return false;
}

/* A file that was cut mostly ends within a line */
static bool cut_end(struct file *file, ssize_t length)
{
	if (file->line[length - 1] != '\n')
		return file_wrong(file, "the line has no end: the file is cut short");
	file->line[--length] = '\0';
	if (length && file->line[length - 1] == '\r')
		file->line[--length] = '\0';
	if (strlen(file->line) != (size_t)length)
		return file_wrong(file, "the line has a zero byte");
	return true;
}

bool file_line(struct file *file, bool *good)
{
	ssize_t length = getline(&file->line, &file->room, file->stream);

	/* what comes of a line before an error is no line */
	*good = !ferror(file->stream) && (length >= 0 || feof(file->stream));
	if (!*good)
		fprintf(stderr, "hbsgraph: %s: %s\n", file->path,
			ferror(file->stream) ? unpack_wrong(file->unpack) : strerror(ENOMEM));
	if (!*good || length < 0) {
		if (file->line)
			*file->line = '\0';
		return false;
	}
	file->number++;
	*good = cut_end(file, length);
	return *good;
}

bool file_next(struct file *file, bool *good)
{
	do {
		if (!file_line(file, good))
			return false;
	} while (!file->line[strspn(file->line, " \t")]);
	return true;
}

bool file_number(const char **at, uint64_t most, uint64_t *number)
{
	const char *text = *at + strspn(*at, " \t");
	uint64_t value = 0;

	if (!isdigit((unsigned char)*text))
		return false;
	for (; isdigit((unsigned char)*text); text++) {
		uint64_t digit = (uint64_t)(*text - '0');

		if (value > (most - digit) / 10)
			return false;
		value = value * 10 + digit;
	}
	if (*text && *text != ' ' && *text != '\t')
		return false;
	*at = text + strspn(text, " \t");
	*number = value;
	return true;
}

static void add_weights(struct edges *edges)
{
	edges->weighted = true;
	edges->weight = calloc(edges->room ? edges->room : 1, sizeof(*edges->weight));
	edges->failed |= !edges->weight;
	for (uint64_t e = 0; !edges->failed && e < edges->count; e++)
		edges->weight[e] = 1;
}

bool file_edge(struct file *file, uint64_t from, uint64_t to, uint64_t weight)
{
	struct edges *edges = file->edges;

	if (from >= HBS_GRAPH_VERTICES_MAX || to >= HBS_GRAPH_VERTICES_MAX)
		return file_wrong(file, "a vertex is at most %u", HBS_GRAPH_VERTICES_MAX - 1);
	if (weight != 1 && !edges->weighted)
		add_weights(edges);
	edges_add(edges, (uint32_t)from, (uint32_t)to, (uint32_t)weight);
	if (file->both_ways && from != to)
		edges_add(edges, (uint32_t)to, (uint32_t)from, (uint32_t)weight);
	if (from >= edges->vertices)
		edges->vertices = (uint32_t)from + 1;
	if (to >= edges->vertices)
		edges->vertices = (uint32_t)to + 1;
	return edges_good(edges, file->path);
}
