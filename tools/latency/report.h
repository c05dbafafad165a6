/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables */
#ifndef LATENCY_REPORT_H
#define LATENCY_REPORT_H

#include "options.h"

/* Times by members and sockets */
void report_times(const struct options *options);

/* For which numbers of members the card is faster */
void report_wins(const struct options *options);

/* Where the numbers come from */
void report_sources(void);

#endif /* LATENCY_REPORT_H */
