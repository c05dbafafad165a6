// SPDX-License-Identifier: GPL-2.0-or-later
#include "features.h"
#include "neighbours.h"
#include "shared/now.h"
#include "sweep.h"

/* Shortest paths by weights are looked at until so many vertices are known */
#define DETOUR_VERTICES (1u << 17)

static uint32_t busiest(const struct neighbours *neighbours)
{
	uint32_t most = 0, best = 0;

	for (uint32_t v = 0; v < neighbours->vertices; v++) {
		uint32_t degree = neighbours->start[v + 1] - neighbours->start[v];

		if (degree > most) {
			most = degree;
			best = v;
		}
	}
	return best;
}

static void bound(struct features *features, const struct neighbours *neighbours,
		  const struct sweep *sweep)
{
	double eccentricity = sweep_eccentricity(sweep);

	if (eccentricity > features->diameter)
		features->diameter = eccentricity;
	if (neighbours->both_ways &&
	    (!features->diameter_most || 2 * eccentricity < features->diameter_most))
		features->diameter_most = 2 * eccentricity;
}

/*
 * One sweep finds a vertex that is far from all others, a second one begins there; a third one
 * begins in the middle of what that one has found, where the bound is better.
 */
static bool look(const struct neighbours *neighbours, struct sweep *sweep,
		 struct features *features)
{
	bool good;

	sweep_from(neighbours, busiest(neighbours), sweep);
	bound(features, neighbours, sweep);
	good = sweep_detour(neighbours, sweep, DETOUR_VERTICES, &features->reconvergence_other);
	sweep_from(neighbours, sweep_farthest(sweep), sweep);
	bound(features, neighbours, sweep);
	good = good && sweep_detour(neighbours, sweep, DETOUR_VERTICES, &features->reconvergence);
	if (neighbours->both_ways) {
		sweep_from(neighbours, sweep_middle(neighbours, sweep), sweep);
		bound(features, neighbours, sweep);
	}
	return good;
}

bool features_estimate(const struct edges *edges, struct features *features)
{
	struct neighbours neighbours = { 0 };
	struct sweep sweep = { 0 };
	double begin = now_ns();
	bool good;

	*features = (struct features){
		.vertices = edges->vertices,
		.fanout = edges->vertices ? (double)edges->count / edges->vertices : 0,
		.reconvergence = 1,
		.reconvergence_other = 1,
	};
	if (!edges->count)
		return true;
	good = neighbours_find(edges, &neighbours) && sweep_begin(&neighbours, &sweep) &&
	       look(&neighbours, &sweep, features);
	sweep_end(&sweep);
	neighbours_free(&neighbours);
	features->ns = now_ns() - begin;
	if (!good)
		fprintf(stderr, "hbsgraph: no memory to look at the graph\n");
	return good;
}

void features_print(const struct features *features, FILE *to)
{
	fprintf(to, "features         %.0f vertices, fan-out %.4g, diameter %.0f",
		features->vertices, features->fanout, features->diameter);
	if (features->diameter_most)
		fprintf(to, " to %.0f", features->diameter_most);
	else if (features->diameter > 0)
		fprintf(to, " at least");
	fprintf(to, ", reconvergence %.3g (%.3g by another search); estimated in %.3f s\n",
		features->reconvergence, features->reconvergence_other, features->ns * 1e-9);
}
