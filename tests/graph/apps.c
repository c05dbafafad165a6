// SPDX-License-Identifier: GPL-2.0-or-later
/* The applications of hbsgraph against serial programs, on graphs of all kinds */
#include <inttypes.h>
#include <math.h>

#include "generate.h"
#include "heat_app.h"
#include "pagerank.h"
#include "serial.h"
#include "sssp.h"
#include "way.h"

#define TOLERANCE 1e-4
#define ROUNDING  (1.0 / (1 << 24)) /* of a float, relative */

static void check_paths(const struct edges *edges, const struct way *way, void *wanted)
{
	const uint64_t *distances = wanted;
	const struct sssp *states;
	struct ran ran;

	way_run(edges, way, &ran);
	states = hbs_graph_state(ran.graph, 0);
	for (uint32_t v = 0; v < edges->vertices; v++) {
		uint32_t distance = states[v].distance;

		if (distances[v] == UINT64_MAX)
			assert_int_equal(distance, SSSP_NONE);
		else if (distances[v] >= SSSP_FAR)
			assert_int_equal(distance, SSSP_FAR);
		else
			assert_int_equal(distance, distances[v]);
	}
	if (way->mode == MODE_ASYNC)
		assert_int_equal(ran.stats.steps, 1);
	else if (!edges->weight)
		assert_int_equal(ran.stats.steps, serial_depth(edges, way->choice.source) + 1);
	way_forget(&ran);
}

static void check_ranks(const struct edges *edges, const struct way *way, void *wanted)
{
	const double *ranks = wanted;
	struct ran ran;
	/* in an iteration each edge is an addition, and what is done besides takes 12 roundings */
	double part = way->choice.iterations * (serial_most_ending(edges) + 12.0) * ROUNDING;
	double missing = 0;

	way_run(edges, way, &ran);
	for (uint32_t v = 0; v < edges->vertices; v++) {
		const struct pagerank *state = hbs_graph_state(ran.graph, v);
		double difference = fabs((double)state->value - ranks[v]);

		missing += difference;
		if (way->mode != MODE_ASYNC)
			assert_true(difference <= part * ranks[v]);
	}
	/* what is in no rank goes on along 0.85, 0.85 * 0.85, and so on */
	assert_true(missing <= TOLERANCE * 0.85 / 0.15 + 1e-4);
	/* fewer where nothing changes any more */
	assert_true(ran.stats.steps <= (way->mode == MODE_SYNC ? way->choice.iterations : 1));
	way_forget(&ran);
}

static void check_heat(const struct edges *edges, const struct way *way, void *wanted)
{
	const double *temperatures = wanted;
	double most = way->choice.iterations * (serial_most_ending(edges) + 8.0) * ROUNDING;
	struct ran ran;

	way_run(edges, way, &ran);
	for (uint32_t v = 0; v < edges->vertices; v++) {
		const struct heat *state = hbs_graph_state(ran.graph, v);

		assert_true(fabs((double)state->value - temperatures[v]) <= most);
	}
	if (edges->vertices)
		assert_int_equal(ran.stats.steps,
				 way->mode == MODE_SYNC ? way->choice.iterations : 1);
	way_forget(&ran);
}

static void try_all(const struct edges *edges, uint32_t threads, uint32_t iterations)
{
	struct way way = { .app = &app_sssp };
	uint32_t sources[] = { 0, edges->vertices ? edges->vertices - 1 : 0 };
	void *wanted;

	for (int i = 0; i < 2; i++) {
		way.choice.source = sources[i];
		wanted = serial_paths(edges, sources[i]);
		for (way.mode = MODE_SYNC; way.mode <= MODE_ASYNC; way.mode++)
			way_each(edges, &way, threads, check_paths, wanted);
		free(wanted);
	}
	way = (struct way){ .app = &app_pagerank,
			    .choice = { .iterations = iterations, .tolerance = 0 } };
	wanted = serial_ranks(edges, iterations);
	way_each(edges, &way, threads, check_ranks, wanted);
	way.mode = MODE_GALS;
	way_each(edges, &way, threads, check_ranks, wanted);
	free(wanted);
	way.mode = MODE_ASYNC;
	way.choice.tolerance = (float)TOLERANCE;
	wanted = serial_ranks(edges, 0);
	way_each(edges, &way, threads, check_ranks, wanted);
	free(wanted);
	way = (struct way){ .app = &app_heat,
			    .choice = { .source = sources[1], .iterations = iterations } };
	wanted = serial_heat(edges, sources[1], iterations);
	way_each(edges, &way, threads, check_heat, wanted);
	way.mode = MODE_GALS;
	way_each(edges, &way, threads, check_heat, wanted);
	free(wanted);
}

static void generated_graphs(void **state)
{
	static const char *const graphs[] = {
		"grid4:23x17",	   "grid8:12x15",  "grid6:6x7x8",	"grid26:5x6x4",
		"mixed:15x15x0.2", "normal:300x4", "exponential:300x4", "scale-free:300x4",
		"geometric:300x8", "tree:255",	   "ring:100",
	};
	static const struct weights weights[] = { { 1, 1 }, { 1, 100 }, { 0, 1 } };

	(void)state;
	for (size_t g = 0; g < sizeof(graphs) / sizeof(graphs[0]); g++) {
		for (size_t w = 0; w < sizeof(weights) / sizeof(weights[0]); w++) {
			struct edges edges;

			if ((g + w) % (way_few ? 5 : SANITIZED ? 3 : 1))
				continue;
			assert_true(generate(graphs[g], &weights[w], g + w, &edges));
			try_all(&edges, way_few ? 3 : THREADS_MAX, 8);
			edges_free(&edges);
		}
	}
}

/* A graph of one's own: three numbers for each edge */
static void own_graph(uint32_t vertices, const uint32_t *numbers, size_t count)
{
	struct edges edges = { .vertices = vertices, .weighted = true };

	for (size_t i = 0; i < count; i += 3)
		edges_add(&edges, numbers[i], numbers[i + 1], numbers[i + 2]);
	assert_true(edges_good(&edges, "own"));
	try_all(&edges, 4, 5);
	free(edges.weight);
	edges.weight = NULL;
	edges.weighted = false;
	try_all(&edges, 4, 5);
	edges_free(&edges);
}

#define OWN_GRAPH(vertices, ...)                               \
	own_graph(vertices, (const uint32_t[]){ __VA_ARGS__ }, \
		  sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t))

static void odd_graphs(void **state)
{
	(void)state;
	/* no vertex; one; one with an edge to itself, and with several */
	own_graph(0, NULL, 0);
	own_graph(1, NULL, 0);
	OWN_GRAPH(1, 0, 0, 5);
	OWN_GRAPH(1, 0, 0, 5, 0, 0, 0, 0, 0, 7);
	/* no edge */
	own_graph(9, NULL, 0);
	/* parallel edges, the lighter ones first, last and in between; edges to oneself */
	OWN_GRAPH(4, 0, 1, 9, 0, 1, 3, 0, 1, 5, 1, 2, 1, 1, 2, 2, 2, 2, 0, 2, 3, 8, 2, 3, 7);
	/* parts that nothing leads to, or one way only */
	OWN_GRAPH(7, 0, 1, 1, 1, 0, 1, 2, 3, 1, 3, 2, 1, 4, 0, 1, 6, 6, 1);
	/* sums that are too large: just so, and by far; a path that is longer is shorter */
	OWN_GRAPH(4, 0, 1, 0x7fffffff, 1, 2, 0x7fffffff, 2, 3, 1);
	OWN_GRAPH(4, 0, 1, 0x7fffffff, 1, 2, 0x7ffffffe, 2, 3, 1);
	OWN_GRAPH(4, 0, 1, UINT32_MAX, 1, 2, UINT32_MAX, 2, 3, UINT32_MAX);
	OWN_GRAPH(5, 0, 3, UINT32_MAX, 0, 1, 2, 1, 2, 2, 2, 3, 2, 3, 4, UINT32_MAX);
}

/* A target: at most 16 bytes for each edge, with a weight of 4 bytes */
static void little_memory(const struct edges *edges)
{
	struct hbs_graph_attr attr = {
		.type = app_sssp.type[MODE_ASYNC],
		.from = edges->from,
		.to = edges->to,
		.data = edges->weight,
		.edges = edges->count,
		.vertices = edges->vertices,
	};

	for (attr.threads = 1; attr.threads <= THREADS_MAX; attr.threads++) {
		struct hbs_graph *graph = make_graph(&attr);
		struct hbs_graph_info info;

		assert_int_equal(hbs_graph_info(graph, &info), 0);
		assert_true(info.edge_bytes >= 8 * edges->count);
		assert_true(info.edge_bytes <= 16 * edges->count);
		hbs_graph_close(graph);
	}
}

/* A million, or as many as HBS_TEST_EDGES says */
static uint64_t many(void)
{
	const char *text = getenv("HBS_TEST_EDGES");

	return text ? strtoull(text, NULL, 10) : 1000000;
}

/* More edges than all queues have room for */
static void many_edges(void **state)
{
	const struct weights weights = { 1, 1000 };
	struct way way = { .threads = 2 };
	struct edges edges;
	char graph[64];
	void *wanted;

	(void)state;
	if (SANITIZED || way_few)
		skip();
	snprintf(graph, sizeof(graph), "normal:%" PRIu64 "x8", many() / 16);
	assert_true(generate(graph, &weights, 7, &edges));
	assert_int_equal(edges.count, many() / 16 * 16);
	little_memory(&edges);
	wanted = serial_paths(&edges, 0);
	way.app = &app_sssp;
	for (way.mode = MODE_SYNC; way.mode <= MODE_ASYNC; way.mode++)
		way_each(&edges, &way, 3, check_paths, wanted);
	free(wanted);
	wanted = serial_ranks(&edges, 4);
	way = (struct way){ .app = &app_pagerank, .choice = { .iterations = 4 } };
	way_each(&edges, &way, 3, check_ranks, wanted);
	way.mode = MODE_GALS;
	way_each(&edges, &way, 3, check_ranks, wanted);
	free(wanted);
	wanted = serial_heat(&edges, 3, 4);
	way = (struct way){ .app = &app_heat, .choice = { .source = 3, .iterations = 4 } };
	way_each(&edges, &way, 3, check_heat, wanted);
	free(wanted);
	edges_free(&edges);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(generated_graphs),
		cmocka_unit_test(odd_graphs),
		cmocka_unit_test(many_edges),
	};

	return way_main(tests, sizeof(tests) / sizeof(tests[0]));
}
