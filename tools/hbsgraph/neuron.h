/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Izhikevich's neuron ("Simple model of spiking neurons", 2003), in steps of 1 ms, with two half steps
 * for the membrane's potential. All is computed in floats, in an order that is always the same, and
 * the current of synapses is a whole number, which has the same sum in any order. So the spikes are the
 * same in all modes, and with any number of threads.
 */
#ifndef HBSGRAPH_NEURON_H
#define HBSGRAPH_NEURON_H

#include <stdbool.h>
#include <stdint.h>

/* Of a synapse without a weight of its own, from 0: in units of 0.001 */
#define NEURON_WEIGHT_MAX 500u

/* What a spike does to the current of others, for each unit of weight. Nobody spikes: 0 */
#define NEURON_EXCITES	1
#define NEURON_INHIBITS (-2)

struct neuron {
	float v; /* the membrane's potential, in mV */
	float u; /* its recovery */
	float a, b, c, d;
	float noise;   /* the standard deviation of the thalamic input */
	int32_t spike; /* what it does to others: NEURON_EXCITES or NEURON_INHIBITS */
	int32_t now;   /* the same if it spikes now, else 0; for mode gals */
	uint64_t random;
	uint64_t spikes; /* until now */
};

/* The neuron with that number, at rest: one of five inhibits others, which the seed chooses */
void neuron_start(struct neuron *neuron, uint64_t seed, uint32_t number);

/* A step: its potential, with that current of synapses, in units of 0.001 */
void neuron_step(struct neuron *neuron, int64_t current);

/* Whether it spikes; then its potential is reset */
bool neuron_spikes(struct neuron *neuron);

#endif /* HBSGRAPH_NEURON_H */
