/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HBSGRAPH_RUN_H
#define HBSGRAPH_RUN_H

#include "options.h"

/* Load the graph, run the application, and print; the exit status */
int run(struct options *options);

#endif /* HBSGRAPH_RUN_H */
