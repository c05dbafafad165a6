/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Applications: programs for vertices, what they need before a run, and what they have found */
#ifndef HBSGRAPH_APP_H
#define HBSGRAPH_APP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "edges.h"
#include "hbs_graph.h"
#include "scale.h"
#include "sources.h"

enum mode { MODE_SYNC, MODE_ASYNC, MODE_GALS, MODES };

extern const char *const mode_names[MODES];

/* What the user may choose, and what handlers know besides; they have it as their argument */
struct choice {
	uint32_t vertices; /* of the graph as it was read or made */
	uint64_t seed;
	bool is_kept; /* what was found of each vertex will be written */
	uint32_t source;
	struct sources sources;
	struct scale scale;
	uint32_t iterations;
	float tolerance;
	float share;	/* of a vertex, for page rank: 1 divided by their number */
	uint32_t shift; /* for shortest paths: distances alike but for so many bits send together */
	const struct edges *edges; /* of the graph, for edges_name() */
	struct gals_place *places; /* by vertex, in mode gals */
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
	const struct hbs_graph_type
		*unweighted[MODES]; /* if edges have no weights; NULL: the same */
	bool uses_weights;
	bool uses_source;
	bool is_modelled; /* the classifier knows how long it takes in modes sync and async */
	bool uses_sources;
	bool uses_scale;
	/* the defaults of options; 0 if the application does not use them */
	uint32_t iterations;
	double tolerance[MODES];
	/*
	 * Change the edges before the graph is made of them; false, with a message on stderr, if that
	 * cannot be. NULL: they stay as they are
	 */
	bool (*shape)(struct edges *edges, struct choice *choice);
	/* Set what handlers know of the graph, before a run; false if there is no memory for that */
	bool (*prepare)(struct hbs_graph *graph, const struct edges *edges, struct choice *choice);
	/* In place of hbs_graph_run(); NULL for that */
	int (*run)(struct hbs_graph *graph, struct hbs *hbs, struct choice *choice,
		   struct hbs_graph_stats *stats);
	/*
	 * Print what the states have after a run, some lines. Vertices may have been renumbered: users
	 * know one by edges_name(), and have the numbers of edges_place() to choose from
	 */
	void (*print)(struct hbs_graph *graph, const struct edges *edges,
		      const struct choice *choice, FILE *to);
	/* What it has found of a vertex, as text, at most APP_VALUE bytes */
	void (*value)(const void *state, char *text);
	/* Or, if that is NULL: write all that it has found */
	void (*write)(struct hbs_graph *graph, const struct choice *choice, FILE *to);
};

#define APP_VALUE 32

extern const struct app app_sssp, app_pagerank, app_heat, app_spikes, app_mssp, app_apsp,
	app_visits;

/* The type for these edges */
const struct hbs_graph_type *app_type(const struct app *app, enum mode mode,
				      const struct edges *edges);

/*
 * Make the edges what the application, and mode gals, need: before the graph is made of them. Return:
 * false, with a message on stderr, if that cannot be.
 */
bool app_shape(const struct app *app, enum mode mode, struct edges *edges, struct choice *choice);

/*
 * When vertices have the numbers by which the graph is made: set what depends on these. Return: false, with
 * a message on stderr, if there is no memory.
 */
bool app_settle(enum mode mode, const struct edges *edges, struct choice *choice);

/* Run it; 0 or an error, as hbs_graph_run() */
int app_run(const struct app *app, struct hbs_graph *graph, struct hbs *hbs, struct choice *choice,
	    struct hbs_graph_stats *stats);

/* Free what app_shape() and prepare have made */
void app_forget(struct choice *choice);

/* The application of that name, or NULL */
const struct app *app_find(const char *name);

/* The one with that number, from 0; NULL after the last */
const struct app *app_number(unsigned int number);

#endif /* HBSGRAPH_APP_H */
