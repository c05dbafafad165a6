/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Results as text for people */
#ifndef HBSBENCH_TABLE_H
#define HBSBENCH_TABLE_H

#include <stdio.h>

#include "results.h"

/* Room that the next three functions need */
#define TIME_SIZE 16

/* A time with three digits and its unit */
const char *table_time(double ns, char text[TIME_SIZE]);

/* The same for a mark of an axis, which has as many digits as it needs */
const char *table_mark(double ns, char text[TIME_SIZE]);
const char *table_bytes(double bytes, char text[TIME_SIZE]);
const char *table_percent(double part, char text[TIME_SIZE]);

/* Everything, in this order */
void table_write_facts(const struct results *results, FILE *file);
void table_write_contestants(const struct results *results, FILE *file);
void table_write_rows(const struct results *results, FILE *file);
void table_write_ratios(const struct results *results, FILE *file);

#endif /* HBSBENCH_TABLE_H */
