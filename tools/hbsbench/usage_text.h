/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HBSBENCH_USAGE_TEXT_H
#define HBSBENCH_USAGE_TEXT_H

#include <stdio.h>

/* What --help prints */
void usage_text(FILE *to);

#endif /* HBSBENCH_USAGE_TEXT_H */
