/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of "run" and "check": what to measure */
#ifndef HBSBENCH_OPTIONS_H
#define HBSBENCH_OPTIONS_H

#include <stdbool.h>

#include "output.h"
#include "plan.h"

/* Longest time that an option takes, so that nothing overflows */
#define TIME_MS_MAX   60000
#define JITTER_NS_MAX 1000000000
#define LIMIT_S_MAX   3600

/* Add the numbers of members that @text lists; stderr says what is wrong with it. */
bool options_members(const char *option, const char *text, struct plan *plan);

/*
 * Add the powers of two up to the number of CPUs, that number, and its products with the
 * powers of two up to @most
 */
void options_default_members(struct plan *plan, unsigned int most);

/*
 * Read what to measure and where to write it; options that are missing have the
 * defaults of the manual page. Says on stderr what is wrong.
 */
bool options_run(int argc, char **argv, struct plan *plan, struct output *output);

/* Whether each given option has an effect for these workloads. Says on stderr which has none. */
bool options_sensible(const struct plan *plan, const struct output *output);

#endif /* HBSBENCH_OPTIONS_H */
