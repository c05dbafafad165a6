// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How often shortest paths find a shorter one to the same vertex (paper 002, figure 10). In mode async
 * vertices send in the order in which they began to want it, as the paper's packet storm, and not the
 * nearest ones first, as those of sssp do.
 */
#include <inttypes.h>
#include <stdio.h>

#include "app.h"
#include "sssp.h"

struct visits {
	uint32_t distance;
	uint32_t count;
};

static int start(struct hbs_vertex *vertex, struct visits *state)
{
	const struct choice *choice = hbs_vertex_arg(vertex);

	*state = (struct visits){ .distance = SSSP_NONE };
	if (hbs_vertex_number(vertex) == choice->source) {
		state->distance = 0;
		hbs_vertex_ready(vertex, HBS_PIN(0));
	}
	return 0;
}

static int tell(struct hbs_vertex *vertex, const struct visits *state, uint32_t *message)
{
	*message = state->distance;
	hbs_vertex_ready(vertex, HBS_PIN_NONE);
	return 0;
}

static bool is_visited(struct visits *state, uint32_t distance, uint32_t weight)
{
	uint32_t sum = sssp_sum(distance, weight);

	if (sum >= state->distance)
		return false;
	state->distance = sum;
	state->count++;
	return true;
}

static int async_init(struct hbs_vertex *vertex, struct visits *state)
{
	return start(vertex, state);
}

static int async_send(struct hbs_vertex *vertex, struct visits *state, uint32_t *message)
{
	return tell(vertex, state, message);
}

static int async_recv(struct hbs_vertex *vertex, struct visits *state, const uint32_t *message,
		      const uint32_t *weight)
{
	if (is_visited(state, *message, *weight))
		hbs_vertex_ready(vertex, HBS_PIN(0));
	return 0;
}

HBS_GRAPH_TYPE_ASYNC(async, struct visits, uint32_t, uint32_t, .step_when = HBS_STEP_WOKEN);

static int sync_init(struct hbs_vertex *vertex, struct visits *state)
{
	return start(vertex, state);
}

static int sync_send(struct hbs_vertex *vertex, struct visits *state, uint32_t *message)
{
	return tell(vertex, state, message);
}

static int sync_recv(struct hbs_vertex *vertex, struct visits *state, const uint32_t *message,
		     const uint32_t *weight)
{
	if (is_visited(state, *message, *weight))
		hbs_vertex_wake(vertex);
	return 0;
}

static int sync_step(struct hbs_vertex *vertex, struct visits *state)
{
	(void)state;
	hbs_vertex_ready(vertex, HBS_PIN(0));
	return 1;
}

static int sync_finish(struct hbs_vertex *vertex, struct visits *state, uint32_t *message)
{
	(void)vertex;
	(void)state;
	(void)message;
	return 0;
}

HBS_GRAPH_TYPE(sync, struct visits, uint32_t, uint32_t, .step_when = HBS_STEP_WOKEN);

static bool prepare(struct hbs_graph *graph, const struct edges *edges, struct choice *choice)
{
	(void)graph;
	(void)edges;
	(void)choice;
	return true;
}

static void print(struct hbs_graph *graph, const struct edges *edges, const struct choice *choice,
		  FILE *to)
{
	const struct visits *states = hbs_graph_state(graph, 0);
	uint32_t reached = 0, most = 0;
	uint64_t sum = 0;

	(void)choice;
	for (uint32_t v = 0; v < edges->vertices; v++) {
		reached += states[v].distance != SSSP_NONE;
		sum += states[v].count;
		if (states[v].count > most)
			most = states[v].count;
	}
	fprintf(to,
		"visits           at most %" PRIu32 " of a vertex, on average %.6g of the %" PRIu32
		" that were reached\n",
		most, reached ? (double)sum / reached : 0, reached);
}

static void value(const void *state, char *text)
{
	const struct visits *visits = state;

	snprintf(text, APP_VALUE, "%" PRIu32, visits->count);
}

const struct app app_visits = {
	.name = "visits",
	.what = "how often shortest paths find a shorter one to each vertex",
	.type = { [MODE_SYNC] = &sync, [MODE_ASYNC] = &async },
	.uses_weights = true,
	.uses_source = true,
	.prepare = prepare,
	.print = print,
	.value = value,
};
