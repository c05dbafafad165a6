/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What changed between two runs by more than noise */
#ifndef HBSBENCH_COMPARE_H
#define HBSBENCH_COMPARE_H

#include "results.h"

/**
 * compare() - print what changed from @before to @after
 * @relative: take times as ratios to this contender's, in the same repetition; or NULL
 * @least: the smallest change that is worth reporting, as a part
 *
 * Return: rows that changed; -1 if the two have no row in common.
 */
int compare(const struct results *before, const struct results *after, const char *relative,
	    double least);

#endif /* HBSBENCH_COMPARE_H */
