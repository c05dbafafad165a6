/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Results as one HTML file that needs nothing else: no script, no link, plots inside */
#ifndef HBSBENCH_HTML_H
#define HBSBENCH_HTML_H

#include <stdbool.h>
#include <stdio.h>

#include "results.h"

/* Says on stderr what went wrong */
bool html_write(const struct results *results, bool all_lines, FILE *file);

#endif /* HBSBENCH_HTML_H */
