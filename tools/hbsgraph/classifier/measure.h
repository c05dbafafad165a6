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
#include "sign_test.h"

/* Where modes are close to each other, so many times as many pairs are measured at most */
#define MEASURE_LONGER 5

/**
 * measure_modes() - the median time of an application in each mode
 * @app: it has both modes
 * @edges: the graph
 * @hbs: a context
 * @threads: how many run it; 0 for one on each CPU. Out: how many have run it
 * @repetitions: an odd number of runs in each mode, by turns; two more follow, and so on, until one mode is surely ahead,
 *               or there are MEASURE_LONGER times as many
 * @seconds: out: by mode
 * @pairs: out: how many there were, and how they ended
 *
 * Return: 0, or an error of hbs_graph_create() or hbs_graph_run().
 */
int measure_modes(const struct app *app, const struct edges *edges, struct hbs *hbs,
		  uint32_t *threads, uint32_t repetitions, double seconds[MODEL_MODES],
		  struct pairs *pairs);

#endif /* HBSGRAPH_MEASURE_H */
