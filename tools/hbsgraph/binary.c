// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "binary.h"
#include "hbs_graph.h"

#define ARRAYS_MAX 3

_Static_assert(sizeof(struct binary_header) == 64, "files have a header of 64 bytes");

static const char *const array_names[ARRAYS_MAX] = { "from", "to", "weights" };

static bool wrong(const char *path, const char *what)
{
	fprintf(stderr, "hbsgraph: %s: %s\n", path, what);
	return false;
}

static uint64_t array_size(const struct binary_header *header)
{
	return header->edges * sizeof(uint32_t);
}

static unsigned int array_count(const struct binary_header *header)
{
	return header->flags & BINARY_WEIGHTED ? 3 : 2;
}

static uint64_t file_size(const struct binary_header *header)
{
	return sizeof(*header) + array_count(header) * array_size(header);
}

static bool header_is_good(const char *path, const struct binary_header *header)
{
	if (memcmp(header->magic, BINARY_MAGIC, sizeof(header->magic)))
		return wrong(path, "it begins as a binary graph, and is none");
	if (header->order != BINARY_ORDER)
		return wrong(path, header->order == __builtin_bswap32(BINARY_ORDER)
					   ? "the graph is one of a machine with another byte order"
					   : "the header is corrupt: there is no such byte order");
	if (header->version != BINARY_VERSION) {
		fprintf(stderr, "hbsgraph: %s: the format has version %" PRIu32 ", not %u\n", path,
			header->version, BINARY_VERSION);
		return false;
	}
	if (header->flags & ~BINARY_WEIGHTED || header->reserved[0] || header->reserved[1] ||
	    header->reserved[2] || header->reserved[3])
		return wrong(path, "the header is corrupt: what should be 0 is not");
	if (header->vertices > HBS_GRAPH_VERTICES_MAX || header->edges > HBS_GRAPH_EDGES_MAX)
		return wrong(path, "the header is corrupt: so many vertices or edges cannot be");
	return true;
}

static void set_array(struct edges *edges, unsigned int number, uint32_t *array)
{
	uint32_t **const arrays[ARRAYS_MAX] = { &edges->from, &edges->to, &edges->weight };

	*arrays[number] = array;
}

static void set_counts(struct edges *edges, const struct binary_header *header)
{
	edges->vertices = header->vertices;
	edges->count = header->edges;
	edges->room = header->edges;
	edges->weighted = header->flags & BINARY_WEIGHTED;
}

/* All numbers together, since a loop that stops at the first wrong one takes longer */
static uint32_t greatest(const uint32_t *array, uint64_t count)
{
	uint32_t most = 0;

	for (uint64_t i = 0; i < count; i++)
		most = array[i] > most ? array[i] : most;
	return most;
}

static bool vertices_are_good(const char *path, const struct edges *edges)
{
	const uint32_t *const ends[] = { edges->from, edges->to };

	for (int i = 0; edges->count && i < 2; i++) {
		uint32_t most = greatest(ends[i], edges->count);

		if (most < edges->vertices)
			continue;
		fprintf(stderr,
			"hbsgraph: %s: the file is corrupt: an edge has vertex %" PRIu32
			", and there are %" PRIu32 "\n",
			path, most, edges->vertices);
		return false;
	}
	return true;
}

bool binary_is(int fd)
{
	char magic[sizeof(BINARY_MAGIC) - 1];

	/* a pipe has no place to read at */
	return lseek(fd, 0, SEEK_CUR) == 0 && pread(fd, magic, 1, 0) == 1 &&
	       magic[0] == BINARY_MAGIC[0];
}

static bool size_is_good(const char *path, uint64_t size, const struct binary_header *header)
{
	if (size == file_size(header))
		return true;
	fprintf(stderr,
		"hbsgraph: %s: the file %s: it has %" PRIu64 " bytes, and its header says %" PRIu64
		"\n",
		path, size < file_size(header) ? "is cut short" : "is corrupt", size,
		file_size(header));
	return false;
}

/* Private, since numbers may be changed in memory */
static bool map_file(const char *path, int fd, uint64_t size, struct edges *edges)
{
	edges->file = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (edges->file == MAP_FAILED) {
		edges->file = NULL;
		return wrong(path, strerror(errno));
	}
	edges->file_size = size;
	/* all of it will be used, and from the beginning to the end at first; only hints */
	madvise(edges->file, size, MADV_WILLNEED);
	return true;
}

bool binary_map(const char *path, int fd, struct edges *edges)
{
	struct binary_header header;
	ssize_t got = pread(fd, &header, sizeof(header), 0);
	struct stat is;

	if (got < 0 || fstat(fd, &is))
		return wrong(path, strerror(errno));
	if (got < (ssize_t)sizeof(header))
		return wrong(path, "the file is cut short, within its header");
	if (!header_is_good(path, &header) || !size_is_good(path, (uint64_t)is.st_size, &header) ||
	    !map_file(path, fd, (uint64_t)is.st_size, edges))
		return false;
	set_counts(edges, &header);
	for (unsigned int i = 0; i < array_count(&header); i++)
		set_array(edges, i,
			  (uint32_t *)((char *)edges->file + sizeof(header) +
				       i * array_size(&header)));
	return vertices_are_good(path, edges);
}

/* An array, bit by bit, since the header of a file that is cut may promise more than memory has */
static uint32_t *read_array(FILE *stream, uint64_t size)
{
	uint64_t room = 0, have = 0;
	char *array = NULL;

	while (have < size) {
		uint64_t more = room ? room * 2 : (uint64_t)1 << 20;
		char *larger;

		room = more < size ? more : size;
		larger = realloc(array, room);
		if (!larger)
			break;
		array = larger;
		have += fread(array + have, 1, room - have, stream);
		if (have < room)
			break;
	}
	if (have == size)
		return (uint32_t *)(void *)(array ? array : calloc(1, sizeof(uint32_t)));
	if (room && have == room)
		errno = ENOMEM;
	free(array);
	return NULL;
}

static bool read_arrays(const char *path, FILE *stream, const struct binary_header *header,
			struct edges *edges)
{
	for (unsigned int i = 0; i < array_count(header); i++) {
		uint32_t *array;

		errno = 0;
		array = read_array(stream, array_size(header));
		set_array(edges, i, array);
		if (array)
			continue;
		if (ferror(stream))
			return false;
		fprintf(stderr, "hbsgraph: %s: the array %s: %s\n", path, array_names[i],
			feof(stream) ? "the file is cut short" : strerror(ENOMEM));
		return false;
	}
	return true;
}

bool binary_read(const char *path, FILE *stream, struct edges *edges)
{
	struct binary_header header;

	if (fread(&header, sizeof(header), 1, stream) != 1)
		return ferror(stream) ? false
				      : wrong(path, "the file is cut short, within its header");
	if (!header_is_good(path, &header) || !read_arrays(path, stream, &header, edges))
		return false;
	if (getc(stream) != EOF)
		return wrong(path, "the file is corrupt: it goes on after its end");
	if (ferror(stream))
		return false;
	set_counts(edges, &header);
	return vertices_are_good(path, edges);
}

const char *binary_write(struct replacement *to, const struct edges *edges)
{
	struct binary_header header = {
		.magic = { BINARY_MAGIC[0], 'h', 'b', 's', 'g', 'r', '\r', '\n' },
		.order = BINARY_ORDER,
		.version = BINARY_VERSION,
		.flags = edges->weighted ? BINARY_WEIGHTED : 0,
		.vertices = edges->vertices,
		.edges = edges->count,
	};
	const uint32_t *const arrays[ARRAYS_MAX] = { edges->from, edges->to, edges->weight };
	struct iovec parts[1 + ARRAYS_MAX] = { { &header, sizeof(header) } };

	for (unsigned int i = 0; i < array_count(&header); i++)
		parts[1 + i] = (struct iovec){ (void *)(uintptr_t)arrays[i], array_size(&header) };
	return replace_write_parts(to, parts, 1 + array_count(&header));
}
