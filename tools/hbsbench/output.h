/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where results go */
#ifndef HBSBENCH_OUTPUT_H
#define HBSBENCH_OUTPUT_H

#include <stdbool.h>

#include "results.h"

/* Files to write, "-" for standard output; a folder for the plots; NULL for none */
struct output {
	const char *json;
	const char *csv;
	const char *html;
	const char *plots;
	bool table;
};

/* Could they be written? Tried before anything is measured. Says on stderr which cannot. */
bool output_possible(const struct output *output);

/* The same afterwards */
bool output_write(const struct output *output, const struct results *results);

#endif /* HBSBENCH_OUTPUT_H */
