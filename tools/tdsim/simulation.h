/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One simulation: all of its state, and what it finds */
#ifndef TDSIM_SIMULATION_H
#define TDSIM_SIMULATION_H

#include <stdint.h>

#include "config.h"
#include "machine.h"
#include "mesh.h"
#include "oracle.h"
#include "queue.h"
#include "shape.h"
#include "thread.h"
#include "wave.h"

/**
 * struct simulation - the state
 * @next_token: what the master's next round asks for
 * @probes: rounds that asked whether all wait
 */
struct simulation {
	const struct config *config;
	uint64_t now;
	uint64_t random;
	struct queue queue;
	struct mesh mesh;
	struct shape shape;
	struct oracle oracle;
	struct node *nodes;
	struct machine *machines;
	struct thread *threads;
	uint32_t thread_count;
	uint32_t next_token;
	uint64_t probes;
};

/**
 * struct result - what one simulation found; times are in cycles, means over all epochs
 * @round_trip: of a round when nothing else happens
 * @probes: rounds to detect one termination
 * @detection: from the last idle to the master's detection
 * @release: to the last thread that is released
 * @synchronisation: to the last thread that may send again
 * @period: of an epoch, work and all
 * @error: what the oracle found wrong, at @error_at; or NULL
 */
struct result {
	uint64_t round_trip;
	double probes;
	double detection;
	double release;
	double synchronisation;
	double period;
	const char *error;
	uint64_t error_at;
};

void simulate(const struct config *config, struct result *result);

/* Send from a board; @local is the time within a board, if the packet stays there */
void simulation_send(struct simulation *sim, uint32_t from, unsigned int local,
		     const struct packet *packet);

#endif /* TDSIM_SIMULATION_H */
