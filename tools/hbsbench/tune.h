/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Measures what the library's "auto" chooses from */
#ifndef HBSBENCH_TUNE_H
#define HBSBENCH_TUNE_H

#include "plan.h"
#include "software/profile.h"

/**
 * tune() - measure each algorithm, with the fan-ins that are worth trying, and the card
 * @members: how many members, for each of @count measurements
 * @time_s: how long all of it should take, about
 * @quiet: show no progress
 * @profile: out: the times, without those that could not be measured
 */
void tune(const unsigned int *members, size_t count, unsigned int time_s, bool quiet,
	  struct profile *profile);

#endif /* HBSBENCH_TUNE_H */
