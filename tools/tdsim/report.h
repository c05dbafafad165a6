/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table, and what the papers say beside it */
#ifndef TDSIM_REPORT_H
#define TDSIM_REPORT_H

#include <stddef.h>

#include "simulation.h"

struct row {
	struct config config;
	struct result result;
};

/* The heading, with what all simulations share */
void report_start(const struct config *config);

/* The row @index; those before it are in @rows too */
void report_row(const struct row *rows, size_t index);

/* What the rows say of the papers' figures, as far as they are of the papers' cluster */
void report_papers(const struct row *rows, size_t count);

/* The row of such a simulation, or NULL */
const struct row *report_find(const struct row *rows, size_t count, enum protocol protocol,
			      enum master master, unsigned int width, unsigned int height);

/* Round trips in a second; a single board that is its own master needs no time for one */
double report_rate(const struct result *result);

#endif /* TDSIM_REPORT_H */
