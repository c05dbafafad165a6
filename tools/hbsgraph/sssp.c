// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Shortest paths from one vertex. Asynchronously, a vertex tells its neighbours as soon as it knows
 * a shorter path. In steps, it waits until all paths with one edge less are known: then no vertex
 * tells more than once what it learns in a step.
 */
#include <inttypes.h>
#include <stdio.h>

#include "app.h"
#include "sssp.h"

/* To know their mean to a percent or so */
#define WEIGHTS_ENOUGH 65536

static int start(struct hbs_vertex *vertex, struct sssp *state)
{
	const struct choice *choice = hbs_vertex_arg(vertex);

	state->distance = SSSP_NONE;
	if (hbs_vertex_number(vertex) == choice->source) {
		state->distance = 0;
		hbs_vertex_ready(vertex, HBS_PIN(0));
	}
	return 0;
}

static int tell(struct hbs_vertex *vertex, const struct sssp *state, uint32_t *message)
{
	*message = state->distance;
	hbs_vertex_ready(vertex, HBS_PIN_NONE);
	return 0;
}

/* Whether the path that the message tells of is shorter */
static inline bool is_shorter(struct sssp *state, uint32_t distance, uint32_t weight)
{
	uint32_t sum = sssp_sum(distance, weight);

	if (sum >= state->distance)
		return false;
	state->distance = sum;
	return true;
}

static int async_init(struct hbs_vertex *vertex, struct sssp *state)
{
	return start(vertex, state);
}

static int async_send(struct hbs_vertex *vertex, struct sssp *state, uint32_t *message)
{
	return tell(vertex, state, message);
}

static int async_recv(struct hbs_vertex *vertex, struct sssp *state, const uint32_t *message,
		      const uint32_t *weight)
{
	const struct choice *choice = hbs_vertex_arg(vertex);

	if (is_shorter(state, *message, *weight))
		hbs_vertex_ready_at(vertex, HBS_PIN(0), state->distance >> choice->shift);
	return 0;
}

HBS_GRAPH_TYPE_ASYNC(async, struct sssp, uint32_t, uint32_t, .step_when = HBS_STEP_WOKEN,
		     .send_order = HBS_SEND_ORDERED);

static int sync_init(struct hbs_vertex *vertex, struct sssp *state)
{
	return start(vertex, state);
}

static int sync_send(struct hbs_vertex *vertex, struct sssp *state, uint32_t *message)
{
	return tell(vertex, state, message);
}

static int sync_recv(struct hbs_vertex *vertex, struct sssp *state, const uint32_t *message,
		     const uint32_t *weight)
{
	if (is_shorter(state, *message, *weight))
		hbs_vertex_wake(vertex);
	return 0;
}

static int sync_step(struct hbs_vertex *vertex, struct sssp *state)
{
	(void)state;
	hbs_vertex_ready(vertex, HBS_PIN(0));
	return 1;
}

static int sync_finish(struct hbs_vertex *vertex, struct sssp *state, uint32_t *message)
{
	return async_finish(vertex, state, message);
}

HBS_GRAPH_TYPE(sync, struct sssp, uint32_t, uint32_t, .step_when = HBS_STEP_WOKEN);

/* Of weights; of very many, of some of them */
static uint64_t mean_weight(const struct edges *edges)
{
	/* odd, so that edges that follow each other in pairs do not give one of each only */
	uint64_t step = (edges->count / WEIGHTS_ENOUGH) | 1, sum = 0, count = 0;

	for (uint64_t e = 0; e < edges->count; e += step, count++)
		sum += edges->weight[e];
	return count ? sum / count : 1;
}

uint32_t sssp_shift(const struct edges *edges)
{
	uint64_t mean = edges->weighted ? mean_weight(edges) : 1;
	uint32_t shift = 0;

	while (shift < 31 && (mean >> shift) > 3)
		shift++;
	return shift;
}

static bool prepare(struct hbs_graph *graph, const struct edges *edges, struct choice *choice)
{
	(void)graph;
	choice->shift = sssp_shift(edges);
	return true;
}

static void print(struct hbs_graph *graph, const struct edges *edges, const struct choice *choice,
		  FILE *to)
{
	const struct sssp *states = hbs_graph_state(graph, 0);
	uint32_t reached = 0, too_far = 0, farthest = 0;
	uint64_t sum = 0;

	for (uint32_t v = 0; v < edges->vertices; v++) {
		uint32_t distance = states[v].distance;

		reached += distance != SSSP_NONE;
		too_far += distance == SSSP_FAR;
		if (distance >= SSSP_FAR)
			continue;
		sum += distance;
		if (distance > farthest)
			farthest = distance;
	}
	fprintf(to,
		"reached          %" PRIu32 " of %" PRIu32 " vertices from vertex %" PRIu32 "\n",
		reached, edges->vertices, edges_name(edges, choice->source));
	if (too_far)
		fprintf(to, "too far          %" PRIu32 " of them are %" PRIu32 " or more away\n",
			too_far, SSSP_FAR);
	if (reached > too_far)
		fprintf(to, "distance         at most %" PRIu32 ", on average %.6g\n", farthest,
			(double)sum / (double)(reached - too_far));
}

static void value(const void *state, char *text)
{
	const struct sssp *sssp = state;

	if (sssp->distance == SSSP_NONE)
		snprintf(text, APP_VALUE, "unreachable");
	else if (sssp->distance == SSSP_FAR)
		snprintf(text, APP_VALUE, "%" PRIu32 " or more", SSSP_FAR);
	else
		snprintf(text, APP_VALUE, "%" PRIu32, sssp->distance);
}

const struct app app_sssp = {
	.name = "sssp",
	.what = "shortest paths from one vertex, weighted if the edges are",
	.type = { [MODE_SYNC] = &sync, [MODE_ASYNC] = &async },
	.uses_weights = true,
	.uses_source = true,
	.is_modelled = true,
	.prepare = prepare,
	.print = print,
	.value = value,
};
