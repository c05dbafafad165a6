/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HBSGRAPH_HEAT_APP_H
#define HBSGRAPH_HEAT_APP_H

#include <stdint.h>

/* What a vertex takes in a step of the difference to its neighbours' mean */
#define HEAT_RATE 0.5f

/*
 * In a run, the sum of this step: of each neighbour, weight times temperature. After it, the
 * temperature.
 */
struct heat {
	float value;
};

struct heat_aside {
	float temperature;
	float part; /* 1 divided by the sum of the weights of the edges that end here; or 0 */
};

#endif /* HBSGRAPH_HEAT_APP_H */
