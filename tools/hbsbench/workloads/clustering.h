/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Online clustering by several members, as StreamCluster does it: points arrive in chunks,
 * and one member proposes one point after the other as a new centre. All members find out
 * what the centre would save; the first one decides; all move their points. Each centre
 * costs something, so the algorithm also finds their number (facility location).
 *
 * All is in whole numbers: the result is the same with any number of members.
 */
#ifndef HBSBENCH_CLUSTERING_H
#define HBSBENCH_CLUSTERING_H

#include <stdint.h>

#include "points.h"

/* Barriers of one proposal */
#define CLUSTERING_BARRIERS 3

struct clustering;

/* Memory that the members share; ends the program if there is none */
struct clustering *clustering_make(const struct points *points, unsigned int members);

/* One proposal; all members call it, and @wait makes them wait for each other */
void clustering_step(struct clustering *clustering, unsigned int member,
		     void (*wait)(unsigned int member));

/* The centre of each point that has arrived; a centre is a point */
void clustering_centres(const struct clustering *clustering, unsigned int *centres);

/* A number that depends on which point is in which cluster */
uint64_t clustering_digest(const struct clustering *clustering);

#endif /* HBSBENCH_CLUSTERING_H */
