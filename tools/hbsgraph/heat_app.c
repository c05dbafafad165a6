// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Heat transfer by Newton's law of cooling: in a step a vertex comes nearer to the mean of its
 * neighbours, which the weights of edges weigh. The source stays at 1, the others begin at 0. In
 * mode gals a vertex does so as soon as it has the temperatures of all its neighbours.
 */
#include <stdio.h>
#include <stdlib.h>

#include "app.h"
#include "heat_app.h"

static struct heat_aside *aside_of(const struct hbs_vertex *vertex)
{
	const struct choice *choice = hbs_vertex_arg(vertex);

	return (struct heat_aside *)choice->aside + hbs_vertex_number(vertex);
}

static int sync_init(struct hbs_vertex *vertex, struct heat *state)
{
	const struct choice *choice = hbs_vertex_arg(vertex);

	aside_of(vertex)->temperature = hbs_vertex_number(vertex) == choice->source ? 1 : 0;
	state->value = 0;
	hbs_vertex_ready(vertex, HBS_PIN(0));
	return 0;
}

static int sync_send(struct hbs_vertex *vertex, struct heat *state, float *message)
{
	(void)state;
	*message = aside_of(vertex)->temperature;
	hbs_vertex_ready(vertex, HBS_PIN_NONE);
	return 0;
}

static int sync_recv(struct hbs_vertex *vertex, struct heat *state, const float *message,
		     const uint32_t *weight)
{
	(void)vertex;
	state->value += *message * (float)*weight;
	return 0;
}

static inline void next_temperature(struct hbs_vertex *vertex, struct heat *sum)
{
	const struct choice *choice = hbs_vertex_arg(vertex);
	struct heat_aside *aside = aside_of(vertex);

	if (aside->part > 0 && hbs_vertex_number(vertex) != choice->source)
		aside->temperature += HEAT_RATE * (sum->value * aside->part - aside->temperature);
	sum->value = 0;
}

static int sync_step(struct hbs_vertex *vertex, struct heat *state)
{
	const struct choice *choice = hbs_vertex_arg(vertex);

	next_temperature(vertex, state);
	if (hbs_vertex_steps(vertex) >= choice->iterations)
		return 0;
	hbs_vertex_ready(vertex, HBS_PIN(0));
	return 1;
}

static int sync_finish(struct hbs_vertex *vertex, struct heat *state, float *message)
{
	(void)message;
	state->value = aside_of(vertex)->temperature;
	return 0;
}

HBS_GRAPH_TYPE_ROUNDS(sync, struct heat, uint32_t, float, HBS_STEP_ALL, NULL);

static int gals_init(struct hbs_vertex *vertex, struct heat_gals *state)
{
	const struct choice *choice = hbs_vertex_arg(vertex);

	aside_of(vertex)->temperature = hbs_vertex_number(vertex) == choice->source ? 1 : 0;
	state->sum[0].value = 0;
	state->sum[1].value = 0;
	gals_start(vertex, &state->due);
	return 0;
}

static inline void gals_arrived(struct hbs_vertex *vertex, struct heat_gals *state, uint32_t parity)
{
	const struct choice *choice = hbs_vertex_arg(vertex);

	if (!gals_is_complete(vertex, &state->due, parity))
		return;
	next_temperature(vertex, &state->sum[parity]);
	if (gals_place(vertex)->step < choice->iterations)
		hbs_vertex_ready(vertex, HBS_PIN(0));
}

static int gals_send(struct hbs_vertex *vertex, struct heat_gals *state,
		     struct heat_gals_message *message)
{
	message->temperature = aside_of(vertex)->temperature;
	message->parity = gals_place(vertex)->step & 1;
	hbs_vertex_ready(vertex, HBS_PIN_NONE);
	gals_arrived(vertex, state, message->parity);
	return 0;
}

static int gals_recv(struct hbs_vertex *vertex, struct heat_gals *state,
		     const struct heat_gals_message *message, const uint32_t *weight)
{
	state->sum[message->parity].value += message->temperature * (float)*weight;
	gals_arrived(vertex, state, message->parity);
	return 0;
}

static int gals_finish(struct hbs_vertex *vertex, struct heat_gals *state,
		       struct heat_gals_message *message)
{
	(void)message;
	state->sum[0].value = aside_of(vertex)->temperature;
	return 0;
}

static int gals_step(struct hbs_vertex *vertex, struct heat_gals *state)
{
	(void)vertex;
	(void)state;
	return 0;
}

HBS_GRAPH_TYPE(gals, struct heat_gals, uint32_t, struct heat_gals_message,
	       .step_when = HBS_STEP_WOKEN);

static bool prepare(struct hbs_graph *graph, const struct edges *edges, struct choice *choice)
{
	struct heat_aside *aside = calloc(edges->vertices + 1UL, sizeof(*aside));

	(void)graph;
	for (uint64_t e = 0; aside && e < edges->count; e++)
		aside[edges->to[e]].weights += edges->weighted ? edges->weight[e] : 1;
	for (uint32_t v = 0; aside && v < edges->vertices; v++)
		aside[v].part = aside[v].weights ? 1 / (float)aside[v].weights : 0;
	choice->aside = aside;
	return aside;
}

static void print(struct hbs_graph *graph, const struct edges *edges, const struct choice *choice,
		  FILE *to)
{
	uint32_t warm = 0;
	double sum = 0;

	for (uint32_t v = 0; v < edges->vertices; v++) {
		const struct heat *state = hbs_graph_state(graph, v);

		warm += state->value > 0;
		sum += (double)state->value;
	}
	fprintf(to, "temperature      on average %.6g; vertex %u has 1, and has warmed %u others\n",
		edges->vertices ? sum / edges->vertices : 0, edges_name(edges, choice->source),
		warm ? warm - 1 : 0);
}

static void value(const void *state, char *text)
{
	const struct heat *heat = state;

	snprintf(text, APP_VALUE, "%.9g", (double)heat->value);
}

const struct app app_heat = {
	.name = "heat",
	.what = "heat transfer by Newton's law of cooling",
	.type = { [MODE_SYNC] = &sync, [MODE_GALS] = &gals },
	.uses_weights = true,
	.uses_source = true,
	.iterations = 100,
	.prepare = prepare,
	.print = print,
	.value = value,
};
