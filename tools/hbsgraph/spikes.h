/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HBSGRAPH_SPIKES_H
#define HBSGRAPH_SPIKES_H

#include "gals.h"
#include "neuron.h"

/* In a run, the current of this step from those that spike */
struct spikes {
	int64_t current;
};

/* In mode gals: of two steps, by parity */
struct spikes_gals {
	int64_t current[2];
	struct gals_due due;
};

struct spikes_gals_message {
	int32_t spike;
	uint32_t parity;
};

struct spikes_aside {
	uint64_t *
		kept; /* the spikes of 64 times of each neuron, a bit each; NULL if none are kept */
	struct neuron neurons[];
};

#endif /* HBSGRAPH_SPIKES_H */
