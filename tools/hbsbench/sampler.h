/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples of times, evenly spread and never too many, where nobody knows their number before */
#ifndef HBSBENCH_SAMPLER_H
#define HBSBENCH_SAMPLER_H

#include <stdint.h>

/**
 * struct sampler - set the first two fields, and all others to 0
 * @samples: where they go
 * @room: how many there is room for, an even number, at least 6
 * @count: how many there are
 * @spacing: how many times are skipped for each one that is kept
 * @skipped: how many times were skipped since the last one that was kept
 * @least: of all times
 * @greatest: of all times
 */
struct sampler {
	uint64_t *samples;
	uint32_t room;
	uint32_t count;
	uint64_t spacing;
	uint64_t skipped;
	uint64_t least;
	uint64_t greatest;
};

void sampler_add(struct sampler *sampler, uint64_t time);

/*
 * Call after the last time: the least and the greatest are then among the samples, whatever the
 * spacing
 */
void sampler_finish(struct sampler *sampler);

#endif /* HBSBENCH_SAMPLER_H */
