/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The members of a contender: threads, processes, or threads that the contender makes */
#ifndef HBSBENCH_TEAM_H
#define HBSBENCH_TEAM_H

#include <stdbool.h>

#include "contender.h"

/*
 * Run @work in each member, of which the caller is the first, and wait for all. Call
 * this in a child, which ends if that fails.
 */
void team_run(const struct contender *contender, unsigned int members, bool processes,
	      member_fn work, void *arg);

#endif /* HBSBENCH_TEAM_H */
