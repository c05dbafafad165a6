/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HBSGRAPH_USAGE_TEXT_H
#define HBSGRAPH_USAGE_TEXT_H

#include <stdio.h>

/* Print how hbsgraph is used: one screen */
void usage_text(FILE *to);

#endif /* HBSGRAPH_USAGE_TEXT_H */
