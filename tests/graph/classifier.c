// SPDX-License-Identifier: GPL-2.0-or-later
/* How hbsgraph chooses a mode: the features of a graph, the models, and the file that keeps them */
#include <math.h>
#include <unistd.h>

#include "classifier/classifier.h"
#include "classifier/features.h"
#include "classifier/profile.h"
#include "classifier/sign_test.h"
#include "classifier/sweep.h"
#include "classifier/topologies.h"
#include "generate.h"
#include "graph_test.h"
#include "shared/random.h"

static const struct weights none = { 1, 1 };

static struct features features_of(const char *graph)
{
	struct features features;
	struct edges edges;

	assert_true(generate(graph, &none, 1, &edges));
	assert_true(features_estimate(&edges, &features));
	edges_free(&edges);
	return features;
}

static void diameters_are_between_their_bounds(void **state)
{
	static const struct {
		const char *graph;
		double fanout, diameter;
	} cases[] = {
		{ "ring:1000", 2, 500 },
		{ "grid4:30x41", 3.8845528, 69 },
		{ "grid8:30x41", 7.6569106, 40 },
		{ "grid6:5x6x7", 4.9809524, 15 },
		{ "grid26:9x9x9", 20.433471, 8 },
		{ "tree:127", 1.984252, 12 },
		{ "grid4:1x1", 0, 0 },
		{ "grid4:2x1", 1, 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct features features = features_of(cases[i].graph);

		assert_float_equal(features.fanout, cases[i].fanout, 1e-6);
		assert_float_equal(features.diameter, cases[i].diameter, 0);
		assert_true(features.diameter_most >= features.diameter);
		/* the middle of a long path is near to all others */
		assert_true(features.diameter_most <= 2 * features.diameter);
	}
}

static void edges_of_one_direction_have_no_upper_bound(void **state)
{
	struct edges edges = { .vertices = 5 };
	struct features features;

	(void)state;
	for (uint32_t v = 0; v < 4; v++)
		edges_add(&edges, v, v + 1, 1);
	assert_true(features_estimate(&edges, &features));
	assert_float_equal(features.diameter, 4, 0);
	assert_float_equal(features.diameter_most, 0, 0);
	edges_free(&edges);
}

/* Two pieces, an edge to oneself, parallel edges: the search stays where it began */
static void odd_graphs_have_features(void **state)
{
	struct edges edges = { .vertices = 9 };
	struct features features;

	(void)state;
	assert_true(features_estimate(&edges, &features));
	assert_float_equal(features.diameter, 0, 0);
	edges_add(&edges, 3, 3, 1);
	edges_add_both(&edges, 3, 4, 1);
	edges_add_both(&edges, 3, 4, 1);
	edges_add_both(&edges, 6, 7, 1);
	assert_true(features_estimate(&edges, &features));
	assert_float_equal(features.diameter, 1, 0);
	assert_float_equal(features.reconvergence, 1, 0);
	edges_free(&edges);
}

/* By looking at all edges again as long as anything changes */
static void serial_paths(const struct edges *edges, uint32_t source, uint64_t *distance,
			 uint32_t *hops)
{
	bool changed = true;

	for (uint32_t v = 0; v < edges->vertices; v++) {
		distance[v] = UINT64_MAX;
		hops[v] = 0;
	}
	distance[source] = 0;
	while (changed) {
		changed = false;
		for (uint64_t e = 0; e < edges->count; e++) {
			uint32_t from = edges->from[e], to = edges->to[e];
			uint64_t sum = distance[from] + edges->weight[e];

			if (distance[from] == UINT64_MAX || sum > distance[to] ||
			    (sum == distance[to] && hops[from] + 1 >= hops[to]))
				continue;
			distance[to] = sum;
			hops[to] = hops[from] + 1;
			changed = true;
		}
	}
}

/* Weights of few values: many paths are equally short */
static void detours_are_those_of_a_serial_program(void **state)
{
	static const struct weights few = { 1, 4 }, many = { 10, 1000 };
	uint64_t distance[300];
	uint32_t hops[300];

	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct neighbours neighbours;
		struct edges edges;
		struct sweep sweep;
		uint32_t longest = 0;
		double ratio;

		assert_true(generate(seed % 2 ? "normal:300x3" : "grid8:20x15",
				     seed % 4 < 2 ? &few : &many, seed, &edges));
		assert_true(neighbours_find(&edges, &neighbours));
		assert_true(neighbours.both_ways);
		assert_true(sweep_begin(&neighbours, &sweep));
		sweep_from(&neighbours, (uint32_t)seed, &sweep);
		assert_true(sweep_detour(&neighbours, &sweep, UINT32_MAX, &ratio));
		serial_paths(&edges, (uint32_t)seed, distance, hops);
		for (uint32_t v = 0; v < edges.vertices; v++)
			if (hops[v] > longest)
				longest = hops[v];
		assert_float_equal(ratio, (double)longest / sweep_eccentricity(&sweep), 1e-12);
		sweep_end(&sweep);
		neighbours_free(&neighbours);
		edges_free(&edges);
	}
}

/* Cases whose times are those of a model, exactly */
static uint32_t made_cases(const struct model *model, struct model_case *cases)
{
	uint64_t random = random_start(7);
	uint32_t count = 0;

	while (count < 40) {
		struct model_case *one = &cases[count];

		one->features = (struct features){
			.vertices = (double)(random_next(&random) % (1 << 20)) + 1,
			.fanout = 2 + random_part(&random) * 30,
			.diameter = 5 + random_part(&random) * 1000,
			.reconvergence = 1 + random_part(&random) * 4,
		};
		one->seconds[MODE_SYNC] = model_seconds(model, &one->features);
		one->seconds[MODE_ASYNC] = 1;
		count += one->seconds[MODE_SYNC] > 0;
	}
	return count;
}

static void a_fit_finds_the_model_that_made_the_times(void **state)
{
	const struct model made = { .coefficients = { 0.5, 0.3, 0.02, 0.04, 1e-3, 2e-3, 1e-4, 0.2,
						      0.1, 0.01, 3e-4 } };
	struct model_case cases[40];
	struct model model;
	uint32_t count = made_cases(&made, cases);

	(void)state;
	assert_true(model_fit(cases, count, MODE_SYNC, &model));
	assert_true(model.known);
	assert_float_equal(model.r2, 1, 1e-6);
	for (uint32_t i = 0; i < count; i++)
		assert_float_equal(model_seconds(&model, &cases[i].features) /
					   cases[i].seconds[MODE_SYNC],
				   1, 1e-2);
	/* too few for so many terms */
	assert_true(model_fit(cases, MODEL_TERMS - 1, MODE_SYNC, &model));
	assert_false(model.known);
}

static void what_models_do_not_fit_is_compared(void **state)
{
	struct classifier classifier = { 0 };
	struct verdict verdict;
	struct features small = {
		.vertices = 100, .fanout = 4, .diameter = 20, .reconvergence = 1
	};
	struct features large = small;

	(void)state;
	large.vertices = 1e6;
	large.diameter = 2000;
	assert_false(classifier_choose(&classifier, true, &small, &verdict));
	assert_true(classifier_add(&classifier, true,
				   &(struct model_case){ small, { [MODE_SYNC] = 1, 2 } }));
	assert_true(classifier_add(&classifier, true,
				   &(struct model_case){ large, { [MODE_SYNC] = 2, 1 } }));
	assert_true(classifier_fit(&classifier));
	assert_true(classifier_choose(&classifier, true, &small, &verdict));
	assert_false(verdict.by_models);
	assert_int_equal(verdict.mode, MODE_SYNC);
	large.fanout = 5;
	assert_true(classifier_choose(&classifier, true, &large, &verdict));
	assert_int_equal(verdict.mode, MODE_ASYNC);
	assert_false(classifier_choose(&classifier, false, &large, &verdict));
	classifier_free(&classifier);
}

/* Paper 002, table 5: by topology, then without and with weights */
static void the_papers_models_give_its_table_5(void **state)
{
	static const char *const table[TOPOLOGIES][2] = {
		{ "sync", "error" }, { "sync", "sync" },   { NULL, "sync" },
		{ NULL, "sync" },    { "async", "async" }, { "async", "async" },
		{ "async", "sync" }, { "async", "sync" },
	};

	(void)state;
	for (int i = 0; i < TOPOLOGIES * 2; i++) {
		const char *wanted = table[i / 2][i % 2];
		struct features features;
		double sync, async;

		topology_features(&topologies[i / 2], 1 << 20, &features);
		sync = model_seconds(&model_paper[i % 2][MODE_SYNC], &features);
		async = model_seconds(&model_paper[i % 2][MODE_ASYNC], &features);
		if (wanted)
			assert_string_equal(wanted, sync <= 0 || async <= 0 ? "error"
						    : sync < async	    ? "sync"
									    : "async");
	}
}

static char folder[] = "/tmp/hbs-classifier-XXXXXX";

static const char *path_in_folder(const char *name)
{
	static char path[200];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void a_profile_is_read_as_it_was_written(void **state)
{
	struct graph_profile out = { .threads = 3, .card = true, .machine = "4 CPUs, of a kind" };
	const struct model made = { .coefficients = { 0.5, 0.3 } };
	struct model_case cases[40];
	uint32_t count = made_cases(&made, cases);
	struct graph_profile in;
	int closed;

	(void)state;
	for (uint32_t i = 0; i < count; i++)
		assert_true(classifier_add(&out.classifier, i % 3 == 0, &cases[i]));
	assert_null(graph_profile_write(path_in_folder("a/b/profile"), &out));
	assert_true(graph_profile_read(path_in_folder("a/b/profile"), &in, &closed));
	assert_int_equal(in.threads, 3);
	assert_true(in.card);
	assert_string_equal(in.machine, out.machine);
	for (int weighted = 0; weighted < 2; weighted++) {
		assert_int_equal(in.classifier.count[weighted], out.classifier.count[weighted]);
		for (uint32_t i = 0; i < in.classifier.count[weighted]; i++) {
			const struct model_case *a = &in.classifier.cases[weighted][i];
			const struct model_case *b = &out.classifier.cases[weighted][i];

			assert_float_equal(a->features.fanout / b->features.fanout, 1, 1e-8);
			assert_float_equal(a->seconds[MODE_SYNC] / b->seconds[MODE_SYNC], 1, 1e-8);
		}
		assert_true(in.classifier.models[weighted][MODE_SYNC].known);
	}
	graph_profile_free(&in);
	graph_profile_free(&out);
	assert_false(graph_profile_read(path_in_folder("none"), &in, &closed));
	assert_int_equal(closed, ENOENT);
	graph_profile_free(&in);
}

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	unlink(path_in_folder("a/b/profile"));
	rmdir(path_in_folder("a/b"));
	rmdir(path_in_folder("a"));
	return rmdir(folder);
}

static void pairs_are_sure_when_one_side_is_far_ahead(void **state)
{
	static const struct {
		struct pairs pairs;
		bool sure;
	} cases[] = {
		{ { 0, 0 }, false },  { { 1, 1 }, false },   { { 8, 8 }, false },
		{ { 9, 9 }, true },   { { 9, 8 }, false },   { { 9, 0 }, true },
		{ { 9, 1 }, false },  { { 45, 33 }, true },  { { 45, 32 }, false },
		{ { 45, 12 }, true }, { { 45, 13 }, false }, { { 45, 22 }, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(pairs_are_sure(&cases[i].pairs), cases[i].sure);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(diameters_are_between_their_bounds),
		cmocka_unit_test(edges_of_one_direction_have_no_upper_bound),
		cmocka_unit_test(odd_graphs_have_features),
		cmocka_unit_test(detours_are_those_of_a_serial_program),
		cmocka_unit_test(a_fit_finds_the_model_that_made_the_times),
		cmocka_unit_test(what_models_do_not_fit_is_compared),
		cmocka_unit_test(the_papers_models_give_its_table_5),
		cmocka_unit_test(a_profile_is_read_as_it_was_written),
		cmocka_unit_test(pairs_are_sure_when_one_side_is_far_ahead),
	};

	return cmocka_run_group_tests_name("classifier", tests, make_folder, remove_folder);
}
