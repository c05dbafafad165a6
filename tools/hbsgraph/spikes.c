// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Spiking neurons. At each time, those that have reached the peak spike; then all get the current
 * of the synapses whose neurons have spiked, and take their step. In mode sync only those that spike
 * send. In mode gals all do, since neighbours wait for each other's message of each step.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "app.h"
#include "shared/random.h"
#include "spikes.h"

static struct neuron *neuron_of(const struct hbs_vertex *vertex)
{
	const struct choice *choice = hbs_vertex_arg(vertex);
	struct spikes_aside *aside = choice->aside;

	return &aside->neurons[hbs_vertex_number(vertex)];
}

/* Of what is kept: one that has the spikes of a neuron at that time and some others */
static uint64_t *word_of(const struct choice *choice, uint32_t vertex, uint32_t time)
{
	const struct spikes_aside *aside = choice->aside;

	return &aside->kept[(size_t)(time / 64) * choice->vertices + vertex];
}

static void start(const struct hbs_vertex *vertex)
{
	const struct choice *choice = hbs_vertex_arg(vertex);

	neuron_start(neuron_of(vertex), choice->seed,
		     edges_name(choice->edges, hbs_vertex_number(vertex)));
}

/*
 * The step of a time from 1 on, when all current has come. Return: what the neuron sends at the next
 * time, 0 for no spike. Only the thread of the vertex writes what is kept of it.
 */
static inline int32_t next_time(const struct hbs_vertex *vertex, int64_t *current, uint32_t time)
{
	const struct choice *choice = hbs_vertex_arg(vertex);
	const struct spikes_aside *aside = choice->aside;
	struct neuron *neuron = neuron_of(vertex);

	neuron_step(neuron, *current);
	*current = 0;
	time++;
	if (time > choice->iterations || !neuron_spikes(neuron))
		return 0;
	if (aside->kept)
		*word_of(choice, hbs_vertex_number(vertex), time) |= 1ULL << time % 64;
	return neuron->spike;
}

static int sync_init(struct hbs_vertex *vertex, struct spikes *state)
{
	state->current = 0;
	start(vertex);
	return 0;
}

static int sync_send(struct hbs_vertex *vertex, struct spikes *state, int32_t *message)
{
	(void)state;
	*message = neuron_of(vertex)->spike;
	hbs_vertex_ready(vertex, HBS_PIN_NONE);
	return 0;
}

static int sync_recv(struct hbs_vertex *vertex, struct spikes *state, const int32_t *message,
		     const uint32_t *weight)
{
	(void)vertex;
	state->current += *message * (int64_t)*weight;
	return 0;
}

static int sync_step(struct hbs_vertex *vertex, struct spikes *state)
{
	const struct choice *choice = hbs_vertex_arg(vertex);
	uint32_t time = hbs_vertex_steps(vertex);

	if (next_time(vertex, &state->current, time))
		hbs_vertex_ready(vertex, HBS_PIN(0));
	return time < choice->iterations;
}

static int sync_finish(struct hbs_vertex *vertex, struct spikes *state, int32_t *message)
{
	(void)vertex;
	(void)state;
	(void)message;
	return 0;
}

HBS_GRAPH_TYPE(sync, struct spikes, uint32_t, int32_t, .step_when = HBS_STEP_ALL);

static int gals_init(struct hbs_vertex *vertex, struct spikes_gals *state)
{
	state->current[0] = 0;
	state->current[1] = 0;
	start(vertex);
	neuron_of(vertex)->now = 0;
	gals_start(vertex, &state->due);
	return 0;
}

static inline void gals_arrived(struct hbs_vertex *vertex, struct spikes_gals *state,
				uint32_t parity)
{
	const struct choice *choice = hbs_vertex_arg(vertex);
	uint32_t time;

	if (!gals_is_complete(vertex, &state->due, parity))
		return;
	time = gals_place(vertex)->step;
	neuron_of(vertex)->now = next_time(vertex, &state->current[parity], time);
	if (time < choice->iterations)
		hbs_vertex_ready(vertex, HBS_PIN(0));
}

static int gals_send(struct hbs_vertex *vertex, struct spikes_gals *state,
		     struct spikes_gals_message *message)
{
	message->spike = neuron_of(vertex)->now;
	message->parity = gals_place(vertex)->step & 1;
	hbs_vertex_ready(vertex, HBS_PIN_NONE);
	gals_arrived(vertex, state, message->parity);
	return 0;
}

static int gals_recv(struct hbs_vertex *vertex, struct spikes_gals *state,
		     const struct spikes_gals_message *message, const uint32_t *weight)
{
	state->current[message->parity] += message->spike * (int64_t)*weight;
	gals_arrived(vertex, state, message->parity);
	return 0;
}

HBS_GRAPH_TYPE_ASYNC(gals, struct spikes_gals, uint32_t, struct spikes_gals_message,
		     .step_when = HBS_STEP_WOKEN);

/* Synapses without weights get some, at random as in the paper */
static bool shape(struct edges *edges, struct choice *choice)
{
	uint64_t random = random_start(~choice->seed);

	if (edges->weighted)
		return true;
	edges->weight = calloc(edges->room + 1, sizeof(*edges->weight));
	edges->weighted = edges->weight;
	edges->failed = !edges->weight;
	for (uint64_t e = 0; edges->weight && e < edges->count; e++)
		edges->weight[e] = (uint32_t)(random_next(&random) % (NEURON_WEIGHT_MAX + 1));
	return edges_good(edges, "spikes");
}

static bool prepare(struct hbs_graph *graph, const struct edges *edges, struct choice *choice)
{
	/* time 0 has no spikes, but bits */
	size_t words = choice->is_kept ? choice->iterations / 64 + 1UL : 0;
	size_t neurons = edges->vertices * sizeof(struct neuron);
	size_t kept = words * edges->vertices * sizeof(uint64_t);
	struct spikes_aside *aside = calloc(1, sizeof(*aside) + neurons + kept);

	(void)graph;
	choice->aside = aside;
	if (aside && choice->is_kept)
		aside->kept = (uint64_t *)(aside->neurons + edges->vertices);
	return aside;
}

static void print(struct hbs_graph *graph, const struct edges *edges, const struct choice *choice,
		  FILE *to)
{
	const struct spikes_aside *aside = choice->aside;
	uint32_t excite = 0, silent = 0;
	uint64_t spikes = 0;

	(void)graph;
	for (uint32_t v = 0; v < edges->vertices; v++) {
		excite += aside->neurons[v].spike == NEURON_EXCITES;
		silent += !aside->neurons[v].spikes;
		spikes += aside->neurons[v].spikes;
	}
	fprintf(to,
		"neurons          %" PRIu32 " excite others, %" PRIu32 " inhibit them; %" PRIu32
		" have not spiked\n",
		excite, edges->vertices - excite, silent);
	fprintf(to, "spikes           %" PRIu64 " in %" PRIu32 " ms, %.6g in a second by neuron\n",
		spikes, choice->iterations,
		edges->vertices ? (double)spikes * 1000 / choice->iterations / edges->vertices : 0);
}

/* By time, and neurons of the same time by their numbers */
static void write_spikes(struct hbs_graph *graph, const struct choice *choice, FILE *to)
{
	(void)graph;
	for (uint64_t time = 1; time <= choice->iterations; time++)
		for (uint32_t v = 0; v < choice->vertices; v++)
			if (*word_of(choice, edges_place(choice->edges, v), (uint32_t)time) >>
				    time % 64 &
			    1)
				fprintf(to, "%" PRIu64 " %" PRIu32 "\n", time, v);
}

const struct app app_spikes = {
	.name = "spikes",
	.what = "Izhikevich's spiking neurons, in steps of 1 ms",
	.type = { [MODE_SYNC] = &sync, [MODE_GALS] = &gals },
	.uses_weights = true,
	.iterations = 1000,
	.shape = shape,
	.prepare = prepare,
	.print = print,
	.write = write_spikes,
};
