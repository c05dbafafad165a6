/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of conditions as text, and how hbs by default does in them */
#ifndef HBSBENCH_NEIGHBOURS_TABLE_H
#define HBSBENCH_NEIGHBOURS_TABLE_H

#include <stdio.h>

#include "results.h"

/* What the default may take of the best of the others, by mean */
#define NEIGHBOURS_LIMIT 1.2

/* And what of a CPU a late member may cost each other one */
#define NEIGHBOURS_BURN_LIMIT 0.01

/* Nothing, if there are no such rows and none was left out */
void neighbours_table(const struct results *results, FILE *file);

#endif /* HBSBENCH_NEIGHBOURS_TABLE_H */
