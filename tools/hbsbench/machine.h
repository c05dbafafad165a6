/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What this machine is, for the reader of the results */
#ifndef HBSBENCH_MACHINE_H
#define HBSBENCH_MACHINE_H

#include "clock.h"
#include "results.h"

/* @clock: NULL if the program measures with another */
void machine_describe(struct results *results, const char *topology,
		      const struct clock_facts *clock);

#endif /* HBSBENCH_MACHINE_H */
