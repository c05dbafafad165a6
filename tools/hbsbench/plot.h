/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plots of the results, by gnuplot, as SVG */
#ifndef HBSBENCH_PLOT_H
#define HBSBENCH_PLOT_H

#include <stdbool.h>
#include <stdio.h>

#include "results.h"

/**
 * plot_fn - what to do with a plot
 * @name: of letters, digits and underscores
 * @script: for gnuplot, which writes to its standard output
 *
 * Return: shall there be more?
 */
typedef bool (*plot_fn)(const char *name, const char *title, const char *script, void *arg);

/* Make all plots: latency over members, distributions, ratios to the peers */
bool plots_each(const struct results *results, plot_fn each, void *arg);

/* Let gnuplot run @script and write to @file; says on stderr if it cannot */
bool plot_render(const char *script, FILE *file);

/* Write all plots into a folder, which is made if it is not there; the same */
bool plots_write(const struct results *results, const char *folder);

#endif /* HBSBENCH_PLOT_H */
