// SPDX-License-Identifier: GPL-2.0-or-later
/* Spiking neurons against the publication's program: each spike is the same, in all modes and ways */
#include "generate.h"
#include "serial_spikes.h"
#include "spikes.h"
#include "way.h"

#define TIMES 200
#define SEED  5

struct wanted {
	const bool *spikes; /* by time and neuron */
	uint64_t count;
};

static uint64_t count_spikes(const bool *spikes, uint64_t count)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < count; i++)
		sum += spikes[i];
	return sum;
}

/* The lines of --output are all spikes, by time, and by neurons of the same time */
static void check_lines(const struct way *way, const struct ran *ran, const struct wanted *wanted)
{
	uint32_t time = 0, neuron = 0, last_time = 0, last_neuron = 0;
	uint64_t lines = 0;
	size_t size;
	char *text, *at;
	FILE *stream = open_memstream(&text, &size);
	int length;

	assert_non_null(stream);
	way->app->write(ran->graph, &ran->choice, stream);
	fclose(stream);
	for (at = text; sscanf(at, "%u %u\n%n", &time, &neuron, &length) == 2; at += length) {
		assert_true(wanted->spikes[(size_t)time * ran->edges.vertices + neuron]);
		assert_true(time > last_time || (time == last_time && neuron > last_neuron) ||
			    !lines);
		last_time = time;
		last_neuron = neuron;
		lines++;
	}
	assert_int_equal(*at, '\0');
	assert_int_equal(lines, wanted->count);
	free(text);
}

static void check_spikes(const struct edges *edges, const struct way *way, void *with)
{
	const struct wanted *wanted = with;
	const struct spikes_aside *aside;
	uint64_t spikes = 0;
	struct ran ran;

	way_run(edges, way, &ran);
	aside = ran.choice.aside;
	for (uint32_t v = 0; v < edges->vertices; v++)
		spikes += aside->neurons[v].spikes;
	assert_int_equal(spikes, wanted->count);
	check_lines(way, &ran, wanted);
	if (way->mode == MODE_SYNC)
		assert_int_equal(ran.stats.steps, edges->vertices ? way->choice.iterations : 1);
	else
		assert_int_equal(ran.stats.sent, (uint64_t)edges->vertices * TIMES);
	way_forget(&ran);
}

/* Return: how often any neuron has spiked */
static uint64_t try_all(const struct edges *edges, uint32_t threads)
{
	struct way way = {
		.app = &app_spikes,
		.choice = { .seed = SEED, .is_kept = true, .iterations = TIMES },
	};
	struct edges shaped = *edges;
	struct wanted wanted;
	bool *spikes;

	/* as the application does it, if there are no weights */
	if (!edges->weighted)
		assert_true(app_spikes.shape(&shaped, &way.choice));
	spikes = serial_spikes(&shaped, SEED, TIMES);
	wanted.spikes = spikes;
	wanted.count = count_spikes(spikes, (TIMES + 1ULL) * edges->vertices);
	way_each(edges, &way, threads, check_spikes, &wanted);
	way.mode = MODE_GALS;
	way_each(edges, &way, threads, check_spikes, &wanted);
	free(spikes);
	if (!edges->weighted)
		free(shaped.weight);
	return wanted.count;
}

static void generated_graphs(void **state)
{
	static const char *const graphs[] = { "normal:150x10", "geometric:150x8", "grid8:9x11",
					      "scale-free:100x5" };
	static const struct weights weights[] = { { 1, 1 }, { 0, 500 }, { 1000, 20000 } };

	(void)state;
	for (size_t g = 0; g < sizeof(graphs) / sizeof(graphs[0]); g++) {
		for (size_t w = 0; w < sizeof(weights) / sizeof(weights[0]); w++) {
			struct edges edges;

			if ((g + w) % (way_few ? 6 : SANITIZED ? 4 : 1))
				continue;
			assert_true(generate(graphs[g], &weights[w], g + w, &edges));
			assert_true(try_all(&edges, way_few ? 3 : THREADS_MAX) > 20);
			edges_free(&edges);
		}
	}
}

/* Edges that lead one way only, to oneself, parallel ones, and weights that overflow */
static void odd_graphs(void **state)
{
	static const uint32_t numbers[][3] = {
		{ 0, 1, UINT32_MAX }, { 0, 1, UINT32_MAX }, { 1, 2, 30000 }, { 1, 2, 500 },
		{ 2, 2, 10000 },      { 2, 3, UINT32_MAX }, { 4, 3, 20000 }, { 5, 5, UINT32_MAX },
		{ 5, 5, UINT32_MAX }, { 6, 0, 9000 },	    { 0, 6, 7 },     { 6, 0, 1 },
	};
	struct edges edges = { .vertices = 9, .weighted = true };

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		edges_add(&edges, numbers[i][0], numbers[i][1], numbers[i][2]);
	assert_true(edges_good(&edges, "own"));
	assert_true(try_all(&edges, 4) > 0);
	edges_free(&edges);
	for (edges.vertices = 0; edges.vertices < 3; edges.vertices++)
		try_all(&edges, 2);
}

/* One of five inhibits others */
static void kinds(void **state)
{
	struct neuron neuron;
	uint32_t inhibit = 0;

	(void)state;
	for (uint32_t i = 0; i < 10000; i++) {
		neuron_start(&neuron, 1, i);
		inhibit += neuron.spike == NEURON_INHIBITS;
	}
	assert_in_range(inhibit, 1850, 2150);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(generated_graphs),
		cmocka_unit_test(odd_graphs),
		cmocka_unit_test(kinds),
	};

	return way_main(tests, sizeof(tests) / sizeof(tests[0]));
}
