/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Results as JSON: everything, to be shown and compared later */
#ifndef HBSBENCH_JSON_H
#define HBSBENCH_JSON_H

#include <stdbool.h>
#include <stdio.h>

#include "results.h"

/* Return: whether all could be written */
bool json_write(const struct results *results, FILE *file);

/* The same for reading; says on stderr what is wrong */
bool json_read(struct results *results, const char *path);

#endif /* HBSBENCH_JSON_H */
