/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long an application takes in its modes sync and async, on the same graph */
#ifndef HBSGRAPH_MEASURE_H
#define HBSGRAPH_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

#include "../app.h"
#include "../edges.h"
#include "hbs.h"
#include "model.h"

/**
 * measure_modes() - the median time of an application in each mode
 * @app: it has both modes
 * @edges: the graph
 * @hbs: a context
 * @threads: how many run it; 0 for one on each CPU. Out: how many have run it
 * @repetitions: an odd number of runs in each mode, by turns
 * @seconds: out: by mode
 * @sync_longer: out: in how many pairs of runs, one in each mode after the other, sync took longer
 *
 * Return: 0, or an error of hbs_graph_create() or hbs_graph_run().
 */
int measure_modes(const struct app *app, const struct edges *edges, struct hbs *hbs,
		  uint32_t *threads, uint32_t repetitions, double seconds[MODEL_MODES],
		  uint32_t *sync_longer);

#endif /* HBSGRAPH_MEASURE_H */
