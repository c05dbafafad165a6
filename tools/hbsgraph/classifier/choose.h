/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --mode=auto: the mode that models of this machine say takes less time */
#ifndef HBSGRAPH_CHOOSE_H
#define HBSGRAPH_CHOOSE_H

#include "../options.h"

/**
 * choose_mode() - choose the mode of a run, and print why
 * @options: of the run; its application has both modes, and is one that models are of
 * @edges: the graph
 * @hbs: what it will run with
 * @mode: out
 *
 * Return: false, with a message on stderr, if the profile is none, or there is no memory.
 */
bool choose_mode(const struct options *options, const struct edges *edges, const struct hbs *hbs,
		 enum mode *mode);

#endif /* HBSGRAPH_CHOOSE_H */
