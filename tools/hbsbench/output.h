/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where results go */
#ifndef HBSBENCH_OUTPUT_H
#define HBSBENCH_OUTPUT_H

#include <stdbool.h>

#include "shared/replace.h"
#include "results.h"

enum output_kind { OUTPUT_JSON, OUTPUT_CSV, OUTPUT_HTML, OUTPUT_KINDS };

/* The names of the options that say where these go */
extern const char *const output_options[OUTPUT_KINDS];

/**
 * struct output - where results go
 * @paths: files to write, "-" for standard output; NULL for none
 * @plots: a folder, or NULL
 * @all_lines: plots show all contenders
 * @table: a table for people, on standard output if nothing else goes there
 * @files: the files of @paths, once they are prepared
 */
struct output {
	const char *paths[OUTPUT_KINDS];
	const char *plots;
	bool all_lines;
	bool table;
	struct replacement files[OUTPUT_KINDS];
};

/* Whether each given option has an effect. Says on stderr which has none. */
bool output_sensible(const struct output *output);

/*
 * Find out whether all can be written, before anything is measured. Files stay as they are
 * until there is something to write. Says on stderr what cannot be written, and why.
 */
bool output_prepare(struct output *output);

/*
 * Write all; if one fails, write the others too, and say on stderr which failed. Call this only
 * once.
 */
bool output_write(struct output *output, const struct results *results);

#endif /* HBSBENCH_OUTPUT_H */
