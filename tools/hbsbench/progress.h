/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A line that shows how far a long run is, on stderr if that is a terminal */
#ifndef HBSBENCH_PROGRESS_H
#define HBSBENCH_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

/* @quiet: show nothing */
void progress_start(size_t steps, bool quiet);

/* The next step begins */
void progress_step(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A step that is not done */
void progress_skip(void);

/* Wipe the line */
void progress_end(void);

#endif /* HBSBENCH_PROGRESS_H */
