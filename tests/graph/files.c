// SPDX-License-Identifier: GPL-2.0-or-later
/* Files of METIS, packed ones and binary ones: what is read, and that wrong ones are refused */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "binary.h"
#include "generate.h"
#include "graph_test.h"
#include "read.h"

#define SAID_MAX 4096

static char folder[] = "/tmp/hbs-graph-files-XXXXXX";

/* A file in the folder of this test; names are short */
static const char *place(const char *name)
{
	static char path[sizeof(folder) + 32];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static const char *put(const char *name, const void *data, size_t size)
{
	const char *path = place(name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, size), size);
	close(fd);
	return path;
}

static const char *put_text(const char *name, const char *text)
{
	return put(name, text, strlen(text));
}

/* All of a file, which the caller frees */
static char *get(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY);
	struct stat is;
	char *data;

	assert_true(fd >= 0 && !fstat(fd, &is));
	*size = (size_t)is.st_size;
	data = malloc(*size + 1);
	assert_non_null(data);
	assert_int_equal(read(fd, data, *size), *size);
	close(fd);
	return data;
}

/* Read a file; what that says on stderr goes to @said */
static bool try(const char *path, enum read_format format, struct edges *edges, char *said)
{
	int memory = memfd_create("said", 0), before = dup(STDERR_FILENO);
	ssize_t length;
	bool good;

	assert_true(memory >= 0 && before >= 0 && dup2(memory, STDERR_FILENO) >= 0);
	good = read_graph(path, format, false, edges);
	dup2(before, STDERR_FILENO);
	close(before);
	length = pread(memory, said, SAID_MAX - 1, 0);
	close(memory);
	assert_true(length >= 0);
	said[length] = '\0';
	assert_true(good == !length);
	return good;
}

/* It is refused by one line, which names it and has @text */
static void refused(const char *path, enum read_format format, const char *text)
{
	char said[SAID_MAX], begin[sizeof(folder) + 64];
	struct edges edges;

	if (try(path, format, &edges, said))
		fail_msg("%s: it was taken, instead of: %s", path, text);
	snprintf(begin, sizeof(begin), "hbsgraph: %s:", path);
	if (strncmp(said, begin, strlen(begin)) || !strstr(said, text) ||
	    strchr(said, '\n') != said + strlen(said) - 1)
		fail_msg("'%s' is not about %s, with: %s", said, path, text);
	edges_free(&edges);
}

static struct edges taken(const char *path, enum read_format format)
{
	char said[SAID_MAX];
	struct edges edges;

	if (!try(path, format, &edges, said))
		fail_msg("%s", said);
	return edges;
}

static bool are_same(const struct edges *a, const struct edges *b)
{
	size_t size = a->count * sizeof(uint32_t);

	return a->vertices == b->vertices && a->count == b->count && a->weighted == b->weighted &&
	       (!size || (!memcmp(a->from, b->from, size) && !memcmp(a->to, b->to, size) &&
			  (!a->weighted || !memcmp(a->weight, b->weight, size))));
}

static void metis_is(const char *text, uint32_t vertices, const uint32_t *numbers, size_t count)
{
	struct edges edges = taken(put_text("it.graph", text), READ_AUTO);

	assert_int_equal(edges.vertices, vertices);
	assert_int_equal(edges.count, count / 3);
	for (size_t e = 0; e < count / 3; e++) {
		assert_int_equal(edges.from[e], numbers[3 * e]);
		assert_int_equal(edges.to[e], numbers[3 * e + 1]);
		assert_int_equal(edges.weighted ? edges.weight[e] : 1, numbers[3 * e + 2]);
	}
	edges_free(&edges);
}

#define METIS_IS(text, vertices, ...)                               \
	metis_is(text, vertices, (const uint32_t[]){ __VA_ARGS__ }, \
		 sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t))

static void metis(void **state)
{
	struct edges edges;

	(void)state;
	METIS_IS("3 2\n2\n1 3\n2\n", 3, 0, 1, 1, 1, 0, 1, 1, 2, 1, 2, 1, 1);
	/* comments, a vertex without neighbours, blanks, ends of lines from elsewhere */
	METIS_IS("% a graph\n3 1 0\n\t3 \r\n% more\n\n1\n% end\n\n", 3, 0, 2, 1, 2, 0, 1);
	METIS_IS("2 1 1\n2 7\n1 7\n", 2, 0, 1, 7, 1, 0, 7);
	METIS_IS("2 1 001\n2 0\n1 0\n", 2, 0, 1, 0, 1, 0, 0);
	/* weights of vertices, and their sizes */
	METIS_IS("2 1 10\n50 2\n60 1\n", 2, 0, 1, 1, 1, 0, 1);
	METIS_IS("2 1 011 2\n5 6 2 7\n8 9 1 7\n", 2, 0, 1, 7, 1, 0, 7);
	METIS_IS("2 1 111 3\n4 5 6 7 2 7\n4 5 6 7 1 7\n", 2, 0, 1, 7, 1, 0, 7);
	/* two edges between two vertices */
	METIS_IS("2 2 1\n2 7 2 8\n1 8 1 7\n", 2, 0, 1, 7, 0, 1, 8, 1, 0, 8, 1, 0, 7);
	edges = taken(put_text("it.graph", "0 0\n"), READ_AUTO);
	assert_int_equal(edges.vertices, 0);
	/* the name, or an option, tells that it is one */
	edges = taken(put_text("it.txt", "3 2\n2\n1 3\n2\n"), READ_METIS);
	assert_int_equal(edges.count, 4);
	edges_free(&edges);
	refused(put_text("it.txt", "3 2\n2\n1 3\n2\n"), READ_AUTO, ":2: '2': not of the form FROM");
	edges = taken(put_text("it.metis", "3 2\n2 1\n"), READ_EDGES);
	assert_int_equal(edges.count, 2);
	edges_free(&edges);
}

static void wrong_metis(void **state)
{
	static const struct {
		const char *text;
		const char *said;
	} wrong[] = {
		{ "", ":0: the file is cut short: its first line is missing" },
		{ "% none\n", ":1: the file is cut short: its first line is missing" },
		{ "3\n", ":1: '3': not of the form VERTICES EDGES [FORMAT [WEIGHTS]]" },
		{ "3 1 1 1 1\n", ":1: '3 1 1 1 1': not of the form" },
		{ "3 x\n", ":1: '3 x': not of the form" },
		{ "3 1 2\n", "the digits of the format are 0 or 1" },
		{ "3 1 20\n", "the digits of the format are 0 or 1" },
		{ "3 1 200\n", "the digits of the format are 0 or 1" },
		{ "3 1 1000\n", "the digits of the format are 0 or 1" },
		{ "3 1 10 65\n", "not of the form" },
		{ "2147483648 1\n", "more than 2147483647 vertices" },
		{ "3 2147483641\n", "more than 2147483647 vertices or 2147483640 edges" },
		{ "3 2\n2\n1 3\n", ":3: the file is cut short: 2 of 3 vertices" },
		{ "3 2\n2\n1 3\n2", ":4: '2': the line has no end: the file is cut short" },
		{ "3 2\n2\n1 3\n2\n1\n", ":5: '1': more than 3 vertices" },
		{ "3 2\n2\n1 4\n2\n", ":3: '1 4': vertex 2: a neighbour is 1 to 3" },
		{ "3 2\n2\n1 0\n2\n", ":3: '1 0': vertex 2: a neighbour is 1 to 3" },
		{ "3 2\n2\n1 2\n2\n", ":3: '1 2': vertex 2 is a neighbour of itself" },
		{ "3 2\n2\n1 -3\n2\n", ":3: '1 -3': vertex 2: the neighbours are not of the form" },
		{ "2 1 1\n2 7\n1\n", ":3: '1': vertex 2: the neighbours are not of the form "
				     "NEIGHBOUR WEIGHT" },
		{ "2 1 1\n2 4294967296\n1\n", ":2: '2 4294967296': vertex 1: the neighbours" },
		{ "2 1 10 2\n5 6 2\n7\n", ":3: '7': vertex 2 has no 2 numbers before" },
		{ "3 1\n2\n1 3\n2\n", ":4: 4 neighbours instead of 2, two for each edge" },
		{ "3 3\n2\n1 3\n2\n", ":4: 4 neighbours instead of 6, two for each edge" },
		/* one way only: from the lower vertex, and from the higher one */
		{ "3 1\n2 3\n\n\n", ":4: vertex 1 has the neighbour 2, but not the other way" },
		{ "3 1\n\n\n1 2\n", ":4: vertex 3 has the neighbour 1, but not the other way" },
		{ "4 2\n2\n1\n4\n1\n", ":5: vertex 4 has the neighbour 1, but not the other way" },
		{ "4 2\n2\n1\n4\n2\n", ":5: vertex 4 has the neighbour 2, but not the other way" },
		{ "2 1 1\n2 7\n1 8\n", ":3: vertices 1 and 2 have weights 7 and 8 for the edge" },
		{ "2 2 1\n2 7 2 7\n1 7 1 8\n", "vertices 1 and 2 have weights 7 and 8" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		refused(put_text("it.graph", wrong[i].text), READ_AUTO, wrong[i].said);
}

/* Text that packs to something with blocks of several kinds */
static char *make_text(size_t *size)
{
	const struct weights weights = { 1, 1000 };
	struct edges edges;
	char *text = NULL;
	FILE *stream = open_memstream(&text, size);

	assert_non_null(stream);
	assert_true(generate("normal:2000x8", &weights, 3, &edges));
	for (uint64_t e = 0; e < edges.count; e++)
		fprintf(stream, "%u %u %u\n", edges.from[e], edges.to[e], edges.weight[e]);
	fclose(stream);
	edges_free(&edges);
	return text;
}

static char *pack_gzip(const char *text, size_t size, size_t *packed)
{
	size_t room = size + 1000;
	char *to = malloc(room);
	z_stream stream = { .next_in = (Bytef *)(uintptr_t)text,
			    .avail_in = (uInt)size,
			    .next_out = (Bytef *)to,
			    .avail_out = (uInt)room };

	assert_non_null(to);
	assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
	assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
	*packed = stream.total_out;
	deflateEnd(&stream);
	return to;
}

/* With a sum at its end, as the program zstd makes it */
static char *pack_zstd(const char *text, size_t size, size_t *packed)
{
	ZSTD_CCtx *context = ZSTD_createCCtx();
	size_t room = ZSTD_compressBound(size);
	char *to = malloc(room);

	assert_true(context && to);
	ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
	*packed = ZSTD_compress2(context, to, room, text, size);
	assert_false(ZSTD_isError(*packed));
	ZSTD_freeCCtx(context);
	return to;
}

typedef char *pack_function(const char *text, size_t size, size_t *packed);

/* As a whole, in two parts, with an empty part at the end */
static void packed_is_same(pack_function *pack, const char *text, size_t size,
			   const struct edges *wanted)
{
	size_t parts[] = { size, size / 3, 0 };

	for (int i = 0; i < 3; i++) {
		size_t first_size, second_size;
		char *first = pack(text, parts[i], &first_size);
		char *second = pack(text + parts[i], size - parts[i], &second_size);
		struct edges edges;

		first = realloc(first, first_size + second_size);
		assert_non_null(first);
		memcpy(first + first_size, second, second_size);
		edges = taken(put("packed", first, first_size + second_size), READ_AUTO);
		assert_true(are_same(&edges, wanted));
		edges_free(&edges);
		free(first);
		free(second);
	}
}

/* It is cut or changed anywhere: nothing of that is taken for the whole */
static void wrong_packed(pack_function *pack, const char *text, size_t size, const char *name)
{
	size_t packed_size, step = SANITIZED ? 9973 : 997;
	char *packed = pack(text, size, &packed_size), said[SAID_MAX];
	struct edges edges;

	for (size_t cut = 5; cut < packed_size; cut += cut < 100 ? 1 : step) {
		refused(put("packed", packed, cut), READ_AUTO, "the file is cut short");
		refused(put("packed", packed, cut), READ_AUTO, name);
	}
	refused(put("packed", packed, packed_size - 1), READ_AUTO, "the file is cut short");
	/* after the header, which has bits that mean nothing */
	for (size_t at = 20; at < packed_size; at += at < 40 ? 1 : step) {
		packed[at] ^= 0x10;
		if (try(put("packed", packed, packed_size), READ_AUTO, &edges, said))
			fail_msg("%s: byte %zu is changed, and that makes no difference", name, at);
		edges_free(&edges);
		packed[at] ^= 0x10;
	}
	packed = realloc(packed, packed_size + 4);
	memcpy(packed + packed_size, "more", 4);
	refused(put("packed", packed, packed_size + 4), READ_AUTO, name);
	free(packed);
}

static void packed(void **state)
{
	size_t size;
	char *text = make_text(&size);
	struct edges wanted = taken(put("plain", text, size), READ_AUTO);

	(void)state;
	assert_int_equal(wanted.count, 2 * 16000);
	packed_is_same(pack_gzip, text, size, &wanted);
	packed_is_same(pack_zstd, text, size, &wanted);
	wrong_packed(pack_gzip, text, size, "what gzip has packed is wrong");
	wrong_packed(pack_zstd, text, size, "what zstd has packed is wrong");
	edges_free(&wanted);
	free(text);
}

static void packed_metis(void **state)
{
	static const char text[] = "3 2\n2\n1 3\n2\n";
	size_t size;
	char *gzip = pack_gzip(text, strlen(text), &size);
	struct edges edges = taken(put("it.graph.gz", gzip, size), READ_AUTO);

	(void)state;
	assert_int_equal(edges.count, 4);
	edges_free(&edges);
	free(gzip);
	gzip = pack_zstd(text, strlen(text), &size);
	edges = taken(put("it.metis.zst", gzip, size), READ_AUTO);
	assert_int_equal(edges.count, 4);
	edges_free(&edges);
	free(gzip);
}

static const char *put_binary(const char *name, const struct edges *edges)
{
	const char *path = place(name);
	struct replacement to;

	assert_null(replace_prepare(&to, path));
	assert_null(binary_write(&to, edges));
	return path;
}

/* Written, and read in each way: mapped, and packed */
static void binary_round(const char *graph, const struct weights *weights)
{
	struct edges made, again;
	size_t size, packed_size;
	char *data, *packed;

	assert_true(generate(graph, weights, 1, &made));
	again = taken(put_binary("binary", &made), READ_AUTO);
	assert_non_null(again.file);
	assert_true(are_same(&made, &again));
	edges_free(&again);
	data = get(place("binary"), &size);
	packed = pack_zstd(data, size, &packed_size);
	again = taken(put("packed", packed, packed_size), READ_AUTO);
	assert_null(again.file);
	assert_true(are_same(&made, &again));
	edges_free(&again);
	edges_free(&made);
	free(data);
	free(packed);
}

static void binary(void **state)
{
	static const char *const graphs[] = { "grid4:0x0",     "grid4:1x1", "ring:2",
					      "normal:5x1",    "grid8:9x9", "scale-free:300x4",
					      "normal:40000x8" };

	(void)state;
	for (size_t i = 0; i < sizeof(graphs) / sizeof(graphs[0]); i++) {
		binary_round(graphs[i], &(struct weights){ 1, 1 });
		binary_round(graphs[i], &(struct weights){ 0, 1000 });
	}
}

/* By both ways of reading */
static void binary_refused(const char *data, size_t size, const char *text)
{
	size_t packed_size;
	char *packed = pack_gzip(data, size, &packed_size);

	refused(put("binary", data, size), READ_AUTO, text);
	refused(put("packed", packed, packed_size), READ_AUTO, text);
	free(packed);
}

static void wrong_binary(void **state)
{
	const struct weights weights = { 1, 9 };
	const size_t from = sizeof(struct binary_header);
	struct binary_header *header;
	struct edges edges;
	size_t size, array;
	uint32_t old;
	char *data;

	(void)state;
	assert_true(generate("ring:20", &weights, 1, &edges));
	data = get(put_binary("binary", &edges), &size);
	header = (struct binary_header *)(void *)data;
	array = (size - from) / 3;
	for (size_t cut = 1; cut < size; cut++)
		binary_refused(data, cut, "cut short");
	data = realloc(data, size + 1);
	data[size] = 0;
	header = (struct binary_header *)(void *)data;
	binary_refused(data, size + 1, "the file is corrupt");
	/* each byte of the header means something, and no other value of it is right */
	for (size_t at = 1; at < from; at++)
		for (int bit = 0; bit < 8; bit++) {
			/* more vertices than edges have is a graph, too */
			if (at / 4 == offsetof(struct binary_header, vertices) / 4)
				continue;
			data[at] ^= (char)(1 << bit);
			binary_refused(data, size, "");
			data[at] ^= (char)(1 << bit);
		}
#define WRONG(field, value, text)                      \
	do {                                           \
		struct binary_header before = *header; \
                                                       \
		header->field = value;                 \
		binary_refused(data, size, text);      \
		*header = before;                      \
	} while (0)
	WRONG(order, 0x04030201, "another byte order");
	WRONG(order, 7, "there is no such byte order");
	WRONG(version, 2, "the format has version 2, not 1");
	WRONG(flags, 3, "what should be 0 is not");
	WRONG(flags, 0, "the file is corrupt");
	WRONG(reserved[3], 1, "what should be 0 is not");
	WRONG(vertices, 19, "an edge has vertex 19, and there are 19");
	WRONG(vertices, 0, "an edge has vertex 19, and there are 0");
	WRONG(vertices, UINT32_MAX, "so many vertices or edges cannot be");
	WRONG(edges, UINT64_MAX, "so many vertices or edges cannot be");
	WRONG(edges, HBS_GRAPH_EDGES_MAX, "cut short");
	WRONG(edges, 8, "the file is corrupt");
	/* the first and the last vertex of both ends */
	for (int i = 0; i < 4; i++) {
		uint32_t *vertex = (uint32_t *)(void *)(data + from + (size_t)(i / 2) * array);

		vertex += i % 2 ? edges.count - 1 : 0;
		old = *vertex;
		*vertex = 20;
		binary_refused(data, size, "an edge has vertex 20, and there are 20");
		*vertex = old;
	}
	refused(put("binary", data, size - array), READ_AUTO, "the file is cut short: it has");
	edges_free(&edges);
	free(data);
}

static int make_folder(void **state)
{
	(void)state;
	return !mkdtemp(folder);
}

static int remove_folder(void **state)
{
	static const char *const names[] = { "it.graph", "it.txt",	 "it.metis", "it.graph.gz",
					     "plain",	 "it.metis.zst", "packed",   "binary" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unlink(place(names[i]));
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(metis),  cmocka_unit_test(wrong_metis),
		cmocka_unit_test(packed), cmocka_unit_test(packed_metis),
		cmocka_unit_test(binary), cmocka_unit_test(wrong_binary),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
