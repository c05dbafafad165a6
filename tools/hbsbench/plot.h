/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plots of the results, by gnuplot, as SVG */
#ifndef HBSBENCH_PLOT_H
#define HBSBENCH_PLOT_H

#include <stdbool.h>

#include "results.h"

/**
 * struct plot - what a plot is made of
 * @name: of letters, digits and underscores
 * @title: for people
 * @script: for gnuplot, which writes to its standard output
 */
struct plot {
	const char *name;
	const char *title;
	const char *script;
};

/* What to do with a plot. Return: whether more plots are wanted */
typedef bool (*plot_fn)(const struct plot *plot, void *arg);

/*
 * Make all plots: latency over members, distributions, ratios to the peers. With @all_lines
 * they show all contenders, not only hbs and its best peers.
 */
bool plots_each(const struct results *results, bool all_lines, plot_fn each, void *arg);

/*
 * Make the folder, and find out whether files can be written there. Return: whether all went well;
 * if not, stderr says why.
 */
bool plots_prepare(const char *folder);

/* Write all plots into a folder. Return: as above */
bool plots_write(const struct results *results, bool all_lines, const char *folder);

#endif /* HBSBENCH_PLOT_H */
