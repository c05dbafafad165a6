/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages to the host: neurons tell it when they spike, and it draws that as a picture (PBM): a row for
 * each neuron, a column for each ms. neurons >spikes.pbm
 */
#include <hbs_graph.h>

#include "must.h"

#define NEURONS 24
#define TIMES	96

/* Izhikevich's neuron: all numbers are whole ones here, in units of 1/1024 */
struct neuron {
	int v, u, current;
	int has_told; /* the host of this spike; its neighbours come next */
};

static char picture[NEURONS][TIMES];

static int neurons_init(struct hbs_vertex *vertex, struct neuron *neuron)
{
	(void)vertex;
	*neuron = (struct neuron){ -65 * 1024, -13 * 1024, 0, 0 };
	return 0;
}

static int neurons_send(struct hbs_vertex *vertex, struct neuron *neuron, uint32_t *time)
{
	*time = hbs_vertex_steps(vertex);
	neuron->has_told = !neuron->has_told;
	hbs_vertex_ready(vertex, neuron->has_told ? HBS_PIN(0) : HBS_PIN_NONE);
	return 0;
}

static int neurons_recv(struct hbs_vertex *vertex, struct neuron *neuron, const uint32_t *time,
			const int *weight)
{
	(void)vertex, (void)time;
	neuron->current += *weight;
	return 0;
}

/* v' = 0.04 v v + 5 v + 140 - u + current; u' = 0.02 (0.2 v - u) */
static int neurons_step(struct hbs_vertex *vertex, struct neuron *neuron)
{
	int current = neuron->current + (5 + (int)hbs_vertex_number(vertex)) * 1024;

	for (int half = 0; half < 2; half++)
		neuron->v += (neuron->v / 32 * (neuron->v / 32) / 25 + 5 * neuron->v + 140 * 1024 -
			      neuron->u + current) /
			     2;
	neuron->u += (neuron->v / 5 - neuron->u) / 50;
	neuron->current = 0;
	if (neuron->v >= 30 * 1024) {
		neuron->v = -65 * 1024;
		neuron->u += 8 * 1024;
		hbs_vertex_ready(vertex, HBS_PIN_HOST);
	}
	return hbs_vertex_steps(vertex) < TIMES - 1;
}

static int neurons_finish(struct hbs_vertex *vertex, struct neuron *neuron, uint32_t *message)
{
	(void)vertex, (void)neuron, (void)message;
	return 0;
}

/* Only the thread that called hbs_graph_run() calls it */
static int host(void *arg, uint32_t vertex, const void *message)
{
	(void)arg;
	picture[vertex][*(const uint32_t *)message] = 1;
	return 0;
}

HBS_GRAPH_TYPE(neurons, struct neuron, int, uint32_t, .host = host);

int main(void)
{
	static uint32_t from[NEURONS], to[NEURONS];
	struct hbs_graph_attr attr = { .type = &neurons, .from = from, .to = to };
	const int weight = -20 * 1024; /* a spike inhibits the next neuron */
	struct hbs_graph *graph;
	struct hbs *hbs;

	for (uint32_t n = 0; n < NEURONS; n++) {
		from[n] = n;
		to[n] = (n + 1) % NEURONS;
	}
	attr.datum = &weight;
	attr.edges = NEURONS;
	attr.vertices = NEURONS;
	must(hbs_open(&hbs, NULL));
	must(hbs_graph_create(&attr, &graph));
	must(hbs_graph_run(graph, hbs, NULL, NULL));
	printf("P1 %d %d\n", TIMES, NEURONS);
	for (int n = 0; n < NEURONS; n++)
		for (int t = 0; t < TIMES; t++)
			printf("%d%s", picture[n][t], t == TIMES - 1 ? "\n" : "");
	must(hbs_graph_close(graph));
	must(hbs_close(hbs));
	return 0;
}
