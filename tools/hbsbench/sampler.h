/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples of times whose number is not known before: evenly spread, and never too many */
#ifndef HBSBENCH_SAMPLER_H
#define HBSBENCH_SAMPLER_H

#include <stdint.h>

/**
 * struct sampler - start it as all 0 but for the first two
 * @samples: where they go
 * @room: how many there is room for, an even number, at least 6
 * @count: how many there are
 * @spacing: times of which one is kept, less 1
 * @skipped: times since the last that was kept
 * @least: of all times
 * @greatest: the same
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

/* After the last: the least and the greatest are among the samples, whatever the spacing */
void sampler_finish(struct sampler *sampler);

#endif /* HBSBENCH_SAMPLER_H */
