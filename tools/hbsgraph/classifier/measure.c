// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>

#include "measure.h"

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int make(const struct app *app, enum mode mode, const struct edges *edges, uint32_t threads,
		struct hbs_graph **graph)
{
	static const uint32_t one = 1;
	struct hbs_graph_attr attr = {
		.type = app_type(app, mode, edges),
		.from = edges->from,
		.to = edges->to,
		.data = edges->weight,
		.datum = edges->weight ? NULL : &one,
		.edges = edges->count,
		.vertices = edges->vertices,
		.threads = threads,
	};

	return hbs_graph_create(&attr, graph);
}

static int run_once(const struct app *app, struct hbs_graph *graph, const struct edges *edges,
		    struct hbs *hbs, double *seconds)
{
	struct choice choice = { 0 };
	struct hbs_graph_stats stats;
	int ret = app->prepare(graph, edges, &choice) ? 0 : -ENOMEM;

	if (!ret)
		ret = app_run(app, graph, hbs, &choice, &stats);
	app_forget(&choice);
	*seconds = (double)stats.ns * 1e-9;
	return ret;
}

/* The times of one application in both modes */
struct times {
	const struct app *app;
	const struct edges *edges;
	struct hbs *hbs;
	struct hbs_graph *graphs[MODEL_MODES];
	double *seconds[MODEL_MODES];
};

static int measure_pair(struct times *times, struct pairs *pairs)
{
	uint32_t at = pairs->count;
	int ret = 0;

	for (int mode = 0; !ret && mode < MODEL_MODES; mode++)
		ret = run_once(times->app, times->graphs[mode], times->edges, times->hbs,
			       &times->seconds[mode][at]);
	if (ret)
		return ret;
	pairs->count++;
	pairs->sync_longer += times->seconds[MODE_SYNC][at] > times->seconds[MODE_ASYNC][at];
	return 0;
}

/* An odd number of pairs, so there is a median */
static int measure_pairs(struct times *times, uint32_t repetitions, struct pairs *pairs)
{
	int ret = 0;

	while (!ret && (pairs->count < repetitions || pairs->count % 2 == 0 ||
			(!pairs_are_sure(pairs) && pairs->count < repetitions * MEASURE_LONGER)))
		ret = measure_pair(times, pairs);
	return ret;
}

static double median(double *seconds, uint32_t count)
{
	qsort(seconds, count, sizeof(*seconds), compare);
	return seconds[count / 2];
}

int measure_modes(const struct app *app, const struct edges *edges, struct hbs *hbs,
		  uint32_t *threads, uint32_t repetitions, double seconds[MODEL_MODES],
		  struct pairs *pairs)
{
	size_t most = (size_t)repetitions * MEASURE_LONGER;
	double *all = calloc(most * MODEL_MODES, sizeof(*all));
	struct times times = { .app = app, .edges = edges, .hbs = hbs };
	int ret = all ? 0 : -ENOMEM;

	*pairs = (struct pairs){ 0 };
	for (int mode = 0; !ret && mode < MODEL_MODES; mode++) {
		times.seconds[mode] = all + most * (size_t)mode;
		ret = make(app, (enum mode)mode, edges, *threads, &times.graphs[mode]);
	}
	if (!ret)
		ret = measure_pairs(&times, repetitions, pairs);
	if (!ret) {
		struct hbs_graph_info info;

		hbs_graph_info(times.graphs[0], &info);
		*threads = info.threads;
	}
	for (int mode = 0; mode < MODEL_MODES; mode++) {
		if (times.graphs[mode])
			hbs_graph_close(times.graphs[mode]);
		if (!ret)
			seconds[mode] = median(times.seconds[mode], pairs->count);
	}
	free(all);
	return ret;
}
