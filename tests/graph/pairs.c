// SPDX-License-Identifier: GPL-2.0-or-later
/* Shortest paths from several vertices, and from all, against a serial program from each of them */
#include "generate.h"
#include "many_paths.h"
#include "serial.h"
#include "way.h"

static uint32_t as_found(uint64_t distance)
{
	if (distance == UINT64_MAX)
		return SSSP_NONE;
	return distance < SSSP_FAR ? (uint32_t)distance : SSSP_FAR;
}

/* By source and vertex */
static uint32_t *wanted_of(const struct edges *edges)
{
	size_t size = edges->vertices;
	uint32_t *wanted = malloc((size * size + 1) * sizeof(*wanted));

	assert_non_null(wanted);
	for (uint32_t s = 0; s < size; s++) {
		uint64_t *distances = serial_paths(edges, s);

		for (uint32_t v = 0; v < size; v++)
			wanted[s * size + v] = as_found(distances[v]);
		free(distances);
	}
	return wanted;
}

static void check_result(const uint32_t *wanted, uint32_t vertices, const uint32_t *sources,
			 uint32_t count, const struct many_result *result)
{
	uint64_t reached = 0, too_far = 0, sum = 0;
	uint32_t farthest = 0;

	for (uint32_t s = 0; s < count; s++) {
		for (uint32_t v = 0; v < vertices; v++) {
			uint32_t distance = wanted[(size_t)sources[s] * vertices + v];

			reached += distance != SSSP_NONE;
			too_far += distance == SSSP_FAR;
			if (distance < SSSP_FAR) {
				sum += distance;
				farthest = distance > farthest ? distance : farthest;
			}
		}
	}
	assert_int_equal(result->pairs, (uint64_t)count * vertices);
	assert_int_equal(result->reached, reached);
	assert_int_equal(result->too_far, too_far);
	assert_int_equal(result->sum, sum);
	assert_int_equal(result->farthest, farthest);
}

static void check_several(const struct edges *edges, const struct way *way, void *with)
{
	const uint32_t *wanted = with;
	struct many_result result = { 0 };
	const struct many_paths *many;
	struct ran ran;

	way_run(edges, way, &ran);
	many = ran.choice.aside;
	for (uint32_t s = 0; s < many->sources; s++)
		for (uint32_t v = 0; v < edges->vertices; v++)
			assert_int_equal(many_paths_distances(many, v)[s],
					 wanted[(size_t)many->source[s] * edges->vertices + v]);
	many_paths_add(many, &ran.edges, &result);
	check_result(wanted, edges->vertices, many->source, many->sources, &result);
	if (way->mode == MODE_ASYNC)
		assert_int_equal(ran.stats.steps, 1);
	else if (!edges->weight && result.reached)
		assert_int_equal(ran.stats.steps, result.farthest + 1);
	way_forget(&ran);
}

/* In mode sync, without weights: each run takes as many steps as the farthest vertex is away, and one */
static uint64_t steps_of_runs(const uint32_t *wanted, uint32_t vertices, uint64_t in_run)
{
	uint64_t steps = 0;
	uint32_t farthest = 0;

	for (uint32_t s = 0; s < vertices; s++) {
		for (uint32_t v = 0; v < vertices; v++) {
			uint32_t distance = wanted[(size_t)s * vertices + v];

			if (distance < SSSP_FAR && distance > farthest)
				farthest = distance;
		}
		if ((s + 1) % in_run && s + 1 < vertices)
			continue;
		steps += farthest + 1;
		farthest = 0;
	}
	return steps;
}

static void check_all(const struct edges *edges, const struct way *way, void *with)
{
	uint32_t *wanted = with, *all = calloc(edges->vertices + 1UL, sizeof(*all));
	const struct many_paths *many;
	struct ran ran;
	uint64_t in_run;

	assert_non_null(all);
	for (uint32_t v = 0; v < edges->vertices; v++)
		all[v] = v;
	way_run(edges, way, &ran);
	many = ran.choice.aside;
	for (uint32_t s = 0; s < edges->vertices; s++)
		for (uint32_t v = 0; v < edges->vertices; v++)
			assert_int_equal(many->kept[(size_t)v * edges->vertices + s],
					 wanted[(size_t)s * edges->vertices + v]);
	check_result(wanted, edges->vertices, all, edges->vertices, &many->result);
	assert_int_equal(ran.edges.vertices, edges->vertices * many->copies);
	assert_int_equal(ran.edges.count, edges->count * many->copies);
	in_run = (uint64_t)many->copies * many->sources;
	assert_int_equal(many->runs, (edges->vertices + in_run - 1) / in_run);
	if (way->mode == MODE_ASYNC)
		assert_int_equal(ran.stats.steps, many->runs);
	else if (!edges->weight)
		assert_int_equal(ran.stats.steps, steps_of_runs(wanted, edges->vertices, in_run));
	free(all);
	way_forget(&ran);
}

/* More than a word, and more than a message, of sources; the same one twice */
static void try_several(const struct edges *edges, uint32_t threads, uint32_t *wanted)
{
	uint32_t list[] = { 0, edges->vertices / 2, edges->vertices - 1, 0 };
	const struct sources sources[] = { { 0 }, { 1, NULL }, { 40, NULL }, { 4, list } };
	struct way way = { .app = &app_mssp };

	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
		way.choice.sources = sources[i];
		if (sources[i].list ? !edges->vertices : sources[i].count > edges->vertices)
			continue;
		for (way.mode = MODE_SYNC; way.mode <= MODE_ASYNC; way.mode++)
			way_each(edges, &way, threads, check_several, wanted);
	}
}

static void try_scales(const struct edges *edges, uint32_t threads, uint32_t *wanted)
{
	static const char *const scales[] = { "time",	      "data",	     "clone",
					      "data:7",	      "clone:3",     "data:5,clone:2",
					      "data:9,clone", "time,data:33" };
	struct way way = { .app = &app_apsp, .choice = { .is_kept = true } };

	for (size_t i = 0; i < sizeof(scales) / sizeof(scales[0]); i++) {
		assert_true(scale_parse(scales[i], &way.choice.scale));
		way.threads = 1 + i % threads;
		for (way.mode = MODE_SYNC; way.mode <= MODE_ASYNC; way.mode++)
			check_all(edges, &way, wanted);
	}
	way.choice.scale = (struct scale){ 0 };
	for (way.mode = MODE_SYNC; way.mode <= MODE_ASYNC; way.mode++)
		way_each(edges, &way, threads, check_all, wanted);
}

static void try_all(const struct edges *edges, uint32_t threads)
{
	uint32_t *wanted = wanted_of(edges);

	try_several(edges, threads, wanted);
	try_scales(edges, threads, wanted);
	free(wanted);
}

static void generated_graphs(void **state)
{
	static const char *const graphs[] = { "grid4:9x7",	 "mixed:8x8x0.2",  "normal:60x3",
					      "scale-free:60x3", "geometric:70x6", "tree:63" };
	static const struct weights weights[] = { { 1, 1 }, { 1, 100 }, { 0, 1 } };

	(void)state;
	for (size_t g = 0; g < sizeof(graphs) / sizeof(graphs[0]); g++) {
		for (size_t w = 0; w < sizeof(weights) / sizeof(weights[0]); w++) {
			struct edges edges;

			if ((g + w) % (way_few ? 5 : SANITIZED ? 4 : 1))
				continue;
			assert_true(generate(graphs[g], &weights[w], g + w, &edges));
			try_all(&edges, way_few ? 3 : THREADS_MAX);
			edges_free(&edges);
		}
	}
}

/* More sources than one message of sets has room for */
static void many_sources(void **state)
{
	static const struct weights none = { 1, 1 }, some = { 1, 9 };
	struct way way = {
		.app = &app_apsp,
		.threads = 3,
		.choice = { .is_kept = true, .scale = { SCALE_ALL, 1 } },
	};

	(void)state;
	if (way_few)
		skip();
	for (int i = 0; i < 2; i++) {
		struct edges edges;
		uint32_t *wanted;

		assert_true(generate("normal:450x3", i ? &some : &none, 1, &edges));
		wanted = wanted_of(&edges);
		for (way.mode = MODE_SYNC; way.mode <= MODE_ASYNC; way.mode++)
			check_all(&edges, &way, wanted);
		way.app = &app_mssp;
		way.choice.sources.count = 450;
		for (way.mode = MODE_SYNC; way.mode <= MODE_ASYNC; way.mode++)
			check_several(&edges, &way, wanted);
		way.app = &app_apsp;
		free(wanted);
		edges_free(&edges);
	}
}

/* Of each vertex: how many messages it takes to tell what it learns in each step, once */
static uint64_t least_messages(const struct many_paths *many, uint32_t in_message)
{
	uint64_t messages = 0;

	for (uint32_t v = 0; v < many->vertices; v++) {
		const uint32_t *distance = many_paths_distances(many, v);

		for (uint32_t s = 0; s < many->sources; s++) {
			uint32_t same = 0, earlier = 0;

			for (uint32_t other = 0; other < many->sources; other++) {
				earlier += other < s && distance[other] == distance[s];
				same += distance[other] == distance[s];
			}
			if (!earlier && distance[s] != SSSP_NONE)
				messages += (same + in_message - 1) / in_message;
		}
	}
	return messages;
}

/* Where no path is ever found that is longer than the shortest */
static void what_has_changed(void **state)
{
	static const struct weights weights[] = { { 1, 1 }, { 5, 5 } };
	struct way way = { .app = &app_mssp, .choice = { .sources = { 100, NULL } } };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct edges edges;

		assert_true(generate("mixed:15x15x0.1", &weights[i], 1, &edges));
		for (way.threads = 1; way.threads < 4; way.threads++) {
			struct ran ran;

			way_run(&edges, &way, &ran);
			assert_int_equal(ran.stats.sent,
					 least_messages(ran.choice.aside, i ? 7 : 416));
			way_forget(&ran);
		}
		edges_free(&edges);
	}
}

static void own_graph(uint32_t vertices, const uint32_t *numbers, size_t count)
{
	struct edges edges = { .vertices = vertices, .weighted = true };

	for (size_t i = 0; i < count; i += 3)
		edges_add(&edges, numbers[i], numbers[i + 1], numbers[i + 2]);
	assert_true(edges_good(&edges, "own"));
	try_all(&edges, 4);
	free(edges.weight);
	edges.weight = NULL;
	edges.weighted = false;
	try_all(&edges, 4);
	edges_free(&edges);
}

#define OWN_GRAPH(vertices, ...)                               \
	own_graph(vertices, (const uint32_t[]){ __VA_ARGS__ }, \
		  sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t))

static void odd_graphs(void **state)
{
	(void)state;
	own_graph(0, NULL, 0);
	own_graph(1, NULL, 0);
	own_graph(40, NULL, 0);
	OWN_GRAPH(1, 0, 0, 5, 0, 0, 0);
	/* parallel edges, edges to oneself, parts that nothing leads to, or one way only */
	OWN_GRAPH(7, 0, 1, 9, 0, 1, 3, 1, 2, 1, 2, 2, 0, 2, 3, 8, 2, 3, 7, 4, 0, 1, 6, 6, 1);
	/* sums that are too large; a path that is longer is shorter */
	OWN_GRAPH(4, 0, 1, 0x7fffffff, 1, 2, 0x7fffffff, 2, 3, 1);
	OWN_GRAPH(5, 0, 3, UINT32_MAX, 0, 1, 2, 1, 2, 2, 2, 3, 2, 3, 4, UINT32_MAX);
}

static void is_scale(const char *text, uint32_t data, uint32_t copies)
{
	struct scale scale;

	assert_true(scale_parse(text, &scale));
	assert_int_equal(scale.data, data);
	assert_int_equal(scale.copies, copies);
}

static void numbers(void **state)
{
	struct many_result result = { .sum = UINT64_MAX - 5 };
	uint32_t source[] = { 0 }, distance[] = { 7 };
	const struct many_paths many = {
		.vertices = 1, .copies = 1, .sources = 1, .source = source, .distance = distance
	};
	const struct edges none = { 0 };
	struct scale scale = { 5, SCALE_ALL };

	(void)state;
	is_scale("time", 1, 1);
	is_scale("data", SCALE_ALL, 1);
	is_scale("data:7", 7, 1);
	is_scale("clone:3", 1, 3);
	is_scale("time,clone", 1, SCALE_ALL);
	is_scale("clone:3,data:2", 2, 3);
	/* a sum stops */
	many_paths_add(&many, &none, &result);
	assert_true(result.sum == UINT64_MAX);
	many_paths_add(&many, &none, &result);
	assert_true(result.sum == UINT64_MAX && result.farthest == 7 && result.pairs == 2);
	/* as many clones as it takes, and one at least */
	assert_int_equal(scale_fit(&scale, 11).copies, 3);
	assert_int_equal(scale_fit(&scale, 10).copies, 2);
	assert_int_equal(scale_fit(&scale, 0).copies, 1);
	assert_int_equal(scale_fit(&scale, 3).data, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(generated_graphs), cmocka_unit_test(many_sources),
		cmocka_unit_test(what_has_changed), cmocka_unit_test(odd_graphs),
		cmocka_unit_test(numbers),
	};

	return way_main(tests, sizeof(tests) / sizeof(tests[0]));
}
