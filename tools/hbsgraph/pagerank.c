// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Page rank: rank = (1 - d) / V + d * sum of (rank / degree) of the vertices with an edge to it. As in
 * the GAP benchmark, what vertices without edges have goes nowhere.
 *
 * In steps, all vertices compute this from the ranks of the step before. Asynchronously, a vertex
 * has a rank, and what has come and is not in it yet. When that is more than the tolerance, it
 * adds it to its rank, and passes it on. What is left at the end bounds the error.
 *
 * In mode gals, a vertex computes the same as in steps, as soon as it has the ranks of all vertices
 * with an edge to it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "app.h"
#include "pagerank.h"

#define SHOWN 3 /* vertices that have most */

static struct pagerank_aside *aside_of(const struct hbs_vertex *vertex)
{
	const struct choice *choice = hbs_vertex_arg(vertex);

	return (struct pagerank_aside *)choice->aside + hbs_vertex_number(vertex);
}

static int sync_init(struct hbs_vertex *vertex, struct pagerank *state)
{
	const struct choice *choice = hbs_vertex_arg(vertex);

	aside_of(vertex)->rank = choice->share;
	state->value = 0;
	hbs_vertex_ready(vertex, HBS_PIN(0));
	return 0;
}

static int sync_send(struct hbs_vertex *vertex, struct pagerank *state, float *message)
{
	const struct pagerank_aside *aside = aside_of(vertex);

	(void)state;
	*message = aside->rank * aside->part;
	hbs_vertex_ready(vertex, HBS_PIN_NONE);
	return 0;
}

static int sync_recv(struct hbs_vertex *vertex, struct pagerank *state, const float *message,
		     const char *none)
{
	(void)vertex;
	(void)none;
	state->value += *message;
	return 0;
}

/* The rank of the next step, when all of this one has come. Return: how much it changes. */
static inline float next_rank(struct hbs_vertex *vertex, struct pagerank *come)
{
	const struct choice *choice = hbs_vertex_arg(vertex);
	struct pagerank_aside *aside = aside_of(vertex);
	float rank = (1 - PAGERANK_DAMPING) * choice->share + PAGERANK_DAMPING * come->value;
	float change = fabsf(rank - aside->rank);

	aside->rank = rank;
	come->value = 0;
	return change;
}

static int sync_step(struct hbs_vertex *vertex, struct pagerank *state)
{
	const struct choice *choice = hbs_vertex_arg(vertex);
	float change = next_rank(vertex, state);

	if (hbs_vertex_steps(vertex) >= choice->iterations)
		return 0;
	hbs_vertex_ready(vertex, HBS_PIN(0));
	return change > choice->tolerance * choice->share;
}

static int sync_finish(struct hbs_vertex *vertex, struct pagerank *state, float *message)
{
	(void)message;
	state->value = aside_of(vertex)->rank;
	return 0;
}

HBS_GRAPH_TYPE_ROUNDS(sync, struct pagerank, char, float, HBS_STEP_ALL, NULL);

static int async_init(struct hbs_vertex *vertex, struct pagerank *state)
{
	const struct choice *choice = hbs_vertex_arg(vertex);

	aside_of(vertex)->rank = 0;
	state->value = (1 - PAGERANK_DAMPING) * choice->share;
	hbs_vertex_ready(vertex, HBS_PIN(0));
	return 0;
}

static int async_send(struct hbs_vertex *vertex, struct pagerank *state, float *message)
{
	struct pagerank_aside *aside = aside_of(vertex);

	*message = PAGERANK_DAMPING * state->value * aside->part;
	aside->rank += state->value;
	state->value = 0;
	hbs_vertex_ready(vertex, HBS_PIN_NONE);
	return 0;
}

static int async_recv(struct hbs_vertex *vertex, struct pagerank *state, const float *message,
		      const char *none)
{
	const struct choice *choice = hbs_vertex_arg(vertex);

	(void)none;
	state->value += *message;
	if (state->value > choice->tolerance * choice->share)
		hbs_vertex_ready(vertex, HBS_PIN(0));
	return 0;
}

static int async_step(struct hbs_vertex *vertex, struct pagerank *state)
{
	(void)vertex;
	(void)state;
	return 0;
}

static int async_finish(struct hbs_vertex *vertex, struct pagerank *state, float *message)
{
	(void)message;
	state->value += aside_of(vertex)->rank;
	return 0;
}

HBS_GRAPH_TYPE(async, struct pagerank, char, float, .step_when = HBS_STEP_WOKEN);

static int gals_init(struct hbs_vertex *vertex, struct pagerank_gals *state)
{
	const struct choice *choice = hbs_vertex_arg(vertex);

	aside_of(vertex)->rank = choice->share;
	state->come[0].value = 0;
	state->come[1].value = 0;
	gals_start(vertex, &state->due);
	return 0;
}

static inline void gals_arrived(struct hbs_vertex *vertex, struct pagerank_gals *state,
				uint32_t parity)
{
	const struct choice *choice = hbs_vertex_arg(vertex);

	if (!gals_is_complete(vertex, &state->due, parity))
		return;
	next_rank(vertex, &state->come[parity]);
	if (gals_place(vertex)->step < choice->iterations)
		hbs_vertex_ready(vertex, HBS_PIN(0));
}

static int gals_send(struct hbs_vertex *vertex, struct pagerank_gals *state,
		     struct pagerank_gals_message *message)
{
	const struct pagerank_aside *aside = aside_of(vertex);

	message->value = aside->rank * aside->part;
	message->parity = gals_place(vertex)->step & 1;
	hbs_vertex_ready(vertex, HBS_PIN_NONE);
	gals_arrived(vertex, state, message->parity);
	return 0;
}

/* Along an edge that leads back, only that the vertex has come so far */
static int gals_recv(struct hbs_vertex *vertex, struct pagerank_gals *state,
		     const struct pagerank_gals_message *message, const uint32_t *weight)
{
	state->come[message->parity].value += *weight ? message->value : 0;
	gals_arrived(vertex, state, message->parity);
	return 0;
}

static int gals_finish(struct hbs_vertex *vertex, struct pagerank_gals *state,
		       struct pagerank_gals_message *message)
{
	(void)message;
	state->come[0].value = aside_of(vertex)->rank;
	return 0;
}

static int gals_step(struct hbs_vertex *vertex, struct pagerank_gals *state)
{
	(void)vertex;
	(void)state;
	return 0;
}

HBS_GRAPH_TYPE(gals, struct pagerank_gals, uint32_t, struct pagerank_gals_message,
	       .step_when = HBS_STEP_WOKEN);

static bool prepare(struct hbs_graph *graph, const struct edges *edges, struct choice *choice)
{
	struct pagerank_aside *aside = calloc(edges->vertices + 1UL, sizeof(*aside));

	(void)graph;
	/* without the edges that mode gals adds */
	for (uint64_t e = 0; aside && e < edges->count - edges->back; e++)
		aside[edges->from[e]].degree++;
	for (uint32_t v = 0; aside && v < edges->vertices; v++)
		aside[v].part = aside[v].degree ? 1 / (float)aside[v].degree : 0;
	choice->aside = aside;
	return aside;
}

static float rank_of(struct hbs_graph *graph, const struct edges *edges, uint32_t name)
{
	const struct pagerank *state = hbs_graph_state(graph, edges_place(edges, name));

	return state->value;
}

static void print(struct hbs_graph *graph, const struct edges *edges, const struct choice *choice,
		  FILE *to)
{
	uint32_t top[SHOWN];
	uint32_t count = 0;
	double sum = 0;

	(void)choice;
	/* by their numbers as users know them, so that of equal ones the same are shown */
	for (uint32_t v = 0; v < edges->vertices; v++) {
		uint32_t at = count < SHOWN ? count++ : SHOWN;

		sum += (double)rank_of(graph, edges, v);
		for (; at && rank_of(graph, edges, top[at - 1]) < rank_of(graph, edges, v); at--)
			if (at < SHOWN)
				top[at] = top[at - 1];
		if (at < SHOWN)
			top[at] = v;
	}
	fprintf(to, "ranks            %.6g all together; the highest:", sum);
	for (uint32_t i = 0; i < count; i++)
		fprintf(to, "%s vertex %u has %.6g", i ? "," : "", top[i],
			(double)rank_of(graph, edges, top[i]));
	fputc('\n', to);
}

static void value(const void *state, char *text)
{
	const struct pagerank *pagerank = state;

	snprintf(text, APP_VALUE, "%.9g", (double)pagerank->value);
}

const struct app app_pagerank = {
	.name = "pagerank",
	.what = "page rank with a damping of 0.85",
	.type = { [MODE_SYNC] = &sync, [MODE_ASYNC] = &async, [MODE_GALS] = &gals },
	.iterations = 20,
	.tolerance = { [MODE_SYNC] = 0, [MODE_ASYNC] = 1e-3 },
	.prepare = prepare,
	.print = print,
	.value = value,
};
