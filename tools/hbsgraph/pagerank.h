/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HBSGRAPH_PAGERANK_H
#define HBSGRAPH_PAGERANK_H

#include <stdint.h>

#include "gals.h"

#define PAGERANK_DAMPING 0.85f

/*
 * In a run, what has come: the sum of this step, or in mode async what is not in the rank yet. After
 * it, the rank.
 */
struct pagerank {
	float value;
};

/* In mode gals: what has come of two steps, by parity. After a run the first is the rank. */
struct pagerank_gals {
	struct pagerank come[2];
	struct gals_due due;
};

struct pagerank_gals_message {
	float value;
	uint32_t parity;
};

struct pagerank_aside {
	float rank;
	union {
		uint32_t degree; /* at first: how many edges begin here */
		float part; /* of what the vertex has, for each of its edges: 1 divided by that */
	};
};

#endif /* HBSGRAPH_PAGERANK_H */
