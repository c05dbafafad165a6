// SPDX-License-Identifier: GPL-2.0-or-later
/* The graphs that hbsgraph makes and reads */
#include <math.h>
#include <unistd.h>

#include "back_edges.h"
#include "generate.h"
#include "graph_test.h"
#include "read.h"
#include "serial.h"
#include "shared/random.h"

static const struct weights none = { 1, 1 };

static struct edges made(const char *text, const struct weights *weights, uint64_t seed)
{
	struct edges edges;

	assert_true(generate(text, weights, seed, &edges));
	for (uint64_t e = 0; e < edges.count; e++) {
		assert_true(edges.from[e] < edges.vertices && edges.to[e] < edges.vertices);
		/* each is followed or preceded by the one in the other direction */
		assert_int_equal(edges.from[e], edges.to[e ^ 1]);
		if (edges.weight) {
			assert_int_equal(edges.weight[e], edges.weight[e ^ 1]);
			assert_in_range(edges.weight[e], weights->low, weights->high);
		} else {
			assert_true(weights->low == 1 && weights->high == 1);
		}
	}
	return edges;
}

static void is_of(const char *text, uint32_t vertices, uint64_t both_ways)
{
	struct edges edges = made(text, &none, 1);

	assert_int_equal(edges.vertices, vertices);
	assert_int_equal(edges.count, 2 * both_ways);
	edges_free(&edges);
}

static void sizes(void **state)
{
	(void)state;
	is_of("grid4:5x3", 15, 4 * 3 + 5 * 2);
	is_of("grid8:5x3", 15, 4 * 3 + 5 * 2 + 2 * 4 * 2);
	is_of("grid6:4x3x2", 24, 3 * 3 * 2 + 4 * 2 * 2 + 4 * 3);
	is_of("grid26:3x3x3", 27, (8 * 7 + 12 * 11 + 6 * 17 + 26) / 2);
	is_of("grid4:1x1", 1, 0);
	is_of("grid4:0x7", 0, 0);
	is_of("grid26:1x1x9", 9, 8);
	is_of("mixed:10x10x0", 100, 180);
	is_of("mixed:10x10x0.5", 100, 180);
	is_of("normal:1000x8", 1000, 8000);
	is_of("normal:1x8", 1, 0);
	is_of("normal:1000x0.5", 1000, 500);
	is_of("scale-free:1000x4", 1000, 999 * 4);
	is_of("tree:1000", 1000, 999);
	is_of("tree:0", 0, 0);
	is_of("ring:1000", 1000, 1000);
	is_of("ring:2", 2, 1);
	is_of("ring:1", 1, 0);
	is_of("ring:0", 0, 0);
	is_of("geometric:0x5", 0, 0);
	is_of("geometric:1x5", 1, 0);
}

/* The greatest distance from a corner */
static void diameters(void **state)
{
	static const struct {
		const char *text;
		uint32_t depth;
	} wanted[] = {
		{ "grid4:20x30", 48 },	 { "grid8:20x30", 29 }, { "grid6:5x6x7", 15 },
		{ "grid26:5x6x7", 6 },	 { "tree:1023", 9 },	{ "ring:101", 50 },
		{ "mixed:20x30x0", 48 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		struct edges edges = made(wanted[i].text, &none, 1);

		assert_int_equal(serial_depth(&edges, 0), wanted[i].depth);
		edges_free(&edges);
	}
}

/* The mean and the standard deviation of the degrees, and the highest one */
static void degrees_of(const char *text, double *mean, double *deviation, uint32_t *most)
{
	struct edges edges = made(text, &none, 5);
	uint32_t *degrees = calloc(edges.vertices, sizeof(*degrees));
	double squares = 0;

	assert_non_null(degrees);
	for (uint64_t e = 0; e < edges.count; e++)
		degrees[edges.from[e]]++;
	*mean = (double)edges.count / edges.vertices;
	*most = 0;
	for (uint32_t v = 0; v < edges.vertices; v++) {
		squares += (degrees[v] - *mean) * (degrees[v] - *mean);
		if (degrees[v] > *most)
			*most = degrees[v];
	}
	*deviation = sqrt(squares / edges.vertices);
	free(degrees);
	edges_free(&edges);
}

/* As table 1 of the paper has them */
static void distributions(void **state)
{
	double mean, deviation;
	uint32_t most;

	(void)state;
	degrees_of("normal:20000x8", &mean, &deviation, &most);
	assert_true(mean == 16 && fabs(deviation - 4) < 0.1);
	degrees_of("normal:20000x16", &mean, &deviation, &most);
	assert_true(mean == 32 && fabs(deviation - 5.66) < 0.1);
	/* exponential ones of 8 that begin here, and those that end here, between any two */
	degrees_of("exponential:20000x8", &mean, &deviation, &most);
	assert_true(fabs(mean - 16) < 0.3 && fabs(deviation - sqrt(64 + 8)) < 0.4);
	degrees_of("scale-free:20000x8", &mean, &deviation, &most);
	assert_true(fabs(mean - 16) < 0.1 && most > 500);
	/* at the border they have fewer neighbours */
	degrees_of("geometric:20000x30", &mean, &deviation, &most);
	assert_true(mean > 28 && mean < 30.5);
}

static bool same(const struct edges *a, const struct edges *b)
{
	return a->vertices == b->vertices && a->count == b->count &&
	       !memcmp(a->from, b->from, a->count * sizeof(*a->from)) &&
	       !memcmp(a->to, b->to, a->count * sizeof(*a->to)) &&
	       !memcmp(a->weight, b->weight, a->count * sizeof(*a->weight));
}

static void seeds(void **state)
{
	static const char *const graphs[] = { "grid4:20x20",	   "mixed:20x20x0.3",
					      "normal:200x4",	   "scale-free:200x4",
					      "exponential:200x4", "geometric:200x9" };
	const struct weights weights = { 10, 1000 };

	(void)state;
	for (size_t i = 0; i < sizeof(graphs) / sizeof(graphs[0]); i++) {
		struct edges first = made(graphs[i], &weights, 3);
		struct edges again = made(graphs[i], &weights, 3);
		struct edges other = made(graphs[i], &weights, 4);

		assert_true(same(&first, &again));
		assert_false(same(&first, &other));
		edges_free(&first);
		edges_free(&again);
		edges_free(&other);
	}
}

/* All weights of the range come, each about as often, also at edges of the same vertex */
static void weights_are_even(void **state)
{
	const struct weights weights = { 3, 12 };
	struct edges edges = made("grid4:100x100", &weights, 1);
	uint32_t counts[13] = { 0 }, pairs = 0, alike = 0;

	(void)state;
	for (uint64_t e = 0; e + 2 < edges.count; e += 2) {
		pairs += edges.from[e] == edges.from[e + 2];
		alike += edges.from[e] == edges.from[e + 2] &&
			 edges.weight[e] == edges.weight[e + 2];
	}
	assert_true(alike > 0.09 * pairs && alike < 0.11 * pairs);
	for (uint64_t e = 0; e < edges.count; e++)
		counts[edges.weight[e]]++;
	for (uint32_t w = 3; w <= 12; w++)
		assert_true(counts[w] > 0.9 * edges.count / 10 &&
			    counts[w] < 1.1 * edges.count / 10);
	edges_free(&edges);
}

static bool leads(const struct edges *edges, uint32_t from, uint32_t to)
{
	for (uint64_t e = 0; e < edges->count; e++)
		if (edges->from[e] == from && edges->to[e] == to)
			return true;
	return false;
}

/* Each edge has one that leads back, which weighs nothing if it is new; and no more than that */
static void check_back_edges(const struct edges *before, const struct edges *edges)
{
	uint64_t missing = 0;

	for (uint64_t e = 0; e < before->count; e++) {
		assert_int_equal(edges->from[e], before->from[e]);
		assert_int_equal(edges->to[e], before->to[e]);
		assert_int_equal(edges->weight ? edges->weight[e] : 1,
				 before->weight ? before->weight[e] : 1);
	}
	for (uint32_t a = 0; a < before->vertices; a++)
		for (uint32_t b = 0; b < before->vertices; b++)
			missing += leads(before, a, b) && !leads(before, b, a);
	assert_int_equal(edges->count, before->count + missing);
	assert_int_equal(edges->back, missing);
	for (uint64_t e = before->count; e < edges->count; e++) {
		assert_int_equal(edges->weight[e], 0);
		assert_false(leads(before, edges->from[e], edges->to[e]));
		assert_true(leads(before, edges->to[e], edges->from[e]));
	}
	for (uint64_t e = 0; e < edges->count; e++)
		assert_true(leads(edges, edges->to[e], edges->from[e]));
	if (!missing)
		assert_true(edges->weighted == before->weighted);
}

static void back_edges(void **state)
{
	(void)state;
	for (uint32_t weighted = 0; weighted < 2; weighted++) {
		/* from no edge to nearly all that there can be, some parallel, some to oneself */
		for (uint32_t count = 0; count < 400; count += 1 + count / 4) {
			struct edges before = { .vertices = 15, .weighted = weighted };
			struct edges edges = before;
			uint64_t random = random_start(count);

			random_next(&random);
			for (uint32_t i = 0; i < count; i++) {
				uint32_t from = (uint32_t)(random_next(&random) >> 40) % 15;
				uint32_t to = (uint32_t)(random_next(&random) >> 40) % 15;

				edges_add(&before, from, to, i);
				edges_add(&edges, from, to, i);
			}
			back_edges_add(&edges);
			assert_true(edges_good(&edges, "back edges"));
			check_back_edges(&before, &edges);
			edges_free(&before);
			edges_free(&edges);
		}
	}
}

/* A file with that text */
static struct edges read_text(const char *text, bool both_ways)
{
	char path[] = "/tmp/hbs-graph-test-XXXXXX";
	int fd = mkstemp(path);
	struct edges edges;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	assert_true(read_graph(path, READ_AUTO, both_ways, &edges));
	unlink(path);
	return edges;
}

static void has_edges(struct edges *edges, uint32_t vertices, const uint32_t *numbers, size_t count)
{
	assert_int_equal(edges->vertices, vertices);
	assert_int_equal(edges->count, count / 3);
	for (size_t e = 0; e < count / 3; e++) {
		assert_int_equal(edges->from[e], numbers[3 * e]);
		assert_int_equal(edges->to[e], numbers[3 * e + 1]);
		assert_int_equal(edges->weight ? edges->weight[e] : 1, numbers[3 * e + 2]);
	}
	edges_free(edges);
}

#define READS(text, both_ways, vertices, ...)                                             \
	do {                                                                              \
		const uint32_t numbers[] = { __VA_ARGS__ };                               \
		struct edges edges = read_text(text, both_ways);                          \
                                                                                          \
		has_edges(&edges, vertices, numbers, sizeof(numbers) / sizeof(*numbers)); \
	} while (0)

static void files(void **state)
{
	struct edges edges;

	(void)state;
	READS("# edges\n0 1\n\n\t3   2\t\r\n%% more\n2 2\n", false, 4, 0, 1, 1, 3, 2, 1, 2, 2, 1);
	/* a weight comes late */
	READS("0 1\n1 2\n2 0 4294967295\n0 2 0\n", false, 3, 0, 1, 1, 1, 2, 1, 2, 0, UINT32_MAX, 0,
	      2, 0);
	READS("0 1 5\n1 1 6\n", true, 2, 0, 1, 5, 1, 0, 5, 1, 1, 6);
	READS("c a map\np sp 4 3\na 1 2 7\nc\na 2 3 8\na 4 1 0\n", false, 4, 0, 1, 7, 1, 2, 8, 3, 0,
	      0);
	READS("%%MatrixMarket matrix coordinate pattern general\n% from\n3 3 2\n1 2\n3 3\n", false,
	      3, 0, 1, 1, 2, 2, 1);
	READS("%%MatrixMarket matrix coordinate integer symmetric\n3 3 2\n2 1 9\n3 3 4\n", false, 3,
	      1, 0, 9, 0, 1, 9, 2, 2, 4);
	edges = read_text("", false);
	assert_int_equal(edges.vertices, 0);
	edges = read_text("p sp 5 0\n", false);
	assert_int_equal(edges.vertices, 5);
	assert_int_equal(edges.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes),
		cmocka_unit_test(diameters),
		cmocka_unit_test(distributions),
		cmocka_unit_test(seeds),
		cmocka_unit_test(weights_are_even),
		cmocka_unit_test(back_edges),
		cmocka_unit_test(files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
