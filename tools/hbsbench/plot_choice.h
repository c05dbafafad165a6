/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which lines a plot has: all, or those that are worth looking at */
#ifndef HBSBENCH_PLOT_CHOICE_H
#define HBSBENCH_PLOT_CHOICE_H

#include <stdbool.h>

#include "results.h"

/* How many peers of hbs a plot has, unless it shows all */
#define PLOT_PEERS 5

enum line_kind { LINE_PEER, LINE_OURS, LINE_IDEAL, LINE_MARKED };

/**
 * struct line - a contender in a plot
 * @style: a number that no other contender of the results has
 */
struct line {
	const char *contender;
	enum line_kind kind;
	unsigned int style;
};

/* Whether @row belongs to the plot of @like; a distribution is of one number of members only */
typedef bool (*plot_has_fn)(const struct row *row, const struct row *like);

/**
 * plot_choose() - the contenders of a plot
 * @has: whether a row belongs to the plot of @like
 * @all: take all there are; else hbs and hbs-card, none, and the best peers: the best with each
 *	number of members, then those with the most points, and of these the nearest to the best
 * @lines: out, with room for all contestants; the marked one, hbs if it is there, is the last
 *
 * Return: how many
 */
size_t plot_choose(const struct results *results, const struct row *like, plot_has_fn has, bool all,
		   struct line *lines);

/* Whether plots may have the row; without @all, not if its barrier spins without a CPU */
bool plot_row_counts(const struct row *row, bool all);

#endif /* HBSBENCH_PLOT_CHOICE_H */
