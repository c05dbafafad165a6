/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Applications: programs for vertices, what they need before a run, and what they have found */
#ifndef HBSGRAPH_APP_H
#define HBSGRAPH_APP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "edges.h"
#include "hbs_graph.h"

enum mode { MODE_SYNC, MODE_ASYNC, MODES };

/* What the user may choose, and what handlers know besides; they have it as their argument */
struct choice {
	uint32_t source;
	uint32_t iterations;
	float tolerance;
	float share;	/* of a vertex, for page rank: 1 divided by their number */
	uint32_t shift; /* for shortest paths: distances alike but for so many bits send together */
	/*
	 * by vertex: what it needs only for itself. The states, which messages find in no order, are
	 * small so: more of them fit into the cache.
	 */
	void *aside;
};

struct app {
	const char *name;
	const char *what;
	const struct hbs_graph_type *type[MODES]; /* NULL if it has no such mode */
	bool uses_weights;
	bool uses_source;
	/* the defaults of options; 0 if the application does not use them */
	uint32_t iterations;
	double tolerance[MODES];
	/* Set what handlers know of the graph, before a run; false if there is no memory for that */
	bool (*prepare)(struct hbs_graph *graph, const struct edges *edges, struct choice *choice);
	/*
	 * Print what the states have after a run, some lines. Vertices may have been renumbered: users
	 * know one by edges_name(), and have the numbers of edges_place() to choose from
	 */
	void (*print)(struct hbs_graph *graph, const struct edges *edges,
		      const struct choice *choice, FILE *to);
	/* What it has found of a vertex, as text, at most APP_VALUE bytes */
	void (*value)(const void *state, char *text);
};

#define APP_VALUE 32

extern const struct app app_sssp, app_pagerank, app_heat;

/* The application of that name, or NULL */
const struct app *app_find(const char *name);

/* The one with that number, from 0; NULL after the last */
const struct app *app_number(unsigned int number);

#endif /* HBSGRAPH_APP_H */
