/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each algorithm of hbs in software is a contender, "hbs-NAME", or "hbs-NAME:FAN-IN" */
#ifndef HBSBENCH_HBS_ALGORITHMS_H
#define HBSBENCH_HBS_ALGORITHMS_H

#include <stdbool.h>
#include <stdint.h>

#include "contender.h"

struct algorithm_choice {
	uint32_t algorithm; /* enum hbs_algorithm */
	uint32_t fan_in;    /* 0: the algorithm's own */
};

/* The contender of an algorithm; NULL if no algorithm has that number, or it has no such fan-in */
const struct contender *hbs_algorithm_contender(struct algorithm_choice choice);

/* Whether @name is that of such a contender, and of which one */
bool hbs_algorithm_named(const char *name, struct algorithm_choice *choice);

/* The name of the algorithm that hbs chooses, or why it does not; @promise: HBS_PROMISE_ bits */
const char *hbs_algorithm_chosen(unsigned int members, uint32_t promise);

/* Whether the algorithm has a choice of its fan-in */
bool hbs_algorithm_has_fan_in(uint32_t algorithm);

#endif /* HBSBENCH_HBS_ALGORITHMS_H */
