/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How often to do something so that it takes as long as it should; a warm-up as well */
#ifndef HBSBENCH_PACE_H
#define HBSBENCH_PACE_H

#include "workload.h"

/* Do it @count times */
typedef void (*batch_fn)(struct run *run, unsigned int member, unsigned long count);

/*
 * To be called by all members. Runs @batch more and more often, until that takes a quarter
 * of the run's time: the count, at most @most and at least 1, that takes all of it.
 */
unsigned long pace(struct run *run, unsigned int member, batch_fn batch, unsigned long most);

#endif /* HBSBENCH_PACE_H */
