/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory, or the end of the program */
#ifndef TDSIM_MEMORY_H
#define TDSIM_MEMORY_H

#include <stddef.h>

/* Exit status of a simulation that did not take place */
#define EXIT_ERROR 2

/* @count zeroed elements */
void *memory_new(size_t count, size_t size);

/* @old with room for @count elements */
void *memory_more(void *old, size_t count, size_t size);

#endif /* TDSIM_MEMORY_H */
