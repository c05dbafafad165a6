/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times over members, and where the card is faster */
#ifndef LATENCY_PLOT_H
#define LATENCY_PLOT_H

#include "options.h"
#include "shared/replace.h"

/* Return: whether it is written; if not, stderr says why */
bool plot_write(const struct options *options, struct replacement *replacement);

#endif /* LATENCY_PLOT_H */
