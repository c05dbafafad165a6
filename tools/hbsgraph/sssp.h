/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HBSGRAPH_SSSP_H
#define HBSGRAPH_SSSP_H

#include <stdint.h>

#include "edges.h"

struct sssp {
	uint32_t distance;
};

/* Of a vertex that no path leads to */
#define SSSP_NONE UINT32_MAX
/* Of one that is as far as that, or farther: sums stop here */
#define SSSP_FAR (UINT32_MAX - 1)

static inline uint32_t sssp_sum(uint32_t distance, uint32_t weight)
{
	return weight >= SSSP_FAR - distance ? SSSP_FAR : distance + weight;
}

/* Distances that are alike but for so many bits are told in no order: half of the mean weight, or so */
uint32_t sssp_shift(const struct edges *edges);

#endif /* HBSGRAPH_SSSP_H */
