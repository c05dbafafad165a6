// SPDX-License-Identifier: GPL-2.0-or-later
/* The parts that METIS finds: what is renumbered by them is the same graph */
#include <unistd.h>

#include "app.h"
#include "generate.h"
#include "graph_test.h"
#include "mapping.h"
#include "serial.h"
#include "sssp.h"

#define THREADS_MAX 8

static struct hbs *hbs;

static struct edges copy_of(const struct edges *edges)
{
	struct edges copy = { .vertices = edges->vertices, .weighted = edges->weighted };

	for (uint64_t e = 0; e < edges->count; e++)
		edges_add(&copy, edges->from[e], edges->to[e],
			  edges->weighted ? edges->weight[e] : 1);
	assert_true(edges_good(&copy, "copy"));
	return copy;
}

static uint32_t part_of(const struct mapping *mapping, uint32_t place)
{
	uint32_t part = 0;

	while (mapping->first[part + 1] <= place)
		part++;
	return part;
}

static void check_blocks(const struct mapping *mapping, const struct edges *edges, uint32_t threads)
{
	assert_in_range(mapping->threads, 1, threads);
	assert_int_equal(mapping->first[0], 0);
	assert_int_equal(mapping->first[mapping->threads], edges->vertices);
	for (uint32_t t = 0; t < mapping->threads; t++)
		assert_true(mapping->first[t] < mapping->first[t + 1]);
}

/* Each vertex has one place, and each edge is between the places of its vertices */
static void check_numbers(const struct edges *edges, const struct edges *given,
			  const struct mapping *mapping)
{
	uint64_t cut = 0;

	assert_int_equal(edges->vertices, given->vertices);
	assert_int_equal(edges->count, given->count);
	for (uint32_t v = 0; v < edges->vertices; v++) {
		assert_true(edges_place(edges, v) < edges->vertices);
		assert_int_equal(edges_name(edges, edges_place(edges, v)), v);
	}
	for (uint64_t e = 0; e < edges->count; e++) {
		assert_int_equal(edges_name(edges, edges->from[e]), given->from[e]);
		assert_int_equal(edges_name(edges, edges->to[e]), given->to[e]);
		cut += mapping->first &&
		       part_of(mapping, edges->from[e]) != part_of(mapping, edges->to[e]);
	}
	assert_int_equal(cut, mapping->cut);
}

static void check_paths(const struct edges *edges, const struct edges *given,
			const struct mapping *mapping)
{
	static const uint32_t one = 1;
	uint32_t source = given->vertices / 2;
	uint64_t *wanted = serial_paths(given, source);
	struct hbs_graph_attr attr = {
		.type = app_sssp.type[MODE_ASYNC],
		.from = edges->from,
		.to = edges->to,
		.data = edges->weight,
		.datum = edges->weight ? NULL : &one,
		.edges = edges->count,
		.vertices = edges->vertices,
		.threads = mapping->first ? mapping->threads : 1,
		.first = mapping->first,
	};
	struct choice choice = { .source = edges_place(edges, source) };
	struct hbs_graph *graph = make_graph(&attr);
	const struct sssp *states = hbs_graph_state(graph, 0);

	assert_true(app_sssp.prepare(graph, edges, &choice));
	assert_int_equal(hbs_graph_run(graph, hbs, &choice, NULL), 0);
	for (uint32_t v = 0; v < given->vertices; v++) {
		uint32_t distance = states[edges_place(edges, v)].distance;

		assert_int_equal(distance == SSSP_NONE ? UINT64_MAX : distance, wanted[v]);
	}
	hbs_graph_close(graph);
	free(choice.aside);
	free(wanted);
}

static void try_mapping(const struct edges *given, uint32_t threads)
{
	struct edges edges = copy_of(given);
	struct mapping mapping;

	assert_true(mapping_by_metis(&edges, threads, &mapping));
	if (threads > 1 && given->vertices > 1)
		check_blocks(&mapping, &edges, threads);
	else
		assert_null(mapping.first);
	check_numbers(&edges, given, &mapping);
	if (given->vertices)
		check_paths(&edges, given, &mapping);
	mapping_free(&mapping);
	edges_free(&edges);
}

static void graphs(void **state)
{
	static const char *const texts[] = { "grid4:23x17",	"grid26:5x6x4", "mixed:15x15x0.2",
					     "normal:300x4",	"tree:255",	"scale-free:300x4",
					     "geometric:300x8", "ring:100" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct edges edges;

		assert_true(generate(texts[i], &(struct weights){ 1, 50 }, i, &edges));
		for (uint32_t threads = 1; threads <= THREADS_MAX; threads += SANITIZED ? 3 : 1)
			try_mapping(&edges, threads);
		edges_free(&edges);
	}
}

/* Few vertices, so that parts may stay empty; METIS must say nothing on the standard output */
static void few_vertices(void **state)
{
	char text[32];

	(void)state;
	for (uint32_t vertices = 0; vertices <= 40; vertices++) {
		struct edges edges;

		snprintf(text, sizeof(text), "ring:%u", vertices);
		assert_true(generate(text, &(struct weights){ 1, 1 }, 1, &edges));
		for (uint32_t threads = 1; threads <= THREADS_MAX; threads += SANITIZED ? 3 : 1)
			try_mapping(&edges, threads);
		/* without any edge */
		edges.count = 0;
		for (uint32_t threads = 1; threads <= THREADS_MAX; threads += SANITIZED ? 3 : 1)
			try_mapping(&edges, threads);
		edges_free(&edges);
	}
}

/* Edges one way, to oneself, and many between the same two vertices; a vertex that has nearly all */
static void odd_graphs(void **state)
{
	struct edges edges = { .vertices = 60 };

	(void)state;
	for (uint32_t v = 0; v < 59; v++) {
		edges_add(&edges, v, v + 1, 1);
		edges_add(&edges, v, v, 1);
		edges_add(&edges, 30, v, 1);
		for (uint32_t i = 0; i < v % 4; i++) {
			edges_add(&edges, v + 1, v, 1);
			edges_add(&edges, v, (v + 7) % 60, 1);
		}
	}
	assert_true(edges_good(&edges, "odd"));
	for (uint32_t threads = 1; threads <= THREADS_MAX; threads++)
		try_mapping(&edges, threads);
	edges_free(&edges);
}

/* On a grid whose numbers say nothing about its shape, two parts are as good as halves */
static void finds_halves(void **state)
{
	struct mapping mapping;
	struct edges edges;

	(void)state;
	assert_true(generate("grid4:40x20", &(struct weights){ 1, 1 }, 1, &edges));
	for (uint64_t e = 0; e < edges.count; e++) {
		edges.from[e] = edges.from[e] * 77 % 800;
		edges.to[e] = edges.to[e] * 77 % 800;
	}
	assert_true(mapping_by_metis(&edges, 2, &mapping));
	/* 20 edges both ways in the best case */
	assert_in_range(mapping.cut, 40, 80);
	assert_true(mapping.imbalance >= 1 && mapping.imbalance < 1.05);
	mapping_free(&mapping);
	edges_free(&edges);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(graphs),
		cmocka_unit_test(few_vertices),
		cmocka_unit_test(odd_graphs),
		cmocka_unit_test(finds_halves),
	};
	int ret;

	hbs = open_hbs();
	ret = cmocka_run_group_tests(tests, NULL, NULL);
	return hbs_close(hbs) || ret;
}
