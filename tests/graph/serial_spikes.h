/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Izhikevich's network, as its publication has the program: all neurons at a time, with a matrix of
 * synapses, here a list. It computes in floats, as the application does: a network is chaotic, and
 * the last bit decides who spikes some 100 ms later.
 */
#ifndef SERIAL_SPIKES_H
#define SERIAL_SPIKES_H

#include <stdint.h>

#include "edges.h"

/*
 * By time from 0 to @times, and neuron: whether it spikes. The caller frees it. The edges have weights.
 */
bool *serial_spikes(const struct edges *edges, uint64_t seed, uint32_t times);

#endif /* SERIAL_SPIKES_H */
