/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loads a run-time library that this program is not linked to */
#ifndef HBSBENCH_LIBRARY_H
#define HBSBENCH_LIBRARY_H

/*
 * Load the first of @names that exists; NULL ends @names. A name without a folder is looked
 * for in hbsbench.d beside this program, and where the loader looks; a name that starts with
 * "./" or "../" is relative to this program's folder. NULL, or why none was loaded.
 */
const char *library_load(const char *const *names);

/* A function of the library that was loaded last; NULL if the library lacks it */
void *library_find(const char *function);

/* The path of the library that was loaded last */
const char *library_path(void);

#endif /* HBSBENCH_LIBRARY_H */
