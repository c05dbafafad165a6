/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mode gals: globally asynchronous, locally synchronous. A vertex goes to its next time step when it
 * has sent its message of this one, and has those of all edges that end at it. There is no step of
 * all. Where an edge leads one way only, another one leads back (see back_edges.h), so that neighbours
 * are at most one step apart: messages of two steps may arrive at a time, and the parity of the
 * step tells which is which.
 */
#ifndef HBSGRAPH_GALS_H
#define HBSGRAPH_GALS_H

#include "app.h"

/* Of a vertex, aside of its state */
struct gals_place {
	uint32_t in;   /* edges that end here */
	uint32_t step; /* that it is at, from 0 */
};

/* In its state: what is missing of a step, by parity; its own turn to send counts as a message */
struct gals_due {
	uint32_t of[2];
};

/* The places of all vertices at the beginning, which the caller frees; NULL if there is no memory */
struct gals_place *gals_places(const struct edges *edges);

static inline struct gals_place *gals_place(const struct hbs_vertex *vertex)
{
	const struct choice *choice = hbs_vertex_arg(vertex);

	return &choice->places[hbs_vertex_number(vertex)];
}

/* For the handler init: the vertex is to send in step 0 */
static inline void gals_start(const struct hbs_vertex *vertex, struct gals_due *due)
{
	struct gals_place *place = gals_place(vertex);

	place->step = 0;
	due->of[0] = place->in + 1;
	due->of[1] = place->in + 1;
	hbs_vertex_ready(vertex, HBS_PIN(0));
}

/*
 * A message of a step of that parity is there. Return: whether it was the last one that was missing;
 * then the vertex is in its next step.
 */
static inline bool gals_is_complete(const struct hbs_vertex *vertex, struct gals_due *due,
				    uint32_t parity)
{
	struct gals_place *place;

	if (--due->of[parity])
		return false;
	place = gals_place(vertex);
	due->of[parity] = place->in + 1;
	place->step++;
	return true;
}

#endif /* HBSGRAPH_GALS_H */
