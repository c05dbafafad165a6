/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HBSGRAPH_LOAD_H
#define HBSGRAPH_LOAD_H

#include "options.h"

/* Make or read the graph that options name; false, with a message, if that fails */
bool load(const struct options *options, struct edges *edges);

#endif /* HBSGRAPH_LOAD_H */
