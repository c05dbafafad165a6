/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Results as CSV: a line for each repetition */
#ifndef HBSBENCH_CSV_H
#define HBSBENCH_CSV_H

#include <stdio.h>

#include "results.h"

void csv_write(const struct results *results, FILE *file);

#endif /* HBSBENCH_CSV_H */
