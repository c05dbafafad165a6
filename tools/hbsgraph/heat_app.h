/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HBSGRAPH_HEAT_APP_H
#define HBSGRAPH_HEAT_APP_H

#include <stdint.h>

#include "gals.h"

/* What a vertex takes in a step of the difference to its neighbours' mean */
#define HEAT_RATE 0.5f

/*
 * In a run, the sum of this step: of each neighbour, weight times temperature. After it, the
 * temperature.
 */
struct heat {
	float value;
};

/* In mode gals: the sums of two steps, by parity. After a run the first is the temperature. */
struct heat_gals {
	struct heat sum[2];
	struct gals_due due;
};

struct heat_gals_message {
	float temperature;
	uint32_t parity;
};

struct heat_aside {
	union {
		uint64_t weights; /* at first: the sum of those of the edges that end here */
		struct {
			float temperature;
			float part; /* 1 divided by that sum; or 0 */
		};
	};
};

#endif /* HBSGRAPH_HEAT_APP_H */
