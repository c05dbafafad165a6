/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How often to do something so that it takes as long as it should; this is a warm-up as well */
#ifndef HBSBENCH_PACE_H
#define HBSBENCH_PACE_H

#include "workload.h"

/* Do it @count times */
typedef void (*batch_fn)(struct run *run, unsigned int member, unsigned long count);

/*
 * All members call this. It runs @batch more and more often, until that takes a quarter of
 * the run's time. Returns the count, at least 1 and at most @most, that takes all of the
 * time.
 */
unsigned long pace(struct run *run, unsigned int member, batch_fn batch, unsigned long most);

#endif /* HBSBENCH_PACE_H */
