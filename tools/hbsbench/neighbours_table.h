/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of conditions as text, and how hbs does in them by default */
#ifndef HBSBENCH_NEIGHBOURS_TABLE_H
#define HBSBENCH_NEIGHBOURS_TABLE_H

#include <stdio.h>

#include "results.h"

/* The default's mean may be so many times the mean of the best other way */
#define NEIGHBOURS_LIMIT 1.2

/* and that of idle members, of a barrier of hbs */
#define NEIGHBOURS_IDLE_LIMIT 1.3

/* A late member may cost each other one such a part of a CPU */
#define NEIGHBOURS_BURN_LIMIT 0.01

/* Prints nothing if there are no such rows and none was left out */
void neighbours_table(const struct results *results, FILE *file);

#endif /* HBSBENCH_NEIGHBOURS_TABLE_H */
