/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HBSGRAPH_PAGERANK_H
#define HBSGRAPH_PAGERANK_H

#include <stdint.h>

#define PAGERANK_DAMPING 0.85f

struct pagerank {
	float rank;
	float coming; /* sync: the sum of this step; async: what is not in the rank yet */
	float part;   /* of what the vertex has, for each of its edges: 1 divided by their number */
};

#endif /* HBSGRAPH_PAGERANK_H */
