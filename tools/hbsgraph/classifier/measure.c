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

int measure_modes(const struct app *app, const struct edges *edges, struct hbs *hbs,
		  uint32_t *threads, uint32_t repetitions, double seconds[MODEL_MODES],
		  uint32_t *sync_longer)
{
	double *times = calloc((size_t)repetitions * MODEL_MODES, sizeof(*times));
	struct hbs_graph *graphs[MODEL_MODES] = { NULL };
	int ret = times ? 0 : -ENOMEM;

	for (int mode = 0; !ret && mode < MODEL_MODES; mode++)
		ret = make(app, (enum mode)mode, edges, *threads, &graphs[mode]);
	for (uint32_t i = 0; !ret && i < repetitions * MODEL_MODES; i++) {
		uint32_t mode = i % MODEL_MODES;

		ret = run_once(app, graphs[mode], edges, hbs,
			       &times[mode * repetitions + i / MODEL_MODES]);
	}
	if (!ret) {
		struct hbs_graph_info info;

		hbs_graph_info(graphs[0], &info);
		*threads = info.threads;
	}
	*sync_longer = 0;
	for (uint32_t i = 0; !ret && i < repetitions; i++)
		*sync_longer +=
			times[MODE_SYNC * repetitions + i] > times[MODE_ASYNC * repetitions + i];
	for (int mode = 0; mode < MODEL_MODES; mode++) {
		if (graphs[mode])
			hbs_graph_close(graphs[mode]);
		if (ret)
			continue;
		qsort(times + (size_t)mode * repetitions, repetitions, sizeof(*times), compare);
		seconds[mode] = times[(size_t)mode * repetitions + repetitions / 2];
	}
	free(times);
	return ret;
}
