// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "binary.h"
#include "read.h"
#include "read_file.h"

/* Whether a name ends so */
static bool ends_in(const char *name, size_t length, const char *end)
{
	return length > strlen(end) && !memcmp(name + length - strlen(end), end, strlen(end));
}

static bool is_named_metis(const char *name)
{
	static const char *const packed[] = { ".gz", ".zst" };
	size_t length = strlen(name);

	for (size_t i = 0; i < sizeof(packed) / sizeof(packed[0]); i++)
		if (ends_in(name, length, packed[i])) {
			length -= strlen(packed[i]);
			break;
		}
	return ends_in(name, length, ".graph") || ends_in(name, length, ".metis");
}

static bool read_text(struct file *file, enum read_format format)
{
	bool good;

	/* an empty file is an empty list */
	if (!file_next(file, &good))
		return good && format == READ_METIS ? read_metis(file) : good;
	if (format == READ_EDGES)
		return read_edge_list(file);
	if (!strncmp(file->line, "%%MatrixMarket", strlen("%%MatrixMarket")))
		return read_matrix_market(file);
	if (format == READ_METIS)
		return read_metis(file);
	if (*file->line == 'c' || *file->line == 'p')
		return read_dimacs(file);
	return read_edge_list(file);
}

/* It has the edges that whoever wrote it chose */
static bool no_other_way(const struct file *file)
{
	if (file->both_ways)
		fprintf(stderr,
			"hbsgraph: %s: --both-ways: that is for hbsgraph convert, which "
			"writes such a file\n",
			file->path);
	return !file->both_ways;
}

static bool read_binary(struct file *file)
{
	bool good = no_other_way(file) && binary_read(file->path, file->stream, file->edges);

	if (ferror(file->stream))
		fprintf(stderr, "hbsgraph: %s: %s\n", file->path, unpack_wrong(file->unpack));
	return good;
}

static bool read_stream(struct file *file, int fd, enum read_format format)
{
	bool good;
	int first;

	file->unpack = unpack_open(fd, &file->stream);
	if (!file->unpack) {
		fprintf(stderr, "hbsgraph: %s: %s\n", file->path, strerror(errno));
		return false;
	}
	first = getc(file->stream);
	ungetc(first, file->stream);
	if (first == (unsigned char)BINARY_MAGIC[0])
		good = read_binary(file);
	else
		good = read_text(file, format);
	free(file->line);
	fclose(file->stream);
	return good;
}

bool read_graph(const char *path, enum read_format format, bool both_ways, struct edges *edges)
{
	bool is_input = !strcmp(path, "-");
	struct file file = { .path = is_input ? "standard input" : path,
			     .both_ways = both_ways,
			     .edges = edges };
	int fd = is_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	bool good;

	*edges = (struct edges){ 0 };
	if (fd < 0) {
		fprintf(stderr, "hbsgraph: %s: %s\n", path, strerror(errno));
		return false;
	}
	if (format == READ_AUTO && is_named_metis(path))
		format = READ_METIS;
	if (binary_is(fd))
		good = no_other_way(&file) && binary_map(file.path, fd, edges);
	else
		good = read_stream(&file, fd, format);
	if (!is_input)
		close(fd);
	return good;
}
