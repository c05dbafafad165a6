// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "back_edges.h"
#include "gals.h"

const char *const mode_names[MODES] = {
	[MODE_SYNC] = "sync", [MODE_ASYNC] = "async", [MODE_GALS] = "gals"
};

static const struct app *const apps[] = { &app_sssp, &app_mssp,	  &app_apsp,   &app_pagerank,
					  &app_heat, &app_spikes, &app_visits, NULL };

const struct hbs_graph_type *app_type(const struct app *app, enum mode mode,
				      const struct edges *edges)
{
	if (!edges->weighted && app->unweighted[mode])
		return app->unweighted[mode];
	return app->type[mode];
}

static bool shape_for_gals(const struct app *app, struct edges *edges)
{
	if (!app->uses_weights) {
		free(edges->weight);
		edges->weight = NULL;
		edges->weighted = false;
	}
	back_edges_add(edges);
	return edges_good(edges, "--mode=gals");
}

bool app_shape(const struct app *app, enum mode mode, struct edges *edges, struct choice *choice)
{
	choice->vertices = edges->vertices;
	if (app->shape || mode == MODE_GALS)
		edges_own(edges);
	if (!edges_good(edges, "its edges"))
		return false;
	if (app->shape && !app->shape(edges, choice))
		return false;
	return mode != MODE_GALS || shape_for_gals(app, edges);
}

bool app_settle(enum mode mode, const struct edges *edges, struct choice *choice)
{
	choice->edges = edges;
	/* if there is no vertex, there is none with that number either */
	choice->source = edges->vertices ? edges_place(edges, choice->source) : 0;
	if (mode != MODE_GALS)
		return true;
	choice->places = gals_places(edges);
	if (!choice->places)
		fprintf(stderr, "hbsgraph: --mode=gals: no memory for what vertices need\n");
	return choice->places;
}

int app_run(const struct app *app, struct hbs_graph *graph, struct hbs *hbs, struct choice *choice,
	    struct hbs_graph_stats *stats)
{
	return app->run ? app->run(graph, hbs, choice, stats)
			: hbs_graph_run(graph, hbs, choice, stats);
}

void app_forget(struct choice *choice)
{
	free(choice->aside);
	free(choice->places);
	choice->aside = NULL;
	choice->places = NULL;
}

const struct app *app_number(unsigned int number)
{
	return apps[number];
}

const struct app *app_find(const char *name)
{
	for (unsigned int i = 0; apps[i]; i++)
		if (!strcmp(apps[i]->name, name))
			return apps[i];
	return NULL;
}
