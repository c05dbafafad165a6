/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where results go */
#ifndef HBSBENCH_OUTPUT_H
#define HBSBENCH_OUTPUT_H

#include <stdbool.h>

#include "shared/replace.h"
#include "results.h"

enum output_kind { OUTPUT_JSON, OUTPUT_CSV, OUTPUT_HTML, OUTPUT_KINDS };

/* The names of the options that tell where these go */
extern const char *const output_options[OUTPUT_KINDS];

/**
 * struct output - where results go
 * @paths: files to write, "-" for standard output; NULL for none
 * @plots: a folder, or NULL
 * @all_lines: plots show all contenders
 * @table: a table for people, on standard output if nothing else goes there
 * @files: the same as @paths, once they are prepared
 */
struct output {
	const char *paths[OUTPUT_KINDS];
	const char *plots;
	bool all_lines;
	bool table;
	struct replacement files[OUTPUT_KINDS];
};

/* Has each option that is given a use? Says on stderr which has none. */
bool output_sensible(const struct output *output);

/*
 * Find out whether all can be written, before anything is measured. What is there stays as it
 * is until there is something to write. Says on stderr what cannot be written, and why.
 */
bool output_prepare(struct output *output);

/* Write all, the rest also when one fails; says on stderr which does. Only once. */
bool output_write(struct output *output, const struct results *results);

#endif /* HBSBENCH_OUTPUT_H */
