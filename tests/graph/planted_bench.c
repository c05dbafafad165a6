// SPDX-License-Identifier: GPL-2.0-or-later
/* Contenders of graphbench that are wrong, or end too early: which one, the variable PLANT says */
#include <stdlib.h>
#include <string.h>

#include "hbs_graph.h"
#include "lists.h"

static int is(const char *what)
{
	const char *plant = getenv("PLANT");

	return plant && !strcmp(plant, what);
}

void *__real_hbs_graph_state(struct hbs_graph *graph, uint32_t vertex);

/* The last vertex has what the second one has */
void *__wrap_hbs_graph_state(struct hbs_graph *graph, uint32_t vertex)
{
	uint32_t *states = __real_hbs_graph_state(graph, vertex), last = 0;

	while (__real_hbs_graph_state(graph, last + 1))
		last++;
	if (is("hbs"))
		states[last] = states[1];
	return states;
}

struct lists __real_lists_make(const struct problem *problem, int by_end, int with_weights);

/* The serial baseline forgets half of the edges, or dies */
struct lists __wrap_lists_make(const struct problem *problem, int by_end, int with_weights)
{
	struct problem fewer = *problem;

	if (is("crash"))
		abort();
	if (is("serial"))
		fewer.edges /= 2;
	return __real_lists_make(&fewer, by_end, with_weights);
}
