/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loading a run-time library that this program is not linked to */
#ifndef HBSBENCH_LIBRARY_H
#define HBSBENCH_LIBRARY_H

/*
 * Load the first of @names that there is, ended by NULL: of names without a folder, from
 * hbsbench.d beside this program or where the loader finds it; of names that start with "./"
 * or "../", from there as this program's folder sees it. NULL, or why none was loaded.
 */
const char *library_load(const char *const *names);

/* A function of the library that was loaded last; NULL if it lacks it */
void *library_find(const char *function);

/* The path of the library that was loaded last */
const char *library_path(void);

#endif /* HBSBENCH_LIBRARY_H */
